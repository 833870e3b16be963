"""Options, written once: a frozen dataclass whose fields know their help, their limits and their choices.

    @dataclass(frozen=True)
    class RankOptions(Options):
        top: int = option(21, "How many neighbours to keep.", least=1)

The command makes flags of the fields and the config keys; `Options` checks limits when it is made, wherever the values
came from. A message names the field in backticks, as in "`top` must be at least 1, got 0", and whoever knows where the
value came from says it in the words of that place: `--top` on the command line, `options.robustness.top` in a config.

Every number has a least and a most, so that a slip of the keyboard is refused at once and not after hours, or by the
machine; a text, and a list of values, may be so long and no longer.
"""

import re
import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from voirdire.errors import UsageError, shorten

__all__ = [
    "DRAWS",
    "LARGEST_SEED",
    "MOST_IMAGES",
    "MOST_WORKERS",
    "SEED",
    "About",
    "LimitOptions",
    "OptionError",
    "Options",
    "SampleOptions",
    "about",
    "choices",
    "limits",
    "named",
    "names_in",
    "needed",
    "option",
    "option_fields",
    "renamed",
    "types_of",
]

T = TypeVar("T")
# A name in backticks; that of a file's own field stays as it is.
_NAMED = re.compile(r"(?<!field )`([a-z_0-9]+)`")
SEED = "Seed of the resamples of intervals, and of the images that `limit` takes."
DRAWS = "Seed of the images that `limit` takes."
LARGEST_SEED = 2**63 - 1
MOST_WORKERS = 1_024
MOST_IMAGES = 1_000_000_000
LONGEST_TEXT, MOST_VALUES = 10_000, 1_000
"""Characters of a text, and values of an option that may be given again."""


class OptionError(UsageError, ValueError):
    """A value that an option may not have; `field` is the option's name, as the message has it in backticks."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True)
class About:
    """The description of an option.

    help         one line for a reader
    least, most  limits of a number (or of each of several)
    above        a limit that the number must exceed
    metavar      the placeholder of the value in help texts: "FAMILY"
    name         its name outside of Python, where that cannot be the field's name: "lambda"
    provider     the registry of a provider's name: "package.module:REGISTRY", whose names are checked before any work
    shown        the default in words, where the value itself is unclear
    positional   whether it is an argument without a flag
    """

    help: str = ""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    metavar: str = ""
    name: str = ""
    provider: str = ""
    shown: str = ""
    positional: bool = False


@overload
def option(default: types.EllipsisType, help: str, **about: Any) -> Any: ...


@overload
def option(default: T, help: str, **about: Any) -> T: ...


def option(default: Any, help: str, **about: Any) -> Any:
    """A field of an options class, described as in `About`. `...` stands for no default."""
    metadata = {"about": About(help, **about)}
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """Base of all options: checks every value against what its field allows."""

    def __post_init__(self) -> None:
        hints = types_of(type(self))
        for field_ in fields(self):
            given = getattr(self, field_.name)
            value = _plain_value(given, hints[field_.name])
            if value is not given:
                object.__setattr__(self, field_.name, value)
            _check(field_, hints[field_.name], value)

    def plain(self) -> dict[str, Any]:
        """All options as plain JSON values."""
        return {field_.name: _plain(getattr(self, field_.name)) for field_ in fields(self)}


@dataclass(frozen=True, kw_only=True)
class LimitOptions(Options):
    """How much of a dataset is taken; a class with this option also has a `seed`, by which the images are drawn."""

    limit: int | None = option(
        None,
        "Take only N images, drawn by the seed, with all that belongs to them.",
        least=1,
        most=MOST_IMAGES,
        metavar="N",
    )


@dataclass(frozen=True, kw_only=True)
class SampleOptions(LimitOptions):
    """What to do where two files do not have the same entries."""

    strict: bool = option(False, "Refuse files with different entries, in place of scoring what both have.")
    common: bool = option(False, "Score what both files have; this is the default.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strict and self.common:
            raise OptionError("strict", "give either `strict` or `common`")


def option_fields(options: type[Options]) -> tuple[Field[Any], ...]:
    """The fields of an options class, in their order."""
    return fields(options)


def about(field_: Field[Any]) -> About:
    """The description of a field."""
    described: About = field_.metadata.get("about", About())
    return described


def named(field_: Field[Any]) -> str:
    """An option's name outside of Python, as in a config: with underscores."""
    return about(field_).name or field_.name


_TYPES: dict[type, dict[str, Any]] = {}


def types_of(options: type[Options]) -> dict[str, Any]:
    """The types of the fields."""
    if options not in _TYPES:
        _TYPES[options] = get_type_hints(options)
    return _TYPES[options]


def needed(field_: Field[Any]) -> bool:
    """Whether an option has no default."""
    return field_.default is MISSING and field_.default_factory is MISSING


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a name that no option has, with the nearest that one has: a mistake in Python, so Python's error."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}"
            raise TypeError(f"there is no option `{name}`; {hint}")


def names_in(message: str) -> list[str]:
    """The names in backticks in a message."""
    return _NAMED.findall(message)


