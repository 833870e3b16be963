"""The comparison itself on the stand: it finds what is planted, and finds nothing more often than it may.

Two seeds of the witness `uncertain` are two models that differ in nothing but chance, so one comparison in twenty may
call them different at p ≤ 0.05. A thousand seeds on the same 200 dialogues make 500 independent comparisons. What each
seed says is drawn as the witness draws it, from a table of all that it may say, which is checked against the witness.
"""

from dataclasses import dataclass, replace
from random import Random

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, binomtest

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.score import score_answers
from voirdire.answers.similarity import measure_texts
from voirdire.formats.references import References, read_references
from voirdire.formats.scenes import Scene
from voirdire.formats.visdial import VisDial, read_visdial
from voirdire.progress import silent
from voirdire.runs import Run
from voirdire.text.respelling import respell
from voirdire.verdict.comparison import compare_runs
from voirdire.world.answer_wordings import phrasings
from voirdire.world.build import write_dialogues
from voirdire.world.scene import make_scene
from voirdire.world.witnesses import generate_visdial, make_witness
from voirdire.world.witnesses.answerers import TRUE, Answerer, Uncertain, wrong_answers

pytestmark = pytest.mark.slow

DIALOGUES = 200
COMPARISONS = 500
FAMILIES = ("cider", "rouge")
MEASURES = ("cider1", "cider2", "cider3", "cider4", "rouge_l")
LEVEL = 0.05

POOL = 600
SAMPLES = 100
RESAMPLES = 1000
FLAWS = ("uncertain", "forgetful", "blind")


@dataclass
class Stand:
    """Dialogues, the scenes behind them, and the sets of valid answers."""

    dialogues: VisDial
    scenes: dict[int, Scene]
    sets: References

    def examine(self, name: str, seed: int = 0) -> Run:
        said = generate_visdial(make_witness(name, seed), self.dialogues, self.scenes).outputs
        return score_answers(said, self.sets, ScoreAnswersOptions(measures=FAMILIES))


def make_stand(folder, dialogues: int, seed: int) -> Stand:
    scenes = {scene.id: scene for scene in (make_scene(seed, index) for index in range(dialogues))}
    write_dialogues(folder, "val", scenes.values(), dialogues, seed)
    return Stand(
        read_visdial(folder / "visdial_val.json"), scenes, read_references(folder / "visdial_val_references_true.json")
    )


class Listening(Uncertain):
    """Says the truth, and keeps what `uncertain` could have said instead."""

    def __init__(self) -> None:
        super().__init__(0)
        self.kept: list[tuple[str, list[str]]] = []

    def believe(self, meaning, scene, focus, rng):
        truth = Answerer.believe(self, meaning, scene, focus, rng)
        wrong = [phrasings(meaning, answer)[0] for answer in wrong_answers(meaning, truth.answers)]
        self.kept.append((f"{scene.id}", [f"{meaning}", *wrong]))
        return truth


class Table:
    """All that `uncertain` may say in each round, with its scores; and what a seed of it does say."""

    def __init__(self, stand: Stand) -> None:
        witness = Listening()
        truths = generate_visdial(witness, stand.dialogues, stand.scenes).outputs.texts
        rounds = stand.dialogues.round_numbers().tolist()
        self.chance, self.wrong, self.texts = [], [], []
        for (scene, (meaning, *wrong)), round_, truth in zip(witness.kept, rounds, truths, strict=True):
            self.chance.append(f"/{scene}/{round_}/{meaning}")
            self.wrong.append(len(wrong))
            self.texts += [truth, *wrong]
        self.first = np.cumsum([0, *(1 + count for count in self.wrong)])[:-1]
        sets = np.repeat(np.arange(len(rounds)), np.array(self.wrong) + 1)
        texts = respell(self.texts)
        self.scores = measure_texts(texts, sets, stand.sets, FAMILIES, "references", (), silent).columns
        self.form = stand.examine("truthful")

    def said(self, seed: int) -> np.ndarray:
        """The place of each round's answer in the table."""
        places = self.first.copy()
        for row, (chance, wrong) in enumerate(zip(self.chance, self.wrong, strict=True)):
            rng = Random(f"{seed}{chance}")
            if rng.random() >= TRUE:
                places[row] += 1 + rng.choice(range(wrong))
        return places

    def run(self, seed: int) -> Run:
        """The run of a seed, without its texts."""
        places = self.said(seed)
        columns = [pl.Series(name, self.scores[name][places]) for name in MEASURES]
        return replace(self.form, items=self.form.items.drop("answers", "references").with_columns(columns))


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    return make_stand(tmp_path_factory.mktemp("stand"), DIALOGUES, 11)


