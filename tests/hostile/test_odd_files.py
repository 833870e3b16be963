"""Files of other kinds, damaged ones and odd ones: each is refused with one message that names it, nothing crashes."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire.answers.cca import read_cca
from voirdire.errors import InputError
from voirdire.questions.trained_oracle.model_oracle import read_oracle
from voirdire.text.encoders.protocol import ENCODERS

pytestmark = pytest.mark.slow

ABOUT = {
    "format": 1,
    "version": "1",
    "options": {},
    "pairs": 1,
    "encoder": "",
    "signature": "",
    "source": "",
    "data": {},
}
READERS: dict[str, Callable[[Path], Any]] = {
    "cca": read_cca,
    "oracle": read_oracle,
    "npz": lambda path: ENCODERS.make(f"npz:{path}"),
}


def refusal(read: Callable[[Path], Any], path: Path) -> str:
    with pytest.raises(InputError) as error:
        read(path)
    message = str(error.value)
    assert str(path) in message
    assert len(message) < 1500 + len(str(path))
    return message


def packed(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


ODD: dict[str, bytes] = {
    "empty": b"",
    "text": b"caf\xe9",
    "zip alone": b"PK\x03\x04",
    "other arrays": packed(a=np.zeros(3)),
    "objects": packed(about=np.array([{}], dtype=object), texts=np.array([{}], dtype=object), vectors=np.zeros((1, 2))),
    "numbers for text": packed(about=np.array([1.5, np.nan]), texts=np.zeros(1), vectors=np.zeros((1, 2))),
    "half a sign": packed(about=np.array("\ud800"), texts=np.array(["a"]), vectors=np.full((1, 2), np.nan)),
    "no JSON": packed(about=np.array("{"), texts=np.array([["a"]]), vectors=np.zeros(2)),
    "deep JSON": packed(about=np.array("[" * 100_000)),
    "deep bytes": packed(about=np.frombuffer(b"[" * 100_000, np.uint8)),
    "no UTF-8": packed(about=np.frombuffer(b'{"kind": "\xe9"}', np.uint8)),
    "many digits": packed(about=np.array('{"format": ' + "9" * 5000 + "}")),
    "wrong options": packed(about=np.array(json.dumps({**ABOUT, "options": {"k": "x", "p": [1]}}))),
    "options beyond limits": packed(about=np.array(json.dumps({**ABOUT, "options": {"k": 0}}))),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("odd", ODD)
def test_a_foreign_npz_is_refused(reader: str, odd: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(ODD[odd])
    refusal(READERS[reader], path)


@pytest.mark.parametrize("reader", READERS)
def test_a_single_array_is_no_archive(reader: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))
    refusal(READERS[reader], tmp_path / "x.npy")


@pytest.mark.parametrize("reader", READERS)
def test_an_archive_with_other_bytes_anywhere_is_refused_or_read(reader: str, tmp_path: Path) -> None:
    good = packed(about=np.array(json.dumps(ABOUT)), texts=np.array(["a"]), vectors=np.zeros((1, 2)))
    path = tmp_path / "x.npz"
    for place in range(0, len(good), 7):
        for data in (good[:place], good[:place] + b"\xf4\x00" + good[place + 2 :]):
            path.write_bytes(data)
            with contextlib.suppress(InputError):
                READERS[reader](path)


@pytest.mark.parametrize("spec", ["glove", "words", "fasttext"])
@pytest.mark.parametrize(
    "rows",
    [
        *(b"", b"2 3\na 1 2 3\nb 1 2\n", b"5 3\na 1 2 3\n", b"-1 -3\na 1 2 3\n", b"9" * 5000 + b" 3\na 1 2 3\n"),
        *(b"1 3\na nan 1 2\n", b"1 3\na 1e999 1 2\n", b"1 3\na x y z\n", b"\x00\xff" * 100, b"a"),
    ],
    ids=range(10),
)
def test_word_vectors_with_faults_are_refused(spec: str, rows: bytes, tmp_path: Path) -> None:
    path = tmp_path / "v.vec"
    lines = rows.partition(b"\n")[2] if spec == "glove" and b" 3\n" in rows else rows
    path.write_bytes(lines)
    if spec == "glove" and lines == b"a 1 2 3\n":
        return  # Without the wrong first line there is no fault.
    refusal(lambda path: ENCODERS.make(f"{spec}:{path}").encode_distinct(["a"]), path)


@pytest.mark.parametrize(
    "config", [b"", b"{", b"[]", b'{"hidden_size": "x"}', b'{"hidden_size": -1}', b"caf\xe9", b"[" * 100_000]
)
def test_a_folder_of_a_model_with_a_broken_config_is_refused(config: bytes, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(config)
    refusal(lambda path: ENCODERS.make(f"bert:{path}").dimension, tmp_path)
