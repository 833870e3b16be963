"""The tables of the robustness exam as its paper has them: by partition and type, R_score, rankers, plain accuracy."""

from collections.abc import Mapping, Sequence

from voirdire.figures import ARROWS, short, show_p
from voirdire.metrics.key import Key
from voirdire.metrics.measure import Measure
from voirdire.robustness.section.conditions import NUMBERS, condition_words, conditions_of, kinds_of, rankers_of
from voirdire.robustness.views import (
    ACCURACY,
    BY_EQ6,
    CONTROL,
    CUT,
    DROP,
    NEAREST,
    NORMALISED,
    QUESTION_TYPE,
    R_SCORE,
    TREND_P,
    question_type_key,
)
from voirdire.runs.estimate import Measures
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.section.phrases import made_cell, rounded

DATASETS = {"general": "any", "yesno": "yes/no"}


def _head(words: str, measure: Measure) -> str:
    """What heads a column: the words, and which way is better."""
    return f"{words}{ARROWS[measure.better]}"


def scores_table(name: str, models: Sequence[Model]) -> Table:
    """Table 4: what each model keeps of its accuracy."""
    columns = [
        ("accuracy, clean (%)", ACCURACY, ""),
        ("with partition 1 (%)", ACCURACY, NEAREST),
        ("drop", DROP, NEAREST),
        ("R_score", R_SCORE, ""),
    ]
    if CONTROL in conditions_of(models):
        columns.append(("drop with random questions", DROP, CONTROL))
    rows: list[Row] = []
    for model in models:
        cells = [rounded(model, measure.key.under(condition)) for _, measure, condition in columns]
        rows.append((model.label, _added(model), *cells, _p_cell(model, TREND_P.key)))
    head = ("model", "added questions", *(_head(words, measure) for words, measure, _ in columns), TREND_P.label)
    note = (
        "R_score is 1 where the three most similar questions, partition 1, change accuracy by the tolerance or less "
        "and 0 where they do so by the limit; p is that of Page's test that accuracy falls from partition to partition."
    )
    return Table(name, "R_score and what noise costs", head, tuple(rows), note)


def _added(model: Model) -> str:
    """Which questions were added, and what ranked them."""
    about = model.run.signature.options
    noise = about["noise"]
    by = f"by {noise['ranker']}" if isinstance(noise, Mapping) else "noise unknown"
    return f"{DATASETS[about['dataset']]}, {by}"


def _p_cell(model: Model, key: Key) -> Cell:
    return cell_of(model, key, text=show_p(model.figure(key).value))


def partition_table(name: str, model: Model) -> Table:
    """Tables 2 and 3: one model's accuracy in each condition, by answer type and over all, and what noise took away."""
    kinds, cut = kinds_of([model]), bool(model.run.measures.of(CUT.key.measure))
    rows: list[Row] = []
    for condition in ("", *conditions_of([model])):
        accuracy = ACCURACY.key.under(condition)
        types = [rounded(model, accuracy.on(kind)) for kind in kinds]
        drop = rounded(model, DROP.key.under(condition)) if condition else "–"
        score = rounded(model, R_SCORE.key.under(condition)) if condition in NUMBERS else "–"
        share: Row = (rounded(model, CUT.key.under(condition), scale=100.0) if condition else "–",) if cut else ()
        rows.append((condition_words(condition), *types, rounded(model, accuracy), drop, score, *share))
    head = (
        "questions",
        *(f"{kind} (%)" for kind in kinds),
        "all (%)",
        "drop",
        "R_score",
        *(("cut (%)",) if cut else ()),
    )
    note = "Accuracies by answer type are means over the questions of the type that the condition reaches."
    if cut:
        note += " A question that was cut ends after the most words that models are given, often inside a question."
    return Table(name, f"Accuracy by partition and answer type: {model.label}", head, tuple(rows), note)


