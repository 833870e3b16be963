"""What goes wrong in other people's files and calls, said so that they can mend it.

Every error that a user can cause derives from `VoirDireError`; the command prints its text and exits with 2.
Anything else that is raised is a fault of ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["InputError", "MissingExtra", "OutputError", "Problem", "UsageError", "VoirDireError", "one_line", "shorten"]

SHOWN = 20


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
        return f"{one_line(self.path, 400)}: cannot be written: {self.reason}"


class MissingExtra(VoirDireError):
    """A provider needs a package that is not installed."""

    def __init__(self, provider: str, extra: str) -> None:
        self.provider = provider
        self.extra = extra
        super().__init__(provider, extra)

    def __str__(self) -> str:
        return f'{self.provider} needs a package that is not installed: pip install "voirdire[{self.extra}]"'


def shorten(value: object, limit: int = 60) -> str:
    """The value as a reader would recognise it, on one line and of bounded length."""
    try:
        return one_line(repr(value), limit)
    except (ValueError, RecursionError):  # Digits by the thousand, or lists in lists without end.
        return f"a value of the type {type(value).__name__} that is too large to show"


def one_line(text: str, limit: int = 160) -> str:
    """Words of somebody else's on one line and of bounded length; what cannot be printed is spelt out."""
    text = " ".join(text[: 2 * limit].split())
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in one place of a file.

    where     the record: "image 185565, round 3", "line 17"; empty for the file as a whole
    field     the field's path inside the record; empty where the record as a whole is meant
    found     what stands there
    expected  what may stand there
    hint      what to do about it
    """

    where: str
    field: str
    found: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.where, f"field `{self.field}`" if self.field else "") if part)
        text = f"found {self.found}, expected {self.expected}"
        if place:
            text = f"{place}: {text}"
        return f"{text}. {self.hint}" if self.hint else text


class InputError(VoirDireError):
    """All that is wrong with one file: the first twenty problems, and a count of the rest."""

    def __init__(self, source: str, problems: Sequence[Problem], total: int | None = None) -> None:
        self.source = source
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        super().__init__(source, self.problems, self.total)

    def __str__(self) -> str:
        if self.total == 1:
            return f"{self.source}: {self.problems[0]}"
        lines = [f"{self.source}: {self.total:,} problems"]
        lines += [f"  {problem}" for problem in self.problems[:SHOWN]]
        if self.total > SHOWN:
            lines.append(f"  … and {self.total - SHOWN:,} more")
        return "\n".join(lines)
