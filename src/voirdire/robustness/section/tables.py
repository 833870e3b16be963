"""The tables of the robustness exam as its paper has them: by partition and type, R_score, rankers, plain accuracy."""

from collections.abc import Sequence

from voirdire.figures import short, show_p
from voirdire.section.content import NOTHING, Cell, Model, Row, Table, cell_of
from voirdire.section.context import CONTROL
from voirdire.section.phrases import made_cell, rounded
from voirdire.robustness.section.names import (
    ANSWER_TYPES,
    NEAREST,
    column,
    condition_words,
    conditions_of,
    kinds_of,
    rankers_of,
)
from voirdire.robustness.section.slices import ANSWERS, DROP, QUESTIONS, Slices

__all__ = ["accuracy_table", "partition_table", "question_types_table", "rankers_table", "scores_table", "types_table"]

DATASETS = {"general": "any", "yesno": "yes/no"}


def scores_table(name: str, models: Sequence[Model]) -> Table:
    """Table 4: what each model keeps of its accuracy."""
    control = CONTROL in conditions_of(models)
    head = ("model", "added questions", "accuracy, clean (%) ↑", "with partition 1 (%) ↑", "drop ↓", "R_score ↑")
    rows: list[Row] = []
    for model in models:
        cells = [rounded(model, one) for one in ("accuracy", f"accuracy:{NEAREST}", DROP, "r_score")]
        if control:
            cells.append(rounded(model, f"drop:{CONTROL}"))
        rows.append((model.label, _added(model), *cells, _p_cell(model, "trend_p")))
    last = ("drop with random questions ↓",) if control else ()
    note = (
        "R_score is 1 where the three most similar questions, partition 1, change accuracy by the tolerance or less "
        "and 0 where they do so by the limit; p is that of Page's test that accuracy falls from partition to partition."
    )
    return Table(name, "R_score and what noise costs", (*head, *last, "p of a fall over partitions"), tuple(rows), note)


def _added(model: Model) -> str:
    return DATASETS.get(str(model.run.options.get("dataset", "")), "any")


def _p_cell(model: Model, measure: str) -> Cell:
    return cell_of(model, measure, text=show_p(model.figure(measure).value))


def partition_table(name: str, model: Model, slices: Slices) -> Table:
    """Tables 2 and 3: one model's accuracy in each condition, by answer type and over all, and what it lost."""
    kinds = kinds_of([model])
    rows: list[Row] = []
    for condition in ("", *conditions_of([model])):
        # Of the clean questions the run has it as a measure; of the others its items have it.
        types = [
            made_cell(model, slices[column("accuracy", condition), ANSWERS, kind])
            if condition
            else rounded(model, f"accuracy[{kind}]")
            for kind in kinds
        ]
        drop = rounded(model, column("drop", condition)) if condition else "–"
        score = rounded(model, column("r_score", condition)) if condition not in ("", CONTROL) else "–"
        rows.append((condition_words(condition), *types, rounded(model, column("accuracy", condition)), drop, score))
    head = ("questions", *(f"{kind} (%)" for kind in kinds), "all (%)", "drop", "R_score")
    note = "Accuracies by answer type are means over the questions of the type that the condition reaches."
    return Table(name, f"Accuracy by partition and answer type: {model.label}", head, tuple(rows), note)


def rankers_table(name: str, model: Model) -> Table:
    """Figures 6 and 9 in numbers: accuracy by partition of each ranker, and whether it falls."""
    rankers = rankers_of(model)
    numbers = sorted({number for found in rankers.values() for number in found})
    rows: list[Row] = [
        (
            ranker,
            *(rounded(model, f"accuracy[{ranker}]:partition{number}") for number in numbers),
            _p_cell(model, f"trend_p[{ranker}]"),
            _p_cell(model, f"trend_p[{ranker}]:holm"),
        )
        for ranker in rankers
    ]
    head = ("ranker", *(f"partition {number} (%)" for number in numbers), "p of a fall", "p, Holm")
    clean = model.figure("accuracy").value
    before = "" if clean is None else f" Without noise: {short(clean, 2)} %."
    note = f"A ranker is effective if accuracy falls from the first partition to the last (Page's test).{before}"
    return Table(name, f"Is a ranking effective? {model.label}", head, tuple(rows), note)


def accuracy_table(name: str, models: Sequence[Model]) -> Table:
    """Accuracy over all questions and by answer type, in both definitions."""
    kinds = kinds_of(models)
    rows: list[Row] = []
    for model in models:
        for variant, words in (("", "official"), (":eq6", "min(n/3, 1)")):
            cells = [rounded(model, f"accuracy[{kind}]{variant}") for kind in kinds]
            rows.append((model.label, words, *cells, rounded(model, f"accuracy{variant}")))
    head = ("model", "definition", *(f"{kind} (%)" for kind in kinds), "all (%)")
    note = "The official accuracy is the mean over the ten people left out in turn; the other is the paper's eq. (6)."
    return Table(name, "VQA accuracy", head, tuple(rows), note)


def question_types_table(name: str, models: Sequence[Model]) -> Table:
    """Accuracy by question type, the commonest first, from the runs of `accuracy`."""
    import polars as pl

    items = pl.concat([model.run.items.select("question_id", "question_type") for model in models]).unique()
    counts = (
        items["question_type"].value_counts(sort=True, name="n").sort(["n", "question_type"], descending=[True, False])
    )
    rows: list[Row] = []
    for kind, count in counts.iter_rows():
        measure = f"accuracy[{kind}]" if kind not in ANSWER_TYPES else f"accuracy[question type {kind}]"
        rows.append((kind, f"{count:,}", *(rounded(model, measure) for model in models)))
    head = ("question type", "questions", *(f"{model.label} (%)" for model in models))
    return Table(name, "VQA accuracy by question type", head, tuple(rows))


def types_table(name: str, models: Sequence[tuple[Model, Slices]]) -> Table:
    """Where models lose: by question type the accuracy without noise and what partition 1 takes, commonest first."""
    counts: dict[str, int] = {}
    for _, slices in models:
        for (measure, facet, kind), figure in slices.items():
            if (measure, facet) == ("accuracy", QUESTIONS):
                counts[kind] = max(figure.n or 0, counts.get(kind, 0))
    rows: list[Row] = []
    for kind in sorted(counts, key=lambda kind: (-counts[kind], kind)):
        cells = [
            made_cell(model, slices.get((measure, QUESTIONS, kind), NOTHING))
            for model, slices in models
            for measure in ("accuracy", DROP)
        ]
        rows.append((kind, f"{counts[kind]:,}", *cells))
    head = tuple(words for model, _ in models for words in (f"{model.label}, clean (%)", f"{model.label}, drop"))
    note = (
        "Accuracy over all questions of a type; the drop over those of them that have an answer with partition 1. "
        "A type that one image alone has questions of has no interval."
    )
    return Table(name, "Accuracy by question type", ("question type", "questions", *head), tuple(rows), note)
