"""Tables of word vectors in the layouts of GloVe and word2vec."""

import struct
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.text.encoders import SpokenWords, encoder, word_table

ROWS = {"the": [1, 0, 0.5], "dog": [0, 2, -1], "is": [0.25, 0, 0], "n't": [-1, -1, -1], "Paris": [9, 9, 9]}
LINES = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in ROWS.items())


@pytest.fixture(params=["glove", "words", "words-binary", "fasttext"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    header = f"{len(ROWS)} 3\n"
    if request.param == "glove":
        path = tmp_path / "table.txt"
        path.write_text(LINES)
    elif request.param == "words-binary":
        path = tmp_path / "table.bin"
        body = b"".join(word.encode() + b" " + struct.pack("<3f", *row) + b"\n" for word, row in ROWS.items())
        path.write_bytes(header.encode() + body)
    else:
        path = tmp_path / "table.vec"
        path.write_text(header + LINES)
    return f"{request.param.partition('-')[0]}:{path}"


def test_a_sentence_is_the_mean_of_its_known_words(spec: str) -> None:
    made = encoder(spec)
    vectors = made.encode(["the dog", "the dog isn't purple", "purple", ""])
    assert made.dimension == 3
    assert vectors.dtype == np.float32
    # By hand: (the + dog)/2; (the + dog + is + n't)/4, as `purple` has no vector; nothing known.
    np.testing.assert_allclose(vectors, [[0.5, 1, -0.25], [0.0625, 0.25, -0.375], [0, 0, 0], [0, 0, 0]])


def test_as_published_distances_take_words(spec: str) -> None:
    """In lower case, digits in words, parted by white space alone: `isn't` and `dog.` are no words of this table."""
    made = SpokenWords(word_table(spec))
    vectors = made.encode(["The dog", "the dog isn't 2", "dog.", ""])
    np.testing.assert_allclose(vectors, [[0.5, 1, -0.25], [0.5, 1, -0.25], [0, 0, 0], [0, 0, 0]])
    assert (made.name, made.dimension, vectors.dtype) == (word_table(spec).name, 3, np.float32)
    assert made.signature != word_table(spec).signature


def test_case_is_tried_as_written_then_lower(spec: str) -> None:
    vectors = encoder(spec).encode(["The Dog", "Paris", "paris"])
    np.testing.assert_allclose(vectors, [[0.5, 1, -0.25], [9, 9, 9], [0, 0, 0]])


def test_tokens_reach_their_rows(spec: str) -> None:
    table = word_table(spec)
    np.testing.assert_allclose(table.vectors_of(["dog", "purple", "The"]), [[0, 2, -1], [0, 0, 0], [1, 0, 0.5]])
    assert "dog" in table
    assert "purple" not in table
    assert table.vector("purple") is None
    assert table.vectors_of([]).shape == (0, 3)


def test_word_vectors_are_not_kept_on_disk(spec: str, own_cache: Path) -> None:
    encoder(spec).encode(["the dog"])
    assert not own_cache.exists()


def test_the_file_is_the_signature(tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("dog 1 2\n")
    other.write_text("dog 1 3\n")
    assert encoder(f"glove:{one}").signature != encoder(f"glove:{other}").signature


def test_published_oddities_are_read(tmp_path: Path) -> None:
    """Trailing spaces, a word with a space inside, and a word that stands twice."""
    path = tmp_path / "odd.txt"
    path.write_text("dog 1 2 \nat sign 3 4\ndog 5 6\n")
    table = word_table(f"glove:{path}")
    np.testing.assert_allclose(table.vectors_of(["dog", "at sign"]), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("provider", "text", "message"),
    [
        ("words", "dog 1 2\ncat 3 4\n", "two numbers: words and dimension"),
        ("words", "2 2\ndog 1 2\ncat 3\n", "line 3: found 1 numbers, expected a word and 2 numbers"),
        ("words", "5 2\ndog 1 2\n", "5 words announced"),
        ("glove", "dog 1 2\ncat\n", "line 2: found 0 numbers"),
        ("glove", "dog\n", "expected a word and its numbers"),
        ("glove", "", "an empty file"),
    ],
)
def test_a_broken_table_is_named(provider: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        encoder(f"{provider}:{path}")
    assert message in str(caught.value)


def test_a_broken_number_is_named_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    path.write_text("dog 1 2\ncat 3 x\n")
    with pytest.raises(InputError, match="line 2"):
        encoder(f"glove:{path}").encode(["dog cat"])


def test_a_short_binary_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "short.bin"
    path.write_bytes(b"2 3\ndog " + struct.pack("<3f", 1, 2, 3) + b"cat ")
    with pytest.raises(InputError, match="word 2"):
        encoder(f"words:{path}")
    path.write_bytes(b"\0\1\2\3")
    with pytest.raises(InputError, match="word2vec's binary layout"):
        encoder(f"words:{path}")


def test_only_tables_have_words() -> None:
    with pytest.raises(UsageError, match="no vectors of single words"):
        word_table("minilm")
