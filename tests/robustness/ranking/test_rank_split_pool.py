"""A ranking whose pool is cut into parts: the same files, without the pool in memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from lasso_cases import sentence_like

from voirdire.engine import Engine, Here, Processes
from voirdire.errors import UsageError
from voirdire.formats.question_ranking import work_folder
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.lasso import Dictionary
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.rank import rank_questions

TEXTS = [f"Is number {i} large?" for i in range(3000)]


def records(texts: Sequence[str], first: int) -> VqaQuestions:
    return VqaQuestions.from_rows(VqaQuestion(first + at, 7 + at // 3, text) for at, text in enumerate(texts))


MAIN, POOL = records(TEXTS[2850:], 1), make_pool([records(TEXTS[:2900], 10_000)])


class Table:
    """An encoder that looks texts up; it counts them."""

    name, signature, dimension = "table", "0" * 64, 24

    def __init__(self) -> None:
        rows = sentence_like(np.random.default_rng(0), len(TEXTS), self.dimension)
        rows[500:510] = rows[:10]
        self._rows, self.asked = dict(zip(TEXTS, rows, strict=True)), 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += len(texts)
        return np.array([self._rows[text] for text in texts], np.float32).reshape(len(texts), self.dimension)


def ranked(folder: Path, engine: Engine | None = None, encoder: Table | None = None, **options) -> dict[str, bytes]:
    out = folder / "r.parquet"
    made = RankQuestionsOptions(lam=1e-4, **options)
    found = rank_questions(MAIN, POOL, out, made, encoder or Table(), engine=engine)
    assert found.certified == found.texts == 150
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["paper", "scikit-learn"])
def test_files_are_the_same_in_any_number_of_parts(tmp_path: Path, monkeypatch, objective: str) -> None:
    whole = ranked(tmp_path / "1", objective=objective)
    assert len(whole) == 3
    monkeypatch.setattr(Dictionary, "of", lambda _: pytest.fail("the pool was held as a whole"))
    for parts, engine in ((2, Here()), (5, Here()), (3, Processes(2))):
        encoder = Table()
        assert ranked(tmp_path / str(parts), engine, encoder, objective=objective, pool_parts=parts) == whole
        assert encoder.asked == len(POOL) + 150


@pytest.mark.slow
def test_work_that_was_stopped_goes_on_in_other_parts_and_without(tmp_path: Path) -> None:
    whole = ranked(tmp_path / "whole")
    out, encoder = tmp_path / "cut" / "r.parquet", Table()

    def stop(parts: int, shards: int) -> None:
        def stages(name: str, unit: str):
            def progress(done: int, total: int) -> None:
                if name == "rank" and done >= shards:
                    raise KeyboardInterrupt

            return progress

        stages.say = stages.note = lambda text: None  # type: ignore[attr-defined]
        options = RankQuestionsOptions(lam=1e-4, pool_parts=parts)
        with pytest.raises(KeyboardInterrupt):
            rank_questions(MAIN, POOL, out, options, encoder, stages=stages)  # type: ignore[arg-type]

    stop(2, 0)
    work = work_folder(out)
    assert (work / "columns" / "original.npy").exists()
    assert not (work / "pool.npy").exists()
    asked = encoder.asked
    stop(5, 128)
    # The pool is laid out already.
    assert encoder.asked == asked + 150
    (work / "columns" / "norms.npy").write_bytes(b"")
    stop(5, 128)
    assert encoder.asked == asked + 2 * 150 + len(POOL)
    assert ranked(tmp_path / "cut") == whole
    assert not work.exists()


def test_parts_are_for_lasso() -> None:
    with pytest.raises(UsageError, match="`pool_parts` is for lasso; bleu1 has no vectors"):
        RankQuestionsOptions(ranker="bleu1", pool_parts=2)
    for wrong in (0, 10_001):
        with pytest.raises(UsageError, match="`pool_parts` must be"):
            RankQuestionsOptions(pool_parts=wrong)