def renamed(message: str, names: Mapping[str, str]) -> str:
    """The message with names in backticks, and the backticks, replaced."""
    return _NAMED.sub(lambda match: names.get(match[1], match[0]), message)


def choices(type_: Any) -> tuple[Any, ...]:
    """The words that a type lists, at any depth; none where it lists none."""
    if get_origin(type_) is Literal:
        return get_args(type_)
    return tuple(value for inner in get_args(type_) for value in choices(inner))


_KINDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
}
"""The words for each type in a message."""


def _members(type_: Any) -> tuple[Any, ...]:
    """The types that a value may have: those of a union, or the type itself."""
    return get_args(type_) if get_origin(type_) in (Union, types.UnionType) else (type_,)


def _plain_value(value: Any, type_: Any) -> Any:
    """A list of values as a tuple, and a whole number of numpy's, or in digits beside words, as one of Python's."""
    if isinstance(value, list) and any(get_origin(member) is tuple for member in _members(type_)):
        return tuple(value)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and int in _members(type_) and choices(type_):
        # A command gives a number or a word as a text.
        return int(value)
    if type(value).__module__ == "numpy" and type(value).__name__.startswith(("int", "uint")):
        return int(value) if {int, float} & {*_members(type_)} else value
    return value


def _fits(value: Any, type_: Any) -> bool:
    """Whether a value is of a type that a field declares; no bool is a number, and a whole number is a number."""
    if type_ in (None, type(None)):
        return value is None
    if get_origin(type_) in (Union, types.UnionType):
        return any(_fits(value, allowed) for allowed in get_args(type_))
    if get_origin(type_) is Literal:
        return any(type(value) is type(allowed) and value == allowed for allowed in get_args(type_))
    if get_origin(type_) is tuple:
        return isinstance(value, tuple) and all(_fits(part, get_args(type_)[0]) for part in value)
    if type_ is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if type_ is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return type_ is Any or not isinstance(type_, type) or isinstance(value, type_)


def _expected(type_: Any) -> str:
    """The values that a field takes, in words."""
    listed = choices(type_)
    if listed and int in _members(type_):
        return f"a whole number or {' or '.join(map(str, listed))}"
    if listed:
        return f"one of {', '.join(map(str, listed))}"
    words = []
    for member in _members(type_):
        if get_origin(member) is tuple:
            words.append(f"several values in a tuple, each {_expected(get_args(member)[0])}")
        elif member is not type(None):
            words.append(_KINDS.get(member, getattr(member, "__name__", str(member))))
    return " or ".join([*words, *(["None"] if type(None) in _members(type_) else [])])


def _check(field_: Field[Any], type_: Any, value: Any) -> None:
    described = about(field_)
    name = f"`{named(field_)}`"
    if isinstance(value, tuple) and len(value) > MOST_VALUES:
        raise OptionError(field_.name, f"{name} must have at most {MOST_VALUES:,} values, got {len(value):,}")
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, str):
            _check_text(field_, name, each)
    if not _fits(value, type_):
        # Of several values the wrong one is shown.
        inner = [get_args(kind)[0] for kind in _members(type_) if get_origin(kind) is tuple]
        wrong = [each for each in value if not _fits(each, inner[0])] if inner and isinstance(value, tuple) else [value]
        wanted = inner[0] if inner and isinstance(value, tuple) else type_
        raise OptionError(field_.name, f"{name} must be {_expected(wanted)}, got {shorten(wrong[0])}")
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, bool) or not isinstance(each, int | float):
            continue
        if isinstance(each, float) and not isfinite(each):
            raise OptionError(field_.name, f"{name} must be a finite number, got {each}")
        if described.least is not None and each < described.least:
            raise OptionError(field_.name, f"{name} must be at least {_shown(described.least)}, got {shorten(each)}")
        if described.above is not None and each <= described.above:
            raise OptionError(field_.name, f"{name} must be above {_shown(described.above)}, got {shorten(each)}")
        if described.most is not None and each > described.most:
            raise OptionError(field_.name, f"{name} must be at most {_shown(described.most)}, got {shorten(each)}")


def _check_text(field_: Field[Any], name: str, text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise OptionError(field_.name, f"{name} must have at most {LONGEST_TEXT:,} characters, got {len(text):,}")
    if "\0" in text:
        raise OptionError(field_.name, f"{name} must not hold a zero byte, got {shorten(text)}")


def limits(described: About) -> str:
    """The limits of a number as a sentence; empty where it has none."""
    low = f"above {_shown(described.above)}" if described.above is not None else ""
    if described.least is not None and described.most is not None:
        return f"From {_shown(described.least)} to {_shown(described.most)}."
    low = low or (f"at least {_shown(described.least)}" if described.least is not None else "")
    high = f"at most {_shown(described.most)}" if described.most is not None else ""
    both = ", ".join(filter(None, (low, high)))
    return f"{both[0].upper()}{both[1:]}." if both else ""


def _shown(limit: float) -> str:
    if limit == LARGEST_SEED:
        return "2^63 - 1"
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
