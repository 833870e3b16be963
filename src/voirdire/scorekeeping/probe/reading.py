"""What a probe learns from, what chooses its epoch and what it is scored on, read from files."""

from voirdire.errors import UsageError
from voirdire.formats.propositions import read_propositions
from voirdire.formats.states import read_states
from voirdire.progress import Progress, silent
from voirdire.scorekeeping.probe.material import Material

__all__ = ["Files", "read_materials"]

Files = tuple[str | None, str | None]
"""The paths of propositions and of the states of their dialogues."""


def read_materials(
    train: tuple[str, str], valid: Files, test: Files, report: Progress = silent
) -> tuple[Material, Material | None, Material | None]:
    """Train, and valid and test where they are given."""
    for name, files in (("valid", valid), ("test", test)):
        if (files[0] is None) != (files[1] is None):
            raise UsageError(f"--{name}-propositions and --{name}-states belong together; one of them is missing")
    report(0, 3)
    first = _read("train", *train)
    report(1, 3)
    second = _read("valid", valid[0], valid[1]) if valid[0] is not None and valid[1] is not None else None
    report(2, 3)
    third = _read("test", test[0], test[1]) if test[0] is not None and test[1] is not None else None
    report(3, 3)
    return first, second, third


def _read(name: str, propositions: str, states: str) -> Material:
    return Material.of(name, read_propositions(propositions), read_states(states), (propositions, states))
