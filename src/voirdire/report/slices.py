"""Where models fail: the headline measures of a part of an exam on slices of its items, model beside model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from voirdire.figures import ARROWS, NONE, show_count, shown_in
from voirdire.section.content import Cell, Drill, Finding, Fold, Item, Items, Model, Row, Table, Tone, cell_of
from voirdire.section.phrases import apart, effect
from voirdire.verdict.labels import Labels
from voirdire.verdict.slices import LEAST, Slice, Sliced, slice_run

TOLD = 2
"""Measures of whose slices findings tell."""

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
    """A table for each headline measure of runs of one part, that which leads first, and what stands out in it."""
    by_measure: dict[str, list[_Side]] = {}
    for model in models:
        for one in slice_run(model.run, labels):
            named = {(each.facet, each.value): each for each in one.slices}
            by_measure.setdefault(one.measure.name, []).append(_Side(model, one, named))
    if not by_measure:
        return [], []
    ordered = sorted(by_measure.values(), key=lambda sides: sides[0].sliced.measure.leads or len(by_measure) + 9)
    tables = [_table(f"{_slug(models[0])}-slices-{number}", sides) for number, sides in enumerate(ordered, start=1)]
    findings = [finding for sides in ordered[:TOLD] for side in sides for finding in _worst(side)]
    folded = [Fold((table,), "slices") for table in tables[1:]]
    return [tables[0], *folded], findings


def labelled(drill: Drill, labels: Labels) -> Drill:
    """The items with a user's labels as filters; as they are where they are not named by the ids of the labels."""
    first = next(iter(drill.items), None)
    if first is None or not set(labels.ids) <= first.ids.keys():
        return drill
    return replace(drill, facets=(*drill.facets, *labels.columns), items=_Labelled(drill.items, labels))


class _Labelled:
    """Items, each with its labels behind its other facets."""

    def __init__(self, items: Items, labels: Labels) -> None:
        self._items, self._ids, self._labels = items, labels.ids, labels.of_items()
        self._none: tuple[str | None, ...] = (None,) * len(labels.columns)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            found = self._labels.get(tuple(item.ids[name] for name in self._ids), self._none)
            yield replace(item, facets=(*item.facets, *(one or UNLABELLED for one in found)))


def _slug(model: Model) -> str:
    return model.run.title.replace(" ", "-")


def _table(name: str, sides: Sequence[_Side]) -> Table:
    measure, noun = sides[0].sliced.measure, sides[0].sliced.noun
    names = _in_order(sides)
    rows: list[Row] = [("all", *_row(sides, None))]
    rows += [(f"{facet}: {value}", *_row(sides, (facet, value))) for facet, value in names]
    unit = f" ({measure.shown_unit})" if measure.shown_unit else ""
    head = ("slice", f"{noun}s", *(side.model.label for side in sides))
    title = f"Where does it fail? {measure.label}{unit}{ARROWS[measure.better]} by slice, {sides[0].model.run.title}"
    note = (
        f"{measure.name}: {measure.description or measure.label}. ▼ worse and ▲ better than the model's figure over "
        f"all, the 95 % intervals apart. Slices of fewer than {LEAST} {noun}s are too few for a figure."
    )
    return Table(name, title, head, tuple(rows), note)


def _in_order(sides: Sequence[_Side]) -> list[Name]:
    """The slices of all models, facet by facet; of one facet in the first model's order, then what others add."""
    found = dict.fromkeys(name for side in sides for name in side.slices)
    facets = list(dict.fromkeys(facet for facet, _ in found))
    return sorted(found, key=lambda name: facets.index(name[0]))


def _row(sides: Sequence[_Side], name: Name | None) -> list[Cell | str]:
    """How many items a slice has, and each model's figure of it; without a name, of all items."""
    slices = [None if name is None else side.slices.get(name) for side in sides]
    counts = [one.figure.n or 0 for one in slices if one is not None]
    whole = max(side.sliced.whole.n or 0 for side in sides)
    cells: list[Cell | str] = [show_count(whole if name is None else max(counts))]
    for side, one in zip(sides, slices, strict=True):
        measure = side.sliced.measure
        if name is None:
            value = side.sliced.whole.value
            text = shown_in(None if value is None else value * measure.scale, measure.shown_unit)
            cells.append(cell_of(side.model, measure.key, text, measure.scale))
        elif one is None:
            cells.append(NONE)
        else:
            cells.append(f"{NONE} (too few: {one.figure.n or 0})" if one.few else _cell(side, one))
    return cells


def _cell(side: _Side, one: Slice) -> Cell:
    figure, measure = one.figure, side.sliced.measure
    text = shown_in(None if figure.value is None else figure.value * measure.scale, measure.shown_unit)
    key = "" if one.key is None else str(one.key)
    return Cell(text, side.model.key, key, figure.value, figure.low, figure.high, _tone(side, one), measure.scale)


def _tone(side: _Side, one: Slice) -> Tone:
    """Whether the slice is clearly better or worse than the whole."""
    measure, whole, figure = side.sliced.measure, side.sliced.whole, one.figure
    if one.few or measure.better == "neither" or not apart(figure, whole):
        return "plain"
    higher = (figure.value or 0.0) > (whole.value or 0.0)
    return "good" if higher == (measure.better == "higher") else "bad"


def _worst(side: _Side) -> list[Finding]:
    """The slice that is worse than the whole by the most standard errors, where one is clearly worse."""
    measure, whole = side.sliced.measure, side.sliced.whole
    worse = [(effect(one.figure, whole) or 0.0, one) for one in side.sliced.slices if _tone(side, one) == "bad"]
    if not worse:
        return []
    size, one = max(worse, key=lambda pair: pair[0])
    unit = f" {measure.shown_unit}" if measure.shown_unit else ""
    at, over = (shown_in((figure.value or 0.0) * measure.scale, measure.shown_unit) for figure in (one.figure, whole))
    where = f"{one.facet} {one.value}" if one.value.isdigit() else f"{one.facet} “{one.value}”"
    text = (
        f"{measure.label} is worst at {where}: {at}{unit} there ({show_count(one.figure.n)} {side.sliced.noun}s), "
        f"{over}{unit} over all."
    )
    return [Finding(side.model.label, text, "bad", size)]
