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
    listed = read("a:\n  - 1\n  - b: 2\n").places
    assert listed.where("a[1].b") == "line 3"
    assert listed.where("a[7]") == "line 1"


def test_keys_are_taken_as_they_are_written() -> None:
    assert read("no: 1\n2: x\n1.0: y\n").value == {"no": 1, "2": "x", "1.0": "y"}


def test_an_empty_file_has_no_value() -> None:
    assert read("").value is None
    assert read("# nothing\n").value is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "line 2, field `a`: found a second `a`; the first is on line 1"),
        ("a: 1\n b: 2\n", "line 2: found broken YAML"),
        ("a: [1\nb: 2", "line 2: found broken YAML"),
        ("a:\n\tb: 2\n", "Indent with spaces, not with tabs."),
        ("a: &x [*x]\n", "contains itself"),
        ("? [a]\n: 1\n", "a key that is a list or a mapping"),
        ("a: 1\n---\nb: 2\n", "broken YAML"),
        ("a: !!python/object:os.system x\n", "broken YAML"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith("exam.yaml: ")
    assert message in str(caught.value)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        read_yaml(Source("exam.yaml", b"a: \xff\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("output: 2020-13-45", "line 1, field `output`: found '2020-13-45', expected a value that can be read as time"),
        ("a:\n  b: !!int abc", "line 2, field `a.b`: found 'abc', expected a value that can be read as int"),
        ("a: !!float abc", "expected a value that can be read as float"),
        ("a: !!bool abc", "expected a value that can be read as bool"),
        ("a: !!timestamp abc", "expected a value that can be read as timestamp"),
        ("a: " + "9" * 5000, "expected a value that can be read as int"),
        ("a: 0x" + "f" * 5000, "expected a number of an ordinary size"),
        ("a: -0x" + "f" * 5000, "expected a number of an ordinary size"),
        ('a: "x\\0y"', r"line 1, field `a`: found 'x\x00y', expected text without zero bytes"),
        ('a: "x\\ud800y"', r"line 1, field `a`: found 'x\ud800y', expected text without zero bytes"),
        ('a:\n  "x\\ud800y": 1', r"line 2, field `a`: found 'x\ud800y', expected text without zero bytes"),
        ("# " + "x" * 200_000, "found 200,002 bytes, expected a config, of at most 200,000"),
        pytest.param(
            "a: " + "[" * 3000,
            "found YAML that contains itself, or is nested too deeply",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "a: " + "[" * 3000 + "]" * 3000,
            "found YAML that contains itself, or is nested too deeply",
            marks=pytest.mark.slow,
        ),
        ("a: *" + "x" * 5000, "found broken YAML (found undefined alias"),
    ],
    ids=range(15),
)
def test_values_that_there_are_none_of_are_said_with_their_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_yaml(Source("f.yaml", text.encode()))
    assert message in str(error.value)
    assert len(str(error.value)) < 400
    assert "\n" not in str(error.value)


def test_aliases_that_stand_for_billions_of_values_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(InputError, match="more than 100,000 values, with all that aliases stand for"):
        read_yaml(Source("f.yaml", "\n".join(lines).encode()))


def test_utf_16_is_told_from_other_encodings() -> None:
    with pytest.raises(InputError, match="found text in UTF-16, expected text in UTF-8"):
        read_yaml(Source("f.yaml", "a: 1".encode("utf-16")))
