"""Where bytes come from and go to: plain, gzipped, standard streams, and what cannot be opened."""

import gzip
import hashlib
import io
import sys

import pytest

from voirdire.errors import InputError
from voirdire.formats.files import (
    Source,
    open_source,
    write_bytes,
    write_chunks,
    write_json,
    write_lines,
    write_records,
)


def test_gzip_is_known_by_content(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(b"hello"))
    (tmp_path / "b.gz").write_bytes(b"hello")
    assert open_source(tmp_path / "a").data == open_source(str(tmp_path / "b.gz")).data == b"hello"
    assert open_source(tmp_path / "a").fingerprint == hashlib.sha256(b"hello").hexdigest()


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"hello"))))
    assert open_source("-") == Source("-", b"hello")


def test_a_byte_order_mark_is_dropped(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf[1]")
    assert open_source(tmp_path / "a").data == b"[1]"


def test_a_damaged_gzip_says_so(tmp_path):
    whole = gzip.compress(b"hello" * 100)
    for data in (whole[:-3], whole[:12], whole[:-4] + b"\x00\x00\x00\x00", b"\x1f\x8b", b"\x1f\x8bxxxxxxxxxxxxxxxxxxx"):
        (tmp_path / "a.gz").write_bytes(data)
        with pytest.raises(InputError, match=r"a\.gz: found a damaged gzip stream"):
            open_source(tmp_path / "a.gz")


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match="found no such file"):
        open_source(tmp_path / "none")
    with pytest.raises(InputError, match="found a folder"):
        open_source(tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x.json", b'[{"a":1},\n{"a":2}]\n'), ("x.jsonl", b'{"a":1}\n{"a":2}\n'), ("x.jsonlines", b'{"a":1}\n{"a":2}\n')],
)
def test_the_name_says_list_or_lines(tmp_path, name, expected):
    records = [{"a": 1}, {"a": 2}]
    for write in (write_records, write_json):
        write(records, tmp_path / name)
        assert (tmp_path / name).read_bytes() == expected
        write(records, tmp_path / f"{name}.gz")
        assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()) == expected


def test_no_records(tmp_path):
    write_records([], tmp_path / "x.json")
    write_lines([], tmp_path / "x.jsonl")
    assert (tmp_path / "x.json").read_bytes() == b"[]\n"
    assert (tmp_path / "x.jsonl").read_bytes() == b""


def test_a_gzip_has_the_same_bytes_under_every_name(tmp_path):
    write_bytes(b"hello", tmp_path / "a.gz")
    write_bytes(b"hello", str(tmp_path / "b.gz"))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_standard_output(capsysbinary):
    write_json({"a": 1}, "-")
    assert capsysbinary.readouterr().out == b'{"a":1}\n'


def test_a_failed_write_leaves_nothing(tmp_path):
    def chunks():
        yield b"half"
        raise RuntimeError("no more")

    for name in ("x.json", "x.json.gz"):
        with pytest.raises(RuntimeError, match="no more"):
            write_chunks(chunks(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
