"""A run: what an exam returns, and the only thing that is stored; and its signature.

Every number has a signature, and two numbers can be compared where their signatures agree.
"""

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import version
from math import isfinite
from platform import python_version
from typing import Any

import msgspec

from voirdire.drawings import DrawnChart, chart
from voirdire.errors import UsageError, shorten
from voirdire.figures import show_count, show_figure, show_interval
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.runs.estimate import Estimate, Measures
from voirdire.runs.readings import Readings
from voirdire.runs.view import ASKED, Coverage

SHORT = 12
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Signature:
    """What a figure depends on besides the model under test.

    version     of Voir Dire
    data        the files that the model was examined on (never its own outputs): role to SHA-256
    references  which reference answers
    tokeniser   how text was split into tokens
    encoder     how text was turned into vectors
    seed        of everything random
    options     the exam's options that change figures
    """

    version: str
    data: Mapping[str, str] = field(default_factory=dict)
    references: str | None = None
    tokeniser: str | None = None
    encoder: str | None = None
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def flat(self) -> dict[str, Any]:
        """All parts that have a value, by name: `encoder`, `data.dense`, `options.top`, `options.noise.ranker`."""
        parts: dict[str, Any] = {}
        for part in fields(self):
            parts |= _flat(part.name, getattr(self, part.name))
        return parts

    def __str__(self) -> str:
        """The short form, for the foot of a table: `version:0.1.0|data.dense:53aa51172d14|encoder:minilm|seed:0`."""
        return "|".join(f"{name}:{_short(name, value)}" for name, value in self.flat().items())


@dataclass(frozen=True, slots=True)
class Difference:
    """One part in which two signatures differ; None where one of them does not have it."""

    part: str
    first: Any
    second: Any

    def __str__(self) -> str:
        first, second = ("nothing" if v is None else _short(self.part, v) for v in (self.first, self.second))
        return f"{self.part}: {first} against {second}"


def differences(first: Signature, second: Signature) -> list[Difference]:
    """All parts in which two signatures differ, in the order of the parts."""
    ours, theirs = first.flat(), second.flat()
    return [
        Difference(part, ours.get(part), theirs.get(part))
        for part in dict.fromkeys([*ours, *theirs])
        if ours.get(part) != theirs.get(part)
    ]


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {inner: part for key in sorted(value) for inner, part in _flat(f"{name}.{key}", value[key]).items()}
    return {} if value is None else {name: value}


def _short(name: str, value: Any) -> str:
    text = str(value)
    return text[:SHORT] if name.startswith("data.") or _HASH.fullmatch(text) else text


PACKAGES = ("voirdire", "numpy", "scipy", "polars")


def limit_text(options: Mapping[str, Any]) -> str:
    """How much of the data a limit took, by a signature's options; empty without a limit."""
    signed = options.get("limit")
    if not isinstance(signed, Mapping) or not {"of", "seed"} < signed.keys():
        return ""
    noun, taken = next(item for item in signed.items() if item[0] not in ("of", "seed"))
    return f"{taken:,} of {signed['of']:,} {noun}, seed {signed['seed']}"


def now() -> str:
    """This moment, to the second, in universal time."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Versions of Python, of Voir Dire, of the packages that every run uses, and of those named."""
    return {"python": python_version()} | {name: version(name) for name in sorted({*PACKAGES, *packages})}


