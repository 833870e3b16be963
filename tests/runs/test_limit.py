"""Which images a limit takes, what a run says of it, and which parts have one."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest

from voirdire.exam import Part, exams, part_named
from voirdire.options import LimitOptions, OptionError
from voirdire.runs import Run, Signature
from voirdire.runs.limit import draw


def test_fewer_images_are_a_part_of_more_and_the_order_of_a_file_does_not_matter() -> None:
    class Asked(LimitOptions):
        seed = 7

    ids = np.array([9, 4, 4, 7, 1, 12, 3])
    kept = [set(ids[draw(ids, Asked(limit=limit)).keeps(ids)].tolist()) for limit in range(1, 7)]
    assert [len(one) for one in kept] == [1, 2, 3, 4, 5, 6]
    assert all(fewer < more for fewer, more in itertools.pairwise(kept))
    again = ids[::-1]
    assert set(again[draw(again, Asked(limit=3)).keeps(again)].tolist()) == kept[2]
    assert not draw(ids, Asked(limit=6)).partial
    assert draw(ids, Asked()).warnings == ()


def test_of_a_sample_only_what_is_there_is_drawn() -> None:
    ids, options = np.arange(100, 200), part_named("answers score").options
    sample = np.array([103, 150, 171, 188, 199, 7])
    whole = draw(ids, options(limit=3, seed=1))
    some = draw(ids, options(limit=3, seed=1), covered=sample)
    order = np.random.default_rng([1, 3]).permutation(ids)
    assert ids[some.keeps(ids)].tolist() == sorted([one for one in order.tolist() if one in sample.tolist()][:3])
    assert some.signed == whole.signed, "the same part of the dataset was asked for"
    assert str(some) == "3 of 100 images, of 5 that there is something of, seed 1"
    every = draw(ids, options(limit=30, seed=1), covered=sample)
    assert ids[every.keeps(ids)].tolist() == sample[:5].tolist()
    assert every.warnings == ("`limit` is 30; there is something of 5 of 100 images, and all are taken.",)
    nothing = draw(ids, options(limit=3, seed=1), covered=[])
    assert nothing.left.tolist() == whole.left.tolist(), "what lacks everything is told of as without a sample"
    assert not draw(ids, options(), covered=sample).partial


def test_a_limit_is_at_least_1_and_a_whole_number() -> None:
    for part in limited_parts():
        for wrong in (0, -1, 2.5, True, "all"):
            with pytest.raises(OptionError, match="`limit` must be"):
                part.options(**{"limit": wrong})  # type: ignore[arg-type]


def limited_parts() -> list[Part]:
    # Those that need an option without a default are made elsewhere.
    return [part for exam in exams() for part in exam.parts if issubclass(part.options, LimitOptions)]


def test_every_part_with_a_limit_has_a_seed_and_every_scoring_part_has_a_limit() -> None:
    assert all("seed" in part.options.__dataclass_fields__ for part in limited_parts())
    without = {
        f"{exam.name} {part.name}"
        for exam in exams()
        for part in exam.parts
        if part.makes == "run" and part not in limited_parts()
    }
    # It has two figures and no data.
    assert without == {"robustness r-score"}
    others = {f"{exam.name} {part.name}" for exam in exams() for part in exam.parts if part.makes != "run"}
    noise = {"robustness rank", "robustness perturb", "scorekeeping propositions"}
    assert noise <= others
    assert all(issubclass(part_named(title).options, LimitOptions) for title in noise)


@dataclass(frozen=True)
class Asked(LimitOptions):
    """With the seed that images are drawn by."""

    seed: int = 7


@pytest.mark.parametrize(
    ("limit", "there", "message"),
    [
        (None, None, ()),
        (6, None, ("`limit` is 6; there are 6 images, and all are taken.",)),
        (5, None, ("Limited to 5 of 6 images, seed 7.",)),
        (2, [1, 2], ("Limited to 2 of 6 images, of 2 that there is something of, seed 7.",)),
        (3, [1, 2], ("`limit` is 3; there is something of 2 of 6 images, and all are taken.",)),
    ],
)
def test_a_run_says_what_was_taken_before_all_else(
    limit: int | None, there: list[int] | None, message: tuple[str]
) -> None:
    run = Run("taste", {}, pl.DataFrame({"x": [1]}), {}, Signature("1", options={"top": 3}), warnings=("So.",))
    drawn = draw(range(6), Asked(limit=limit), covered=there)
    told = drawn.sign(run)
    assert told.warnings == (*message, "So.")
    signed = {"limit": {"images": limit, "of": 6, "seed": 7}} if drawn.partial else {}
    assert told.signature == replace(run.signature, options={"top": 3, **signed})
    assert drawn.partial == (limit not in (None, 6))


def test_rows_of_images_that_are_left_out_are_left_out_and_those_of_no_image_stay() -> None:
    class Rows:
        image_ids = np.array([3, 8, 1, 3, 99])

        def only(self, rows: np.ndarray) -> list[int]:
            return rows.tolist()

    drawn = draw([1, 3, 8], Asked(limit=1))
    (kept,) = {1, 3, 8} - set(drawn.left.tolist())
    assert drawn.of(Rows()) == [place for place, image in enumerate([3, 8, 1, 3, 99]) if image in (kept, 99)]  # type: ignore[type-var]
    whole = Rows()
    assert draw([1, 3, 8], Asked(limit=3)).of(whole) is whole  # type: ignore[type-var]
