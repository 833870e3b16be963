"""The tables of the answers exam as its paper has them: similarity, k generations, ranks, overlap, judges, quirks."""

from collections.abc import Iterable, Sequence

from voirdire.figures import short
from voirdire.answers.section.names import base_names, better_mark, bounded_names, ks_of, readable
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.section.phrases import rounded

__all__ = [
    "audit_table",
    "generations_table",
    "humans_table",
    "overlap_table",
    "ranks_table",
    "similarity_table",
]

BOUNDS = (
    ("[a_gt]", "", "ground truth (A_gt)"),
    ("[gamma]", "", "valid answers, mean (Γ)"),
    ("[gamma]", ":best", "valid answers, best (Γ)"),
)
SPREADS = (("", "mean"), (":std", "std over rounds"), (":best", "best of a round"))


def similarity_table(name: str, models: Sequence[Model], bounds: Sequence[Model], sets: str) -> Table:
    """A row a model, a column a measure; below them what the valid answers themselves reach (Tables 4, 6 and 7)."""
    names = base_names(models) or bounded_names(bounds)
    rows: list[Row] = [
        (model.label, *(cell_of(model, one) for one in names), _rounds(model, names)) for model in models
    ]
    for model in bounds:
        for slice_, variant, words in BOUNDS:
            cells = [cell_of(model, one + slice_ + variant) for one in names]
            if any(cell.value is not None for cell in cells):
                rows.append((words, *cells, _rounds(model, [one + slice_ for one in names])))
    head = ("model", *(f"{readable(one)} {better_mark(one)}" for one in names), "rounds")
    note = f"Against {sets}. Means over rounds; of several answers a round the mean of them counts. ↑ higher is better."
    return Table(name, "Similarity of the answers to their reference sets", head, tuple(rows), note)


def _rounds(model: Model, names: Iterable[str]) -> str:
    counts = [model.figure(name).n for name in names]
    return f"{max((count or 0 for count in counts), default=0):,}"


def generations_table(name: str, models: Sequence[Model]) -> Table | None:
    """Of each model and k the mean, the spread and the best of k answers a round; None where all give one."""
    names = base_names(models)
    rows: list[Row] = []
    for model in models:
        for k in ks_of(model):
            for variant, words in SPREADS:
                cells = [cell_of(model, f"{one}@{k}{variant}") for one in names]
                rows.append((f"{model.label}, k = {k}", words, *cells))
    if not rows:
        return None
    head = ("model", "statistic", *(f"{readable(one)} {better_mark(one)}" for one in names))
    note = "Of the first k answers a round. The spread is that of the rounds' means; the best is the nearest for L2."
    return Table(name, "Similarity by number of generations", head, tuple(rows), note)


def ranks_table(name: str, models: Sequence[Model]) -> Table:
    """Mean rank, recall, reciprocal rank and NDCG (Tables 3 and 5)."""
    columns = (
        ("mr", "mean rank ↓", 2, 1),
        ("recall@1", "R@1 (%) ↑", 2, 100),
        ("recall@5", "R@5 (%) ↑", 2, 100),
        ("recall@10", "R@10 (%) ↑", 2, 100),
        ("mrr", "MRR ↑", 4, 1),
        ("ndcg", "NDCG ↑", 4, 1),
    )
    rows: list[Row] = [
        (model.label, *(rounded(model, measure, decimals, scale) for measure, _, decimals, scale in columns))
        for model in models
    ]
    head = ("model", *(words for _, words, _, _ in columns))
    note = "Of the true answer among 100 candidates; NDCG by people's relevance, where rounds are annotated."
    return Table(name, "Ranks of the true answer", head, tuple(rows), note)


def overlap_table(name: str, models: Sequence[Model]) -> Table:
    """How far reference sets agree with those that they are judged by (Tables 1 and 10)."""
    columns = (
        ("iou", "IoU (%)"),
        ("precision", "precision (%)"),
        ("recall", "recall (%)"),
        ("size", "size"),
        ("contains_gt", "holds the truth (%)"),
        ("corr", "correlation with the truth"),
    )
    rows: list[Row] = [(model.label, *(_with_spread(model, measure) for measure, _ in columns)) for model in models]
    note = "Means over rounds; in brackets the standard deviation over rounds, of correlations the one inside a set."
    head = ("sets", *(words for _, words in columns))
    return Table(name, "Overlap of reference sets", head, tuple(rows), note)


def _with_spread(model: Model, measure: str) -> Cell:
    figure, spread = model.figure(measure), model.figure(f"{measure}:std")
    if figure.value is None:
        return cell_of(model, measure)
    return cell_of(model, measure, text=f"{short(figure.value, 2)} ({short(spread.value, 2)})")


def humans_table(name: str, models: Sequence[Model]) -> Table:
    """What judges keep of the sets (Table 2)."""
    rows: list[Row] = []
    for model in models:
        for measure in model.run.measures:
            if measure.startswith("selected[") and measure.endswith("]"):
                sets = measure.removeprefix("selected[").removesuffix("]")
                rows.append(
                    (
                        f"{model.label}, {sets}",
                        rounded(model, measure, scale=100),
                        rounded(model, f"{measure}:var", scale=100),
                        rounded(model, f"selected_any[{sets}]", scale=100),
                        rounded(model, f"selected_any[{sets}]:var", scale=100),
                        cell_of(model, f"alpha[{sets}]"),
                        cell_of(model, f"kappa[{sets}]"),
                    )
                )
    head = (
        "sets",
        "kept (%)",
        "variance × 100",
        "kept by at least one judge (%)",
        "variance × 100 (any)",
        "Krippendorff's α",
        "Fleiss' κ",
    )
    return Table(
        name, "What judges keep of the reference sets", head, tuple(rows), "Shares of a set, means over tasks."
    )


def audit_table(name: str, models: Sequence[Model]) -> Table | None:
    """Quirks of the annotation and tightness of the candidates (§3.2.1); None where no run looked at them."""
    columns = (
        ("no_full_relevance", "no candidate fully relevant (%)", 2, 100),
        ("irrelevant_gt", "ground truth irrelevant (%)", 2, 100),
        ("cluster_mean", "top cluster: correlation", 4, 1),
        ("cluster_std", "its spread", 4, 1),
        ("cluster_size", "its size", 2, 1),
    )
    shown = [one for one in columns if any(one[0] in model.run.measures for model in models)]
    if not shown:
        return None
    rows: list[Row] = [
        (model.label, *(rounded(model, measure, decimals, scale) for measure, _, decimals, scale in shown))
        for model in models
        if any(measure in model.run.measures for measure, *_ in shown)
    ]
    head = ("run", *(words for _, words, *_ in shown))
    note = "Shares of the annotated rounds; correlations of the ground truth with the candidates nearest to it."
    return Table(name, "The dataset's own annotation", head, tuple(rows), note)
