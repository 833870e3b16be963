"""Types of questions: by keywords, single tokens in lower case, as many types as fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.formats.files import Source
from voirdire.formats.small_formats import parse_word_types
from voirdire.questions.kinds import ATTRIBUTES, KINDS, Lexicon, kinds_of, make_lexicon, own_lexicon, tokens
from voirdire.world.inventory import BY_NAME


def lexicon(*lines: str) -> Lexicon:
    return make_lexicon(parse_word_types(Source("words.tsv", "\n".join(lines).encode())), "given")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is it a dog?", {"object"}),
        ("is it the white one on the left?", {"color", "location"}),
        ("Is it ROUND?", {"shape"}),
        ("the small wooden one?", {"size", "texture"}),
        ("is she skiing?", {"action"}),
        ("is it the person's?", {"object"}),
        ("a traffic-light?", {"object"}),
        ("is it an orange", {"object", "color"}),
        ("the third from the left", {"location", "order"}),
        ("2nd in the row?", {"location", "order"}),
        ("one of the two?", {"location"}),
        ("is it expensive?", {"other"}),
        ("", {"other"}),
        ("???", {"other"}),
        ("redder", {"other"}),
    ],
)
def test_examples(question: str, expected: set[str]) -> None:
    assert kinds_of(question) == expected


def test_tokens_are_runs_of_letters_and_digits() -> None:
    assert tokens("Is it the T-shirt,or the dog's 2nd_ball?") == [
        *("is", "it", "the", "t", "shirt", "or", "the", "dog", "s", "2nd", "ball"),
    ]


def test_object_alone_where_it_is_exclusive() -> None:
    assert kinds_of("is it the red car?") == {"object", "color"}
    assert kinds_of("is it the red car?", exclusive_object=True) == {"color"}
    assert kinds_of("is it a car?", exclusive_object=True) == {"object"}
    assert kinds_of("is it?", exclusive_object=True) == {"other"}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_category_of_coco_is_an_object(name: str) -> None:
    assert "object" in kinds_of(f"is it a {name}?")


def test_every_supercategory_is_an_object() -> None:
    for name in {category.supercategory for category in BY_NAME.values()}:
        assert "object" in kinds_of(f"is it {name}?")


def test_our_keywords_are_single_tokens_in_lower_case() -> None:
    ours = own_lexicon()
    assert ours.warnings == ()
    assert all(tokens(word) == [word] for word in ours.kinds)
    assert {kind for kinds in ours.kinds.values() for kind in kinds} == set(KINDS) - {"other"}
    assert own_lexicon() is ours


def test_another_lexicon_takes_the_place_of_ours() -> None:
    theirs = lexicon(
        "dog\tobject", "Pets\tsuper-category", "on\tspatial", "two\tnumber", "bowling\tactivity", "dog\taction"
    )
    assert kinds_of("is it a dog?", theirs) == {"object", "action"}
    assert kinds_of("pets?", theirs) == {"object"}
    assert kinds_of("on two?", theirs) == {"location"}
    assert kinds_of("bowling?", theirs) == {"action"}
    assert kinds_of("is it a cat?", theirs) == {"other"}
    assert kinds_of("the first?", theirs) == {"other"}


def test_keywords_of_several_words_are_told() -> None:
    theirs = lexicon("dog\tobject", "fire truck\tobject", "t-shirt\tobject")
    (warning,) = theirs.warnings
    assert warning.startswith("2 keywords of several words without effect (fire truck, t-shirt)")
    assert kinds_of("a fire truck?", theirs) == {"other"}


@pytest.mark.slow
@given(st.lists(st.sampled_from(sorted(own_lexicon().kinds)), max_size=6), st.booleans())
def test_a_question_has_the_types_of_its_words(words: list[str], exclusive: bool) -> None:
    types = kinds_of(" ".join(words), exclusive_object=exclusive)
    expected = {kind for word in words for kind in own_lexicon().kinds[word]}
    if exclusive and expected & set(ATTRIBUTES):
        expected -= {"object"}
    assert types - {"order"} == (expected or {"other"})
    assert "order" not in types or "location" in types
