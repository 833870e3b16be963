"""The charts of the answers exam: similarity by model, by k and by round, ranks of the truth, overlap of sets."""

from collections.abc import Sequence

from voirdire.answers.audit import BINS, rank_share
from voirdire.metrics.measure import Measure, identity, mean
from voirdire.answers.section.names import base_names, better_mark, ks_of, leading, on_one_scale, readable
from voirdire.section.charts import Point, bar_chart, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Chart, Model
from voirdire.runs import estimate

__all__ = ["by_k", "by_round", "overlap_chart", "rank_chart", "similarity_chart"]


def similarity_chart(name: str, models: Sequence[Model]) -> Chart | None:
    """All measures that share a scale, model beside model."""
    names = on_one_scale(base_names(models))
    points = [point_of(model, one, readable(one)) for one in names for model in models if one in model.run.measures]
    if not points:
        return None
    title = "Similarity, measure by measure"
    return Chart(
        title,
        interval_chart(points, value="similarity (higher is better)"),
        "Each measure of similarity between the answers and their reference sets, with its 95 % interval.",
        data_table(name, title, points, at="measure"),
    )


def by_k(name: str, models: Sequence[Model]) -> list[Chart]:
    """Figure 3: the mean and the best of the first k answers a round, for the leading measures."""
    several = [model for model in models if ks_of(model)]
    charts: list[Chart] = []
    for measure in leading(base_names(several), 4):
        points = [
            point_of(model, f"{measure}@{k}{variant}", k, f"{model.label}, {words}")
            for model in several
            for variant, words in (("", "mean"), (":best", "best"))
            for k in ks_of(model)
        ]
        title = f"{readable(measure)} by number of generations"
        charts.append(
            Chart(
                title,
                line_chart(points, at="generations a round (k)", value=f"{readable(measure)} {better_mark(measure)}"),
                f"{readable(measure)} of the first k answers a round, their mean and the best of them.",
                data_table(f"{name}-{len(charts) + 1}", title, points, at="k"),
            )
        )
    return charts


def by_round(name: str, models: Sequence[Model]) -> Chart | None:
    """The leading measure round by round, from the items; None where all are one round, or nothing was measured."""
    rounds = sorted({number for model in models for number in model.run.items["round"].unique().to_list()})
    chosen = leading(base_names(models), 1)
    if len(rounds) < 2 or not chosen:
        return None
    measure = chosen[0]
    points: list[Point] = []
    for model in models:
        if measure not in model.run.items.columns:
            continue
        whole = Measure(measure, identity, mean, "neither", of=(measure,))
        slices = [whole.slice("round", number) for number in rounds]
        figures = estimate(model.run.items, slices, seed=model.run.signature.seed or 0, clusters="image_id")
        for number, figure in zip(rounds, figures.values(), strict=True):
            points.append(Point(model.label, number, figure.value, figure.low, figure.high, model.key))
    title = f"{readable(measure)} by round"
    return Chart(
        title,
        line_chart(points, at="round, from 0", value=f"{readable(measure)} {better_mark(measure)}"),
        f"{readable(measure)} of the answers in each round of a dialogue, with 95 % intervals.",
        data_table(name, title, points, at="round"),
    )


def rank_chart(name: str, models: Sequence[Model]) -> Chart | None:
    """Figure 2: the share of rounds whose true answer is ranked first, second, …, from 11 on by tens."""
    points: list[Point] = []
    measures = [rank_share(low, high) for low, high in BINS]
    for model in models:
        items = model.run.items
        if "rank" not in items.columns or items["rank"].null_count() == items.height:
            continue
        figures = estimate(items, measures, seed=model.run.signature.seed or 0, clusters="image_id")
        for (low, high), measure in zip(BINS, measures, strict=True):
            figure = figures[measure.name]
            known = measure.name if measure.name in model.run.measures else ""
            at = str(low) if low == high else f"{low}–{high}"
            points.append(Point(model.label, at, figure.value, figure.low, figure.high, model.key, known))
    if not points:
        return None
    title = "Distribution of the true answer's ranks"
    return Chart(
        title,
        line_chart(points, at="rank of the true answer", value="share of rounds", slanted=True),
        "How often the true answer is ranked first, second, and so on; from rank 11 on ten ranks are taken together.",
        data_table(name, title, points, at="rank"),
    )


def overlap_chart(name: str, models: Sequence[Model]) -> Chart:
    """IoU, precision and recall of reference sets with their intervals."""
    measures = (("iou", "IoU"), ("precision", "precision"), ("recall", "recall"))
    points = [point_of(model, measure, words) for measure, words in measures for model in models]
    title = "IoU, precision and recall of reference sets"
    return Chart(
        title,
        bar_chart(points, value="per cent of answers"),
        "How many answers two reference sets of a round share: of both together, of the judged set, of the other one.",
        data_table(name, title, points, series="sets", at="measure"),
    )
