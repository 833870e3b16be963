"""Options: written once, checked wherever they come from."""

from dataclasses import dataclass
from typing import Literal

import pytest

from voirdire.options import (
    OptionError,
    Options,
    about,
    choices,
    named,
    names_in,
    needed,
    option,
    option_fields,
    renamed,
    types_of,
)


@dataclass(frozen=True)
class Some(Options):
    """One of every kind."""

    top: int = option(21, "How many.", least=1, most=100)
    lam: float = option(1e-6, "A penalty.", above=0, name="lambda")
    way: Literal["up", "down"] = option("up", "Which way.")
    base: Literal[0, 1] | None = option(None, "From where.")
    names: tuple[str, ...] = option(("a",), "Which.")
    counts: tuple[int, ...] = option((), "How often.", least=2)
    every: bool = option(False, "All of them.")


def test_defaults_are_within_their_limits_and_plain_values_are_json() -> None:
    assert Some().plain() == {
        "top": 21,
        "lam": 1e-6,
        "way": "up",
        "base": None,
        "names": ["a"],
        "counts": [],
        "every": False,
    }


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"top": 0}, "top", "`top` must be at least 1, got 0"),
        ({"top": 101}, "top", "`top` must be at most 100, got 101"),
        ({"lam": 0.0}, "lam", "`lambda` must be above 0, got 0.0"),
        ({"lam": float("inf")}, "lam", "`lambda` must be a finite number, got inf"),
        ({"lam": float("nan")}, "lam", "`lambda` must be a finite number, got nan"),
        ({"way": "left"}, "way", "`way` must be one of up, down, got 'left'"),
        ({"base": 2}, "base", "`base` must be one of 0, 1, got 2"),
        ({"counts": (3, 1)}, "counts", "`counts` must be at least 2, got 1"),
    ],
)
def test_a_value_beyond_its_limits_names_the_field(given: dict[str, object], field: str, said: str) -> None:
    with pytest.raises(OptionError) as error:
        Some(**given)  # type: ignore[arg-type]
    assert error.value.field == field
    assert str(error.value) == said


def test_a_field_tells_its_name_its_choices_and_whether_it_is_needed() -> None:
    fields = {one.name: one for one in option_fields(Some)}
    assert named(fields["lam"]) == "lambda"
    assert about(fields["top"]).help == "How many."
    assert choices(types_of(Some)["base"]) == (0, 1)
    assert not needed(fields["top"])

    @dataclass(frozen=True)
    class Needs(Options):
        """One without a default."""

        clean: float = option(..., "Must be given.")

    assert needed(option_fields(Needs)[0])


def test_names_in_a_message_are_said_otherwise_and_fields_of_files_are_not() -> None:
    message = "`top` must be at least 1; field `top`: found 0; `other` stays"
    assert names_in(message) == ["top", "other"]
    assert renamed(message, {"top": "--top"}) == "--top must be at least 1; field `top`: found 0; `other` stays"
