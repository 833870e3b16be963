"""Of vqa-robustness, from runs: its figures drawn, and its tables as printed.

    accuracy   by partition; of one run with the clean accuracy as a dashed line, of several models with a line each and
               their clean accuracies before the first partition (Figures 5-1, 6 and 9)
    drop       the points lost by partition, of runs of `score` (Figure 5-2)
    r-score    the R_score as a function of the distance of two accuracies, with the runs on it (Figure 3)
    tables     accuracy by partition (2, 3, 8 to 22), R_score (4), basic questions (5, 6) and accuracy with them (7)

A figure has one line per model, or per ranker where a run has several, with vertical bars for the 95 % intervals.
Accuracy under random questions, where it was measured, stands beside the last partition.

A run of `score` is a block of Tables 2, 3 and 8 to 22: which of them, its noise says. Its last line is Page's test that
accuracy falls over the partitions. Claims: accuracy falls; models with attention keep more of theirs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.drawings import HEIGHT, INK, WIDTH, chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome, options_of
from voirdire.figures import show_count, show_p
from voirdire.metrics.key import Key
from voirdire.metrics.r_score import r_score
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import PARTITIONS, PlotRobustnessOptions
from voirdire.robustness.helpful import MOST, RATIOS
from voirdire.robustness.section_tables import DATASETS, NUMBERS, conditions_of
from voirdire.robustness.views import ACCURACY, CONTROL, DROP, NEAREST, R_SCORE, TREND_P, partition
from voirdire.runs import Run
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


RANDOM, CLEAN, CURVE = "random", "clean", "R_score"
PLACES = {partition(number): str(number) for number in range(1, PARTITIONS + 1)} | {CONTROL: RANDOM}
"""Where the figures of a condition stand."""
MEASURES = {"accuracy": (ACCURACY, "accuracy (%)"), "drop": (DROP, "accuracy lost (points)")}
BEYOND, STEPS = 1.25, 400
"""How far beyond the limit the R_score is drawn, as a factor, and in how many steps."""

Points = list[dict[str, Any]]


def draw_robustness(
    run: Sequence[tuple[str, Run]] | None = None,
    options: PlotRobustnessOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str | Path,
) -> Outcome:
    """Draw named runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run or ()), options), output)}",))


def drawing(runs: Mapping[str, Run], options: PlotRobustnessOptions | None = None) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    options = options or PlotRobustnessOptions()
    if options.figure == "r-score":
        return _r_score_drawing(runs, options)
    if not runs:
        raise UsageError("`run` must be given to draw accuracies; the R_score alone is drawn without")
    measure, title = MEASURES[options.figure]
    points: Points = []
    for name, run in runs.items():
        figures = _points(name if len(runs) > 1 else "", run, measure.key.measure)
        if not figures:
            raise UsageError(f"{name} is a run of `{run.title}`, which has no {options.figure} by partition")
        points += figures
    line = None
    for name, run in runs.items() if measure is ACCURACY else ():
        clean = run.measures.figure(ACCURACY.key)
        if clean.value is not None and len(runs) == 1:
            line = (clean.value, f"clean: {clean.value:.2f}")
        elif clean.value is not None:
            points.append(_point(name, CLEAN, clean))
    across = {
        "field": "partition",
        "type": "ordinal",
        "sort": [CLEAN, *PLACES.values()],
        "title": "partition, from the least noise to the most",
        "axis": {"labelAngle": 0},
    }
    up = {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": False}}
    joined = f"datum.partition != '{RANDOM}' && datum.partition != '{CLEAN}'"
    return chart(points, across, up, "series", joined=joined, line=line)


def _points(name: str, run: Run, measure: str) -> Points:
    """One point per ranker and partition that has a figure; slices of a run of `score` are types, not rankers."""
    return [
        _point(", ".join(filter(None, (name, *key.slice))) or "noisy", PLACES[key.condition], figure)
        for key, figure in run.measures.of(measure).items()
        if key.condition in PLACES and figure.value is not None and (run.part == "rankers" or not key.slice)
    ]


def _point(series: str, place: str, figure: Any) -> dict[str, Any]:
    return {"series": series, "partition": place, "value": figure.value, "low": figure.low, "high": figure.high}


def _r_score_drawing(runs: Mapping[str, Run], options: PlotRobustnessOptions) -> dict[str, Any]:
    """R_score against |A_clean − A_noisy|, and each run at its distance under the nearest questions."""
    distances = np.linspace(0, min(BEYOND * options.m, 100), STEPS + 1)
    scores = r_score(distances, np.zeros_like(distances), options.t, options.m)
    points: Points = [
        {"series": CURVE, "distance": distance, "value": score}
        for distance, score in zip(distances.tolist(), scores.tolist(), strict=True)
    ]
    for name, run in runs.items():
        drop, score = run.measures.figure(DROP.key.under(NEAREST)), run.measures.figure(R_SCORE.key)
        if drop.value is None or score.value is None:
            raise UsageError(f"{name} is a run of `{run.title}`, which has no R_score; `robustness score` has it")
        given = run.options.get("t"), run.options.get("m")
        if given != (options.t, options.m):
            raise UsageError(
                f"{name} was scored with t = {given[0]} and m = {given[1]}; the curve is of {options.t} and {options.m}"
            )
        points.append({"series": name, "distance": abs(drop.value), "value": score.value})
    across = {"field": "distance", "type": "quantitative", "title": "|A_clean − A_noisy| (points)"}
    up = {"field": "value", "type": "quantitative", "title": "R_score", "scale": {"domain": [0, 1]}}
    shared = {"x": across, "y": up}
    of_runs = {"field": "series", "type": "nominal", "sort": None, "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "layer": [
            {
                "transform": [{"filter": f"datum.series == '{CURVE}'"}],
                "mark": {"type": "line", "color": INK},
                "encoding": shared,
            },
            {
                "transform": [{"filter": f"datum.series != '{CURVE}'"}],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": shared | ({"color": of_runs, "shape": of_runs} if runs else {}),
            },
        ],
    }
