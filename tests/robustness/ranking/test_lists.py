"""Short lists filled up at score 0, and a main question that is kept in the pool: what counts as a neighbour then."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from word_ranker import make, questions

from voirdire.errors import InputError
from voirdire.formats.catalogue import look
from voirdire.formats.files import open_source
from voirdire.formats.question_ranking import FORMAT, read_ranking
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.options import OptionError
from voirdire.robustness.exam import FILLED, HelpfulOptions, PerturbOptions, RankQuestionsOptions
from voirdire.robustness.helpful import add_helpful
from voirdire.robustness.noise import perturb, reached
from voirdire.robustness.pool import make_pool
from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.ranking.lists import FoundLists, fill_up, itself_first
from voirdire.robustness.ranking.rank import rank_questions
from voirdire.robustness.ranking.summary import as_run, compare_rankings

pytestmark = pytest.mark.slow

POOL = make_pool([questions(0, 120)])
MAIN = VqaQuestions.from_rows(
    [*questions(90, 10).rows(), VqaQuestion(50, 1, "Zebra crossing ahead?"), VqaQuestion(51, 1, " ")]
)
LASSO = RankQuestionsOptions(top=21, keep_main=True, fill_up=True)


def ranked(path: Path, **options):
    made = rank_questions(MAIN, POOL, path, RankQuestionsOptions("words", top=21, **options), make=make)
    return made, read_ranking(path)


def lists(places, scores):
    count = len(places)
    return FoundLists(
        np.array(places, np.int32), np.array(scores), {}, np.ones(count, np.bool_), {}, np.zeros(count, np.int64)
    )


def test_lists_are_filled_in_the_pool_s_order() -> None:
    filled_up = fill_up(lists([[5, 0, -1, -1], [1, 2, 3, 4]], [[0.5, 0.1, 0, 0], [4, 3, 2, 1]]), np.array([1, -1]), 6)
    assert filled_up.places.tolist() == [[5, 0, 2, 3], [1, 2, 3, 4]]
    assert filled_up.filled.tolist() == [2, 0]
    assert filled_up.scores[0].tolist() == [0.5, 0.1, 0, 0]
    # The pool may have too few.
    filled_up = fill_up(lists([[1, -1, -1, -1]], [[0.5, 0, 0, 0]]), np.array([0]), 3)
    assert (filled_up.places.tolist(), filled_up.filled.tolist()) == ([[1, 2, -1, -1]], [1])


def test_a_text_itself_stands_before_others_of_its_score() -> None:
    given = lists([[3, 5, 7, -1], [3, 5, 7, -1], [3, 5, 7, 1]], [[1.0, 1.0, 0.2, 0], [1.0, 0.5, 0.2, 0], [1, 1, 1, 1]])
    itself = np.array([5, 5, -1])
    reordered = itself_first(given, itself, alone=False)
    assert reordered.places.tolist() == [[5, 3, 7, -1], [3, 5, 7, -1], [3, 5, 7, 1]]
    assert reordered.scores.tolist() == given.scores.tolist()
    reordered = itself_first(given, itself, alone=True)
    assert reordered.places.tolist() == [[5, 7, -1, -1], [3, 5, 7, -1], [3, 5, 7, 1]]
    assert reordered.scores[0].tolist() == [1.0, 0.2, 0, 0]


def test_files_say_what_was_filled_and_neighbours_stay_what_they_were(tmp_path: Path) -> None:
    short, before = ranked(tmp_path / "short.parquet")
    full, after = ranked(tmp_path / "full.parquet", fill_up=True)
    assert before.lengths.min() == 0
    assert after.lengths.tolist() == [21] * 11 + [0]
    assert after.neighbours.tolist() == before.lengths.tolist()
    assert (full.rows, full.short, full.empty) == (short.rows, short.short, short.empty)
    assert full.filled == 21 * 11 - short.rows == int((after.scores == 0).sum())
    assert full.lists == int((before.lengths[:-1] < 21).sum())
    assert (short.filled, short.lists) == (0, 0)
    (line,) = (line for line in full.lines() if line.startswith("filled up"))
    assert line.startswith(f"filled up: {full.lists} main questions, with {full.filled:,} questions of the pool")
    assert any("fill_up would fill" in line for line in short.lines())
    assert as_run(full).measures["filled"].value == full.filled
    certificates = pl.read_parquet(tmp_path / "full.certificates.parquet")
    assert (certificates["neighbours"] + certificates["filled"]).to_list() == after.lengths.tolist()
    # What was found comes first, what fills up is the pool's first questions but the main one and those listed.
    for row in range(len(after) - 1):
        count = before.lengths[row]
        assert after.of(row)[:count] == before.of(row)
        rest = [text for text in POOL.texts if text not in before.of(row) and text != MAIN.questions[row]]
        assert after.of(row)[count:] == rest[: 21 - count]
    again = rank_questions(MAIN, POOL, tmp_path / "full.parquet", RankQuestionsOptions("words", top=21, fill_up=True),
                           make=make)  # fmt: skip
    assert (again.finished, again.filled, again.lists) == (True, full.filled, full.lists)


@pytest.mark.parametrize("name", FILLED)
def test_lists_of_text_rankers_reach_the_21_of_the_paper_unless_told_otherwise(name: str, tmp_path: Path) -> None:
    path, bare = tmp_path / "whole.parquet", tmp_path / "bare.parquet"
    whole = rank_questions(MAIN, POOL, path, RankQuestionsOptions(name))
    short = rank_questions(MAIN, POOL, bare, RankQuestionsOptions(name, fill_up=False))
    full, before = read_ranking(path), read_ranking(bare)
    assert full.lengths.tolist() == [21] * 11 + [0]
    assert (whole.signature["fill_up"], short.signature["fill_up"], short.filled) == (True, False, 0)
    assert full.neighbours.tolist() == before.lengths.tolist()
    for row in range(len(full) - 1):
        rest = [text for text in POOL.texts if text not in before.of(row) and text != MAIN.questions[row]]
        assert full.of(row) == [*before.of(row), *rest[: 21 - before.lengths[row]]]


def test_lasso_takes_nothing_in_at_0_unless_it_is_told_to(tmp_path: Path) -> None:
    main, pool = MAIN, make_pool([questions(0, 30)])
    rank_questions(main, pool, tmp_path / "lists.parquet", RankQuestionsOptions(), Alike())
    assert (read_ranking(tmp_path / "lists.parquet").scores > 0).all()
    assert not RankQuestionsOptions().fills_up
    assert RankQuestionsOptions(fill_up=True).fills_up


def test_what_fills_up_counts_as_a_neighbour_nowhere(tmp_path: Path) -> None:
    _, before = ranked(tmp_path / "short.parquet")
    _, after = ranked(tmp_path / "full.parquet", fill_up=True)
    options = HelpfulOptions(s1=-1, s2=-1, s3=-1)
    (plain, run), (filled, other) = (add_helpful(one, options) for one in (before, after))
    assert filled.questions == plain.questions
    assert other.measures == run.measures
    assert compare_rankings(before, after).measures["overlap"].value == 1.0


def test_partitions_of_filled_lists_reach_every_question(tmp_path: Path) -> None:
    _, before = ranked(tmp_path / "short.parquet")
    _, after = ranked(tmp_path / "full.parquet", fill_up=True)
    last = perturb(after, "7", PerturbOptions(max_words=0))
    assert reached(after)[-1] == "control1"
    assert last.left_out == 1  # the question without text
    assert last.filled == int((before.lengths[:-1] < 21).sum())
    assert f"{last.filled} with questions that only fill the list up" in str(last)
    assert last.questions.meta["info"]["filled"] == last.filled
    assert last.questions.meta["info"]["ranking"]["fill_up"] is True


def test_a_score_of_0_is_read_only_where_the_file_says_why(tmp_path: Path) -> None:
    ranked(tmp_path / "full.parquet", fill_up=True)
    table = pl.read_parquet(tmp_path / "full.parquet")
    metadata = pl.read_parquet_metadata(tmp_path / "full.parquet")["voirdire.ranking"]
    other = tmp_path / "other.parquet"
    table.write_parquet(other, metadata={"voirdire.ranking": metadata.replace('"fill_up": true', '"fill_up": false')})
    with pytest.raises(InputError, match=r"found 0\.0, expected a number above 0"):
        read_ranking(other)
    table.write_parquet(other)
    with pytest.raises(InputError, match="expected a number above 0"):
        read_ranking(other)
    raised = table.with_columns(pl.when(pl.col("rank") == 21).then(0.5).otherwise(pl.col("score")).alias("score"))
    raised.write_parquet(other, metadata={"voirdire.ranking": metadata})
    with pytest.raises(InputError, match="no more than the score of the rank before"):
        read_ranking(other)
    below = table.with_columns(pl.when(pl.col("score") == 0).then(-1.0).otherwise(pl.col("score")).alias("score"))
    below.write_parquet(other, metadata={"voirdire.ranking": metadata})
    with pytest.raises(InputError, match="expected a number, 0 or more"):
        read_ranking(other)
    source = open_source(tmp_path / "full.parquet")
    assert look(source).keys
    assert "that only fill lists up" in FORMAT.describe(FORMAT.parse(source))


class Alike:
    """Vectors by the letters of a text's words in any order: two questions of the same words are one vector."""

    name, signature, dimension = "alike", "a" * 64, 64

    def encode(self, texts):
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().rstrip("?").split():
                found[row, sum(map(ord, word)) % self.dimension] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def test_a_kept_main_question_takes_the_first_place_and_all_others_score_zero(tmp_path: Path) -> None:
    """vqa-robustness, Figure 8; of questions of one vector the main question itself has it all."""
    twin = VqaQuestion(9, 1, "Red is the dog?")
    pool = make_pool([VqaQuestions.from_rows([twin]), questions(0, 120, first_id=10)])
    main = VqaQuestions.from_rows([VqaQuestion(1, 1, "Is the dog red?"), VqaQuestion(2, 1, "Is the cat red?")])
    rank_questions(main, pool, tmp_path / "r.parquet", LASSO, Alike())
    ranking = read_ranking(tmp_path / "r.parquet")
    assert ranking.neighbours.tolist() == [1, 1]
    for row in range(2):
        assert ranking.of(row)[0] == main.questions[row]
        assert ranking.scores_of(row)[0] == pytest.approx(1, abs=1e-5)
        others = [text for text in pool.texts if text != main.questions[row]]
        assert ranking.of(row)[1:] == others[:20]
    assert len(perturb(ranking, "7").questions) == 2
    # Without the fill-up no partition is reached.
    rank_questions(main, pool, tmp_path / "bare.parquet", replace(LASSO, fill_up=False), Alike())
    assert reached(read_ranking(tmp_path / "bare.parquet")) == ["clean"]


def test_smoothing_is_for_bleu() -> None:
    with pytest.raises(OptionError, match="`smoothing` is for bleu1, bleu2, bleu3, bleu4; cider has none"):
        RankQuestionsOptions("cider", smoothing="add-one")


def test_neighbours_have_the_shape_that_a_ranker_gives() -> None:
    """Filling is no ranker's matter: theirs end in −1."""
    found = make(POOL.texts, None, 0.0).rank(["Zebra?"], [np.empty(0, np.int64)], 3)
    assert isinstance(found, Neighbours)
    assert found.places.tolist() == [[-1, -1, -1]]
