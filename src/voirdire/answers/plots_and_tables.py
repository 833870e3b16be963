"""Of dense-visdial, from runs: Figures 2 and 3 drawn, and the tables as printed.

Figure 2   runs of `rank` or `audit`: how often the true answer is ranked first, second, …; from 11 on by tens
Figure 3   runs of `score`: a measure of the first k generations per round, their mean and the best
tables     reference sets (1 and 10), judges (2), ranks (3, 5, 8 and 9), generated answers against sets (4, 6 and 7)

A figure has one line per run, and vertical bars for the 95 % intervals. Runs that were scored against different sets,
H and Σ, are in tables of their own, as on the left and the right of Table 4. Of several generations per round, Table 4
has the first, Tables 6 and 7 have the mean (μ), the spread (σ) and the best (γ) of the first k.
"""

from collections.abc import Sequence
from pathlib import Path

from voirdire.answers.exam import PlotAnswersOptions
from voirdire.answers.score import MEMBERS, TRUTH
from voirdire.answers.section.tables import (
    BOUNDS,
    OVERLAP,
    RANKS,
    base_keys,
    bounded_keys,
    column,
    judged_keys,
    k_chart,
    ks_of,
    leading,
    rank_chart,
)
from voirdire.answers.views import SHARES
from voirdire.drawings import check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.figures import show_count
from voirdire.metrics.key import Key
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.section.content import Cell, Chart, Model, Row, Table, cell_of
from voirdire.section.phrases import describe_sets, grouped, of_part, rounded
from voirdire.section.printed import PrintedColumn, by_model

SETS = ("IoU", "precision", "recall", "|C|", "A_gt ∈ C", "corr(C)", "std(corr(C))")
OVERLAPS = tuple(
    PrintedColumn(head, key, 4 if key.measure.startswith("corr") else 2, spread="std")
    for head, key in zip(SETS, OVERLAP, strict=True)
)
RANKED = tuple(
    PrintedColumn(head, key, decimals, scale)
    for head, (key, decimals, scale) in zip(("MR ↓", "R@1 ↑", "R@5 ↑", "R@10 ↑", "MRR ↑", "NDCG ↑"), RANKS, strict=True)
)
STATISTICS = {"": "μ", "std": "σ", "best": "γ"}


def overlap_tables(models: Sequence[Model]) -> list[Table]:
    """Tables 1 and 10: how far sets agree with those that they are judged by; the standard deviation in brackets."""
    columns = [column for column in OVERLAPS if any(column.key in model.run.measures for model in models)]
    return [by_model("answers-table-10", "Tables 1 and 10: reference sets", models, columns, "In percent, but |C|.")]


def judged_tables(models: Sequence[Model]) -> list[Table]:
    """Table 2: what judges keep of each kind of set; the variance in brackets."""
    kinds = [(model, key.slice) for model in models for key in judged_keys(model)]
    rows: list[Row] = [
        ("# tasks", *(_tasks(model, kind) for model, kind in kinds)),
        ("# judges per task", *(_judges(model, kind[0]) for model, kind in kinds)),
    ]
    for words, measure in (("% C selected", "selected"), ("% C selected (≥ 1 judge)", "selected_any")):
        rows.append((words, *(_kept(model, Key(measure, slice=kind)) for model, kind in kinds)))
    several = len({model.key for model, _ in kinds}) > 1
    head = ("", *(f"C = {kind[0]}" + (f", {model.label}" if several else "") for model, kind in kinds))
    return [
        Table("answers-table-2", "Table 2: sets as judges see them", head, tuple(rows), "Variance × 100 in brackets.")
    ]


def _tasks(model: Model, kind: tuple[str, ...]) -> Cell:
    return Cell(show_count(model.figure(Key("selected", slice=kind)).n), model.key)


def _judges(model: Model, kind: str) -> Cell:
    items = model.run.items
    judges = items.filter(items["set"] == kind)["judges"].unique().sort().to_list()
    return Cell(str(judges[0]) if len(judges) == 1 else f"{judges[0]} to {judges[-1]}", model.key)


def _kept(model: Model, key: Key) -> Cell:
    share, spread = rounded(model, key, scale=100), rounded(model, key.as_variant("var"), scale=100)
    return cell_of(model, key, text=f"{share.text} ({spread.text})", scale=100)


def rank_tables(models: Sequence[Model]) -> list[Table]:
    """Tables 3, 5, 8 and 9: ranks of the true answer, a row for each model or each set that it learnt from."""
    tables = []
    for number, group in enumerate(grouped(models, ["data.visdial"]), start=1):
        name = "answers-table-3" + (f"-{number}" if number > 1 else "")
        columns = [column for column in RANKED if any(column.key in model.run.measures for model in group)]
        tables.append(by_model(name, "Tables 3, 5, 8 and 9: ranks of the true answer", group, columns))
    return tables


def similarity_tables(models: Sequence[Model]) -> list[Table]:
    """Table 4: the first answer of each round against its reference set, and what the sets themselves reach."""
    return [_first(number, group) for number, group in enumerate(_by_sets(models), start=1)]


