"""FastText's `.bin`, against FastText's own answers and against gensim.

data/tiny_fasttext.bin is a model of four dimensions over a made-up corpus, trained and saved by gensim 4.4.0
(`save_facebook_model`, n-grams of 3 to 6, 64 buckets); data/tiny_fasttext.json holds what `get_word_vector` of the
original fasttext 0.9.3 answers for words inside and outside its dictionary, in several scripts.
"""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.text.encoders import encoder, word_table

DATA = Path(__file__).parent.parent / "data"
MODEL = DATA / "tiny_fasttext.bin"
EXPECTED: dict[str, list[float]] = json.loads((DATA / "tiny_fasttext.json").read_text(encoding="utf-8"))


def model_bytes(words: list[str], rows: np.ndarray, shortest: int, longest: int, buckets: int, **other: int) -> bytes:
    """A model written by hand in the published layout."""
    head = struct.pack("<2i", 793712314, other.get("version", 12))
    arguments = (rows.shape[1], 5, 1, 1, 5, 1, 2, 2, buckets, shortest, longest, 100)
    head += struct.pack("<12id", *arguments, 1e-4)
    head += struct.pack("<3i2q", len(words), len(words), 0, 99, -1)
    for word in words:
        head += word.encode() + b"\0" + struct.pack("<qb", 7, 0)
    return head + struct.pack("<?2q", other.get("quantised", 0), *rows.shape) + rows.astype("<f4").tobytes()


@pytest.mark.parametrize("word", EXPECTED)
def test_each_word_has_the_bytes_that_fasttext_gives(word: str) -> None:
    table = word_table(f"fasttext:{MODEL}")
    vector = table.vector(word)
    expected = np.array(EXPECTED[word], dtype=np.float32)
    if vector is None:
        assert not expected.any()
    else:
        assert (vector == expected).all()


def test_words_outside_the_dictionary_are_among_them() -> None:
    table = word_table(f"fasttext:{MODEL}")
    known = {word for word in EXPECTED if word in table}
    assert {"dog", "café", "犬"} <= known
    assert {"skiers", "übermut", "犬猫犬", "😀😀"} <= EXPECTED.keys() - known


def test_it_equals_gensim_on_a_new_model(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext")
    sentences = [["ein", "hund", "läuft"], ["der", "hund", "schläft"], ["犬", "が", "走る"]] * 5
    model = fasttext.FastText(
        sentences=sentences, vector_size=6, bucket=97, min_count=1, min_n=2, max_n=4, epochs=1, workers=1, seed=1
    )
    path = tmp_path / "gensim.bin"
    fasttext.save_facebook_model(model, str(path))
    words = ["hund", "hündin", "läufer", "走る犬", "x"]
    np.testing.assert_allclose(
        word_table(f"fasttext:{path}").vectors_of(words), [model.wv[word] for word in words], atol=1e-6
    )


def test_a_sentence_is_the_plain_mean(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    path = tmp_path / "hand.bin"
    path.write_bytes(model_bytes(["ab", "</s>"], rows, 3, 3, 4))
    table = word_table(f"fasttext:{path}")
    # `<ab>` has the n-grams `<ab` and `ab>`; FNV-1a of each modulo 4, after the two words.
    places = [0, 2 + fnv("<ab") % 4, 2 + fnv("ab>") % 4]
    np.testing.assert_allclose(table.vector("ab"), rows[places].mean(0))
    np.testing.assert_allclose(table.vector("</s>"), rows[1])
    np.testing.assert_allclose(encoder(f"fasttext:{path}").encode(["ab ab"]), [rows[places].mean(0)])


def fnv(text: str) -> int:
    value = 2166136261
    for letter in text.encode():
        value = (value ^ letter) * 16777619 % 2**32
    return value


def test_a_model_without_subwords_knows_its_words_only(tmp_path: Path) -> None:
    path = tmp_path / "plain.bin"
    path.write_bytes(model_bytes(["ab"], np.ones((1, 3)), 0, 0, 0))
    made = encoder(f"fasttext:{path}")
    np.testing.assert_allclose(made.encode(["ab", "cd"]), [[1, 1, 1], [0, 0, 0]])


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    whole = model_bytes(["ab"], np.ones((5, 3)), 3, 6, 4)
    path = tmp_path / "m.bin"
    for data, said in [
        (whole[:-1], "the end of the file"),
        (whole[:70], "the end of the file"),
        (b"2 3\nab 1 2 3\n", "other first bytes"),
        (model_bytes(["ab"], np.ones((5, 3)), 3, 6, 4, version=9), "version 9"),
        (model_bytes(["ab"], np.ones((5, 3)), 3, 6, 4, quantised=1), "quantised"),
        (model_bytes(["ab"], np.ones((7, 3)), 3, 6, 4), "a matrix of 7x3"),
    ]:
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            encoder(f"fasttext:{path}")
        assert said in str(caught.value)


def test_every_cut_of_a_model_is_an_error(tmp_path: Path) -> None:
    whole = MODEL.read_bytes()
    matrix_ends = word_table(f"fasttext:{MODEL}")._matrix  # type: ignore[attr-defined]
    needed = matrix_ends.offset + matrix_ends.nbytes
    path = tmp_path / "cut.bin"
    for length in range(4, needed, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            encoder(f"fasttext:{path}")


def test_changed_bytes_are_an_error_or_a_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    whole = np.frombuffer(MODEL.read_bytes(), dtype=np.uint8)
    path = tmp_path / "changed.bin"
    outcomes = set()
    for _ in range(300):
        data = whole.copy()
        data[rng.integers(4, 700, size=3)] = rng.choice([0, 1, 127, 128, 255], size=3)
        path.write_bytes(data.tobytes())
        try:
            encoder(f"fasttext:{path}").encode(["dog", "skiers"])
            outcomes.add("a model")
        except InputError:
            outcomes.add("an error")
    assert outcomes == {"a model", "an error"}
