"""What all verbs have in common: each is made when it is called, and takes no flag twice that may be given once.

A call is of one verb, and a list of verbs needs their names and one line of each. To make a verb's flags takes about a
millisecond, so all others are left unmade.

Of a flag that is given twice, parsers silently take the last: of two files only one would be scored. An empty name,
which scripts leave where a variable is not set, would stand for the working folder.
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
        """Count the flags before they are parsed; the parser itself reports what it cannot parse."""
        if not ctx.resilient_parsing:
            values, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for parameter in self.params:
                value = values.get(str(parameter.name))
                if value == "" or (isinstance(value, list | tuple) and "" in value):
                    flag = parameter.opts[0] if isinstance(parameter, TyperOption) else str(parameter.name).upper()
                    raise UsageError(f"{flag} must name something, got an empty name")
            for option, times in Counter(given).items():
                if times > 1 and isinstance(option, TyperOption) and not (option.multiple or option.is_flag):
                    raise UsageError(f"{option.opts[0]} must be given once, got {times}")
        return super().parse_args(ctx, args)


class Later(TyperCommand):
    """A verb, or a group of verbs, in the list of a group: made when it is called, completed or asked for its help."""

    def __init__(self, name: str, describe: Callable[[], str], make: "Callable[[], Command]") -> None:
        super().__init__(name, rich_markup_mode=MARKUP)
        self.describe, self.make = describe, make

    @property
    def help(self) -> str:
        """Its help; looked up when it is shown."""
        return self.describe()

    @help.setter
    def help(self, value: str | None) -> None:
        """Ignored: the library sets an empty help."""

    def make_context(self, *values: Any, **named: Any) -> Any:
        """The context of the verb that is made."""
        return self.make().make_context(*values, **named)


def later(name: str, describe: Callable[[], str], function: Callable[[], Callable[..., None]]) -> Later:
    """A verb whose flags are the parameters of the function that `function` returns, and whose help `describe` does."""

    def make() -> "Command":
        alone = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
        alone.command(name, help=describe(), cls=Once)(function())
        return get_command(alone)  # type: ignore[return-value]

    return Later(name, describe, make)


def verb(place: str, name: str = "") -> Later:
    """A verb that is a function at `package.module:name`: its parameters become flags, its docstring the help."""
    return later(
        name or place.partition(":")[2], lambda: inspect.getdoc(load(place)) or "", lambda: flagged(load(place))
    )


def flagged(function: Callable[..., None]) -> Callable[..., None]:
    """The function of a verb, whose errors name flags in place of parameters."""

    @functools.wraps(function)
    def called(**values: Any) -> None:
        try:
            function(**values)
        except VoirDireError as error:
            message = renamed(str(error), flags_of(function))
            if message == str(error):
                raise
            raise UsageError(message) from error

    return called


def flags_of(function: Callable[..., None]) -> dict[str, str]:
    """The flags of a verb by the names of its parameters, and by their own: `map` is --map whatever its parameter."""
    flags: dict[str, str] = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        option = next((note for note in getattr(hint, "__metadata__", ()) if isinstance(note, OptionInfo)), None)
        if option is not None:
            flag = next(iter(option.param_decls or ()), f"--{name.replace('_', '-')}")
            flags |= {name: flag, flag.removeprefix("--").replace("-", "_"): flag}
    return flags


def group(name: str, help: str, verbs: Iterable[Later], kind: type[TyperGroup] = TyperGroup) -> TyperGroup:
    """A group of verbs; without a verb it shows its help."""
    commands: Any = {str(command.name): command for command in verbs}
    return kind(name=name, help=help, commands=commands, no_args_is_help=True, rich_markup_mode=MARKUP)
