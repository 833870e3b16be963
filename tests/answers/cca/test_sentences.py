"""Text before CCA: tokens, the vocabulary, and vectors by hand."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.answers.cca.sentences import END, UNKNOWN, WordSentences, sentences, tokens, vocabulary
from voirdire.errors import InputError, UsageError


def test_tokens() -> None:
    assert tokens("It's 21, isn't it?") == ["its", "twenty", "one", ",", "isnt", "it", "?"]
    assert tokens("") == []


def test_the_vocabulary_counts_occurrences_and_puts_frequent_words_first() -> None:
    texts = [("yes", 7), ("no", 5), ("no yes", 1), ("maybe", 4), (END, 6)]
    assert vocabulary(texts) == ["yes", "<", ">", "eos", "no"]
    assert vocabulary(texts, least=4)[-1] == "maybe"


@pytest.fixture
def table(tmp_path: Path) -> str:
    rows = {"yes": (2, 0), "no": (0, 4), "dog": (6, 6), "rare": (100, 100), "<EOS>": (1, -1), "<unk>": (50, 50)}
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in rows.items()))
    return f"glove:{path}"


def test_a_sentence_is_the_sum_of_its_words_by_the_number_of_its_tokens(table: str) -> None:
    encoded = sentences(table, ["yes", "no", "dog", "absent"])
    assert isinstance(encoded, WordSentences)
    rows = encoded.vectors(["Yes", "no dog", "", "rare", "absent yes"])
    # The end token counts and adds (1, -1); a word outside the vocabulary is <UNK>, which this table lacks.
    np.testing.assert_allclose(rows, [[1.5, -0.5], [7 / 3, 3], [1, -1], [0.5, -0.5], [1, -1 / 3]])


def test_at_most_fifteen_words_and_the_end(table: str) -> None:
    encoded = sentences(table, ["yes", "no"])
    rows = encoded.vectors(["yes " * 15, "yes " * 15 + "no " * 9, "yes " * 14])
    np.testing.assert_allclose(rows[0], [31 / 16, -1 / 16])
    np.testing.assert_array_equal(rows[0], rows[1])
    np.testing.assert_allclose(rows[2], [29 / 15, -1 / 15])


def test_the_signature_holds_the_vocabulary(table: str) -> None:
    assert sentences(table, ["yes"]).signature == sentences(table, ["yes"]).signature
    assert sentences(table, ["yes"]).signature != sentences(table, ["no"]).signature
    with pytest.raises(UsageError, match="which needs the words of train"):
        sentences(table)


def test_numbers_that_are_not_finite_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("yes 1 nan\nno 1 2\n")
    with pytest.raises(InputError, match="word 'yes': found a number that is not finite, expected finite vectors"):
        sentences(f"glove:{tmp_path / 't.txt'}", ["yes", "no"]).vectors(["no"])
    assert UNKNOWN == "<UNK>"
