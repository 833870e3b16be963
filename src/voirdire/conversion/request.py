"""What may be asked of a conversion: the official layouts that can be made, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from voirdire.conversion.layouts import LAYOUTS, PLAIN, ROLES, Layout
from voirdire.errors import UsageError, shorten

Duplicates = Literal["error", "first", "last", "all"]
LONGEST_PATH, MOST_MAPS = 200, 20


@dataclass(frozen=True)
class Target:
    """An official layout that can be made.

    rounds  whether its records are of rounds of dialogues; else they are of questions
    role    what it is for: the role of what the model said
    """

    name: str
    rounds: bool
    role: str


TARGETS = {
    one.name: one
    for one in (
        Target("vqa_results", False, "answer"),
        Target("generations", True, "answer"),
        Target("ranks", True, "ranks"),
        Target("scores", True, "scores"),
    )
}


@dataclass(frozen=True)
class ConvertOptions:
    """How a file is converted.

    to          the official layout
    maps        role to the path of its value, where that is not to be guessed
    against     the dataset's questions or dialogues
    layout      the name of the tool's layout, where that is not to be guessed
    leave_out   whether what cannot be mapped is left out and counted; else it is an error
    duplicates  what is done with a second record of a question or round; "all" keeps all answers of a round
    round_base  from where rounds are counted, where the records leave it open
    """

    to: str
    maps: Mapping[str, str] = field(default_factory=dict)
    against: str | None = None
    layout: str | None = None
    leave_out: bool = False
    duplicates: Duplicates = "error"
    round_base: int | None = None

    def __post_init__(self) -> None:
        if self.to not in TARGETS:
            raise UsageError(f"`to` must be one of {', '.join(TARGETS)}, got {shorten(self.to)}")
        if self.duplicates not in get_args(Duplicates):
            known = ", ".join(get_args(Duplicates))
            raise UsageError(f"`duplicates` must be one of {known}, got {shorten(self.duplicates)}")
        if self.duplicates == "all" and self.to != "generations":
            raise UsageError(f"`duplicates` may be all only for generations, not for {self.to}")
        if self.layout is not None and self.layout not in layouts_by_name():
            raise UsageError(f"`from` must be one of {', '.join(layouts_by_name())}, got {shorten(self.layout)}")
        if len(self.maps) > MOST_MAPS:
            raise UsageError(f"`map` may be given {MOST_MAPS} times at most, got {len(self.maps)}")
        for role, path in self.maps.items():
            if role not in ROLES:
                raise UsageError(f"`map` must name one of {', '.join(ROLES)} before its =, got {shorten(role)}")
            if not 0 < len(path) <= LONGEST_PATH:
                raise UsageError(f"`map` must have a path of 1 to {LONGEST_PATH} characters, got {shorten(path)}")

    @property
    def target(self) -> Target:
        """The layout to be made."""
        return TARGETS[self.to]


def layouts_by_name() -> dict[str, Layout]:
    """All layouts of other tools, by their names."""
    return {one.name: one for one in (*LAYOUTS, PLAIN)}
