"""Skip-thoughts on small weights of our own, beside a direct reading of the equations, one word at a time."""

import io
import math
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.text.encoders import encoder
from voirdire.text.encoders.object_rows import PickleFault, find_rows
from voirdire.text.encoders.skipthoughts import SkipThoughts, WordRows, sentence_words

WORDS = ["<eos>", "UNK", "what", "What", "is", "the", "dog", "color", "?", ".", "n't", "café", "a", "in", "park"]
WORD, UNI, BI = 7, 10, 6
TEXTS = ["What is the dog ?", "what is the color of the park?", "A dog.", "isn't the café a park", "?"]


def weights(seed: int, dimension: int, *prefixes: str) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    shapes = {"W": (WORD, 2 * dimension), "b": (2 * dimension,), "U": (dimension, 2 * dimension)}
    shapes |= {"Wx": (WORD, dimension), "bx": (dimension,), "Ux": (dimension, dimension)}
    return {
        f"{prefix}_{name}": draw.normal(0, 0.7, shape).astype(np.float32)
        for prefix in prefixes
        for name, shape in shapes.items()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All five files, the tables as plain numbers."""
    where = tmp_path / "model"
    where.mkdir()
    draw = np.random.default_rng(0)
    (where / "dictionary.txt").write_bytes("".join(f"{word}\n" for word in WORDS).encode())
    for name in ("utable", "btable"):
        np.save(where / f"{name}.npy", draw.normal(size=(len(WORDS), WORD)).astype(np.float32))
    # What is not needed is not looked at: a matrix of words, and objects.
    more = {"Wemb": np.ones((3, WORD), np.float32), "history": np.array([{}, None], object)}
    np.savez(where / "uni_skip.npz", **weights(1, UNI, "encoder"), **more)
    np.savez(where / "bi_skip.npz", **weights(2, BI, "encoder", "encoder_r"), **more)
    return where


def state(weights: dict[str, np.ndarray], prefix: str, rows: np.ndarray) -> np.ndarray:
    """The equations as they stand, for one text, in double precision."""
    w = {name.removeprefix(f"{prefix}_"): value.astype(np.float64) for name, value in weights.items()}
    h = np.zeros(len(w["Ux"]))
    for x in rows.astype(np.float64):
        r, u = np.split(1 / (1 + np.exp(-(x @ w["W"] + h @ w["U"] + w["b"]))), 2)
        h = u * h + (1 - u) * np.tanh(x @ w["Wx"] + r * (h @ w["Ux"]) + w["bx"])
    return h


def by_hand(folder: Path, words: list[str]) -> np.ndarray:
    places = [WORDS.index(word) if word in WORDS else 1 for word in words]
    utable, btable = (np.load(folder / f"{name}.npy")[places] for name in ("utable", "btable"))
    uni = state(weights(1, UNI, "encoder"), "encoder", utable)
    both = weights(2, BI, "encoder", "encoder_r")
    backwards = {name: value for name, value in both.items() if name.startswith("encoder_r_")}
    onwards = {name: value for name, value in both.items() if name not in backwards}
    bi = np.concatenate([state(onwards, "encoder", btable), state(backwards, "encoder_r", btable[::-1])])
    return np.concatenate([uni / np.linalg.norm(uni), bi / np.linalg.norm(bi)])


def test_the_equations_word_by_word(folder: Path) -> None:
    made = encoder(f"skipthoughts:{folder}")
    vectors = made.encode(TEXTS)
    assert (made.name, made.dimension, vectors.dtype, vectors.shape) == ("skipthoughts", 22, np.float32, (5, 22))
    words = [
        ["What", "is", "the", "dog", "?"],
        ["what", "is", "the", "color", "of", "the", "park", "?"],
        ["A", "dog", "."],
        ["is", "n't", "the", "café", "a", "park"],
        ["?"],
    ]
    for vector, said in zip(vectors, words, strict=True):
        np.testing.assert_allclose(vector, by_hand(folder, said), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), math.sqrt(2), rtol=1e-6)
    # `A` and `of` are unknown; case is kept.
    assert np.abs(vectors[0] - made.encode(["what is the dog ?"])[0]).max() > 0.01


def test_a_vector_depends_on_its_own_text_alone(folder: Path) -> None:
    texts = [f"{start} {'dog ' * count}?" for start in ("What is", "the park", "a", "zebra") for count in range(12)]
    together = SkipThoughts(folder).encode_distinct(texts)
    order = np.random.default_rng(3).permutation(len(texts))
    shuffled = SkipThoughts(folder).encode_distinct([texts[place] for place in order])
    assert shuffled.tobytes() == together[order].tobytes()
    for place in (0, 11, 30):
        assert SkipThoughts(folder).encode_distinct([texts[place]]).tobytes() == together[place].tobytes()


def test_a_text_without_words_is_zero(folder: Path) -> None:
    vectors = encoder(f"skipthoughts:{folder}").encode(["", " \n", "dog"])
    assert not vectors[:2].any()
    assert vectors[2].any()
    assert not SkipThoughts(folder).encode_distinct([""]).any()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Is it a dog? Yes.", "Is it a dog ? Yes ."),
        ("There is a dog. What is it doing?", "There is a dog . What is it doing ?"),
        ("Is this St. Louis?", "Is this St. Louis ?"),
        ("Can't Mr. Green see it?", "Ca n't Mr. Green see it ?"),
    ],
)
def test_words_are_taken_sentence_by_sentence(text: str, words: str) -> None:
    assert sentence_words(text) == words.split()


class Python2(pickle._Pickler):  # type: ignore[name-defined]
    """Writes what Python 2 did: texts and bytes are the same instruction."""

    dispatch: ClassVar[dict[Any, Any]] = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def save_string(self, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        head = b"U" + bytes([len(data)]) if len(data) < 256 else b"T" + struct.pack("<i", len(data))
        self.write(head + data)
        if id(text) not in self.memo:
            self.memoize(text)

    dispatch[bytes] = dispatch[str] = save_string


def objects_of(rows: list[Any]) -> np.ndarray:
    made = np.empty(len(rows), object)
    made[:] = rows
    return made


def write_python2(path: Path, made: Any, count: int) -> None:
    head, body = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|O", "fortran_order": False, "shape": (count,)})
    Python2(body, 2).dump(made)
    path.write_bytes(head.getvalue() + body.getvalue().replace(b"numpy._core.", b"numpy.core."))


@pytest.mark.parametrize("written", ["python2", "numpy"])
def test_tables_of_objects_are_read_where_they_lie(folder: Path, written: str) -> None:
    """As published: an array of arrays, most with one dimension and some with two."""
    plain = encoder(f"skipthoughts:{folder}").encode(TEXTS)
    signature = encoder(f"skipthoughts:{folder}").signature
    for name in ("utable", "btable"):
        table = np.load(folder / f"{name}.npy")
        rows = [row[None] if number % 3 == 0 else row.astype(np.float64) if number == 4 else row
                for number, row in enumerate(table)]  # fmt: skip
        made = np.empty(len(rows), object)
        for number, row in enumerate(rows):
            made[number] = row
        if written == "numpy":
            np.save(folder / f"{name}.npy", made, allow_pickle=True)
        else:
            write_python2(folder / f"{name}.npy", made, len(rows))
        with pytest.raises(ValueError, match="Object arrays cannot be loaded"):
            np.load(folder / f"{name}.npy", allow_pickle=False)
    made = encoder(f"skipthoughts:{folder}")
    assert made.encode(TEXTS).tobytes() == plain.tobytes()
    assert made.signature != signature


def test_long_rows_of_a_table_of_objects(tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(2500, 620)).astype(np.float32)
    made = np.empty(len(table), object)
    for number, row in enumerate(table):
        made[number] = row.copy()
    write_python2(tmp_path / "utable.npy", made, len(table))
    read = WordRows(tmp_path / "utable.npy")
    assert len(read) == 2500
    assert read.rows([2499, 0, 1234], 620).tobytes() == table[[2499, 0, 1234]].tobytes()


class Harm:
    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("harm"),)


def test_a_pickle_is_never_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save(folder / "utable.npy", objects_of([Harm()] * len(WORDS)), allow_pickle=True)
    with pytest.raises(InputError, match=r"utable.npy: found a pickle that names .*, expected a row of numbers"):
        encoder(f"skipthoughts:{folder}").encode(["dog"])
    assert not (tmp_path / "harm").exists()


def test_what_is_no_array_of_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    row = np.ones(3, np.float32)

    def said(made: Any, count: int = 2) -> str:
        write_python2(path, made, count)
        with pytest.raises(InputError) as caught:
            WordRows(path).rows([0], 3)
        return str(caught.value)

    assert "found rows of different lengths, 2, 3" in said(_held(row, row[:2]))
    assert "found 2 rows, where it says 5" in said(_held(row, row), 5)
    assert "found an array of dtype '<i8'" in said(_held(row, np.ones(3, np.int64)))
    assert "found an array of dtype '>f4'" in said(_held(row, row.astype(">f4")))
    assert "found a row of shape (2, 3)" in said(_held(row, np.ones((2, 3), np.float32)))
    assert "found a pickle of something else" in said([1, 2])
    assert "which no table needs" in said({"a": 1})
    write_python2(path, _held(row, row), 2)
    whole = path.read_bytes()
    start = whole.index(b"\x80\x02")
    for end in range(start, len(whole)):
        with pytest.raises(PickleFault):
            find_rows(whole[:end], start, 2)
    for place in range(start, len(whole)):
        for value in (0, 40, 98, 116, 255):
            harmed = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                width, at, double = find_rows(harmed, start, 2)
            except PickleFault:
                continue
            assert (at + width * np.where(double, 8, 4) <= len(whole)).all()


def _held(*rows: np.ndarray) -> np.ndarray:
    made = np.empty(len(rows), object)
    for number, row in enumerate(rows):
        made[number] = row
    return made


def replaced(path: Path, **arrays: Any) -> None:
    with np.load(path, allow_pickle=True) as file:
        kept = {name: file[name] for name in file.files}
    np.savez(path, **{name: value for name, value in (kept | arrays).items() if value is not None})


def test_faults_name_the_file_and_what_to_do(folder: Path, tmp_path: Path) -> None:
    def said() -> str:
        with pytest.raises(InputError) as caught:
            encoder(f"skipthoughts:{folder}").encode(["dog"])
        return str(caught.value)

    with pytest.raises(UsageError, match="`encoder` skipthoughts needs a path"):
        encoder("skipthoughts")
    with pytest.raises(InputError, match=r"dictionary.txt: found a file, expected a folder"):
        encoder(f"skipthoughts:{folder / 'dictionary.txt'}")

    uni, bi, words = folder / "uni_skip.npz", folder / "bi_skip.npz", folder / "dictionary.txt"
    whole = {path: path.read_bytes() for path in folder.iterdir()}

    def mend() -> None:
        for path, data in whole.items():
            path.write_bytes(data)

    uni.unlink()
    words.unlink()
    assert "field `uni_skip.npz`: found no such file" in (text := said())
    assert "field `dictionary.txt`: found no such file" in text
    mend()
    replaced(uni, encoder_Ux=None)
    assert "uni_skip.npz: field `encoder_Ux`: found no such array" in said()
    mend()
    replaced(bi, encoder_r_U=np.zeros((BI, BI), np.float32))
    assert f"field `encoder_r_U`: found shape ({BI}, {BI}), expected ({BI}, {2 * BI})" in said()
    mend()
    replaced(bi, encoder_bx=np.full(BI, np.nan, np.float32))
    assert "bi_skip.npz: field `encoder_bx`: found a number that is not finite" in said()
    mend()
    replaced(bi, encoder_bx=np.array(["a"] * BI))
    assert "bi_skip.npz: field `encoder_bx`: found <U1 of shape" in said()
    mend()
    uni.write_bytes(whole[uni][:200])
    assert "uni_skip.npz: found no archive of arrays" in said()
    mend()
    words.write_text("\n".join(WORDS[:-1]))
    assert f"dictionary.txt: found {len(WORDS) - 1} words, expected {len(WORDS)}, as utable.npy has rows" in said()
    words.write_text("\n".join(["x" if word == "UNK" else word for word in WORDS]))
    assert "dictionary.txt: found no word UNK" in said()
    words.write_bytes(b"\xff\n" * len(WORDS))
    assert "dictionary.txt: found what is no UTF-8" in said()
    mend()
    utable = folder / "utable.npy"
    np.save(utable, np.full((len(WORDS), WORD), np.inf, np.float32))
    assert "utable.npy: row " in (text := said())
    assert "found a number that is not finite" in text
    np.save(utable, np.zeros((len(WORDS), WORD + 1), np.float32))
    assert f"utable.npy: found rows of {WORD + 1} numbers, expected {WORD}, as the weights have" in said()
    np.save(utable, np.zeros((len(WORDS), WORD), np.int32))
    assert "utable.npy: found int32 of shape" in said()
    utable.write_bytes(whole[utable][:-4])
    assert "bytes of numbers" in said()
    utable.write_bytes(b"no array")
    assert "utable.npy: found no array" in said()
    mend()
    said_once = encoder(f"skipthoughts:{folder}").encode(["dog"])
    assert np.isfinite(said_once).all()


def test_a_header_that_claims_too_much_makes_no_room(folder: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (10**6, 10**6)})
    with zipfile.ZipFile(folder / "uni_skip.npz", "w") as archive:
        archive.writestr("encoder_Ux.npy", head.getvalue())
    with pytest.raises(InputError, match=r"field `encoder_Ux`: found float32 of shape \(1000000, 1000000\)"):
        encoder(f"skipthoughts:{folder}")


def test_the_signature_is_of_all_files(folder: Path) -> None:
    first = encoder(f"skipthoughts:{folder}").signature
    (folder / "uni_skip.npz.pkl").write_bytes(b"never read")
    assert encoder(f"skipthoughts:{folder}").signature == first
    words = folder / "dictionary.txt"
    words.write_bytes(words.read_bytes().replace(b"park", b"road"))
    assert encoder(f"skipthoughts:{folder}").signature != first
