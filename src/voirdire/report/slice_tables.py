"""Where models fail: the headline measures of a part of an exam on slices of its items, model beside model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from voirdire.figures import ARROWS, NONE, show_count, shown_in
from voirdire.metrics.measure import Measure
from voirdire.runs import Estimate
from voirdire.section.content import Cell, Drill, Finding, Fold, Item, Items, Model, Row, Table, Tone, cell_of
from voirdire.section.phrases import apart, effect
from voirdire.verdict.labels import Labels
from voirdire.verdict.slices import LEAST, Slice, Sliced, slice_run

MEASURES = 2
"""How many headline measures have findings on their slices."""

UNLABELLED = "no label"

Name = tuple[str, str]
"""A slice's facet and value."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One model's slices of a measure by their names."""

    model: Model
    sliced: Sliced
    slices: Mapping[Name, Slice]


def slice_contents(models: Sequence[Model], labels: Labels | None) -> tuple[list[Table | Fold], list[Finding]]:
    """A table for each headline measure of runs of one part, leading ones first, and findings on the worst slices."""
    by_measure: dict[str, list[_Side]] = {}
    for model in models:
        for sliced in slice_run(model.run, labels):
            by_name = {(part.facet, part.value): part for part in sliced.slices}
            by_measure.setdefault(sliced.measure.name, []).append(_Side(model, sliced, by_name))
    if not by_measure:
        return [], []
    ordered = sorted(by_measure.values(), key=lambda sides: sides[0].sliced.measure.leads or len(by_measure) + 9)
    name = models[0].run.title.replace(" ", "-")
    tables = [_table(f"{name}-slices-{number}", sides) for number, sides in enumerate(ordered, start=1)]
    findings = [finding for sides in ordered[:MEASURES] for side in sides for finding in _worst(side)]
    folded = [Fold((table,), "slices") for table in tables[1:]]
    return [tables[0], *folded], findings


def labelled(drill: Drill, labels: Labels) -> Drill:
    """The items with a user's labels as filters; as they are where they do not have the ids of the labels."""
    first = next(iter(drill.items), None)
    if first is None or not set(labels.ids) <= first.ids.keys():
        return drill
    return replace(drill, facets=(*drill.facets, *labels.columns), items=_Labelled(drill.items, labels))


class _Labelled:
    """Items, each with its labels after its other facets."""

    def __init__(self, items: Items, labels: Labels) -> None:
        self._items, self._ids, self._labels = items, labels.ids, labels.of_items()
        self._none: tuple[str | None, ...] = (None,) * len(labels.columns)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            labels = self._labels.get(tuple(item.ids[name] for name in self._ids), self._none)
            yield replace(item, facets=(*item.facets, *(label or UNLABELLED for label in labels)))


def _table(name: str, sides: Sequence[_Side]) -> Table:
    measure, noun = sides[0].sliced.measure, sides[0].sliced.noun
    names = _in_order(sides)
    rows: list[Row] = [("all", *_row(sides, None))]
    rows += [(f"{facet}: {value}", *_row(sides, (facet, value))) for facet, value in names]
    unit = f" ({measure.display_unit})" if measure.display_unit else ""
    head = ("slice", f"{noun}s", *(side.model.label for side in sides))
    title = f"Where does it fail? {measure.label}{unit}{ARROWS[measure.better]} by slice, {sides[0].model.run.title}"
    note = (
        f"{measure.name}: {measure.description or measure.label}. ▼ worse and ▲ better than the model's figure over "
        f"all, the 95 % intervals apart. Slices of fewer than {LEAST} {noun}s are too few for a figure."
    )
    return Table(name, title, head, tuple(rows), note)


def _in_order(sides: Sequence[_Side]) -> list[Name]:
    """The slices of all models, facet by facet; within a facet in the first model's order, then what others add."""
    names = dict.fromkeys(name for side in sides for name in side.slices)
    facets = list(dict.fromkeys(facet for facet, _ in names))
    return sorted(names, key=lambda name: facets.index(name[0]))


def _row(sides: Sequence[_Side], name: Name | None) -> list[Cell | str]:
    """How many items a slice has, and each model's figure for it; without a name, for all items."""
    if name is None:
        counts = [side.sliced.whole.n or 0 for side in sides]
        cells = [_whole_cell(side) for side in sides]
        return [show_count(max(counts)), *cells]
    slices = [side.slices.get(name) for side in sides]
    counts = [part.figure.n or 0 for part in slices if part is not None]
    return [show_count(max(counts)), *(_cell(side, part) for side, part in zip(sides, slices, strict=True))]


def _whole_cell(side: _Side) -> Cell:
    measure, whole = side.sliced.measure, side.sliced.whole
    return cell_of(side.model, measure.key, _scaled(whole, measure), measure.scale)


def _cell(side: _Side, part: Slice | None) -> Cell | str:
    if part is None:
        return NONE
    if part.few:
        return f"{NONE} (too few: {part.figure.n or 0})"
    figure, measure = part.figure, side.sliced.measure
    key = "" if part.key is None else str(part.key)
    ends = figure.value, figure.low, figure.high
    return Cell(_scaled(figure, measure), side.model.key, key, *ends, _tone(side, part), measure.scale)


def _scaled(figure: Estimate, measure: Measure) -> str:
    return shown_in(None if figure.value is None else figure.value * measure.scale, measure.display_unit)


def _tone(side: _Side, part: Slice) -> Tone:
    """Whether the slice is clearly better or worse than the whole."""
    measure, whole, figure = side.sliced.measure, side.sliced.whole, part.figure
    if part.few or measure.better == "neither" or not apart(figure, whole):
        return "plain"
    higher = (figure.value or 0.0) > (whole.value or 0.0)
    return "good" if higher == (measure.better == "higher") else "bad"


def _worst(side: _Side) -> list[Finding]:
    """The slice that is worse than the whole by the most standard errors, where one is clearly worse."""
    measure, whole = side.sliced.measure, side.sliced.whole
    worse = [(effect(part.figure, whole) or 0.0, part) for part in side.sliced.slices if _tone(side, part) == "bad"]
    if not worse:
        return []
    size, worst = max(worse, key=lambda pair: pair[0])
    unit = f" {measure.display_unit}" if measure.display_unit else ""
    at, over = _scaled(worst.figure, measure), _scaled(whole, measure)
    where = f"{worst.facet} {worst.value}" if worst.value.isdigit() else f"{worst.facet} “{worst.value}”"
    text = (
        f"{measure.label} is worst at {where}: {at}{unit} there ({show_count(worst.figure.n)} {side.sliced.noun}s), "
        f"{over}{unit} over all."
    )
    return [Finding(side.model.label, text, "bad", size)]
