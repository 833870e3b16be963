"""Options: written once, checked wherever they come from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from voirdire.exam import exams
from voirdire.options import (
    LARGEST_SEED,
    LONGEST_TEXT,
    MOST_VALUES,
    About,
    OptionError,
    Options,
    SampleOptions,
    about,
    choices,
    limits,
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
    ("given", "field", "message"),
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
def test_a_value_beyond_its_limits_names_the_field(given: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        Some(**given)  # type: ignore[arg-type]
    assert error.value.field == field
    assert str(error.value) == message


def test_the_limits_themselves_are_allowed_but_where_a_value_has_to_be_above() -> None:
    assert (Some(top=1).top, Some(top=100).top, Some(counts=(2, 3)).counts) == (1, 100, (2, 3))
    assert Some(names=("a",) * MOST_VALUES, way="down").way == "down"
    assert Some(names=("a" * LONGEST_TEXT,)).names


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a",) * (MOST_VALUES + 1), "`names` must have at most 1,000 values, got 1,001"),
        (("a" * (LONGEST_TEXT + 1),), "`names` must have at most 10,000 characters, got 10,001"),
        (("b", "a\0"), "`names` must not hold a zero byte, got "),
    ],
)
def test_texts_and_lists_have_a_most_too(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(OptionError) as error:
        Some(names=names)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (About(), ""),
        (About(least=1), "At least 1."),
        (About(most=1000), "At most 1,000."),
        (About(least=0, most=1), "From 0 to 1."),
        (About(above=0), "Above 0."),
        (About(above=0, most=0.5), "Above 0, at most 0.5."),
        (About(least=0, most=LARGEST_SEED), "From 0 to 2^63 - 1."),
    ],
)
def test_limits_are_said_as_a_sentence(said: About, expected: str) -> None:
    assert limits(said) == expected


def test_files_that_differ_are_refused_or_scored_in_common_and_not_both() -> None:
    assert SampleOptions(strict=True).strict
    assert SampleOptions(common=True).common
    with pytest.raises(OptionError, match="give either `strict` or `common`") as error:
        SampleOptions(strict=True, common=True)
    assert error.value.field == "strict"


@dataclass(frozen=True)
class Kinds(Options):
    """A field of every type that an option may have."""

    flag: bool = option(False, "Yes or no.")
    count: int = option(1, "A whole number.")
    share: float = option(0.5, "A number.")
    word: str = option("a", "A text.")
    place: Path | None = option(None, "A path.")
    most: int | None = option(None, "A whole number, or none.")
    base: Literal[0, 1] | None = option(None, "From where.")
    way: Literal["up", "down"] = option("up", "Which way.")
    names: tuple[str, ...] = option((), "Several texts.")
    counts: tuple[int, ...] = option((), "Several numbers.")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("flag", "scored", "True or False, got 'scored'"),
        ("flag", 1, "True or False, got 1"),
        ("flag", None, "True or False, got None"),
        ("count", "3", "a whole number, got '3'"),
        ("count", 3.0, "a whole number, got 3.0"),
        ("count", True, "a whole number, got True"),
        ("share", "0.5", "a number, got '0.5'"),
        ("share", False, "a number, got False"),
        ("word", 5, "a text, got 5"),
        ("word", ("a",), "a text, got ('a',)"),
        ("place", "here", "a path or None, got 'here'"),
        ("most", 2.5, "a whole number or None, got 2.5"),
        ("base", True, "one of 0, 1, got True"),
        ("base", "0", "one of 0, 1, got '0'"),
        ("way", None, "one of up, down, got None"),
        ("way", ["up"], "one of up, down, got ['up']"),
        ("names", "a", "several values in a tuple, each a text, got 'a'"),
        ("names", ("a", 5), "a text, got 5"),
        ("counts", (1, "2"), "a whole number, got '2'"),
        ("counts", 3, "several values in a tuple, each a whole number, got 3"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(field: str, value: object, expected: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole message is compared below
        Kinds(**{field: value})  # type: ignore[arg-type]
    assert str(error.value) == f"`{field}` must be {expected}"
    assert isinstance(error.value, OptionError)
    assert error.value.field == field


def test_values_of_the_right_types_are_taken_and_a_list_is_several_values() -> None:
    made = Kinds(True, 2, 1, "b", Path("x"), 3, 0, "down", ["a", "b"], [])  # type: ignore[arg-type]
    assert (made.share, made.names, made.counts) == (1, ("a", "b"), ())
    numbers = Kinds(count=np.int64(3), most=np.uint8(4), share=np.float64(0.5)).plain()  # type: ignore[arg-type]
    assert [type(numbers[name]) for name in ("count", "most")] == [int, int]
    with pytest.raises(OptionError, match="`flag` must be True or False"):
        Kinds(flag=np.int64(1))  # type: ignore[arg-type]


def test_no_option_of_an_exam_takes_a_value_of_another_type() -> None:
    tried = 0
    for exam in exams():
        for part in exam.parts:
            wanted = {one.name: needed(one) for one in option_fields(part.options)}
            for one in option_fields(part.options):
                others = {name: given_for(part.options, name) for name in wanted if wanted[name] and name != one.name}
                with pytest.raises(ValueError, match=f"`{named(one)}` must be"):
                    part.options(**others, **{one.name: object()})
                tried += 1
    assert tried > 100


def given_for(options: type[Options], name: str) -> object:
    """A value that an option without a default may have."""
    type_ = types_of(options)[name]
    return next(iter(choices(type_)), {str: "a", float: 1.0, int: 1}.get(type_))


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