def rankers_table(name: str, model: Model) -> Table:
    """Figures 6 and 9 in numbers: accuracy by partition of each ranker, and whether it falls."""
    rankers = rankers_of(model)
    conditions = [one for one in NUMBERS if any(one == key.condition for keys in rankers.values() for key in keys)]
    rows: list[Row] = []
    for ranker in rankers:
        accuracies = (rounded(model, ranker.under(condition)) for condition in conditions)
        trend = TREND_P.key.on(*ranker.slice)
        rows.append(
            (", ".join(ranker.slice), *accuracies, _p_cell(model, trend), _p_cell(model, trend.as_variant("holm")))
        )
    head = ("ranker", *(f"{condition_words(one)} (%)" for one in conditions), "p of a fall", "p, Holm")
    clean = model.figure(ACCURACY.key).value
    before = "" if clean is None else f" Without noise: {short(clean, 2)} %."
    note = f"A ranker is effective if accuracy falls from the first partition to the last (Page's test).{before}"
    return Table(name, f"Is a ranking effective? {model.label}", head, tuple(rows), note)


def accuracy_table(name: str, models: Sequence[Model]) -> Table:
    """Accuracy over all questions and by answer type, in both definitions."""
    kinds = kinds_of(models)
    rows: list[Row] = []
    for model in models:
        keys = [(ACCURACY.key, "official"), (BY_EQ6.key, "min(n/3, 1)")]
        short = model.figure(NORMALISED.key).value
        if short is not None and short != model.figure(ACCURACY.key).value:
            keys.append((NORMALISED.key, "short answers"))
        for whole, words in keys:
            cells = [rounded(model, whole.on(kind)) for kind in kinds]
            rows.append((model.label, words, *cells, rounded(model, whole)))
    head = ("model", "definition", *(f"{kind} (%)" for kind in kinds), "all (%)")
    note = "The official accuracy is the mean over the ten people left out in turn; the other is the paper's eq. (6)."
    if any(row[1] == "short answers" for row in rows):
        note += " Short answers are those inside the sentences of a wordy model, by the official definition."
    return Table(name, "VQA accuracy", head, tuple(rows), note)


def question_types_table(name: str, models: Sequence[Model]) -> Table:
    """Accuracy by question type, the commonest first, from the runs of `accuracy`."""
    import polars as pl

    items = pl.concat([model.run.items.select("question_id", QUESTION_TYPE) for model in models]).unique()
    counts = items[QUESTION_TYPE].value_counts(sort=True, name="n").sort(["n", QUESTION_TYPE], descending=[True, False])
    rows: list[Row] = [
        (kind, f"{count:,}", *(rounded(model, question_type_key(kind)) for model in models))
        for kind, count in counts.iter_rows()
    ]
    head = ("question type", "questions", *(f"{model.label} (%)" for model in models))
    return Table(name, "VQA accuracy by question type", head, tuple(rows))


def types_table(name: str, models: Sequence[tuple[Model, Measures]]) -> Table:
    """Where models lose: by question type the accuracy without noise and what partition 1 takes, commonest first.

    Each model comes with its drops by question type.
    """
    counts: dict[str, int] = {}
    for model, figures in models:
        for key in figures:
            (kind,) = key.slice
            counts[kind] = max(model.figure(question_type_key(kind)).n or 0, counts.get(kind, 0))
    rows: list[Row] = []
    for kind in sorted(counts, key=lambda kind: (-counts[kind], kind)):
        cells = [
            cell
            for model, figures in models
            for cell in (
                rounded(model, question_type_key(kind)),
                made_cell(model, figures.figure(DROP.key.under(NEAREST).on(kind))),
            )
        ]
        rows.append((kind, f"{counts[kind]:,}", *cells))
    head = tuple(words for model, _ in models for words in (f"{model.label}, clean (%)", f"{model.label}, drop"))
    note = (
        "Accuracy over all questions of a type; the drop over those of them that have an answer with partition 1. "
        "A type that one image alone has questions of has no interval."
    )
    return Table(name, "Accuracy by question type", ("question type", "questions", *head), tuple(rows), note)
