"""Where bytes come from and go to: plain, gzipped, standard streams, what cannot be opened, and reading once."""

import contextlib
import gzip
import hashlib
import io
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from voirdire.errors import InputError, OutputError
from voirdire.formats.files import (
    Source,
    once,
    open_source,
    reading_once,
    same_place,
    write_bytes,
    write_chunks,
    write_json,
    write_lines,
    write_records,
)
from voirdire.formats.small_formats import IMAGE_IDS


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


@pytest.fixture
def special(tmp_path):
    """Things that have a path and are no plain file: none of them has anybody at its other end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-pipe").symlink_to(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "gone").symlink_to(tmp_path / "none")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as each:
        each.bind(str(tmp_path / "socket"))
        yield {
            tmp_path / "pipe": "a pipe",
            tmp_path / "to-pipe": "a pipe",
            tmp_path / "loop": "a link that leads back to itself",
            tmp_path / "gone": "a link to .*none, which is not there",
            tmp_path / "socket": "a socket",
            Path("/dev/zero"): "a device",
            tmp_path: "a folder",
        }


def test_what_is_no_plain_file_is_refused_and_not_waited_for(special):
    for path, what in special.items():
        with pytest.raises(InputError, match=rf"{path}: found {what}, expected a readable file\. (Name|Mend)"):
            open_source(path)


def test_every_reader_of_files_refuses_what_is_none(special):
    from voirdire.answers.cca import read_cca
    from voirdire.formats.question_ranking import read_ranking
    from voirdire.formats.reference_files import read_sets
    from voirdire.text.encoders.protocol import ENCODERS

    readers = [read_cca, read_ranking, read_sets]
    readers += [
        lambda path, name=name: ENCODERS.make(f"{name}:{path}") for name in ("words", "glove", "fasttext", "npz")
    ]
    for read in readers:
        for path in special:
            with pytest.raises(InputError) as caught:
                read(str(path))
            assert str(path) in str(caught.value)


def test_nothing_is_written_in_place_of_what_is_no_plain_file(special):
    for path in special:
        if path.name != "gone":
            with pytest.raises(OutputError, match=str(path)):
                write_bytes(b"x", path)


def test_members_of_a_gzip_come_one_after_the_other(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + bytes(20))
    assert open_source(tmp_path / "a.gz").data == b"one two"
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one") + b"more")
    with pytest.raises(InputError, match="damaged gzip stream"):
        open_source(tmp_path / "a.gz")


def test_a_gzip_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("voirdire.formats.files.SMALL", 100_000)
    for times, members in ((100_000, 1), (50_000, 2)):
        (tmp_path / "a.gz").write_bytes(gzip.compress(b"x" * times) * members)
        assert len(open_source(tmp_path / "a.gz").data) == 100_000
    for times, members in ((100_001, 1), (50_001, 2), (10_000_000, 1)):
        packed = gzip.compress(b"x" * times) * members
        (tmp_path / "a.gz").write_bytes(packed)
        with pytest.raises(InputError, match=f"a gzip of {len(packed):,} bytes that unpacks to more than"):
            open_source(tmp_path / "a.gz")
    # As a real file: many times its size below the limit.
    text = b"".join(b'{"image_id": %d, "caption": "a dog on a couch"}\n' % number for number in range(20_000))
    (tmp_path / "a.gz").write_bytes(gzip.compress(text))
    assert open_source(tmp_path / "a.gz").data == text


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


@once
def read_size(path, factor=1):
    return [factor * len(open_source(path).data)]


class TestOnce:
    """A reader that is marked, inside and outside of a block in which a file is read once."""

    def test_it_reads_a_file_once_inside_and_each_time_outside(self, tmp_path):
        path = tmp_path / "x.txt"
        path.write_bytes(b"abc")
        outside = read_size(path)
        assert read_size(path) is not outside
        with reading_once():
            first = read_size(path)
            with reading_once():
                assert read_size(str(path)) is first
            assert read_size(path) is first
            assert read_size(path, 2) is read_size(path, 2) is not first
            assert read_size(path, factor=2) is read_size(path, factor=2)
        assert first == outside == [3]
        assert read_size(path) is not first

    def test_a_file_that_changed_is_read_again(self, tmp_path):
        path = tmp_path / "x.txt"
        with reading_once():
            with pytest.raises(InputError, match="no such file"):
                read_size(path)
            path.write_bytes(b"abc")
            assert read_size(path) == [3]
            write_bytes(b"abcd", path)
            assert read_size(path) == [4]

    def test_an_error_is_raised_again(self, tmp_path):
        (tmp_path / "x.gz").write_bytes(b"\x1f\x8b")
        with reading_once():
            for _ in range(2):
                with pytest.raises(InputError, match="damaged gzip"):
                    read_size(tmp_path / "x.gz")

    def test_standard_input_is_not_kept(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("-").write_bytes(b"a file of this name")
        with reading_once():
            for size in (2, 5):
                monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * size)))
                assert read_size("-") == [size]

    def test_other_threads_of_the_process_share_what_is_read(self, tmp_path):
        path = tmp_path / "x.txt"
        path.write_bytes(b"abc")
        with reading_once(), ThreadPoolExecutor(1) as pool:
            first = read_size(path)
            assert pool.submit(read_size, path).result() is first

    def test_the_readers_of_formats_are_marked(self, tmp_path, monkeypatch):
        path = tmp_path / "ids.txt"
        path.write_bytes(b"5\n7\n")
        with reading_once():
            record = IMAGE_IDS.read(path)
            monkeypatch.setattr(Path, "read_bytes", None)
            assert IMAGE_IDS.read(path) is record


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_said(name: str) -> None:
    with (
        reading_once(),
        pytest.raises(InputError, match="found a name that no file can have, expected a readable file"),
    ):
        open_source(name)


def test_a_name_that_is_too_long_is_cut_in_the_message() -> None:
    with pytest.raises(InputError, match="File name too long") as error:
        open_source("x" * 5000)
    assert len(str(error.value)) < 600


def test_names_of_the_same_place(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert same_place(tmp_path / "a", tmp_path / "b")
    assert not same_place(tmp_path / "a", tmp_path / "none")
    assert not same_place(tmp_path / "loop", tmp_path / "a")


def test_an_empty_name():
    with pytest.raises(InputError, match="'': found an empty name, expected the name of a file"):
        open_source("")
