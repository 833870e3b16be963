"""How much of what was asked is scored, where a dataset's file and a model's output do not have the same entries.

    asked     what the dataset's file asks; it may be a sample of a split, which is normal
    answered  of that, what the output has: this is scored
    beyond    what the output has and the dataset's file does not: it is ignored

A sample costs a model nothing. A missing answer does: each figure of what was answered also has a variant in which
missing answers count as wrong, `accuracy:asked`, so that skipping what is hard earns nothing.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from voirdire.errors import EXAMPLES, InputError, Problem
from voirdire.figures import counted

T = TypeVar("T")

ASKED = "asked"
"""The variant of a measure in which missing answers count as wrong."""


class Coverage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many rounds, questions, … (`noun`) were asked, answered, and answered without being asked."""

    noun: str
    asked: int
    answered: int
    beyond: int = 0

    @property
    def complete(self) -> bool:
        """Whether both files have the same entries."""
        return self.answered == self.asked and not self.beyond

    def __str__(self) -> str:
        beyond = f", {self.beyond:,} others left aside" if self.beyond else ""
        return f"{self.short}{beyond}"

    @property
    def short(self) -> str:
        """How much was answered of what was asked: "2,064 of 20,640 rounds"."""
        return f"{self.answered:,} of {counted(self.asked, self.noun)}"

    @property
    def missing(self) -> int:
        """What was asked and not answered."""
        return self.asked - self.answered


def cover(
    noun: str,
    names: tuple[str, str],
    asked: int,
    missing: Sequence[T],
    beyond: Sequence[T],
    label: Callable[[T], str] = str,
    *,
    strict: bool,
    hint: str,
    of_model: bool = True,
) -> tuple[Coverage, tuple[str, ...]]:
    """How much two files have in common and, where that is not everything, one line that says how much.

    names     of the dataset's file and the model's output, the latter with its role: rankings (`ranks`)
    asked     how many entries the dataset's file has
    label     the name of an entry in a message
    strict    refuse files that do not have the same entries
    hint      why nothing, or little, may be in common
    of_model  whether the output is a model's, so that missing entries count as wrong
    """
    dataset, source = names
    output = source.partition(" (")[0]
    coverage = Coverage(noun, asked, asked - len(missing), len(beyond))
    if not coverage.answered:
        nothing = f"none of the {counted(asked, noun)} of the {dataset}, but {counted(len(beyond), 'other')}"
        raise InputError(source, [Problem("", "", nothing, f"{noun}s that the {dataset} hold", hint)])
    if coverage.complete:
        return coverage, ()
    if strict:
        lacking = [Problem(label(entry), "", "nothing", f"what the {dataset} ask", hint) for entry in missing]
        foreign = [
            Problem(label(entry), "", f"this {noun}", f"a {noun} that the {dataset} ask", hint) for entry in beyond
        ]
        raise InputError(source, lacking + foreign)
    sentences = [f"{counted(coverage.answered, noun)} of {asked:,} are scored."]
    if coverage.missing:
        some = "; ".join(map(label, missing[:EXAMPLES])) + ("; …" if coverage.missing > EXAMPLES else "")
        counts = f": `:{ASKED}` counts these as wrong" if of_model else ""
        sentences.append(f"The {output} lack {coverage.missing:,} of the {dataset} ({some}){counts}.")
    if coverage.beyond:
        sentences.append(
            f"The {dataset} are a sample: {coverage.beyond:,} other {noun}s of the {output} are left aside."
        )
    return coverage, (" ".join(sentences),)
