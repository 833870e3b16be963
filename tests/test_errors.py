"""What a user reads when something is wrong."""

import pickle

from voirdire.errors import InputError, MissingExtra, Problem, VoirDireError, shorten, shorten_text


def test_one_problem_is_one_line_with_place_field_found_and_expected() -> None:
    error = InputError("ranks.json", [Problem("image 7, round 3", "ranks[4]", "'x'", "a number", "Write it anew.")])
    assert str(error) == (
        "ranks.json: image 7, round 3, field `ranks[4]`: found 'x', expected a number. Write it anew."
    )


def test_a_problem_of_the_whole_file_names_no_place() -> None:
    assert str(Problem("", "", "an empty file", "JSON")) == "found an empty file, expected JSON"


def test_problems_of_one_kind_are_one_line_with_three_examples() -> None:
    alike = [Problem(f"line {n}", "", "a" if n < 2 else "c", "b", "Mend it.") for n in range(20)]
    other = [Problem("line 9", "x", "a", "b"), Problem("line 10", "x", "a", "b")]
    assert str(InputError("f.json", [*alike, *other])).splitlines() == [
        "f.json: 22 problems",
        "  line 0: found a, expected b. Mend it. 19 more of this kind: line 1; line 2 (found c); …",
        "  line 9, field `x`: found a, expected b",
        "  line 10, field `x`: found a, expected b",
    ]


def test_twenty_kinds_of_problems_are_shown_and_the_rest_counted() -> None:
    error = InputError("f.json", [Problem("", letter, "a", "b") for letter in "abcdefghijklmnopqrstuvwxyz"])
    lines = str(error).splitlines()
    assert lines[0] == "f.json: 26 problems"
    assert (len(lines), lines[-1]) == (22, "  … and 6 more")


def test_all_user_faults_share_one_base() -> None:
    assert issubclass(InputError, VoirDireError)
    assert 'pip install "spacy>=3.7"' in str(MissingExtra("tagger spacy", "spacy"))


def test_shorten_keeps_one_line_of_bounded_length() -> None:
    assert shorten("a\nb") == r"'a\nb'"
    assert len(shorten("x" * 500)) == 60
    assert shorten("x" * 500).endswith("…")


def test_errors_keep_their_text_on_the_way_between_processes() -> None:
    for error in (InputError("f", [Problem("", "", "a", "b")], 7), MissingExtra("tagger spacy", "spacy")):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_value_that_cannot_be_spelt_out_is_named_by_its_type() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert shorten(10**5000) == "a value of the type int that is too large to show"
    assert shorten(nested) == "a value of the type list that is too large to show"


def test_words_of_a_file_are_one_line_that_can_be_printed() -> None:
    assert shorten_text("a\n b\x1b[2Jc\ud800") == r"a b\x1b[2Jc\ud800"
    assert len(shorten_text("x" * 500)) == 160
