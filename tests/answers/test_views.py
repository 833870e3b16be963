"""By what rounds are cut into slices: kind of question, pronoun, length of the valid answers."""

import polars as pl
import pytest

from voirdire.answers.views import with_facets

KINDS = {
    "how many people are there": "count",
    "How much snow is there?": "count",
    "what number is on the bus": "count",
    "what color is the cat": "colour",
    "which colour is it?": "colour",
    "what is the color of his shirt": "colour",
    "is the picture in color": "yes/no",
    "are there any other people": "yes/no",
    "Any people?": "yes/no",
    "and is it sunny": "yes/no",
    "doesn't it look cold?": "yes/no",
    "what is he doing": "what",
    "where is the cat": "where",
    "who is holding it": "who",
    "when was this taken": "when",
    "why is she smiling": "why",
    "which of the two is larger": "which",
    "how old is the man": "how",
    "in the picture, what is behind him": "what",
    "the dog is black?": "other",
    "island?": "other",
    "": "other",
}


def facets(questions=None, references=None):
    columns = {"question": questions, "references": references}
    return with_facets(pl.DataFrame({name: column for name, column in columns.items() if column is not None}))


def test_kinds_of_question():
    items, _ = facets(list(KINDS))
    assert dict(zip(KINDS, items["question_type"], strict=True)) == KINDS


@pytest.mark.parametrize(
    ("question", "pronoun"),
    [
        ("is it red", True),
        ("what are they doing?", True),
        ("is that his dog", True),
        ("how many people", False),
        ("is the item red", False),
        ("is there a hero", False),
    ],
)
def test_pronouns_are_words_of_their_own(question, pronoun):
    items, _ = facets([question])
    assert items["pronoun"].to_list() == ["with a pronoun" if pronoun else "without one"]


def test_length_is_the_median_of_the_valid_answers():
    sets = [["yes", "no it is not at all"], ["yes"], ["a b", "a b c"], ["a b c d"], ["a b c d e", "a b c d"], []]
    items, _ = facets(references=sets)
    assert items["length"].to_list() == [
        *("3 to 4 words", "1 to 2 words", "3 to 4 words", "3 to 4 words", "5 or more words"),
        None,
    ]


def test_what_has_no_texts_has_no_facet():
    items, facet_names = with_facets(pl.DataFrame({"round": [1]}))
    assert (items.columns, facet_names) == (["round"], ())
    items, facet_names = facets([None, "is it"])
    assert facet_names == ("question_type", "pronoun")
    assert items["question_type"].to_list() == [None, "yes/no"]
    assert items["pronoun"].to_list() == [None, "with a pronoun"]
