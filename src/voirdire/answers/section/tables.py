"""Tables and charts of the answers exam as its paper has them: similarity, k generations, ranks, overlap, judges,
quirks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from voirdire.answers.score import MEMBERS, TRUTH
from voirdire.answers.views import SHARES, by_round, candidates_of, first_answers, rank_share, rank_shares, valid_share
from voirdire.figures import short
from voirdire.metrics.diversity import DIVERSITY
from voirdire.metrics.key import Key
from voirdire.runs.estimate import NOTHING
from voirdire.section.charts import Point, bar_chart, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Cell, Chart, Model, Row, Table, cell_of
from voirdire.section.phrases import made_cell, rounded

BOUNDS = (
    (TRUTH, "", "ground truth (A_gt)"),
    (MEMBERS, "", "valid answers, mean (Γ)"),
    (MEMBERS, "best", "valid answers, best (Γ)"),
)
SPREADS = (("", "mean"), ("std", "std over rounds"), ("best", "best of a round"))
RANKS = ((Key("mr"), 2, 1), *((Key("recall", k), 2, 100) for k in (1, 5, 10)), (Key("mrr"), 4, 1), (Key("ndcg"), 4, 1))
"""The columns of ranks: measure, decimals, by what it is multiplied."""
QUIRKS = (
    *((Key(name), 2, 100) for name in ("no_full_relevance", "irrelevant_gt")),
    *((Key("cluster_mean"), 4, 1), (Key("cluster_std"), 4, 1), (Key("cluster_size"), 2, 1)),
)
JUDGED = ("selected", "selected_any", "alpha", "kappa")
OVERLAP = tuple(map(Key, ("iou", "precision", "recall", "size", "contains_gt", "corr", "corr_spread")))
VARIED = tuple(measure.key for measure in DIVERSITY)
"""The measures of diversity, which have a table of their own."""
NO_SIMILARITY = frozenset((*VARIED, *(measure.key for measure in SHARES)))


def base_keys(models: Iterable[Model]) -> list[Key]:
    """The measures of similarity of any of the runs over all generations of a round, without spreads and k."""
    keys = dict.fromkeys(key for model in models for key in model.run.measures)
    return [key for key in keys if key.k is None and not key.variant and key not in NO_SIMILARITY]


def bounded_keys(models: Iterable[Model]) -> list[Key]:
    """The measures whose bounds any of the runs has, without the bound."""
    keys = (key for model in models for key in model.run.measures if key.slice[-1:] == (MEMBERS,) and not key.variant)
    return list(dict.fromkeys(Key(key.measure, slice=key.slice[:-1]) for key in keys))


def ks_of(model: Model) -> list[int]:
    """The numbers of generations per round at which a run is scored; empty where each round has one."""
    return sorted({key.k for key in model.run.measures if key.k is not None})


def leading(models: Sequence[Model], keys: Iterable[Key], most: int) -> list[Key]:
    """The measures to name where there is no room for all: one of each family, best known first."""
    keys = list(keys)
    places = {key: models[0].measure(key).leads for key in keys}
    first = {place: key for key, place in reversed(places.items()) if place}
    chosen = [first[place] for place in sorted(first)]
    return (chosen or keys)[:most]


def readable(model: Model, key: Key) -> str:
    """`CIDEr-4`, `cosine (minilm)`."""
    label = model.measure(key).label
    return f"{label} ({', '.join(key.slice)})" if key.slice else label


def arrow(model: Model, key: Key) -> str:
    """An arrow to where it is better."""
    return {"higher": "↑", "lower": "↓", "neither": ""}[model.measure(key).better]


def column(model: Model, key: Key) -> str:
    """What heads a column or an axis: `CIDEr-4 ↑`."""
    return f"{readable(model, key)} {arrow(model, key)}".rstrip()


def similarity_table(name: str, models: Sequence[Model], bounds: Sequence[Model], sets: str) -> Table:
    """A row per model, a column per measure; below them what the valid answers themselves reach (Tables 4, 6 and 7)."""
    keys = base_keys(models) or bounded_keys(bounds)
    rows: list[Row] = [(model.label, *(cell_of(model, key) for key in keys), _rounds(model, keys)) for model in models]
    for model in bounds:
        for bound, variant, words in BOUNDS:
            cells = [cell_of(model, key.on(bound).as_variant(variant)) for key in keys]
            if any(cell.value is not None for cell in cells):
                rows.append((words, *cells, _rounds(model, [key.on(bound) for key in keys])))
    head = ("model", *(column([*models, *bounds][0], key) for key in keys), "rounds")
    note = f"Against {sets}. Means over rounds; of several answers in a round their mean counts. ↑ higher is better."
    return Table(name, "Similarity of the answers to their reference sets", head, tuple(rows), note)


def _rounds(model: Model, keys: Iterable[Key]) -> str:
    counts = [model.figure(key).n for key in keys]
    return f"{max((count or 0 for count in counts), default=0):,}"


def texts_table(name: str, models: Sequence[Model]) -> Table | None:
    """What the answers themselves are, a row per model: valid, varied, long; None where no run has texts."""
    rows: list[Row] = []
    for model in models:
        first, valid = first_answers(model.run), valid_share(model.run)
        if not first or valid is None or valid.value is None:
            continue
        (text, count), total = first.most_common(1)[0], first.total()
        words = sum(len(answer.split()) * times for answer, times in first.items()) / total
        share = made_cell(model, valid, 1, 100)
        varied = (f"{len(first):,}", text, short(100 * count / total), short(words))
        rows.append((model.label, share, *varied, f"{int(model.run.items['empty'].sum()):,}"))
    if not rows:
        return None
    head = ("model", "valid (%)", "different", "commonest", "its share (%)", "words", "without text")
    note = (
        "Of the first answer of each round: whether it is in its reference set, case and spacing aside; how many are "
        "different; the commonest; words per answer. Answers without text are counted over all."
    )
    return Table(name, "The answers themselves", head, tuple(rows), note)


def generations_table(name: str, models: Sequence[Model]) -> Table | None:
    """Of each model and k the mean, the spread and the best of k answers per round; None where all give one."""
    keys = base_keys(models)
    rows: list[Row] = []
    for model in models:
        for k in ks_of(model):
            for variant, words in SPREADS:
                cells = [cell_of(model, key.at(k).as_variant(variant)) for key in keys]
                rows.append((f"{model.label}, k = {k}", words, *cells))
    if not rows:
        return None
    head = ("model", "statistic", *(column(models[0], key) for key in keys))
    note = "Of the first k answers per round. The spread is that of the rounds' means; the best is the nearest for L2."
    return Table(name, "Similarity by number of generations", head, tuple(rows), note)


def diversity_table(name: str, models: Sequence[Model]) -> Table | None:
    """How varied the answers of a round are, of each model and k; None where all give one."""
    rows: list[Row] = [
        (f"{model.label}, k = {k}", *(cell_of(model, key.at(k)) for key in VARIED))
        for model in models
        for k in ks_of(model)
        if VARIED[0].at(k) in model.run.measures
    ]
    if not rows:
        return None
    head = ("model", *(column(models[0], key) for key in VARIED))
    note = (
        "Of the first k answers per round, means over rounds: different words and pairs of words as shares of all, "
        "BLEU of each answer against the others, and different answers. More variety is no merit by itself."
    )
    return Table(name, "Diversity of the answers", head, tuple(rows), note)


def ranks_table(name: str, models: Sequence[Model]) -> Table:
    """Mean rank, recall, reciprocal rank and NDCG (Tables 3 and 5)."""
    rows: list[Row] = [
        (model.label, *(rounded(model, key, decimals, scale) for key, decimals, scale in RANKS)) for model in models
    ]
    head = ("model", *(_head(models[0], key, scale) + f" {arrow(models[0], key)}" for key, _, scale in RANKS))
    among = " or ".join(map(str, sorted({candidates_of(model.run) for model in models})))
    note = f"Of the true answer among {among} candidates; NDCG by people's relevance, where rounds are annotated."
    return Table(name, "Ranks of the true answer", head, tuple(rows), note)


def overlap_table(name: str, models: Sequence[Model]) -> Table:
    """How far reference sets agree with those that they are judged by (Tables 1 and 10)."""
    rows: list[Row] = [(model.label, *(_with_spread(model, key) for key in OVERLAP)) for model in models]
    note = "Means over rounds; in brackets the standard deviation over rounds."
    head = ("sets", *(_head(models[0], key) for key in OVERLAP))
    return Table(name, "Overlap of reference sets", head, tuple(rows), note)


def _with_spread(model: Model, key: Key) -> Cell:
    figure, spread = model.figure(key), model.figure(key.as_variant("std"))
    if figure.value is None:
        return cell_of(model, key)
    return cell_of(model, key, text=f"{short(figure.value, 2)} ({short(spread.value, 2)})")


def _head(model: Model, key: Key, scale: int = 1) -> str:
    """What heads a column: the measure's label, its k, and that it is in percent."""
    measure = model.measure(key)
    at = "" if key.k is None else f"@{key.k}"
    return measure.label + at + (" (%)" if measure.unit == "%" or scale == 100 else "")


