"""Errors in users' files and calls, with messages that say how to fix them.

Every error that a user can cause derives from `VoirDireError`; the command prints its text and exits with 2.
Anything else that is raised is a fault of ours.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "CacheWarning",
    "InputError",
    "MissingExtra",
    "OutOfMemory",
    "OutputError",
    "Problem",
    "UsageError",
    "VoirDireError",
    "is_out_of_memory",
    "kind_of",
    "masked",
    "shorten",
    "shorten_text",
]

# How many kinds of problems an error shows, and how many of each kind.
SHOWN, EXAMPLES = 20, 3
_NUMBER = re.compile(r"\d+")
# The messages of Torch's allocators, of the C library for ENOMEM, and of Rust, for Polars.
_NO_MEMORY = re.compile(
    r"DefaultCPUAllocator|\bMemoryError\b|out of memory|unable to allocate|can't allocate memory|"
    r"cannot allocate memory|memory allocation of \d+ bytes",
    re.IGNORECASE,
)


class VoirDireError(Exception):
    """A mistake in the input or in the call."""


class UsageError(VoirDireError):
    """The call itself cannot be carried out: an unknown name, two options that exclude each other."""


class OutputError(VoirDireError):
    """A file cannot be written."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(path, reason)

    def __str__(self) -> str:
        return f"{shorten_text(self.path, 400)}: cannot be written: {self.reason}"


class OutOfMemory(VoirDireError):
    """The machine's memory does not suffice.

    step   what was being done: "rank", "shard 3 of 12"
    error  what was raised, which may say how much was asked for
    """

    def __init__(self, step: str, error: str) -> None:
        self.step = step
        self.error = error
        super().__init__(step, error)

    def __str__(self) -> str:
        error = f" ({self.error})" if self.error else ""
        return (
            f"{self.step}: not enough memory{error}. Files that were finished are kept. Call again with fewer "
            "workers, with a smaller part of the data, or where there is more memory."
        )

    @classmethod
    def of(cls, step: str, error: BaseException) -> "OutOfMemory":
        """The error to raise for one of which `is_out_of_memory` is true."""
        return cls(step, shorten_text(str(error)))


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of Python, numpy, torch or another library means that memory is short."""
    return isinstance(error, MemoryError) or (
        isinstance(error, Exception) and not isinstance(error, VoirDireError) and bool(_NO_MEMORY.search(str(error)))
    )


class MissingExtra(VoirDireError):
    """A provider needs a package that is not installed."""

    def __init__(self, provider: str, extra: str) -> None:
        self.provider = provider
        self.extra = extra
        super().__init__(provider, extra)

    def __str__(self) -> str:
        return f"{self.provider} needs a package that is not installed: {install_line(self.extra)}"


def install_line(extra: str) -> str:
    """What installs an extra: its packages by their names, which is the same before and after a release.

    For an extra that is not stated, or where Voir Dire itself is not installed, by its own name.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        stated = requires("voirdire") or []
    except PackageNotFoundError:
        stated = []
    marked = (text.partition(";") for text in stated)
    wanted = [f'"{name.strip()}"' for name, _, marker in marked if re.search(rf"extra == ['\"]{extra}['\"]", marker)]
    return "pip install " + (" ".join(wanted) or f'"voirdire[{extra}]"')


class CacheWarning(UserWarning):
    """A cached file could not be used and is made anew; results do not change."""


def shorten(value: object, limit: int = 60) -> str:
    """The `repr` of a value on one line and of bounded length."""
    try:
        return shorten_text(repr(value), limit)
    except (ValueError, RecursionError):  # Thousands of digits, or endlessly nested lists.
        return f"a value of the type {type(value).__name__} that is too large to show"


def shorten_text(text: str, limit: int = 160) -> str:
    """A text on one line and of bounded length; characters that cannot be printed are escaped."""
    text = " ".join(text[: 2 * limit].split())
    text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in one place of a file.

    where     the record: "image 185565, round 3", "line 17"; empty for the file as a whole
    field     the field's path inside the record; empty where the record as a whole is meant
    found     what is there
    expected  what may be there
    hint      what to do about it
    unseen    how many more problems of its kind there are that are not given
    """

    where: str
    field: str
    found: str
    expected: str
    hint: str = ""
    unseen: int = 0

    @property
    def place(self) -> str:
        """The record and the field."""
        return ", ".join(part for part in (self.where, f"field `{self.field}`" if self.field else "") if part)

    def __str__(self) -> str:
        text = f"found {self.found}, expected {self.expected}"
        if self.place:
            text = f"{self.place}: {text}"
        return f"{text}. {self.hint}" if self.hint else text


def masked(text: str) -> str:
    """A text with its numbers masked."""
    return _NUMBER.sub("#", text)


def kind_of(problem: Problem) -> tuple[str, str]:
    """The kind of a problem: what is expected in which field, whatever the numbers in it."""
    return masked(problem.field), masked(problem.expected)


class InputError(VoirDireError):
    """All problems of one file; of more than three of one kind, their number and three examples.

    beyond  how many more there are, of kinds that are not given
    """

    def __init__(self, source: str, problems: Sequence[Problem], beyond: int = 0) -> None:
        self.source = source
        self.problems = tuple(problems)
        self.beyond = beyond
        super().__init__(source, self.problems, beyond)

    @property
    def total(self) -> int:
        """How many problems there are."""
        return sum(1 + problem.unseen for problem in self.problems) + self.beyond

    @property
    def lines(self) -> list[str]:
        """The problems for a reader, those of a kind together."""
        kinds: dict[tuple[str, str], list[Problem]] = {}
        for problem in self.problems:
            kinds.setdefault(kind_of(problem), []).append(problem)
        lines: list[str] = []
        left = self.total
        for problems in list(kinds.values())[:SHOWN]:
            count = sum(1 + problem.unseen for problem in problems)
            lines += [_summary(problems[:EXAMPLES], count)] if count > EXAMPLES else map(str, problems)
            left -= count
        return [*lines, f"… and {left:,} more"] if left else lines

    def __str__(self) -> str:
        if self.total == 1:
            return f"{self.source}: {self.problems[0]}"
        return "\n".join([f"{self.source}: {self.total:,} problems", *(f"  {line}" for line in self.lines)])


def _summary(examples: Sequence[Problem], count: int) -> str:
    """Problems of one kind on one line: the first, how many there are, and where two more are."""
    first, *others = examples
    places = []
    for problem in others:
        found = f"found {problem.found}" if problem.found != first.found else ""
        places.append(f"{problem.place} ({found})" if problem.place and found else problem.place or found)
    also = f": {'; '.join(filter(None, places))}; …" if any(places) else ""
    return f"{first}{'' if first.hint else '.'} {count - 1:,} more of this kind{also}"
