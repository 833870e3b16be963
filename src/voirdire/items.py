"""The columns of a part's items: declared once, beside its options, and checked when a run is read.

    ItemSchema(whole="image_id round", number="rank? {key}", text="answer answer:{condition}")

Names are parted by white space. One that ends in `?` may be missing. One with a field in braces stands for a column per
figure of the run that has such a field:

{key}        its name, as `cider4@5:best`
{sliced}     its name without the last word of its slice, which tells rows apart: `cider4[Γ]` is of the column `cider4`
{slice}      its slice alone
{condition}  its condition alone

Spreads, and figures of all that was asked, have no column of their own. A name that stands under several kinds may be
of any of them.
"""

import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from voirdire.metrics.key import Key

KINDS = {
    "whole": "whole numbers",
    "number": "numbers",
    "text": "texts",
    "texts": "lists of texts",
    "yes_no": "yes and no",
}
DERIVED = frozenset({"asked", "std", "var"})
"""Variants that are made of the column of their measure."""


@dataclass(frozen=True)
class ItemSchema:
    """The names of the columns of each kind; see the module."""

    whole: str = ""
    number: str = ""
    text: str = ""
    texts: str = ""
    yes_no: str = ""

    def faults(self, schema: "pl.Schema", figures: Iterable["Key"]) -> Iterator[tuple[str, str, str]]:
        """What is wrong with items of these columns: column, found, expected."""
        needed, known = self._names(list(figures))
        for name in {**known, **schema}:
            wanted = " or ".join(KINDS[kind] for kind in known.get(name, ()))
            if name not in known:
                yield name, f"a column of {schema[name]}", "no such column"
            elif name not in schema:
                if name in needed:
                    yield name, "no such column", f"a column of {wanted}"
            elif (actual := _kind(schema[name])) and actual not in known[name]:
                yield name, f"a column of {schema[name]}", f"one of {wanted}"

    def _names(self, figures: "list[Key]") -> tuple[set[str], dict[str, list[str]]]:
        """Those that must be there, and the kinds of all that may."""
        needed: set[str] = set()
        known: dict[str, list[str]] = {}
        for kind in (field.name for field in fields(self)):
            for pattern in getattr(self, kind).split():
                for name in _meant(pattern.removesuffix("?"), figures):
                    known.setdefault(name, []).append(kind)
                    if not pattern.endswith("?"):
                        needed.add(name)
        return needed, known


def _meant(pattern: str, figures: "list[Key]") -> dict[str, None]:
    """The names that a pattern stands for, each once."""
    used = [name for _, name, _, _ in string.Formatter().parse(pattern) if name]
    if not used:
        return {pattern: None}
    names: dict[str, None] = {}
    for key in figures:
        if key.variant not in DERIVED:
            values = {
                "key": str(key),
                "sliced": str(replace(key, slice=key.slice[:-1])),
                "slice": str(replace(key, k=None, condition="", variant=""))[len(key.measure) + 1 : -1],
                "condition": key.condition,
            }
            if all(values[name] for name in used):
                names[pattern.format(**values)] = None
    return names


def _kind(dtype: "pl.DataType") -> str:
    """Of which kind a column is; nothing where it has no value at all, and so no type."""
    import polars as pl

    if dtype == pl.Null:
        return ""
    if isinstance(dtype, pl.List):
        return "texts" if dtype.inner in (pl.String, pl.Null) else "others"
    if dtype.is_integer():
        return "whole"
    return "number" if dtype.is_float() else {pl.String: "text", pl.Boolean: "yes_no"}.get(type(dtype), "others")
