"""Each rule of the shipped resolver, on dialogues of our own."""

import pytest

from voirdire.errors import UsageError
from voirdire.text.coreference import RESOLVERS, antecedents, check_clusters, resolver
from voirdire.text.tagging import Tagger, tagger
from voirdire.text.tokens import treebank


@pytest.fixture(scope="module")
def hanta() -> Tagger:
    return tagger()


def resolved(dialogue: str, hanta: Tagger, marks: bool = True) -> list[str | None]:
    """What each pronoun after the caption stands for, in order; turns are parted by `/`."""
    texts = [text.strip() for text in dialogue.split("/")]
    ends = ["." if place % 2 == 0 else "?" for place in range(len(texts))]
    pieces = [[*treebank(text), *([end] if marks else [])] for text, end in zip(texts, ends, strict=True)]
    clusters = resolver("rules").resolve(pieces, hanta)
    check_clusters(pieces, clusters)
    found = antecedents(pieces, clusters)
    return [None if span is None else " ".join(span.tokens(pieces)) for pronoun, span in found.items() if pronoun.piece]


@pytest.mark.parametrize(
    ("dialogue", "expected"),
    [
        # he, she: by gender, then by what the person was called before
        ("a man waves to a woman / is he old / yes / is she old / no", ["a man", "a woman"]),
        ("a surfer with a red board / is he wet / yes, he is", ["a surfer with a red board"] * 2),
        ("a surfer talks to a skier / is the skier old / no / is she cold / she is", ["a skier", "a skier"]),
        ("a girl pets a puppy / does he bark / no", ["a puppy"]),
        ("a chef cooks / is there a boy / yes / is he tall / no", ["a boy"]),
        ("a chef cooks / is there a boy / no / is he tall / no", ["a chef"]),
        ("three men / is he tall / no", [None]),
        ("a team on a field / is he tall / no", [None]),
        ("a lamp / is he tall / no", [None]),
        ("a waiter and a boy / is the boy shy / yes he is", ["a boy"]),
        # a gender is no new person
        ("a skater jumps / male or female / male / is he young / yes", ["a skater"]),
        ("a child plays / is the child a girl / yes / what is she holding / a doll", ["a child"]),
        ("a person / is the person a man or a woman / woman / is her coat long / no", ["a person"]),
        # other words for the only one
        ("a man sits / is the person tall / no / is he cold / yes", ["a man"]),
        ("two gulls fly / are the birds white / yes, they are", ["two gulls"]),
        ("a crowd of runners / how many people / ten / are they smiling / no", ["a crowd of runners"]),
    ],
)
def test_people_and_animals(dialogue: str, expected: list[str | None], hanta: Tagger) -> None:
    assert resolved(dialogue, hanta) == expected


@pytest.mark.parametrize(
    ("dialogue", "expected"),
    [
        # in an answer: what the question is about
        ("a lamp beside a sofa / is the sofa soft / yes, it is", ["a sofa"]),
        ("a lamp / is the photo old / it is", ["the photo"]),
        ("a lamp / is this a kitchen / yes it is", [None, None]),
        ("a lamp / is there any grass / yes, behind it", [None]),
        ("a desk / is there a cloth / there is a red towel, it is wet", ["a red towel"]),
        ("a girl / is she wearing a cap / it looks like a hood", ["a girl", None]),
        # in a question: what it names itself, then what the question before was about
        ("a kite and a boat / is the boat wet / no / is it a fancy kite / yes", ["a kite"]),
        ("a lamp and a vase / what kind of vase is it / clay", ["a vase"]),
        ("a lamp / can you tell what kind of lamp it is / no", ["a lamp"]),
        ("a man on a horse / is he wearing a scarf / yes / what color is it / red", ["a man on a horse", "a scarf"]),
        ("a truck / is the truck new / no / is it red / yes / does it have doors / two", ["a truck", "a truck"]),
        ("a truck / does the truck have a number on it / no", ["a truck"]),
        ("a truck / is the truck new / no / is there a rope around it / yes", ["a truck"]),
        ("a clock on a wall / is it round / yes", ["a clock on a wall"]),
        ("two clocks / is it round / yes", [None]),
        ("a horse by a fence / is the fence tall / no / is it eating / yes", ["a horse by a fence"]),
        # not from afar
        ("a clock on a wall / are there people / no / is there a rug / no / is it round / yes", [None]),
        ("a red kite and a boat / what color is the second kite / it is blue", ["the second kite"]),
        ("a lamp / what breed is the dog / a pug / is it big / yes", ["the dog"]),
        ("a shelf / does the shelf have a lamp on it / there is a vase but that is it", ["a shelf", None, None]),
        # what was denied is not there
        ("a boy / does he have a kite / no / is it red / no", ["a boy", None]),
        ("a boy / does he have a kite / yes / is it red / no", ["a boy", "a kite"]),
        ("a street / is there a bike / no / is it red / no", [None]),
    ],
)
def test_things(dialogue: str, expected: list[str | None], hanta: Tagger) -> None:
    assert resolved(dialogue, hanta) == expected


