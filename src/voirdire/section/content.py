"""What a report contains, apart from how it looks.

An exam makes a section of its runs. The page, and the tables in Markdown, LaTeX and CSV, are made of sections alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from voirdire.exam import measures_of, part_of, views_of
from voirdire.figures import counted, short, show_figure
from voirdire.metrics.measure import Better, Key, Measure
from voirdire.runs import Estimate, Run

Tone = Literal["good", "bad", "plain"]

_DECIMALS = re.compile(r"[\d,]*\d(?:\.(\d+))?")
ENDS = frozenset(("low", "high", "95 % interval"))
"""Columns with the intervals of a table's figures."""


@dataclass(frozen=True, eq=False)
class Model:
    """A model's run: `label` is the model's name for a reader, `key` identifies the run in the page."""

    label: str
    key: str
    run: Run

    def figure(self, key: Key | str) -> Estimate:
        """One of the run's figures; one without a value where the run does not have it."""
        return self.run.measures.figure(key)

    def measure(self, key: Key) -> Measure:
        """The measure of one of the run's figures: its label, unit, direction and description."""
        return measures_of(self.run)[key.measure]

    def coverage(self, measure: str) -> str:
        """How much of what was asked a figure covers, where that is not all; it is shown beside the figure.

            50 of 2,064 images, seed 0     the run was limited to a part of the images
            2,064 of 20,640 rounds         the model's output lacks some, or the measure has no case there: NDCG is of
                                           the annotated rounds
            580 of 594 replies read (97.6 %)   the rest of what a live model wrote could not be

        measure  its name; empty for a figure that is made of the run's items
        """
        cases, readings = self._partial.get(measure), self.run.readings
        covers = self.run.covers(measure) if cases is None else "; ".join(filter(None, (self.run.limit, cases)))
        unread = "" if readings is None or readings.complete else str(readings)
        return "; ".join(filter(None, (covers, unread)))

    @cached_property
    def _partial(self) -> dict[str, str]:
        """The measures that have fewer cases than were asked; not the slices, whose names say it."""
        coverage = self.run.coverage
        if coverage is None or not part_of(self.run).views:
            return {}
        asked = counted(coverage.asked, coverage.noun)
        return {
            measure.name: f"{n:,} of {asked}"
            for view in views_of(self.run)
            # Elsewhere a row is not what was asked, as with the questions of games, and counts mean something else.
            if view.noun == coverage.noun and view.items.height == coverage.asked
            for measure in view.measures
            if measure.where is None
            and (n := self.run.measures.figure(measure.key).n) is not None
            and n < coverage.asked
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    text     what is shown
    run      the key of the run that it is a figure of, "" for other cells
    measure  the name of its measure there, "" where the figure is made from the run's items
    value    the figure in full, so that a reader of the page can check it
    mark     its colour; the text must say the same
    scale    the factor by which the figure is shown: 100 for a share in percent
    """

    text: str
    run: str = ""
    measure: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    mark: Tone = "plain"
    scale: float = 1.0

    @property
    def interval(self) -> str:
        """Both ends of the interval with as many decimals as the figure has; empty where it has none."""
        if self.low is None or self.high is None:
            return ""
        number = _DECIMALS.search(self.text)
        decimals = len(number[1] or "") if number else 0
        return " … ".join(short(end * self.scale, decimals) for end in (self.low, self.high))


def cell_of(model: Model, key: Key | str, text: str | None = None, scale: float = 1.0) -> Cell:
    """The cell of one of a run's figures, a dash where it has none; `scale` 100 shows a share in percent."""
    figure = model.figure(key)
    shown = text if text is not None else show_figure(None if figure.value is None else figure.value * scale)
    known = str(key) if key in model.run.measures else ""
    return Cell(shown, model.key, known, figure.value, figure.low, figure.high, scale=scale)


Row = tuple[Cell | str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `name` is its anchor and its file's name, unique in the report; the first cell of a row is its head.

    folded  whether the page shows it folded
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""
    folded: bool = False

    @property
    def spells_ends(self) -> bool:
        """Whether intervals have columns of their own; else they are shown with their figures."""
        return not ENDS.isdisjoint(self.columns)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: a Vega-Lite specification with its data inside, a sentence that says what it shows, and the data."""

    title: str
    spec: Mapping[str, Any]
    says: str
    data: Table


@dataclass(frozen=True, slots=True)
class Fold:
    """Tables that belong together, folded below the title of the first of them.

    says     a few words beside the title
    at_once  whether the page shows them unfolded at first
    """

    tables: tuple[Table, ...]
    says: str = ""
    at_once: bool = False


def tables_of(contents: Iterable[Table | Chart | Fold]) -> list[Table]:
    """All tables, also those behind charts and the folded ones."""
    tables: list[Table] = []
    for content in contents:
        match content:
            case Table():
                tables.append(content)
            case Chart():
                tables.append(content.data)
            case Fold():
                tables += content.tables
    return tables


@dataclass(frozen=True, slots=True)
class Headline:
    """One figure of one model on the first screen; `says` explains the measure in a few words.

    name    of the measure for a reader; its key where none is given
    better  which way is better; with "neither" nobody leads
    scale   the factor by which the figure is shown: 100 for a share in percent
    caveat  why the figure may mislead; it is shown beside the figure, and the model does not lead by it
    beside  the key of the official figure, where this one is by short answers
    """

    run: str
    label: str
    measure: str
    says: str
    figure: Estimate
    unit: str = ""
    name: str = ""
    better: Better = "neither"
    scale: float = 1.0
    caveat: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence in plain words about one model, or about all where `label` is empty.

    effect  the size of the difference that it states, in standard errors; None where it states none
    """

    label: str
    text: str
    tone: Tone = "plain"
    effect: float | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line of an item with its kind: "question", "caption"."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Several texts of one kind: the references."""

    label: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A small table of an item: the turns of a game; `marked` are the rows to look at."""

    label: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """A scoreboard: for each proposition one letter per turn, gold and predicted, and its errors by name."""

    label: str
    rows: tuple[tuple[str, str, str, str], ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A block that many items share, by its key in the drill's `shared`: the dialogue of an image."""

    key: str
    marked: int | None = None


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes on the item's picture: for each x, y, width, height, its name, and whether it is the target.

    size  width and height of the picture in the units of the boxes
    """

    label: str
    size: tuple[float, float]
    boxes: tuple[tuple[float, float, float, float, str, bool], ...]


Block = Text | Lines | SmallTable | Grid | Reference | Boxes


@dataclass(frozen=True, slots=True)
class Item:
    """One scored thing.

    name     "image 12, round 4"
    facets   a value for each of the drill's facets
    scores   for each of the drill's scores a number per model, in the order of the drill's models
    text     what is searched: question and answers
    blocks   its details
    image    the id of its picture
    outputs  each model's output, in few words, in the order of the drill's models; empty where that does not apply
    ids      the columns of the runs' items that identify it, with their values: {"image_id": 12, "round": 4}
    """

    name: str
    facets: tuple[str, ...]
    scores: tuple[tuple[float | None, ...], ...]
    text: str
    blocks: tuple[Block, ...]
    image: int | None = None
    outputs: tuple[str, ...] = ()
    ids: Mapping[str, int | None] = field(default_factory=dict)


class Items(Protocol):
    """Items that can be iterated over, so that not all need to be in memory at once."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Item]: ...


@dataclass(frozen=True, eq=False)
class Drill:
    """The items behind a section's numbers, to be searched, filtered and sorted.

    name    unique in the report
    labels  of the models, in the order of the items' scores
    facets  the filters: "round", "answer type"
    scores  names of measures, by which items are sorted
    shared  blocks that many items refer to
    lower   the scores for which lower is better
    """

    name: str
    title: str
    labels: tuple[str, ...]
    facets: tuple[str, ...]
    scores: tuple[str, ...]
    items: Items
    shared: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    note: str = ""
    lower: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Section:
    """One exam of the report.

    headlines  the figures for the first screen, model by model
    findings   sentences for the first screen
    contents   tables, charts and folds, in order
    notes      what a reader of the headlines should know: replies that are no answers
    why        why figures by short answers lead, where they do
    method     how models were examined, where that is not the exam's own sentence
    cites      keys of works in the bibliography to cite beside those of the exam and of its measures
    """

    exam: str
    title: str
    asks: str
    headlines: Sequence[Headline]
    findings: Sequence[Finding]
    contents: Sequence[Table | Chart | Fold]
    drills: Sequence[Drill] = ()
    cites: Sequence[str] = ()
    notes: Sequence[str] = ()
    method: str = ""
    why: Sequence[str] = ()
