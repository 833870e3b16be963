"""The paper's own tables in a report, made of the released files: figures as they are printed there."""

import pytest

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.overlap import overlap
from voirdire.answers.score import score_answers
from voirdire.answers.section import answers_section
from voirdire.formats.generations import read_generations
from voirdire.formats.references import read_references
from voirdire.section.content import Cell, Model
from voirdire.section.context import Context, read_context

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def section(real_data):
    folder = real_data / "visdial" / "dense"
    people, machine = (read_references(folder / f"refs_{name}_human_val.json") for name in ("H", "S"))
    said = read_generations(folder / "cca_aq_g_val_generations.json")
    scored = score_answers(said, people, ScoreAnswersOptions(common=True, measures=("cider",)))
    models = [Model("CCA-AQ-G", "cca", scored), Model("Σ", "sets", overlap(machine, people))]
    context = read_context([real_data / "visdial" / "dialogues" / "visdial_1.0_val_text.json"])
    assert isinstance(context, Context)
    return answers_section(models, context)


def shown(section, name):
    (table,) = (content for content in section.contents if getattr(content, "name", "") == name)
    return [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in table.rows]


def test_table_1(section):
    (row,) = shown(section, "answers-overlap")
    assert row[:5] == ["Σ", "24.13 (16.73)", "62.48 (31.24)", "32.91 (23.52)", "7.17 (6.94)"]


def test_table_4(section):
    (row,) = shown(section, "answers-similarity")
    printed = (0.0721, 0.0434, 0.0298, 0.0226)
    for text, figure in zip(row[1:5], printed, strict=True):
        assert float(text) == pytest.approx(figure, abs=0.000101)


def test_the_rounds_have_their_dialogues(section):
    (drill,) = section.drills
    assert len(drill.items) == 2064
    assert len(drill.shared) == 2064
    first = next(iter(drill.items))
    assert first.image is not None
    caption, rounds = drill.shared[str(first.image)]
    assert caption.text
    assert len(rounds.rows) == 10
