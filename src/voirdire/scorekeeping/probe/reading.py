"""What a probe learns from, what chooses its epoch and what it is scored on, read from files."""

from voirdire.errors import UsageError
from voirdire.formats.propositions import read_propositions
from voirdire.formats.states import read_states
from voirdire.reports import Report, silent
from voirdire.scorekeeping.probe.material import Material

__all__ = ["Files", "read_materials"]

Files = tuple[str | None, str | None]
"""The paths of propositions and of the states of their dialogues."""


def read_materials(
    train: tuple[str, str], valid: Files, test: Files, report: Report = silent
) -> tuple[Material, Material | None, Material | None]:
    """Train, and valid and test where they are given."""
    for name, files in (("valid", valid), ("test", test)):
        if (files[0] is None) != (files[1] is None):
            raise UsageError(f"--{name}-propositions and --{name}-states belong together; one of them is missing")
    made: list[Material | None] = []
    for name, (propositions, states) in (("train", train), ("valid", valid), ("test", test)):
        report(len(made), 3)
        read = None
        if propositions is not None and states is not None:
            read = Material.of(name, read_propositions(propositions), read_states(states), (propositions, states))
        made.append(read)
    report(3, 3)
    first, second, third = made
    if first is None:
        raise ValueError("train: paths of None; both are needed")
    return first, second, third