def humans_table(name: str, models: Sequence[Model]) -> Table:
    """What judges keep of the sets (Table 2)."""
    rows: list[Row] = []
    for model in models:
        for key in judged_keys(model):
            other, (sets,) = replace(key, measure="selected_any"), key.slice
            shares = [each for share in (key, other) for each in (share, share.as_variant("var"))]
            rows.append(
                (
                    f"{model.label}, {sets}",
                    *(rounded(model, share, scale=100) for share in shares),
                    *(cell_of(model, Key(measure, slice=key.slice)) for measure in ("alpha", "kappa")),
                )
            )
    kept, by_any, alpha, kappa = (models[0].measure(Key(name)).label for name in JUDGED)
    head = ("sets", f"{kept} (%)", "variance × 100", f"{by_any} (%)", "variance × 100 (any)", alpha, kappa)
    return Table(
        name, "What judges keep of the reference sets", head, tuple(rows), "Shares of a set, means over tasks."
    )


def judged_keys(model: Model) -> list[Key]:
    """The shares that judges keep, of each kind of set."""
    return [key for key in model.run.measures.of("selected") if not key.variant]


def audit_table(name: str, models: Sequence[Model]) -> Table | None:
    """Quirks of the annotation and tightness of the candidates (§3.2.1); None where no run looked at them."""
    quirks = [quirk for quirk in QUIRKS if any(quirk[0] in model.run.measures for model in models)]
    if not quirks:
        return None
    rows: list[Row] = [
        (model.label, *(rounded(model, key, decimals, scale) for key, decimals, scale in quirks))
        for model in models
        if any(key in model.run.measures for key, *_ in quirks)
    ]
    head = ("run", *(_head(models[0], key, scale) for key, _, scale in quirks))
    note = "Shares of the annotated rounds; correlations of the ground truth with the candidates nearest to it."
    return Table(name, "The dataset's own annotation", head, tuple(rows), note)


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
