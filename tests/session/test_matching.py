"""Which of several files is taken: by what goes together, then by split, word and name."""

from pathlib import Path

import pytest

from voirdire.exam import exam_named
from voirdire.session.matching import Matching, read_together
from voirdire.validation import CrossCheck

HOME = Path("files")
ONE, TWO = HOME / "one.json", HOME / "two.json"


def check(ok: bool = True, missing: int = 0, unknown: int = 0, common: int = 4) -> tuple[CrossCheck, ...]:
    return (
        CrossCheck("", "", "round", common, missing, (), unknown, (), ok, "" if ok else "they are of other images"),
    )


def matching(found: dict[tuple[Path, str], tuple[CrossCheck, ...]]) -> tuple[Matching, list[Path]]:
    """With comparisons of files and outputs that were made already."""
    outputs = sorted({HOME / other for _, other in found})
    every = {(path, other): () for path in (ONE, TWO) for other in outputs}
    return Matching(HOME, {}, every | {(path, HOME / other): each for (path, other), each in found.items()}), outputs


@pytest.mark.parametrize(
    ("found", "taken", "why"),
    [
        (
            {(TWO, "g"): check(), (TWO, "h"): check(), (ONE, "g"): check(ok=False), (ONE, "h"): check()},
            TWO,
            "it goes with",
        ),
        ({(TWO, "g"): check(), (ONE, "g"): check(missing=2)}, TWO, "it holds the same as more outputs"),
        ({(TWO, "g"): check(), (ONE, "g"): check(unknown=2)}, TWO, "it holds the same as more outputs"),
        ({(TWO, "g"): check(), (ONE, "g"): check()}, ONE, "the first by name"),
        ({}, ONE, "the first by name"),
    ],
)
def test_what_goes_with_more_outputs_is_taken_and_then_the_first(
    found: dict[tuple[Path, str], tuple[CrossCheck, ...]], taken: Path, why: str
) -> None:
    made, outputs = matching(found)
    choice = made.choose((), [ONE, TWO], outputs, ())
    assert choice.taken == taken
    ((path, said),) = choice.left.items()
    assert {path, taken} == {ONE, TWO}
    assert said.startswith(f"{taken.name} is taken: {why}")
    assert choice.alike == 1 + (why == "the first by name")


def test_what_goes_with_no_output_at_all_is_left() -> None:
    made, outputs = matching({(ONE, "g"): check(ok=False, common=0), (ONE, "h"): check(ok=False), (TWO, "g"): check()})
    choice = made.choose((), [ONE, TWO], outputs, ())
    assert choice.taken == TWO
    assert choice.left == {ONE: "shares no round with g; they are of other images"}
    # Of data that are taken already one is enough.
    assert made.choose((), [ONE], (), outputs).taken is None
    assert made.choose((), [ONE, TWO], (), ()).taken == ONE


def test_a_word_comes_before_the_name_and_a_split_before_the_word() -> None:
    files = [HOME / name for name in ("a_val_S.json", "b_val_H.json", "c_train_H.json")]
    made = Matching(HOME, {})
    choice = made.choose(("H",), files, (), ())
    assert choice.taken == files[1]
    assert choice.left[files[0]] == "b_val_H.json is taken: H in its name comes first"
    assert choice.left[files[2]] == "b_val_H.json is taken: val comes before other splits"
    assert choice.alike == 1


def test_inputs_that_a_part_reads_are_read_together_and_those_of_other_datasets_are_not() -> None:
    found = read_together(exam_named("answers"))
    assert {"visdial", "dense"} <= found["ranks"]
    assert "ranks" not in found["ranks"]
