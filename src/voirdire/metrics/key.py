r"""The name of a figure as a value: which measure, at which k, on which slice, in which condition and variant.

    measure @k [slice, …] :condition :variant          cider4@5:best   accuracy[yes/no]   drop[other]:partition1

measure    what is measured: `cider4`, `accuracy`
k          the cut-off: the first k answers of a round, rank k, turn k
slice      the part of the items that it is taken over, or what else tells two such figures apart: one word or several
condition  the condition in which it was measured again: `partition3`, `control`
variant    another figure of the same measure: its spread, its best, the same by another definition; one of `VARIANTS`

`str` writes a key and `Key.parse` reads it, each the inverse of the other; all other code passes keys and parses no
name. A comma, a bracket or a backslash inside a word of the slice has a backslash before it.
"""

import re
from dataclasses import dataclass, replace

VARIANTS = frozenset({"asked", "best", "eq6", "extracted", "holm", "kappa", "std", "var", "within"})
"""What a word after a colon may be to be a variant; any other is a condition."""

_WORD = r"[^@\[\]:\\]+"
_KEY = re.compile(
    rf"(?P<measure>{_WORD})(?:@(?P<k>\d+))?(?:\[(?P<slice>(?:[^\[\]\\]|\\.)*)\])?"
    rf"(?::(?P<first>{_WORD}))?(?::(?P<second>{_WORD}))?",
    re.DOTALL,
)
_PIECE = re.compile(r"(?:[^\\,]|\\.)+", re.DOTALL)
_SPECIAL = re.compile(r"([\\,\[\]])")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Key:
    """The name of one figure; see the module for its fields."""

    measure: str
    k: int | None = None
    slice: tuple[str, ...] = ()
    condition: str = ""
    variant: str = ""

    def __post_init__(self) -> None:
        for field, text in (("measure", self.measure), ("condition", self.condition), ("variant", self.variant)):
            if (text or field == "measure") and not re.fullmatch(_WORD, text):
                raise ValueError(f"`{field}` must be a text without @ [ ] : and backslash, got {text!r}")
        if self.variant and self.variant not in VARIANTS:
            raise ValueError(f"`variant` must be one of {', '.join(sorted(VARIANTS))}, got {self.variant!r}")
        if self.condition in VARIANTS:
            raise ValueError(f"`condition` must not be the name of a variant, got {self.condition!r}")
        if self.k is not None and self.k < 0:
            raise ValueError(f"`k` must be at least 0, got {self.k}")
        if "" in self.slice:
            raise ValueError("`slice` must hold words that are not empty")

    @classmethod
    def parse(cls, text: str) -> "Key":
        """The key that `str` writes as this text."""
        match = _KEY.fullmatch(text)
        if match is None:
            raise ValueError(f"`text` must be the name of a measure, as cider4@5[round 3]:best, got {text!r}")
        words = [word for word in (match["first"], match["second"]) if word is not None]
        variant = words.pop() if words and words[-1] in VARIANTS else ""
        if len(words) > 1:
            raise ValueError(f"`text` must have one condition at most, got {text!r}")
        k = None if match["k"] is None else int(match["k"])
        return cls(match["measure"], k, _words(match["slice"]), words[0] if words else "", variant)

    def __str__(self) -> str:
        at = "" if self.k is None else f"@{self.k}"
        words = ", ".join(_SPECIAL.sub(r"\\\1", word) for word in self.slice)
        part = f"[{words}]" if self.slice else ""
        return f"{self.measure}{at}{part}" + "".join(f":{word}" for word in (self.condition, self.variant) if word)

    def at(self, k: int) -> "Key":
        """The same at k: `cider4@5`."""
        return replace(self, k=k)

    def on(self, *words: str) -> "Key":
        """The same on a part of the items, within any slice that it has: `accuracy[yes/no]`."""
        return replace(self, slice=(*self.slice, *words))

    def under(self, condition: str) -> "Key":
        """The same in a condition: `accuracy:partition1`."""
        return replace(self, condition=condition)

    def as_variant(self, variant: str) -> "Key":
        """Another figure of the same: `cider4:std`; without a word the measure's own figure."""
        return replace(self, variant=variant)


def _words(text: str | None) -> tuple[str, ...]:
    """The words of a slice: split at each comma that has no backslash before it, and the space after it."""
    pieces = _PIECE.findall(text or "")
    return tuple(_ESCAPED.sub(r"\1", piece if at == 0 else piece[1:]) for at, piece in enumerate(pieces))
