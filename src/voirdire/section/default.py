"""The section of an exam that brings none of its own: its leading figures, and all figures of each part in a table."""

from collections.abc import Sequence

from voirdire.exam import exam_named
from voirdire.figures import ARROWS
from voirdire.section.content import Headline, Model, Row, Section, Table, cell_of
from voirdire.section.context import Context
from voirdire.section.phrases import headline


def default_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of an exam: one table per part, with a row per model and a column per measure."""
    exam = exam_named(models[0].run.exam)
    tables: list[Table] = []
    headlines: list[Headline] = []
    for part in exam.parts:
        runs = [model for model in models if model.run.part == part.name]
        if runs:
            tables.append(_table(exam.name, part.name, runs))
            headlines += [one for model in runs for one in _leading(model)]
    return Section(exam.name, exam.title, exam.question, headlines, (), tables)


def _leading(model: Model) -> list[Headline]:
    """The figures of those measures that lead the exam, in their order."""
    led = [(one.leads, key, one) for key in model.run.measures if (one := model.measure(key)).leads and not key.variant]
    found = sorted(led, key=lambda each: each[0])
    return [headline(model, key, one.description or one.label, one.unit) for _, key, one in found]


def _table(exam: str, part: str, models: Sequence[Model]) -> Table:
    keys = list(dict.fromkeys(key for model in models for key in model.run.measures))
    about = {key: next(model.measure(key) for model in models if key in model.run.measures) for key in keys}
    head = [f"{key}{f' ({about[key].unit})' if about[key].unit else ''}{ARROWS[about[key].better]}" for key in keys]
    rows: tuple[Row, ...] = tuple((model.label, *(cell_of(model, key) for key in keys)) for model in models)
    said = "; ".join(dict.fromkeys(f"{one.label}: {one.description}" for one in about.values() if one.description))
    return Table(f"{exam}-{part}", f"Figures of {exam} {part}", ("model", *head), rows, said)