@pytest.fixture(scope="module")
def table(stand):
    return Table(stand)


@pytest.mark.parametrize("seed", [0, 999])
def test_the_table_says_what_the_witness_says(seed, stand, table):
    said = generate_visdial(make_witness("uncertain", seed), stand.dialogues, stand.scenes).outputs
    assert said.texts == [table.texts[place] for place in table.said(seed)]
    real, made = stand.examine("uncertain", seed), table.run(seed)
    assert (real.items["image_id"].n_unique(), real.items.height) == (DIALOGUES, 10 * DIALOGUES)
    for name in ("image_id", "round", *MEASURES):
        np.testing.assert_allclose(real.items[name].to_numpy(), made.items[name].to_numpy(), rtol=1e-12, atol=1e-15)


def test_chance_alone_is_called_a_difference_no_more_often_than_stated(table):
    """One test, since its comparisons are what costs: p of each measure, p of all of them corrected, intervals."""
    called = dict.fromkeys(MEASURES, 0)
    missed = dict.fromkeys(MEASURES, 0)
    corrected = 0
    for at in range(COMPARISONS):
        runs = table.run(2 * at), table.run(2 * at + 1)
        (made,) = compare_runs(("one", "two"), runs, seed=at, slices=False)
        assert tuple(compared.measure.name for compared in made.measures) == MEASURES
        assert made.paired == 10 * DIALOGUES
        corrected += min(compared.p_holm for compared in made.measures) <= LEVEL
        for compared in made.measures:
            called[compared.measure.name] += compared.p <= LEVEL
            missed[compared.measure.name] += not compared.low <= 0 <= compared.high
    print(f"of {COMPARISONS} comparisons: p ≤ {LEVEL} {called}, intervals without 0 {missed}, corrected {corrected}")
    most = binom.ppf(0.95, COMPARISONS, LEVEL)
    assert max(called.values()) <= most
    assert max(missed.values()) <= most
    assert corrected <= most
    # A test that never finds anything would pass all of the above.
    assert min(called.values()) >= binom.ppf(0.01, COMPARISONS, LEVEL)


def test_planted_flaws_are_found(tmp_path):
    """In samples of 200 of the pool's dialogues, on every measure; the power is above 0.95 by an exact bound."""
    pool = make_stand(tmp_path, POOL, 12)
    truthful, *flawed = (pool.examine(name) for name in ("truthful", *FLAWS))
    images = truthful.items["image_id"].unique(maintain_order=True).to_numpy()
    rng = np.random.default_rng(0)
    found = {(flaw, name): 0 for flaw in FLAWS for name in MEASURES}
    for at in range(SAMPLES):
        drawn = pl.DataFrame({"image_id": rng.choice(images, DIALOGUES, replace=False)})
        runs = [replace(run, items=run.items.join(drawn, on="image_id", how="semi")) for run in (truthful, *flawed)]
        made = compare_runs(("truthful", *FLAWS), runs, seed=at, slices=False, resamples=RESAMPLES)
        for flaw, comparison in zip(FLAWS, made, strict=True):
            for compared in comparison.measures:
                found[flaw, compared.measure.name] += compared.p <= LEVEL and compared.difference < 0
    print(f"found in {SAMPLES} samples: {found}")
    for case, count in found.items():
        assert binomtest(count, SAMPLES).proportion_ci(0.90).low > 0.95, (case, count)
