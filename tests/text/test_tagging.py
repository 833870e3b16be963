"""Taggers on sentences tagged by hand (data/tagged.txt: VisDial-like, lower case, written for this test)."""

import builtins
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from voirdire.errors import MissingExtra, UsageError
from voirdire.text.tagging import LONGEST, TAGGERS, UNIVERSAL, HanTa, Tagger, Token, tagger

TAGGED = [
    [tuple(word.rsplit("/", 1)) for word in line.split()]
    for line in (Path(__file__).parent / "data" / "tagged.txt").read_text().splitlines()
]


@pytest.fixture(scope="module")
def hanta() -> Tagger:
    return tagger()


def test_hanta_agrees_with_the_tags_by_hand(hanta: Tagger) -> None:
    """290 of 298 words when this was written: 97 %. Wrong: `many`, `about thirty`, and the like."""
    right = total = 0
    for sentence in TAGGED:
        found = hanta.tag([word for word, _ in sentence])
        assert [token.text for token in found] == [word for word, _ in sentence]
        assert {token.pos for token in found} <= UNIVERSAL
        right += sum(token.pos == tag for token, (_, tag) in zip(found, sentence, strict=True))
        total += len(sentence)
    assert total == 298
    assert right / total >= 0.965


def test_lemmas(hanta: Tagger) -> None:
    assert hanta.tag("the dogs were running") == [
        Token("the", "DET", "the"),
        Token("dogs", "NOUN", "dog"),
        Token("were", "AUX", "be"),
        Token("running", "VERB", "run"),
    ]


@pytest.mark.parametrize(
    ("sentence", "place", "pos"),
    [
        ("does he have a hat ?", 0, "AUX"),
        ("does he have a hat ?", 2, "VERB"),
        ("the cat has a tail", 2, "VERB"),
        ("he has not eaten", 1, "AUX"),
        ("has the train left ?", 0, "AUX"),
        ("this dog is old", 0, "DET"),
        ("is this a dog ?", 1, "PRON"),
        ("what ?", 0, "PRON"),
        ("is the dog running ?", 3, "VERB"),
        ("the boy is swimming", 3, "VERB"),
        ("is the building tall ?", 2, "NOUN"),
        ("is there parking ?", 2, "NOUN"),
        ("is it a running dog ?", 3, "ADJ"),
        ("does the food look fresh ?", 0, "AUX"),
        ("does the food look fresh ?", 3, "VERB"),
        ("is the remote on the table ?", 2, "NOUN"),
        ("is the sign in german ?", 4, "NOUN"),
        ("is the dog inside ?", 3, "ADV"),
        ("are the boats all the same ?", 3, "DET"),
        ("is the plate round or square ?", 3, "ADJ"),
        ("is the plate round or square ?", 5, "ADJ"),
        ("red", 0, "ADJ"),
        ("jumping", 0, "VERB"),
        ("hundreds", 0, "NOUN"),
    ],
)
def test_tags_that_context_decides(hanta: Tagger, sentence: str, place: int, pos: str) -> None:
    assert hanta.tag(sentence.split())[place].pos == pos


def test_text_is_tokenised_first(hanta: Tagger) -> None:
    assert hanta.tag("isn't it?") == hanta.tag(["is", "n't", "it", "?"])


def test_degenerate_sentences(hanta: Tagger) -> None:
    assert hanta.tag("") == []
    assert hanta.tag([]) == []
    for odd in ("?", "zzxqj", "犬", "😀", "x" * 60, "1,000"):
        (token,) = hanta.tag([odd])
        assert token.text == odd
        assert token.pos in UNIVERSAL


def test_a_sentence_is_remembered_and_not_shared(hanta: Tagger) -> None:
    first = hanta.tag("is it a dog ?")
    first.clear()
    assert len(hanta.tag("is it a dog ?")) == 5


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HanTa, "REMEMBERED", 3)
    made = HanTa()
    for number in range(10):
        assert made.tag([str(number)])[0].pos == "NUM"
    assert len(made._memory) <= 3


def test_spacy_that_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "spacy":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match='pip install "spacy'):
        tagger("spacy:en_core_web_sm")


def test_a_spacy_model_by_name_is_no_folder_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en_core_web_sm").mkdir()
    loaded: list[str] = []
    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=lambda name, exclude: loaded.append(name)))
    with pytest.raises(UsageError, match=r"for the folder, write spacy:\./en_core_web_sm"):
        tagger("spacy:en_core_web_sm")
    tagger("spacy:./en_core_web_sm")
    assert loaded == ["./en_core_web_sm"]


def test_a_spacy_model_parts_text_and_tags_our_tokens(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "dogs"}]], {"POS": "NOUN", "LEMMA": "dog"})
    pipeline.to_disk(tmp_path / "model")
    made = tagger(f"spacy:{tmp_path / 'model'}")
    assert made.tag("dogs?") == [Token("dogs", "NOUN", "dog"), Token("?", "X", "")]
    assert [token.text for token in made.tag("t-shirt")] == ["t", "-", "shirt"]
    assert [token.text for token in made.tag(["t-shirt"])] == ["t-shirt"]
    with pytest.raises(UsageError, match="spacy download en_core_web_sm"):
        tagger("spacy:no_such_model")


def test_names() -> None:
    assert TAGGERS.names() == ["hanta", "spacy"]
    with pytest.raises(UsageError, match="takes no argument"):
        tagger("hanta:x")
    with pytest.raises(UsageError, match="spacy:MODEL"):
        tagger("spacy")


@pytest.mark.slow
def test_a_word_longer_than_any_is_a_name_and_the_model_never_sees_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    hanta, seen = HanTa(), []
    whole = hanta._model.tag_sent
    monkeypatch.setattr(hanta._model, "tag_sent", lambda words, **rest: seen.extend(words) or whole(words, **rest))
    long = "b" + "a" * 1600
    assert hanta.tag(["the", long, "is", "red"]) == [
        Token("the", "DET", "the"),
        Token(long, "PROPN", long),
        Token("is", "AUX", "be"),
        Token("red", "ADJ", "red"),
    ]
    assert max(map(len, seen)) == LONGEST
