"""One thing to be made, a run or a file, of which it can be told whether it is there already.

    note = version, kind and options of the step, fingerprints of all that it reads, fingerprint of what it made

The note lies beside what was made and is written last. A step whose note would be the same now is not done again; one
that was killed in between has no note. So a session can be killed at any moment, and the same call goes on.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from voirdire._version import __version__
from voirdire.atomic import write_atomic
from voirdire.session.specs import fingerprint

__all__ = ["Make", "Sources", "Step", "do", "is_made", "note_of"]

Sources = Mapping[str, tuple[str, ...]]
"""Role to the files, or providers with files, that are read in it."""

Make = Callable[[Sources, Mapping[str, Any], Path], None]
"""Makes what stands at the path, whole or not at all."""


@dataclass(frozen=True)
class Step:
    """What is made, and of what.

    model    whose it is; empty where several models share it
    kind     which function makes it, see `session.work`: "answers score"
    place    the folder of the run, or the file
    sources  what is read; its content counts
    options  plain values; all else that the result depends on
    """

    model: str
    kind: str
    place: Path
    sources: Sources
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it is called while it is done: "blind: answers score", "blind: world answer, ranks.json"."""
        what = f"{self.kind}, {self.place.name}" if self.kind.startswith("world") else self.kind
        return f"{self.model}: {what}" if self.model else what

    @property
    def note(self) -> Path:
        """Where it is noted what `place` was made of."""
        return note_of(self.place)


def note_of(place: Path) -> Path:
    """The note beside what a session made."""
    return place.with_name(f".{place.name}.made_of.json")


def is_made(step: Step) -> bool:
    """Whether what stands in the step's place is what it would make now."""
    return step.place.exists() and step.note.is_file() and step.note.read_bytes() == _note(step, _reads(step))


def do(step: Step, makers: Mapping[str, Make]) -> None:
    """Make it and note of what; what a killed session left half-made is removed."""
    for path in (step.place, step.note):
        for partial in path.parent.glob(f".*.partial.{path.name}"):
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink()
    step.note.unlink(missing_ok=True)
    reads = _reads(step)
    makers[step.kind](step.sources, step.options, step.place)
    write_atomic(step.note, _note(step, reads))


def _reads(step: Step) -> dict[str, list[str]]:
    return {role: [fingerprint(spec) for spec in specs] for role, specs in step.sources.items()}


def _note(step: Step, reads: dict[str, list[str]]) -> bytes:
    made = fingerprint(str(step.place))
    about = {"version": __version__, "kind": step.kind, "options": step.options, "reads": reads, "made": made}
    return msgspec.json.format(msgspec.json.encode(about, order="sorted"), indent=2) + b"\n"
