"""A measure's key: written by one function, read by one, and each the inverse of the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.metrics.key import VARIANTS, Key

WORDS = st.text(st.characters(exclude_characters="@[]:\\", codec="utf-8"), min_size=1)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("mrr", Key("mrr")),
        ("recall@5", Key("recall", 5)),
        ("cider4@5:best", Key("cider4", 5, variant="best")),
        ("accuracy[yes/no]:eq6", Key("accuracy", slice=("yes/no",), variant="eq6")),
        ("accuracy[lasso]:partition3", Key("accuracy", slice=("lasso",), condition="partition3")),
        ("drop[other]:partition1:std", Key("drop", slice=("other",), condition="partition1", variant="std")),
        ("l2@5[npz:my\\, vectors.npz, round 3]", Key("l2", 5, ("npz:my, vectors.npz", "round 3"))),
        ("confusion@5[true → false]", Key("confusion", 5, ("true → false",))),
        ("score2/score1:std", Key("score2/score1", variant="std")),
    ],
)
def test_a_key_and_its_text(text: str, key: Key) -> None:
    assert str(key) == text
    assert Key.parse(text) == key


@given(
    st.builds(
        Key,
        WORDS,
        st.none() | st.integers(0, 10**9),
        st.lists(st.text(min_size=1), max_size=3).map(tuple),
        st.just("") | WORDS.filter(lambda word: word not in VARIANTS),
        st.sampled_from(["", *sorted(VARIANTS)]),
    )
)
def test_reading_is_the_inverse_of_writing(key: Key) -> None:
    assert Key.parse(str(key)) == key


@pytest.mark.parametrize(
    "text", ["", "@5", "a[b", "a]b", "a@x", "a:", "a::std", "a:b:c", "a:std:best", "a[x]@5", "a[b][c]", "a[b]c"]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        Key.parse(text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"measure": "a:b"}, "`measure` must be a text without"),
        ({"measure": ""}, "`measure` must be a text without"),
        ({"measure": "a", "k": -1}, "`k` must be at least 0, got -1"),
        ({"measure": "a", "variant": "median"}, "`variant` must be one of asked, best"),
        ({"measure": "a", "condition": "std"}, "`condition` must not be the name of a variant"),
        ({"measure": "a", "slice": ("b", "")}, "`slice` must hold words that are not empty"),
    ],
)
def test_fields_that_no_text_could_hold_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Key(**fields)  # type: ignore[arg-type]


def test_a_key_is_made_step_by_step() -> None:
    key = Key("accuracy").at(5).on("TFxPS").on("random").under("control").as_variant("std")
    assert str(key) == "accuracy@5[TFxPS, random]:control:std"
    assert str(key.as_variant("")) == "accuracy@5[TFxPS, random]:control"
