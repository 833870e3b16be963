"""Types of questions: their shares and the oracle's accuracy on each, as in the paper's Table 2."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voirdire.metrics.measure import Key
from voirdire.questions.kinds import AGREEMENT
from voirdire.questions.lexicon import KINDS, ORDER
from voirdire.questions.oracle_accuracy import RIGHT
from voirdire.section.aligned_items import evenly
from voirdire.section.charts import bar_chart, data_table, point_of
from voirdire.section.content import Chart, Drill, Finding, Item, Model, Row, SmallTable, Table, Text, cell_of
from voirdire.section.phrases import apart, of_all, percent, percent_cell, percent_ci


def types_contents(kinds: Sequence[Model], accuracies: Sequence[Model]) -> list[Table | Chart]:
    """Table 2, its shares as bars, and how far two lexicons agree where a run compared them."""
    return [
        _table_2(kinds, accuracies),
        *([_shares(kinds)] if kinds else []),
        *(_lexicons(model) for model in kinds if AGREEMENT.key in model.run.measures),
    ]


def _table_2(kinds: Sequence[Model], accuracies: Sequence[Model]) -> Table:
    whose = (*(f"accuracy: {model.label}" for model in accuracies), *(f"share: {model.label}" for model in kinds))
    rows: tuple[Row, ...] = tuple(
        (
            kind,
            *(percent_cell(model, RIGHT.key.on(kind)) for model in accuracies),
            *(percent_cell(model, Key(kind)) for model in kinds),
        )
        for kind in (*KINDS, ORDER)
    )
    note = (
        "How often the oracle is right on questions of each type, and the share of a model's questions that are of it, "
        "in percent. A question may be of several types; questions of order are of location too. The paper's Table 2."
    )
    return Table("questions-types", "Types of questions", ("type", *whose), rows, note)


def _shares(kinds: Sequence[Model]) -> Chart:
    points = [point_of(model, Key(kind), kind, scale=100) for kind in (*KINDS, ORDER) for model in kinds]
    title = "What is asked about"
    says = "The share of a model's questions that are of each type; a question may be of several."
    spec = bar_chart(points, value="questions (%)")
    return Chart(title, spec, says, data_table("questions-type-shares", title, points, at="type"))


def _lexicons(model: Model) -> Table:
    rows = tuple(
        (kind, percent_cell(model, AGREEMENT.key.on(kind)), cell_of(model, AGREEMENT.key.on(kind).as_variant("kappa")))
        for kind in KINDS
    )
    whole = ("same set of types", percent_cell(model, AGREEMENT.key), "")
    note = "The share of questions that both lexicons put in a type, or both leave out of it, in percent, and κ."
    title = f"Agreement of two lexicons: {model.label}"
    return Table(f"questions-lexicons-{model.key}", title, ("type", "agreement", "κ"), (*rows, whole), note)


def types_drill(kinds: Sequence[Model]) -> Drill:
    """The different questions, with how often each model asks them."""
    types: dict[str, str] = {}
    counts = []
    for model in kinds:
        for row in model.run.items.unique("question", maintain_order=True).iter_rows(named=True):
            types.setdefault(row["question"], ", ".join(kind for kind in (*KINDS, ORDER) if row[kind]))
        counts.append(Counter(model.run.items["question"].to_list()))
    kept = evenly(list(types))
    return Drill(
        name="questions-type-items",
        title="Questions by type",
        labels=tuple(model.label for model in kinds),
        facets=("types",),
        scores=("times asked",),
        items=_Asked({question: types[question] for question in kept}, counts, tuple(model.label for model in kinds)),
        note=f"{of_all(len(kept), len(types), 'different question')}.",
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    types: dict[str, str]
    counts: Sequence[Counter[str]]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.types)

    def __iter__(self) -> Iterator[Item]:
        for question, types in self.types.items():
            asked = tuple(counts[question] for counts in self.counts)
            table = tuple((label, f"{count:,}") for label, count in zip(self.labels, asked, strict=True))
            yield Item(
                name=question,
                facets=(types,),
                scores=(tuple(map(float, asked)),),
                text=question,
                blocks=(
                    Text("question", question),
                    Text("types", types),
                    SmallTable("asked", ("model", "times"), table),
                ),
            )


def kinds_findings(model: Model) -> list[Finding]:
    """Of a run of `questions kinds`: what is asked about most."""
    figures = {kind: model.run.measures[Key(kind)] for kind in KINDS}
    shares = {kind: figure for kind, figure in figures.items() if figure.value is not None}
    if not shares:
        return []
    first, second = sorted(shares, key=lambda kind: -(shares[kind].value or 0))[:2]
    text = f"What is asked about most is {_about(first)}: {percent_ci(shares[first])} of the questions"
    if apart(shares[first], shares[second]) is False:
        text += f"; {_about(second)} comes so near ({percent(shares[second].value, 1)} %) that it may be as frequent"
    return [Finding(model.label, text + ".")]


def _about(kind: str) -> str:
    return {"object": "the object itself", "other": "something else", "color": "colour"}.get(kind, kind)
