"""YAML with lines: what is read, where it stands, and what is refused."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.session.yaml_places import read_yaml


def read(text: str) -> object:
    return read_yaml(Source("exam.yaml", text.encode()))


def test_values_and_lines() -> None:
    document = read("a: 1\nb:\n  c: [x, 2.5]\n  d: true\n")
    assert document.value == {"a": 1, "b": {"c": ["x", 2.5], "d": True}}
    assert document.places.lines["a"] == 1
    assert document.places.lines["b"] == 2
    assert document.places.lines["b.c"] == document.places.lines["b.c[1]"] == 3
    assert document.places.lines["b.d"] == 4


def test_the_nearest_part_around_a_path_that_is_not_there() -> None:
    document = read("a:\n  b: 1\nc: 2\n")
    assert document.places.where("a.b") == "line 2"
    assert document.places.where("a.missing.deep") == "line 1"
    assert document.places.where("nowhere") == ""


def test_keys_are_taken_as_they_are_written() -> None:
    assert read("no: 1\n2: x\n1.0: y\n").value == {"no": 1, "2": "x", "1.0": "y"}


def test_an_empty_file_has_no_value() -> None:
    assert read("").value is None
    assert read("# nothing\n").value is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "line 2, field `a`: found a second `a`; the first is on line 1"),
        ("a: 1\n b: 2\n", "line 2: found broken YAML"),
        ("a: [1\nb: 2", "line 2: found broken YAML"),
        ("a:\n\tb: 2\n", "Indent with spaces, not with tabs."),
        ("a: &x [*x]\n", "holds itself"),
        ("? [a]\n: 1\n", "a key that is a list or a mapping"),
        ("a: 1\n---\nb: 2\n", "broken YAML"),
        ("a: !!python/object:os.system x\n", "broken YAML"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith("exam.yaml: ")
    assert said in str(caught.value)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        read_yaml(Source("exam.yaml", b"a: \xff\n"))
