"""The catalogue: what a cheap look shows, that every format knows its own files only, and what is said of others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.errors import InputError
from voirdire.exam import exams_reading
from voirdire.formats import FORMATS, catalogue
from voirdire.formats.catalogue import Format, Sample, detect, formats, look
from voirdire.formats.files import Source
from voirdire.formats.guesswhat import read_games
from voirdire.formats.option_numbers import read_dense, read_ranks
from voirdire.formats.visdial import read_visdial

sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))

import format_cases


def sample(data):
    return look(Source("file", data))


class TestLook:
    def test_an_object_with_its_keys_one_level_down(self):
        seen = sample(b' {"a": {"b": [1], "c": {"d": 1}}, "e": [5, 6]}')
        assert seen == Sample("object", frozenset({"a", "a.b", "a.c", "e"}), {"b": [1]})

    def test_the_first_value_of_an_object_is_cut(self):
        assert sample(b'{"a": [[1, 2], [3]]}').first == [[1]]
        assert sample(b'{"a": 2.5, "b": 1}').first == 2.5
        assert sample(b"{}") == Sample("object", frozenset(), None)

    def test_an_object_over_several_lines(self):
        assert sample(b'{\n"a": 1,\n"b": 2\n}\n') == Sample("object", frozenset({"a", "b"}), 1)

    def test_a_list_shows_its_first_record(self):
        assert sample(b'\n[{"a": 1}, {"b": 2}]') == Sample("list", frozenset({"a"}), {"a": 1})
        assert sample(b"[5, 6]") == Sample("list", frozenset(), 5)
        assert sample(b"[]") == Sample("list", frozenset(), None)

    def test_a_list_is_recognised_by_a_prefix_even_if_it_breaks_later(self):
        assert sample(b'[{"a": 1}, {"b":') == Sample("list", frozenset({"a"}), {"a": 1})

    def test_a_first_record_longer_than_the_first_prefix(self):
        long = "x" * 100_000
        assert sample(json.dumps([{"a": long}, 1]).encode()).first == {"a": long}

    def test_lines(self):
        assert sample(b'{"a": 1}\n{"b": 2}\n') == Sample("lines", frozenset({"a"}), {"a": 1})

    def test_a_single_line_is_an_object(self):
        assert sample(b'{"a": 1}\n\n').kind == "object"

    def test_tables_and_text(self):
        assert sample(b"a, b,c\r\n1,2,3\n") == Sample("csv", frozenset({"a", "b", "c"}), "a, b,c")
        assert sample(b"a\tb,c\n") == Sample("csv", frozenset({"a", "b,c"}), "a\tb,c")
        assert sample(b"\xef\xbb\xbfhello\nyou\n") == Sample("text", frozenset(), "hello")
        assert sample(b"") == Sample("text", frozenset(), "")

    def test_binary_files(self):
        assert sample(b"\x89HDF\r\n\x1a\nrest").kind == "hdf5"
        assert sample(b"PK\x03\x04rest") == Sample("npz", frozenset(), None)

    @pytest.mark.parametrize(
        "data",
        [
            b"\x00\xff\xfe",
            b"{",
            b"[",
            b'{"a": ',
            b"{\n",
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"{]\n{]",
            b'"',
            b"\n" * 99,
            b'{"a": {"\xff": 1}}',
            b'{"a": {"b": "\xff"}}',
            b'{"a": ["\xff"]}',
            b'{"a": "\xff"}',
        ],
    )
    def test_nothing_makes_it_fail(self, data):
        assert isinstance(sample(data), Sample)


class TestFormats:
    def test_every_module_holds_a_format_with_a_name_of_its_own(self):
        assert [each.name for each in formats()] == list(FORMATS)

    @pytest.mark.parametrize("one", formats(), ids=lambda one: one.name)
    def test_a_format_has_a_title_and_serves_an_exam(self, one):
        assert isinstance(one, Format)
        assert one.title
        # What the world says of itself serves nobody else.
        assert bool(exams_reading(one.name)) == (one.name != "world")

    def test_a_format_is_read_and_written(self):
        assert [each.name for each in formats() if each.write is None] == ["question_ranking", "features"]

    @pytest.mark.parametrize("name", sorted(format_cases.cases()))
    def test_every_seed_is_of_one_format_only(self, name):
        case = format_cases.cases()[name]
        for seed in format_cases.seeds(case):
            seen = sample(seed)
            assert [each.name for each in formats() if each.matches(seen)] == [name]

    def test_the_catalogue_is_light_to_import(self):
        heavy = "{'torch', 'polars', 'scipy', 'h5py', 'sklearn', 'nltk', 'PIL'}"
        script = (
            f"import sys; from voirdire.formats.catalogue import formats; formats(); print({heavy} & set(sys.modules))"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "set()"


class TestReadFile:
    def test_a_file_of_another_format_is_said_to_be_one(self, tmp_path):
        path = tmp_path / "visdial.json"
        path.write_text('{"data": {\n"questions": [],\n"answers": [],\n"dialogs": []}}')
        with pytest.raises(InputError) as caught:
            read_games(path)
        assert str(caught.value) == f"{path}: found VisDial dialogues (visdial), expected GuessWhat?! games (guesswhat)"
        with pytest.raises(InputError, match="length >= 1"):
            read_visdial(path)

    def test_options_are_passed_on(self, tmp_path):
        path = tmp_path / "ranks.json"
        path.write_text(json.dumps([{"image_id": 1, "round_id": 2, "ranks": [*range(1, 101)]}]))
        assert read_ranks(path, 1).rounds.tolist() == read_ranks(path, base=1).rounds.tolist() == [1]
        with pytest.raises(InputError, match="expected dense annotations of VisDial"):
            read_dense(path, base=1)

    def test_binary_data_are_said_to_be_such(self, tmp_path):
        path = tmp_path / "games.jsonl"
        path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\n\x01\n")
        with pytest.raises(InputError, match=r"found binary data \(PNG\), expected GuessWhat\?! games"):
            read_games(path)

    def test_what_is_of_no_other_format_keeps_its_faults(self, tmp_path):
        path = tmp_path / "games.jsonl"
        path.write_text("Dear reader")
        with pytest.raises(InputError, match="line 1: found 'Dear reader'"):
            read_games(path)


class TestDetect:
    def test_a_file_that_fits_several_formats_is_an_error(self, monkeypatch):
        each = formats()[0]
        both = tuple(
            Format(name, name, lambda seen: True, each.parse, each.describe, each.keys, each.notes)
            for name in ("first", "second")
        )
        monkeypatch.setattr(catalogue, "formats", lambda: both)
        with pytest.raises(InputError, match="which fits several formats: first, second"):
            detect(Source("file", b"hello"))

    @pytest.mark.parametrize(
        ("data", "seen"),
        [
            (b"hello world", "text that starts with 'hello world'"),
            (b"", "an empty file"),
            (b" \n", "an empty file"),
            (b"a,b\n", "a table that starts with 'a,b'"),
            (b'{"zz": 1}', "a JSON object with the keys zz"),
            (b"{}", "a JSON object without keys"),
            (b'[{"zz": 1}]', "a JSON list of objects with the keys zz"),
            (b"[7]", "a JSON list of 7"),
            (b" [ ] ", "an empty list"),
            (b"\x89PNG\r\n\x1a\n\x00\x00", "binary data (PNG)"),
            (b"\xff\xd8\xff\xe0, \x00", "binary data (JPEG)"),
            (b"\x93NUMPY\x01\x00", "binary data (npy)"),
            (b"a,\x00\x01", "binary data"),
            (b"\xef\x03\xaa", "binary data"),
            ("a,b".encode("utf-16"), "text in UTF-16"),
            (b'{"zz": 1}\n{"zz": 2}', "JSON lines with the keys zz"),
        ],
    )
    def test_what_is_not_known_is_said_with_what_was_seen(self, data, seen):
        with pytest.raises(InputError) as caught:
            detect(Source("file", data))
        assert str(caught.value).startswith(f"file: found {seen}, expected ")

    def test_it_is_said_where_the_formats_are_listed(self):
        with pytest.raises(InputError, match=r"expected one of the known formats. docs/formats.md lists them.$"):
            detect(Source("file", b"hello"))

    @pytest.mark.parametrize(
        ("data", "hint"),
        [
            ("[1]".encode("utf-16"), "iconv -f UTF-16"),
            (b"\x93NUMPY\x01\x00rest", "numpy.savez"),
            (b"caf\xe9, th\xe9\n", "line 1: found the byte 0xe9, which is not UTF-8, expected text in UTF-8. Convert"),
            (b'[{"a":\n "caf\xe9"}]', "line 2: found the byte 0xe9"),
        ],
    )
    def test_what_to_do_about_other_encodings(self, data, hint):
        with pytest.raises(InputError) as caught:
            detect(Source("file", data))
        assert hint in str(caught.value)

    def test_broken_json_is_said_as_such(self):
        with pytest.raises(InputError, match="broken JSON"):
            detect(Source("file", b'{"questions": [1, 2'))
