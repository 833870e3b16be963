"""Many JSON lists of equal length straight into one array, fast and as strict as one by one.

The lists of a batch are joined into one JSON text, whose integers come out of the parser as a buffer; no Python object
is made for a number. The parser refuses all but integers, but flattens what is nested, so that the opening brackets
are counted too. Whatever fails is looked at list by list, which either reads it or says what is wrong.

The rounds of one file have the same number of options: that of most of its lists, up to `MOST`. VisDial has 100.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import simdjson

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.strict import UNREADABLE

OPTIONS = 100
"""Options of a round in VisDial."""
MOST = 1000
"""Options that a round may have: a file of few bytes must not ask for much memory."""

# Small enough for the text of a batch to stay in the processor's cache.
BATCH = 512

Fault = tuple[int, str, str, str]


def usual(lengths: Iterable[int]) -> int:
    """The commonest length, of equally common ones the longest; that of VisDial where there is none."""
    counts = Counter(lengths)
    return max(counts, key=lambda length: (counts[length], length)) if counts else OPTIONS


def width_of(raws: Iterable[msgspec.Raw | None]) -> int:
    """How many options the rounds of a file have, by the commas of their lists, which are not read yet."""
    return min(usual(bytes(raw).count(b",") + 1 for raw in raws if raw is not None), MOST)


def fill_rows(out: npt.NDArray[np.int32], raws: Sequence[msgspec.Raw | None], below: int) -> list[Fault]:
    """Write the list of integers `raws[i]` into `out[i]`; rows whose raw is None are left as they are.

    Every integer must be at least 0 and less than `below`. Returns the rows that are not such lists, each with the
    place inside the list (empty for the list as a whole), what was found and what was expected.
    """
    faults: list[Fault] = []
    parser = simdjson.Parser()
    for start in range(0, len(raws), BATCH):
        batch = [(row, raw) for row, raw in enumerate(raws[start : start + BATCH], start) if raw is not None]
        if not batch:
            continue
        rows, texts = zip(*batch, strict=True)
        values = _fast(parser, texts, out.shape[1], below)
        if values is None:
            faults += _slow(out, batch, below)
        elif len(rows) == rows[-1] - rows[0] + 1:
            out[rows[0] : rows[-1] + 1] = values
        else:
            out[list(rows)] = values
    return faults


def _fast(
    parser: simdjson.Parser, texts: Sequence[msgspec.Raw], width: int, below: int
) -> npt.NDArray[np.int64] | None:
    """The numbers of all lists, or None where anything is not as it should be."""
    joined = b"[" + b",".join(texts) + b"]"
    if joined.count(b"[") != len(texts) + 1:
        return None
    try:
        lists: Any = parser.parse(joined)
        if any(len(row) != width for row in lists):
            return None
        values = np.frombuffer(lists.as_buffer(of_type="i"), np.int64)
    except (TypeError, ValueError, RuntimeError):
        return None
    if values.size != len(texts) * width or values.min() < 0 or values.max() >= below:
        return None
    return values.reshape(len(texts), width)


def _slow(out: npt.NDArray[np.int32], batch: Sequence[tuple[int, msgspec.Raw]], below: int) -> Iterator[Fault]:
    width = out.shape[1]
    for row, raw in batch:
        try:
            value = msgspec.json.decode(raw)
        except UNREADABLE as error:
            yield row, "", f"broken JSON ({error})", f"a list of {width} numbers"
            continue
        if not isinstance(value, list):
            yield row, "", shorten(value), f"a list of {width} numbers"
        elif len(value) != width:
            yield row, "", counted(len(value), "entry", "entries"), f"{width}"
        else:
            bad = [i for i, item in enumerate(value) if type(item) is not int or not 0 <= item < below]
            if bad:
                yield row, f"[{bad[0]}]", shorten(value[bad[0]]), _range(below)
            else:
                out[row] = value


def _range(below: int) -> str:
    return f"a whole number from 0 to {below - 1}" if below else "nothing, since the pool is empty"
