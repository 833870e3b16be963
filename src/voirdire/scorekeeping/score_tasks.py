"""What the probe is asked of a point, that is of a proposition of a dialogue at a turn.

    TFxPS    true shared, false shared, true private, false private
    TF       true, false
    PS       shared, private
    PxTSFS   true shared, false shared, private

A proposition is shared at turn t iff t >= turn_shared. The questioner does not know what is private to the answerer, so
its states have PS and PxTSFS only. In a run of `scorekeeping probe` an item is a point, and `gold` and `predicted` hold
these names; the columns that say which point it is are `dialogue`, `index` (of the proposition in it) and `turn`, all
from 0, and `task`, `control` ("" for none) and `seed` say which probe predicted. (scorekeeping, §5.)
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.options import OptionError
from voirdire.scorekeeping.exam import Role

ROLES: tuple[Role, ...] = ("A", "Q")


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """One way to cut points into classes.

    classes  their names
    labels   the class of a point by [true][shared], each 0 or 1
    truth    what each class says of true or false: 1, 0, or -1 where it says nothing
    shared   what each class says of shared or private, in the same way
    roles    whose states it can be asked of
    """

    name: str
    classes: tuple[str, ...]
    labels: tuple[tuple[int, int], tuple[int, int]]
    truth: tuple[int, ...]
    shared: tuple[int, ...]
    roles: tuple[Role, ...] = ROLES

    def label(self, true: npt.NDArray[np.bool_], shared: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The class of each point."""
        return np.array(self.labels, np.int64)[true.astype(np.int64), shared.astype(np.int64)]


TASKS = {
    task.name: task
    for task in (
        ScoreTask(
            "TFxPS",
            ("true shared", "false shared", "true private", "false private"),
            ((3, 1), (2, 0)),
            (1, 0, 1, 0),
            (1, 1, 0, 0),
            ("A",),
        ),
        ScoreTask("TF", ("true", "false"), ((1, 1), (0, 0)), (1, 0), (-1, -1), ("A",)),
        ScoreTask("PS", ("shared", "private"), ((1, 0), (1, 0)), (-1, -1), (1, 0)),
        ScoreTask("PxTSFS", ("true shared", "false shared", "private"), ((2, 1), (2, 0)), (1, 0, -1), (1, 1, 0)),
    )
}


def tasks_of(role: Role) -> list[ScoreTask]:
    """The tasks that can be asked of a role's states, in the paper's order."""
    return [task for task in TASKS.values() if role in task.roles]


def task_named(name: str, role: Role = "A") -> ScoreTask:
    """The task of this name, if the role's states can be asked it."""
    if role not in ROLES:
        raise OptionError("role", f"`role` must be A (the answerer) or Q (the questioner), got {role!r}")
    if name not in TASKS:
        raise OptionError("task", f"`task` must be one of {', '.join(TASKS)}, got {name!r}")
    if role not in TASKS[name].roles:
        raise OptionError(
            "task",
            f"`task` {name} cannot be asked of the questioner, who does not know what is private to the answerer; "
            f"it has {' and '.join(task.name for task in tasks_of('Q'))}",
        )
    return TASKS[name]
