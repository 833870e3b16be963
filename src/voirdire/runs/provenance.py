"""Provenance of a live model's files: stored beside them, and in every run that is made of them.

    asked.json   {"model", "identity", "shown", "blind", "replies", "faults", "marks", "tried_again", "notes", …}

The template and what was shown go into the run's signature: other words and other pictures are other figures.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from voirdire.atomic import write_atomic
from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.files import open_source
from voirdire.runs.readings import Readings
from voirdire.runs.run import Run

FILE = "asked.json"
LENGTH = "length"
"""The fault of a reply that had no room for an answer."""
CONTENT, IMAGE_SAFETY, CONTEXT = "content filter", "image safety", "context too long"
PICTURE, TOOL_CALL, NO_MESSAGE, REFUSED = "picture not taken", "tool call", "no message", "request refused"
REFUSALS = frozenset({CONTENT, IMAGE_SAFETY, CONTEXT, PICTURE, TOOL_CALL, NO_MESSAGE, REFUSED})
"""Faults of replies to single items: these are scored as missing answers, and all others go on."""
_ROOM = " A model that thinks first needs room for that: give it more tokens (`thinking`)."


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a live model was asked for some files, and how that went.

    model        its name, without a key
    identity     what its replies depend on
    shown        pictures, words or nothing
    blind        whether it does not see the pictures that it is sent
    replies      how many there are
    faults       replies without use, by kind: refused items, empty ones
    marks        peculiarities of replies with a text, by kind: cut off, refused in words, …
    tried_again  faults of the endpoint in place of a reply, by kind
    notes        other remarks
    tokens       sent and received, where the endpoint gives them
    terms        what else figures depend on: the other players of a game, and its number of questions
    readings     in which ways replies were read, and what could not be
    served       replies by what an endpoint says it served, a model and a system's fingerprint, by model asked
    """

    model: str
    identity: dict[str, str]
    shown: str
    blind: bool = False
    replies: int = 0
    faults: dict[str, int] = {}
    marks: dict[str, int] = {}
    tried_again: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    tokens: tuple[int, int] = (0, 0)
    terms: dict[str, str | int] = {}
    served: dict[str, dict[str, int]] = {}
    readings: Readings = Readings()

    def write(self, folder: Path) -> None:
        """Write it beside the files."""
        write_atomic(folder / FILE, msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What readers of figures should know."""
        lines = [f"Asked live: {self.model}, {counted(self.replies, 'reply', 'replies')}, shown {self.shown}."]
        if self.blind:
            lines.append("It does not see the pictures that it is sent: the same reply to different ones.")
        refusals = {kind: number for kind, number in self.faults.items() if kind in REFUSALS}
        if refusals:
            lines.append(f"Refused, and scored as missing answers: {_listed(refusals)}.")
        if faults := {kind: number for kind, number in self.faults.items() if kind not in REFUSALS}:
            lines.append(f"Replies without use: {_listed(faults)}.{_ROOM if LENGTH in faults else ''}")
        if self.marks:
            lines.append(f"Replies that count as they are: {_listed(self.marks)}.")
        if self.readings.asked:
            lines.append(self.readings.line)
        if self.tried_again:
            lines.append(f"Tried again: {_listed(self.tried_again)}.")
        lines += [
            f"{model} was served as several: {_listed(names)}. Its figures are of a mixture."
            for model, names in self.served.items()
            if len(names) > 1
        ]
        return (*lines, *self.notes)

    @property
    def signed(self) -> dict[str, Any]:
        """Its entries in a signature."""
        parts = {"template": self.identity.get("template", "none"), "shown": self.shown, **self.terms}
        parts |= {name: self.identity[name] for name in ("extra_body", "headers") if name in self.identity}
        return {**parts, "blind": True} if self.blind else parts


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{kind} {number:,}" for kind, number in sorted(counts.items()))


def read_provenance(folder: Path) -> Provenance | None:
    """How the files of a folder came to be; None where nothing in it says so."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(open_source(path).data, type=Provenance)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = "Remove it, or ask the model again."
        raise InputError(str(path), [Problem("", "", str(error), "what a model was asked", hint)]) from None


def with_provenance(run: Run, files: Iterable[Path]) -> Run:
    """The run with the provenance of these files in its signature and in its warnings."""
    folders = dict.fromkeys(file.parent for file in files)
    asked = next(filter(None, map(read_provenance, folders)), None)
    if asked is None:
        return run
    signature = replace(run.signature, options={**run.signature.options, "asked": asked.signed})
    readings = asked.readings if asked.readings.asked else None
    return replace(run, signature=signature, warnings=(*run.warnings, *asked.warnings), readings=readings)
