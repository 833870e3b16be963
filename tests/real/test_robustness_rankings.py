"""Real questions: the pool's size, Table 5 near enough, λ and objectives side by side, and the collapse of Figure 8."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.formats.question_ranking import Ranking, read_ranking
from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.helpful import add_helpful
from voirdire.robustness.pool import Pool, make_pool, yes_no_questions
from voirdire.robustness.ranking.rank import rank_questions
from voirdire.robustness.ranking.summary import compare_rankings
from voirdire.text.encoders import encoder

pytestmark = pytest.mark.slow

HELD_OUT, IN_POOL = 128, 24


@pytest.fixture(scope="module")
def train(real_data: Path) -> VqaQuestions:
    return read_vqa_questions(real_data / "vqa" / "vqa2_subset_train_questions.json.gz")


@pytest.fixture(scope="module")
def pool(train: VqaQuestions) -> Pool:
    return make_pool([train])


@pytest.fixture(scope="module")
def held_out(real_data: Path, pool: Pool) -> VqaQuestions:
    """Main questions that the pool does not hold, no two of the same text, drawn by chance."""
    valid = read_vqa_questions(real_data / "vqa" / "vqa2_subset_valid_questions.json.gz")
    rows = {row.question: row for row in valid.rows() if pool.find(row.question) is None}
    places = np.random.default_rng(0).choice(len(rows), HELD_OUT, replace=False)
    return VqaQuestions.from_rows([list(rows.values())[place] for place in places.tolist()])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("real_rankings")


@pytest.fixture(scope="module")
def at_paper(held_out: VqaQuestions, pool: Pool, folder: Path) -> Ranking:
    ranked = rank_questions(held_out, pool, folder / "paper.parquet", RankQuestionsOptions(), encoder("minilm"))
    assert ranked.certified == HELD_OUT, dict(ranked.reasons)
    return read_ranking(folder / "paper.parquet")


def test_the_pool_of_the_training_questions(pool: Pool, train: VqaQuestions) -> None:
    assert (pool.asked, len(pool), len(set(train.questions))) == (48_061, 32_262, 32_347)
    assert pool.blank == 0


def test_the_yes_no_pool(real_data: Path, train: VqaQuestions) -> None:
    annotations = read_vqa_annotations(real_data / "vqa" / "vqa2_subset_train_annotations.json.gz")
    kinds = dict(zip(annotations.question_ids.tolist(), annotations.answer_types, strict=True))
    wanted = {row.question for row in train.rows() if kinds[row.question_id] == "yes/no"}
    kept = make_pool(yes_no_questions([train], [annotations]))
    assert set(kept.texts) <= wanted
    assert 0.2 * 32_262 < len(kept) <= len(wanted)


def test_table_5_near_enough(at_paper: Ranking) -> None:
    _, run = add_helpful(at_paper)
    for name, value in (
        ("score1", 0.37),
        ("score1:std", 0.16),
        ("score2/score1", 0.59),
        ("score3/score2", 0.71),
    ):
        assert run.measures[name].value == pytest.approx(value, abs=0.05), name
    assert (at_paper.lengths == 21).all()
    assert at_paper.signature["lambda"] == 1e-6


def test_lists_of_two_lambdas_have_much_in_common(
    at_paper: Ranking, held_out: VqaQuestions, pool: Pool, folder: Path
) -> None:
    rank_questions(held_out, pool, folder / "large.parquet", RankQuestionsOptions(lam=1e-2), encoder("minilm"))
    near = compare_rankings(at_paper, read_ranking(folder / "large.parquet")).measures
    assert near["overlap@1"].value is not None
    assert near["overlap"].value is not None
    assert near["overlap@1"].value > 0.6
    assert 0.2 < near["overlap"].value < 0.95


def test_the_objective_of_the_authors_program(
    at_paper: Ranking, held_out: VqaQuestions, pool: Pool, folder: Path
) -> None:
    """Its λ makes other lists; its intercept makes almost none."""
    for name, options in (
        ("program", RankQuestionsOptions(objective="scikit-learn")),
        ("equal", RankQuestionsOptions(lam=1e-5 * 384)),
    ):
        ranked = rank_questions(held_out, pool, folder / f"{name}.parquet", options, encoder("minilm"))
        assert ranked.certified == HELD_OUT, dict(ranked.reasons)
    program, equal = (read_ranking(folder / f"{name}.parquet") for name in ("program", "equal"))
    for other, first, whole in ((at_paper, 0.81, 0.64), (equal, 0.99, 0.98)):
        near = compare_rankings(other, program).measures
        assert near["overlap@1"].value == pytest.approx(first, abs=0.02)
        assert near["overlap"].value == pytest.approx(whole, abs=0.02)


def test_a_main_question_that_stays_in_the_pool_is_all_that_is_found(
    train: VqaQuestions, pool: Pool, folder: Path
) -> None:
    rows = {row.question: row for row in train.rows()}
    places = np.random.default_rng(1).choice(len(pool), IN_POOL, replace=False)
    main = VqaQuestions.from_rows([rows[pool.texts[place]] for place in places.tolist()])
    for keep_main in (False, True):
        out = folder / f"{keep_main}.parquet"
        rank_questions(main, pool, out, RankQuestionsOptions(keep_main=keep_main), encoder("minilm"))
    left_out, kept = (read_ranking(folder / f"{one}.parquet") for one in (False, True))
    for row, text in enumerate(main.questions):
        assert text not in left_out.of(row)
        assert kept.of(row)[0] == text
    first = kept.top_scores(2)
    assert (first[:, 0] > 0.99).all()
    # Almost nothing is left for others: their order is that of rounding, no longer of nearness.
    assert (np.nan_to_num(first[:, 1]) < 0.01).all()
    assert (left_out.top_scores(1)[:, 0] < 0.99).any()