def _similarities(models: Sequence[Model]) -> list[Key]:
    """The measures that the paper has: not how many answers are sentences, which is ours."""
    ours = {measure.key.measure for measure in SHARES}
    return [key for key in base_keys(models) if key.measure not in ours]


def _by_sets(models: Sequence[Model]) -> list[list[Model]]:
    return grouped(models, ["data.references", "references"])


def _sets(group: Sequence[Model]) -> str:
    references = group[0].run.signature.references
    return describe_sets(references) if references else "reference sets"


def _first(number: int, group: Sequence[Model]) -> Table:
    scored, bounds = of_part(group, "score"), of_part(group, "bounds")
    keys = _similarities(scored) or bounded_keys(bounds)
    rows: list[Row] = []
    for model in bounds:
        for bound, variant, words in BOUNDS:
            cells = [_four(model, key.on(bound).as_variant(variant)) for key in keys]
            if any(cell.value is not None for cell in cells):
                rows.append((words, *cells))
    for model in scored:
        first = 1 if 1 in ks_of(model) else None
        rows.append((model.label, *(_four(model, key if first is None else key.at(first)) for key in keys)))
    head = ("Model", *(column(group[0], key) for key in keys))
    return Table(f"answers-table-4-{number}", f"Table 4: k = 1, against {_sets(group)}", head, tuple(rows))


def _four(model: Model, key: Key) -> Cell:
    return rounded(model, key, 4)


def generation_tables(models: Sequence[Model]) -> list[Table]:
    """Tables 6 and 7: mean, spread and best of the first k answers of each round, and of what bounds them."""
    tables = []
    for number, group in enumerate(_by_sets(models), start=1):
        scored, bounds = of_part(group, "score"), of_part(group, "bounds")
        keys = _similarities(scored) or bounded_keys(bounds)
        rows: list[Row] = []
        for model in bounds:
            for bound, words in ((TRUTH, "ground truth (A_gt)"), (MEMBERS, "valid answers (Γ)")):
                rows += _statistics(model, words, [key.on(bound) for key in keys], single=bound == TRUTH)
        for model in scored:
            for k in ks_of(model) or [1]:
                own = [key.at(k) for key in keys] if ks_of(model) else keys
                rows += _statistics(model, f"{model.label} (k={k})", own, single=k == 1)
        head = ("Model", "", *(column(group[0], key) for key in keys))
        title = f"Tables 6 and 7: k generations, against {_sets(group)}"
        tables.append(Table(f"answers-table-6-{number}", title, head, tuple(rows)))
    return tables


def _statistics(model: Model, words: str, keys: Sequence[Key], single: bool) -> list[Row]:
    """Rows of the statistics that a run has; of a single answer the best is the mean, and is not printed."""
    rows: list[Row] = []
    for variant, sign in STATISTICS.items():
        cells = [_four(model, key.as_variant(variant)) for key in keys]
        if any(cell.value is not None for cell in cells) and not (single and variant == "best"):
            rows.append((words, sign, *cells))
    return rows


NAME = "figure"
USUAL = Key("cider4")
RANK_PARTS = {"answers rank", "answers audit"}


def plot_runs(
    run: Sequence[tuple[str, Run]],
    options: PlotAnswersOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str | Path,
) -> Outcome:
    """Draw named runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    drawn = figure(run, options or PlotAnswersOptions())
    return Outcome((f"{drawn.title}: {write_chart(dict(drawn.spec), output)}",))


def figure(runs: Sequence[tuple[str, Run]], options: PlotAnswersOptions) -> Chart:
    """The chart of the runs; all of them must be of one kind."""
    models = [Model(name, str(number), run) for number, (name, run) in enumerate(runs)]
    kinds = {run.title for _, run in runs}
    if kinds <= RANK_PARTS:
        if options.measure is not None:
            raise UsageError("`measure` is for runs of `answers score`; the ranks of the truth are no measure of these")
        chart = rank_chart(NAME, models)
        if chart is None:
            raise UsageError("no run has ranks of the true answer: `answers audit` has them with `ranks` or `scores`")
        return chart
    if kinds != {"answers score"}:
        raise UsageError(
            f"`run` must be of `answers rank` or `audit`, or of `answers score`, got {', '.join(sorted(kinds))}"
        )
    if single := next((model.label for model in models if not ks_of(model)), None):
        raise UsageError(f"{single}: its rounds have one generation each, so that there is no curve over k")
    known = [key for key in base_keys(models) if all(key in model.run.measures for model in models)]
    if not known:
        raise UsageError("the runs have no measure in common")
    return k_chart(NAME, models, _chosen(options.measure, models, known))


def _chosen(name: str | None, models: Sequence[Model], known: Sequence[Key]) -> Key:
    if name is None:
        return USUAL if USUAL in known else leading(models, known, 1)[0]
    for key in known:
        if name == str(key):
            return key
    raise UsageError(f"`measure` must be one that all runs have, got {name!r}; there are {', '.join(map(str, known))}")
