"""Tables and charts of the robustness exam as its paper has them: by partition and type, R_score, rankers, accuracy.

A model is asked under several conditions: without noise, with each partition, and with random questions.
"""

from collections.abc import Iterable, Mapping, Sequence

from voirdire.errors import InputError, Problem, shorten
from voirdire.figures import ARROWS, short, show_p
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.robustness.exam import PARTITIONS
from voirdire.robustness.noise_identity import condition_of
from voirdire.robustness.views import (
    ACCURACY,
    ANSWER_TYPE,
    ANSWER_TYPES,
    BY_EQ6,
    CONTROL,
    CUT,
    DROP,
    NEAREST,
    NORMALISED,
    QUESTION_TYPE,
    R_SCORE,
    TREND_P,
    conditions_in,
    partition,
    question_type_key,
)
from voirdire.runs.estimate import Measures
from voirdire.section.charts import Point, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Cell, Chart, Model, Row, Table, cell_of
from voirdire.section.context import Context
from voirdire.section.phrases import made_cell, rounded

NUMBERS = {partition(number): number for number in range(1, PARTITIONS + 1)}
"""The number of each partition, by what a run calls the condition."""

Asked = Mapping[str, Mapping[int, str]]
"""VQA questions by condition and id, as they were asked there."""
PARTITIONS_ONLY = "datum.at != 'clean' && datum.at != 'random'"
ACROSS = "partition, from the most similar questions to the least"
DATASETS = {"general": "any", "yesno": "yes/no"}


def conditions_of(models: Iterable[Model]) -> list[str]:
    """The noisy conditions of any of the runs: partitions in their order, then the random questions."""
    return conditions_in(key for model in models for key in model.run.measures)


def condition_words(condition: str) -> str:
    """`partition 1`, `random`; an empty name is that of the clean questions."""
    if condition in NUMBERS:
        return f"partition {NUMBERS[condition]}"
    return "random" if condition else "clean"


def kinds_of(models: Iterable[Model]) -> list[str]:
    """The answer types that questions have, in the order of the paper's tables."""
    present = {kind for model in models for kind in model.run.items[ANSWER_TYPE].unique().to_list()}
    return [kind for kind in reversed(ANSWER_TYPES) if kind in present]


def rankers_of(model: Model) -> dict[Key, list[Key]]:
    """The rankers of a run, each as the key of accuracy under it, and the keys of its partitions in order."""
    rankers: dict[Key, list[Key]] = {}
    for key in model.run.measures.of(ACCURACY.key.measure):
        if key.slice and key.condition in NUMBERS:
            rankers.setdefault(key.under(""), []).append(key)
    return {ranker: sorted(keys, key=lambda key: NUMBERS[key.condition]) for ranker, keys in rankers.items()}


def of_one_noise(models: Iterable[Model]) -> list[list[Model]]:
    """Groups of runs under the same noise, or under unknown noise; a control's draws are not compared."""
    groups: dict[tuple[tuple[str, str], ...], list[Model]] = {}
    for model in models:
        parts = (item for item in model.run.signature.flat().items() if item[0].startswith("options.noise"))
        noise = tuple((name, str(value)) for name, value in parts if name != "options.noise.control")
        groups.setdefault(noise, []).append(model)
    return list(groups.values())


def asked_questions(context: Context) -> Asked:
    """What was asked, from files of questions that name their noise, as `robustness perturb` writes them.

    Two files that ask one question in two ways are refused: nobody could say which of them the model was asked.
    """
    asked: dict[str, dict[int, str]] = {}
    given: dict[tuple[str, int], str] = {}
    for file in context.of("vqa_questions"):
        questions: VqaQuestions = file.record
        # A file that does not mention noise has none.
        condition = condition_of(questions, file.name) or ""
        texts = asked.setdefault(condition, {})
        for id_, text in zip(questions.question_ids.tolist(), questions.questions, strict=True):
            if texts.setdefault(id_, text) != text:
                other = f"{shorten(text)}, and {shorten(texts[id_])} in {given[condition, id_]}"
                hint = "Give only the files that the models of this report were asked."
                where = f"question {id_}, {condition or 'clean'}"
                raise InputError(file.name, [Problem(where, "", other, "the same in both files", hint)])
            given.setdefault((condition, id_), file.name)
    return asked