@pytest.mark.parametrize(
    ("dialogue", "expected"),
    [
        ("some sheep by a barn / are the sheep white / yes they are", ["some sheep by a barn"]),
        ("three lamps / what color are the lamps / blue / are they tall / no", ["three lamps"]),
        ("two boys by some cars / how many cars / four / are they laughing / yes", ["two boys by some cars"]),
        ("two boys by some cars / how many cars / four / are they new / yes", ["some cars"]),
        ("two boys / are there other people / yes / are they smiling / no", ["two boys"]),
        ("two cars / do you see trees / yes / do the cars have their lights on / yes", ["two cars"]),
        (
            "two nurses in white gowns / is it day / no / are they wearing blue gowns / no",
            [None, "two nurses in white gowns"],
        ),
        ("a man and two girls / how old are the children / they are six", ["the children"]),
        ("a bunch of tulips in a vase / are they real tulips / yes", ["a bunch of tulips in a vase"]),
        ("a vase / what kind of flowers are they / roses", ["flowers"]),
        ("a guest eats / are they wearing a hat / no", ["a guest"]),
        ("a man eats / are they wearing a hat / no", [None]),
        ("two girls and a man / is it night / no / are they smiling / yes", [None, None]),
        ("a park / do you see any ducks / i see four ducks / are they small / yes", ["four ducks"]),
        ("a park / are they any ducks / no", [None]),
        ("a girl / are her boots black / yes they are", ["a girl", "her boots"]),
    ],
)
def test_several(dialogue: str, expected: list[str | None], hanta: Tagger) -> None:
    assert resolved(dialogue, hanta) == expected


@pytest.mark.parametrize(
    "question",
    [
        "is it sunny", "is it raining outside", "is it night", "what time of day is it", "what season is it",
        "is it indoors", "is it well lit", "is it in color", "is it a color photo", "is it a close up", "is it blurry",
        "is it a park", "is it in a big city", "does it look like they are friends", "does it look like the lamp is on",
        "is it a man or a woman", "is it hard to see", "is it just him", "it does n't look like there is one",
    ],
)  # fmt: skip
def test_an_empty_it_is_left_alone(question: str, hanta: Tagger) -> None:
    found = resolved(f"a clock / is the clock big / yes / {question}", hanta)
    places = [word for word in question.split() if word in ("it", "they", "him")]
    assert found[places.index("it")] is None


@pytest.mark.parametrize("answer", ["looks like it", "it is hard to tell", "it does n't appear to be", "so it seems"])
def test_figures_of_speech_are_left_alone(answer: str, hanta: Tagger) -> None:
    assert resolved(f"a clock / is the clock big / {answer}", hanta) == [None]


def test_demonstratives_are_left_alone(hanta: Tagger) -> None:
    assert resolved("a clock / is this big / yes, that is / are those the hands / no", hanta) == [None, None, None]


def test_the_first_mention_is_the_whole_phrase(hanta: Tagger) -> None:
    found = resolved("a small black and white dog runs / is the dog old / it is / is his tail long / yes", hanta)
    assert found == ["a small black and white dog"] * 2


def test_marks_and_capitals_make_no_difference(hanta: Tagger) -> None:
    dialogue = "A Man rides / Is he old / No, He is young / he / it"
    assert resolved(dialogue, hanta) == resolved(dialogue, hanta, marks=False) == ["A Man", "A Man", "A Man", None]


@pytest.mark.parametrize("pieces", [[], [[]], [["it"]], [[], ["they"], ["he"]], [[""], ["?"]], [["a"], ["is"], ["it"]]])
def test_degenerate_dialogues(pieces: list[list[str]], hanta: Tagger) -> None:
    assert resolver("rules").resolve(pieces, hanta) == []


def test_it_is_the_default_and_takes_no_argument() -> None:
    assert resolver().name == resolver("rules").name == "rules"
    assert resolver().signature.startswith("rules")
    assert {"none", "rules"} <= set(RESOLVERS.names())
    with pytest.raises(UsageError, match="rules takes no argument"):
        resolver("rules:x")