@dataclass(frozen=True, eq=False)
class Run:
    """An exam's items and the figures made from them.

    exam          its name
    part          of the exam; runs of different parts have different measures
    options       all of its options, as plain JSON values
    items         one row per scored thing, with its ids and its statistics
    measures      each measure's figure, by its key
    signature     what the figures depend on
    fingerprints  every file that was read, also the model's outputs: role to SHA-256
    versions      of the packages that were used
    warnings      what readers of the figures should know
    coverage      how much of the dataset the model's output has; None where no model was asked
    readings      in which ways the replies of a live model were read; None where there are none
    created       the time; the only part that differs between two runs on the same input
    """

    exam: str
    options: Mapping[str, Any]
    items: "pl.DataFrame"
    measures: Measures
    signature: Signature
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    warnings: tuple[str, ...] = ()
    part: str = ""
    coverage: Coverage | None = None
    created: str = field(default_factory=now)
    readings: Readings | None = None

    @property
    def title(self) -> str:
        """The exam and its part, as on the command line."""
        return f"{self.exam} {self.part}".rstrip()

    @property
    def limit(self) -> str:
        """How much of the data a limit took, "50 of 2,064 images, seed 0"; empty where all of it is scored."""
        return limit_text(self.signature.options)

    def covers(self, measure: str = "") -> str:
        """How much of what was asked a figure covers, where that is not everything.

        measure  its name; figures of everything that was asked, `accuracy:asked`, lack only what a limit leaves out
        """
        limits = [self.limit] if self.limit else []
        if self.coverage is not None and self.coverage.missing and Key.parse(measure or "any").variant != ASKED:
            limits.append(self.coverage.short)
        return "; ".join(limits)

    def __repr__(self) -> str:
        return f"Run({self.title!r}, {self.items.height:,} items, {len(self.measures):,} measures)"

    def to_frame(self) -> "pl.DataFrame":
        """The measures as a table: name, value, both ends of the interval, number of items."""
        rows = [(str(key), *finite(estimate).values()) for key, estimate in self.measures.items()]
        schema = {"measure": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_pandas(self) -> Any:
        """The same table for pandas, which needs no pyarrow."""
        return frame_for_pandas(self.to_frame())

    def plot(self, *measures: str) -> DrawnChart:
        """Measures with their intervals as a chart: those that are named, or all that have an interval and no variant.

        Shown in a notebook as it is; `save` writes it to a file.
        """
        unknown = [name for name in measures if name not in map(str, self.measures)]
        if unknown:
            known = ", ".join(map(str, self.measures))
            raise UsageError(
                f"`measures` must be among those of the run, got {shorten(unknown[0])}; there are: {known}"
            )
        points = [
            {"measure": str(key), "value": figure.value, "low": figure.low, "high": figure.high, "run": self.title}
            for key, figure in self.measures.items()
            if (str(key) in measures if measures else not key.variant) and figure.low is not None
        ]
        if not points:
            raise UsageError(f"{self.title} has no measure with an interval to plot")
        return DrawnChart(
            chart(
                points,
                {"field": "measure", "type": "nominal", "sort": None, "title": None},
                {"field": "value", "type": "quantitative", "title": "value, 95 % interval"},
                "run",
                joined="false",
            )
        )

    def _repr_html_(self) -> str:
        rows = [
            [str(key), show_figure(figure.value), show_interval(figure.low, figure.high), show_count(figure.n)]
            for key, figure in self.measures.items()
        ]
        head = ["measure", "value", "95 % interval", "n"]
        from voirdire.pages import table

        return table(f"{self.title}, {self.items.height:,} items", head, rows, f"{self.title}|{self.signature}")

    def to_json(self) -> str:
        """The one JSON object that a scoring verb prints for programs, measures in the exam's order."""
        document = {
            "exam": self.exam,
            "measures": {str(key): finite(estimate) for key, estimate in self.measures.items()},
            "signature": self.signature,
            "warnings": self.warnings,
        } | ({"coverage": self.coverage} if self.coverage and not self.coverage.complete else {})
        if self.limit:
            document["limit"] = self.signature.options["limit"]
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def finite(estimate: Estimate) -> dict[str, float | None]:
    """The estimate's fields, null where there is no finite number."""
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
    return {name: number if number is not None and isfinite(number) else None for name, number in numbers.items()}


def frame_for_pandas(frame: "pl.DataFrame") -> Any:
    """A table for pandas, made of plain values: polars' own way needs pyarrow."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise UsageError("to_pandas needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(frame.to_dict(as_series=False))
