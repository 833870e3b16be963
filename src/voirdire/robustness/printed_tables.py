"""The tables of vqa-robustness, as printed: accuracy by partition (2, 3, 8 to 22), R_score (4), basic questions (5, 6)
and accuracy with them (7).

A run of `score` is a block of Tables 2, 3 and 8 to 22: which of them, its noise says. Its last line is Page's test that
accuracy falls over the partitions. Claims: accuracy falls; models with attention keep more of theirs.
"""

from collections.abc import Mapping, Sequence

from voirdire.exam import options_of
from voirdire.figures import show_count, show_p
from voirdire.metrics.key import Key
from voirdire.robustness.helpful import MOST, RATIOS
from voirdire.robustness.section_tables import DATASETS, NUMBERS, conditions_of
from voirdire.robustness.views import ACCURACY, DROP, R_SCORE, TREND_P
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.section.phrases import rounded
from voirdire.section.printed import Groups, PaperClaim, of_groups

TYPES = {"Other": "other", "Num": "number", "Y/N": "yes/no"}
ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh")
ROWS = dict(zip(NUMBERS, ORDINALS, strict=True)) | {"control": "Random", "": "Original"}
"""What the paper calls each condition, and Voir Dire the one with random questions."""
RANKERS = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge", "cider", "meteor")
"""In the order of Tables 9 to 15, and 16 to 22."""
GROUPS = ATTENTION, NONE = ("attention", "no attention")


def number_of(model: Model) -> str:
    """The number of the table that a run of `score` is a block of; empty where its noise is unknown, or another."""
    about = model.run.signature.options
    noise = about["noise"]
    ranker = noise.get("ranker", "") if isinstance(noise, Mapping) else ""
    if ranker == "lasso":
        return {"general": "2", "yesno": "3"}.get(about["dataset"], "")
    if ranker in RANKERS:
        return str(RANKERS.index(ranker) + {"general": 9, "yesno": 16}.get(about["dataset"], 99))
    return ""


def partition_tables(models: Sequence[Model]) -> list[Table]:
    """A block for each model: a row for each partition and for the questions as they were."""
    return [_partitions(model) for model in sorted(models, key=lambda model: int(number_of(model) or 99))]


def _partitions(model: Model) -> Table:
    rows: list[Row] = []
    for condition in (*conditions_of([model]), ""):
        accuracy = ACCURACY.key.under(condition)
        types = (rounded(model, accuracy.on(kind)) for kind in TYPES.values())
        drop = rounded(model, DROP.key.under(condition)) if condition else "-"
        rows.append((ROWS[condition], *types, rounded(model, accuracy), drop))
    number = number_of(model)
    title = f"Table {number}: {model.label}" if number else f"Tables 2, 3, 8 to 22: {model.label}"
    p = show_p(model.figure(TREND_P.key).value)
    note = f"Page's test that accuracy falls over the partitions: p = {p}."
    return Table(f"robustness-{model.key}", title, ("Partition", *TYPES, "All", "diff"), tuple(rows), note)


def score_table(models: Sequence[Model]) -> list[Table]:
    """Table 4: a row for each dataset of basic questions, a column for each model."""
    labels = list(dict.fromkeys(model.label for model in models))
    by_place = {(model.run.signature.options["dataset"], model.label): model for model in models}
    rows: list[Row] = []
    for number, dataset in enumerate(DATASETS, start=1):
        own = [by_place.get((dataset, label)) for label in labels]
        if any(own):
            cells = ("-" if model is None else rounded(model, R_SCORE.key) for model in own)
            rows.append((f"R_score{number} ({'GBQD' if dataset == 'general' else 'YNBQD'})", *cells))
    options = options_of(models[0].run)
    note = f"(t, m) = ({options.t:g}, {options.m:g}). GBQD: any basic questions; YNBQD: yes/no questions alone."
    return [Table("robustness-table-4", "Table 4: robustness scores", ("", *labels), tuple(rows), note)]


def score_claims(models: Sequence[Model], groups: Groups, seed: int) -> list[PaperClaim]:
    """That models with attention are more robust, for each dataset; models that are in no group are left out."""
    claims = []
    for dataset, words in DATASETS.items():
        own = [model for model in models if model.run.signature.options["dataset"] == dataset]
        first, second = ([model for model in own if model.label in groups.get(group, ())] for group in GROUPS)
        if first and second:
            says = f"R_score, {words} questions: attention ({len(first)}) above no attention ({len(second)})"
            claims.append(of_groups(says, first, second, R_SCORE.key, seed=seed))
    return claims


def helpful_tables(models: Sequence[Model]) -> list[Table]:
    """Tables 5 and 6: what scores basic questions have, and to how many questions any are added."""
    heads = [measure.key.measure for measure in RATIOS]
    ratios: list[Row] = []
    for model in models:
        for words, variant in (("avg", ""), ("std", "std")):
            cells = (rounded(model, measure.key.as_variant(variant)) for measure in RATIOS)
            ratios.append((f"{model.label}, {words}", *cells))
    added: list[Row] = []
    for model in models:
        keys = [Key("added", slice=(str(count),)) for count in range(MOST + 1)]
        added.append((f"{model.label}, share (%)", *(rounded(model, key, scale=100) for key in keys)))
        added.append((f"{model.label}, # Q", *(_count(model, key) for key in keys)))
    return [
        Table("robustness-table-5", "Table 5: scores of the first basic questions", ("", *heads), tuple(ratios)),
        Table(
            "robustness-table-6",
            "Table 6: how many basic questions are added",
            ("", *(f"{count} BQ" for count in range(MOST + 1))),
            tuple(added),
        ),
    ]


def _count(model: Model, key: Key) -> Cell:
    figure = model.figure(key)
    count = None if figure.value is None else round(figure.value * (figure.n or 0))
    return cell_of(model, key, text=show_count(count))


def accuracy_table(models: Sequence[Model]) -> list[Table]:
    """Table 7: accuracy over all questions and by type, of answers to questions as they are or with helpful ones."""
    rows: tuple[Row, ...] = tuple(
        (model.label, rounded(model, ACCURACY.key), *(rounded(model, ACCURACY.key.on(k)) for k in TYPES.values()))
        for model in models
    )
    return [Table("robustness-table-7", "Table 7: VQA accuracy", ("answers", "All", *TYPES), rows)]
