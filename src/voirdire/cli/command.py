"""What all verbs have in common: each is made when it is called, and takes no flag twice that may be given once.

A call is of one verb, and a list of verbs needs their names and one line of each. To make a verb's flags takes about a
millisecond, so all others are left unmade.

Of a flag that is given twice, parsers take the last without a word: of two files one would be scored, and nobody told.
"""

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command
from typer.models import OptionInfo

from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import load
from voirdire.options import renamed

if TYPE_CHECKING:
    Command = TyperCommand | TyperGroup

MARKUP: Final = "markdown"
"""Else words in square brackets are taken for markup, and paragraphs keep the line breaks of the source."""


class Once(TyperCommand):
    """The command of every verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Count the flags before they are read; what cannot be parsed is left to the reading to say."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for one, times in Counter(given).items():
                if times > 1 and isinstance(one, TyperOption) and not (one.multiple or one.is_flag):
                    raise UsageError(f"{one.opts[0]} must be given once, got {times}")
        return super().parse_args(ctx, args)


class Later(TyperCommand):
    """A verb, or a group of verbs, in the list of a group: made when it is called, completed or asked for its help."""

    def __init__(self, name: str, said: Callable[[], str], make: "Callable[[], Command]") -> None:
        super().__init__(name, rich_markup_mode=MARKUP)
        self.said, self.make = said, make

    @property
    def help(self) -> str:
        """What it is for; looked up when it is shown."""
        return self.said()

    @help.setter
    def help(self, value: str | None) -> None:
        """Nothing: the library sets what it was not told."""

    def make_context(self, *values: Any, **named: Any) -> Any:
        """The call, which from here on is of what was made."""
        return self.make().make_context(*values, **named)


def later(name: str, said: Callable[[], str], function: Callable[[], Callable[..., None]]) -> Later:
    """A verb whose flags are the parameters of what `function` gives, and whose help is what `said` gives."""

    def make() -> "Command":
        alone = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
        alone.command(name, help=said(), cls=Once)(function())
        return get_command(alone)  # type: ignore[return-value]

    return Later(name, said, make)


def verb(place: str, name: str = "") -> Later:
    """A verb that is a function at `package.module:name`: its parameters become flags, its docstring the help."""
    return later(name or place.partition(":")[2], lambda: inspect.getdoc(load(place)) or "", lambda: _function(place))


def _function(place: str) -> Callable[..., None]:
    """The function, which says what goes wrong in the words of a call."""
    function: Callable[..., None] = load(place)

    @functools.wraps(function)
    def called(**values: Any) -> None:
        try:
            function(**values)
        except VoirDireError as error:
            said = renamed(str(error), flags_of(function))
            if said == str(error):
                raise
            raise UsageError(said) from error

    return called


def flags_of(function: Callable[..., None]) -> dict[str, str]:
    """The flags of a verb by the names of its parameters, and by their own: `map` is --map whatever its parameter."""
    found: dict[str, str] = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        said = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, OptionInfo)), None)
        if said is not None:
            flag = next(iter(said.param_decls or ()), f"--{name.replace('_', '-')}")
            found |= {name: flag, flag.removeprefix("--").replace("-", "_"): flag}
    return found


def group(name: str, help: str, verbs: Iterable[Later], kind: type[TyperGroup] = TyperGroup) -> TyperGroup:
    """A group of verbs; without one of them it shows its help."""
    commands: Any = {str(one.name): one for one in verbs}
    return kind(name=name, help=help, commands=commands, no_args_is_help=True, rich_markup_mode=MARKUP)
