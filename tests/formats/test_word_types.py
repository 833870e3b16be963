"""A list of words and the types of questions."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.word_types import parse_word_types, read_word_types, write_word_types


def faults(parse, data):
    with pytest.raises(InputError) as caught:
        parse(Source("file", data))
    return [str(problem) for problem in caught.value.problems]


class TestWordTypes:
    DATA = b"above\tspatial\ncup \tobject\n\norange\tcolor\norange \tobject\ncup\tobject\r\n"

    def test_words_may_have_two_types(self, tmp_path):
        record = parse_word_types(Source("file", self.DATA))
        assert record.by_word == {"above": ("spatial",), "cup": ("object",), "orange": ("color", "object")}
        assert record.notes == ("line 6: cup as object is on line 2 already", "orange is color and object")
        assert detect(Source("file", self.DATA)).name == "word_types"
        write_word_types(record, tmp_path / "w.tsv")
        assert read_word_types(tmp_path / "w.tsv") == record

    def test_faults_name_the_line(self):
        found = faults(parse_word_types, b"cup\tobject\ncup\n\tobject\nred\tcolour\na\tobject\tx\n")
        assert [text.split(", expected")[0] for text in found] == [
            "line 2: found 'cup'",
            "line 3: found '\\tobject'",
            "line 4: found 'colour'",
            "line 5: found 'a\\tobject\\tx'",
        ]
        assert faults(parse_word_types, b" \n") == ["found no word, expected at least one"]
