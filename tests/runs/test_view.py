"""How much of what was asked is scored: counted, told in one line, or refused."""

from collections.abc import Sequence
from typing import Any

import pytest

from voirdire.errors import EXAMPLES, InputError
from voirdire.runs.view import Coverage, cover


def covered(
    asked: int, missing: Sequence[int] = (), beyond: Sequence[int] = (), strict: bool = False, **more: Any
) -> tuple[Coverage, tuple[str, ...]]:
    return cover(
        "round", ("dialogues", "rankings (`ranks`)"), asked, missing, beyond, strict=strict, hint="So.", **more
    )


def test_where_both_files_have_the_same_nothing_is_said() -> None:
    found, said = covered(5)
    assert (found, said) == (Coverage("round", 5, 5), ())
    assert found.complete
    assert covered(5, strict=True)[1] == ()


def test_missing_answers_are_named_and_count_as_wrong() -> None:
    found, said = covered(2_000, [7, 8])
    assert (found.answered, found.missing, found.complete) == (1_998, 2, False)
    assert said == (
        "1,998 rounds of 2,000 are scored. "
        "The rankings lack 2 of the dialogues (7; 8): `:asked` counts these as wrong.",
    )
    # Where the output is no model's, nothing is wrong.
    assert covered(2_000, [7, 8], of_model=False)[1][0].endswith("lack 2 of the dialogues (7; 8).")


def test_of_many_missing_answers_some_are_named() -> None:
    every = list(range(EXAMPLES + 1))
    assert "; …)" in covered(100, every)[1][0]
    (said,) = covered(100, every[:-1])[1]
    assert "…" not in said
    assert f"; {EXAMPLES - 1})" in said
    assert "(<0>; " in covered(100, every, label="<{}>".format)[1][0]


def test_answers_that_nobody_asked_for_are_left_aside() -> None:
    found, said = covered(3, beyond=[1, 2])
    assert not found.complete
    assert said == (
        "3 rounds of 3 are scored. The dialogues are a sample: 2 other rounds of the rankings are left aside.",
    )
    assert str(found) == "3 of 3 rounds, 2 others left aside"
    assert found.short == "3 of 3 rounds"


@pytest.mark.parametrize(("missing", "beyond"), [([4], []), ([], [9]), ([4], [9])])
def test_whoever_is_strict_is_told_each_entry_that_one_file_lacks(missing: list[int], beyond: list[int]) -> None:
    with pytest.raises(InputError) as caught:
        covered(3, missing, beyond, strict=True)
    problems = caught.value.problems
    assert [(problem.where, problem.found) for problem in problems] == [
        *((str(one), "nothing") for one in missing),
        *((str(one), "this round") for one in beyond),
    ]
    assert all(problem.hint == "So." for problem in problems)


@pytest.mark.parametrize(("beyond", "others"), [([1], "1 other"), ([1, 2], "2 others"), ([], "0 others")])
def test_files_without_anything_in_common_are_refused(beyond: list[int], others: str) -> None:
    with pytest.raises(InputError) as caught:
        covered(2, [5, 6], beyond)
    assert f"found none of the 2 rounds of the dialogues, but {others}, expected rounds" in str(caught.value)