def _at(condition: str) -> str:
    if not condition:
        return "clean"
    return str(NUMBERS[condition]) if condition in NUMBERS else "random"


def accuracy_chart(name: str, models: Sequence[Model]) -> Chart:
    """Figure 5, accuracy: without noise, by partition, and with random questions."""
    points = [
        point_of(model, key, _at(condition))
        for condition in ("", *conditions_of(models))
        for model in models
        if (key := ACCURACY.key.under(condition)) in model.run.measures
    ]
    title = "Accuracy by partition"
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="accuracy (%)", joined=PARTITIONS_ONLY),
        "Accuracy on the clean questions, with three questions of each partition added, and with random ones; "
        "95 % intervals.",
        data_table(name, title, points, at="partition"),
    )


def drop_chart(name: str, models: Sequence[Model]) -> Chart:
    """Figure 5, accuracy decrement; its intervals are paired, so they say whether anything is lost."""
    points = [
        point_of(model, key, _at(condition))
        for condition in conditions_of(models)
        for model in models
        if (key := DROP.key.under(condition)) in model.run.measures
    ]
    title = "Accuracy lost by partition"
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="points lost", joined=PARTITIONS_ONLY, line=(0, "nothing lost")),
        "How many points of accuracy are lost with each partition against the clean questions, with 95 % intervals.",
        data_table(name, title, points, at="partition"),
    )


def types_chart(name: str, models: Sequence[tuple[Model, Measures]]) -> Chart:
    """What is lost with partition 1, by answer type and over all; each model with its drops by answer type."""
    lost = DROP.key.under(NEAREST)
    points = [
        Point(model.label, kind, figure.value, figure.low, figure.high, model.key)
        for kind in kinds_of([model for model, _ in models])
        for model, figures in models
        if (figure := figures.get(lost.on(kind))) is not None
    ]
    points += [point_of(model, lost, "all") for model, _ in models]
    title = "Accuracy lost by answer type"
    return Chart(
        title,
        interval_chart(points, value="points lost with partition 1", at="answer type", line=(0, "")),
        "How many points of accuracy are lost with the three most similar questions, by type of answer.",
        data_table(name, title, points, at="answer type"),
    )


def rankers_chart(name: str, model: Model) -> Chart:
    """Figures 6 and 9: accuracy by partition, a line per ranker."""
    points = [
        point_of(model, key, _at(key.condition), ", ".join(ranker.slice))
        for ranker, keys in rankers_of(model).items()
        for key in keys
    ]
    title = f"Accuracy by partition and ranker: {model.label}"
    clean = model.figure(ACCURACY.key).value
    line = None if clean is None else (clean, f"clean: {clean:.2f}")
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="accuracy (%)", line=line),
        "One model's accuracy by partition under each ranker; where a ranker orders by noise, its line falls.",
        data_table(name, title, points, series="ranker", at="partition"),
    )


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
    heads = (f"{words}{ARROWS[measure.better]}" for words, measure, _ in columns)
    head = ("model", "added questions", *heads, TREND_P.label)
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
    conditions = [
        condition
        for condition in NUMBERS
        if any(condition == key.condition for keys in rankers.values() for key in keys)
    ]
    rows: list[Row] = []
    for ranker in rankers:
        accuracies = (rounded(model, ranker.under(condition)) for condition in conditions)
        trend = TREND_P.key.on(*ranker.slice)
        rows.append(
            (", ".join(ranker.slice), *accuracies, _p_cell(model, trend), _p_cell(model, trend.as_variant("holm")))
        )
    head = ("ranker", *(f"{condition_words(condition)} (%)" for condition in conditions), "p of a fall", "p, Holm")
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
