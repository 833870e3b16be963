"""The charts of the answers exam: similarity by model, by k and by round, ranks of the truth, overlap of sets."""

from collections.abc import Sequence

from voirdire.answers.section.tables import base_keys, column, ks_of, leading, readable
from voirdire.answers.views import by_round, rank_share, rank_shares
from voirdire.metrics.key import Key
from voirdire.runs.estimate import NOTHING
from voirdire.section.charts import Point, bar_chart, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Chart, Model


def similarity_chart(name: str, models: Sequence[Model]) -> Chart | None:
    """All measures between 0 and 1, which one axis can show, model beside model."""
    keys = [key for key in base_keys(models) if models[0].measure(key).better != "lower"]
    points = [
        point_of(model, key, readable(model, key)) for key in keys for model in models if key in model.run.measures
    ]
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
    """Figure 3: the mean and the best of the first k answers per round, for the leading measures."""
    several = [model for model in models if ks_of(model)]
    keys = leading(several, base_keys(several), 4)
    return [k_chart(f"{name}-{number}", several, key) for number, key in enumerate(keys, start=1)]


def k_chart(name: str, models: Sequence[Model], key: Key) -> Chart:
    """The same for one measure; each model has several answers per round."""
    points = [
        point_of(model, key.at(k).as_variant(variant), k, f"{model.label}, {words}")
        for model in models
        for variant, words in (("", "mean"), ("best", "best"))
        for k in ks_of(model)
    ]
    words = readable(models[0], key)
    title = f"{words} by number of generations"
    return Chart(
        title,
        line_chart(points, at="generations per round (k)", value=column(models[0], key)),
        f"{words} of the first k answers per round, their mean and the best of them.",
        data_table(name, title, points, at="k"),
    )


def round_chart(name: str, models: Sequence[Model]) -> Chart | None:
    """The leading measure round by round; None where all are one round, or nothing was measured."""
    rounds = sorted({number for model in models for number in model.run.items["round"].unique().to_list()})
    chosen = leading(models, base_keys(models), 1)
    if len(rounds) < 2 or not chosen:
        return None
    key = chosen[0]
    points: list[Point] = []
    for model in models:
        figures = by_round(model.run, key)
        for number in rounds if figures else ():
            figure = figures.get(number, NOTHING)
            points.append(Point(model.label, number, figure.value, figure.low, figure.high, model.key))
    words = readable(models[0], key)
    title = f"{words} by round"
    return Chart(
        title,
        line_chart(points, at="round, from 0", value=column(models[0], key)),
        f"{words} of the answers in each round of a dialogue, with 95 % intervals.",
        data_table(name, title, points, at="round"),
    )


def rank_chart(name: str, models: Sequence[Model]) -> Chart | None:
    """Figure 2: the share of rounds whose true answer is ranked first, second, …, from 11 on by tens."""
    points: list[Point] = []
    for model in models:
        for (low, high), figure in rank_shares(model.run).items():
            key = rank_share(low, high).key
            known = str(key) if key in model.run.measures else ""
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
    keys = map(Key, ("iou", "precision", "recall"))
    points = [point_of(model, key, model.measure(key).label) for key in keys for model in models]
    title = "IoU, precision and recall of reference sets"
    return Chart(
        title,
        bar_chart(points, value="per cent of answers"),
        "How many answers two reference sets of a round share: of both together, of the judged set, of the other one.",
        data_table(name, title, points, series="sets", at="measure"),
    )
