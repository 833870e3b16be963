"""The ranking map with LASSO: vectors are made once, lists are certified, bytes do not depend on workers."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from word_ranker import At, questions, words

from voirdire.engine import Here, Processes
from voirdire.errors import InputError, UsageError
from voirdire.formats.question_ranking import read_ranking
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.rank import rank_questions

pytestmark = pytest.mark.slow

POOL, MAIN = make_pool([questions(0, 150)]), questions(120, 60)


class WordVectors:
    """The mean of a fixed random vector for each word; counts the texts that it was asked for."""

    name = "wordvectors"
    dimension = 24

    def __init__(self, signature: str = "a" * 64, broken: str = "") -> None:
        self.signature, self.broken, self.asked = signature, broken, 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += len(texts)
        made = np.array([np.mean([self._word(word) for word in sorted(words(text))], axis=0) for text in texts])
        made[[text == self.broken for text in texts]] = np.nan
        return made.astype(np.float32)

    def _word(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
        return np.random.default_rng(seed).normal(size=self.dimension)


def test_lists_are_certified_and_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    encoder, made = WordVectors(), []
    for workers, engine in ((1, Here()), (2, Processes(2))):
        out = tmp_path / str(workers) / "r.parquet"
        ranked = rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=1e-4), encoder, engine=engine)
        assert ranked.certified == ranked.texts == 60
        made.append([path.read_bytes() for path in sorted(out.parent.iterdir())])
    assert made[0] == made[1]
    assert encoder.asked == 2 * (150 + 60)
    proofs = pl.read_parquet(tmp_path / "1" / "r.certificates.parquet")
    assert (proofs["gap"] <= 1e-8).all()
    assert (proofs["support"] > 0).all()
    assert proofs["left_out"].is_not_null().sum() == ranked.own == 30
    ranking = read_ranking(tmp_path / "1" / "r.parquet")
    assert (ranking.signature["encoder"], ranking.signature["encoder_hash"]) == ("wordvectors", "a" * 64)
    assert ranking.signature["lambda"] == 1e-4
    assert all(text not in ranking.of(row) for row, text in enumerate(ranking.questions))


def test_a_main_question_kept_in_the_pool_is_its_own_neighbour(tmp_path: Path) -> None:
    options = RankQuestionsOptions(lam=1e-6, keep_main=True)
    rank_questions(questions(0, 20), POOL, tmp_path / "r.parquet", options, WordVectors())
    ranking = read_ranking(tmp_path / "r.parquet")
    for row, text in enumerate(ranking.questions):
        assert ranking.of(row)[0] == text
        assert ranking.scores_of(row)[0] == pytest.approx(1, abs=1e-3)


def test_a_vector_that_is_no_number_is_named(tmp_path: Path) -> None:
    broken = WordVectors(broken="Is the cat red?")
    with pytest.raises(InputError, match=r"encoder wordvectors: found a vector of 'Is the cat red\?' with a number"):
        rank_questions(MAIN, POOL, tmp_path / "r.parquet", RankQuestionsOptions(), broken)
    assert not (tmp_path / "r.parquet").exists()


def test_another_encoder_does_not_go_on_with_the_work(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    out = tmp_path / "r.parquet"
    with pytest.raises(KeyboardInterrupt):
        rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), WordVectors(), stages=At(rank=stop))
    with pytest.raises(UsageError, match=r"another run \(encoder_hash: aaaaaaaaaaaa against bbbbbbbbbbbb\)"):
        rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), WordVectors("b" * 64))
    with pytest.raises(UsageError, match=r"another run \(lambda: 0\.1 against 0\.2\)"):
        rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.2), WordVectors())
    encoder = WordVectors()
    assert rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), encoder).kept == 60
    assert encoder.asked == 0


@pytest.mark.parametrize(("engine", "shared"), [(Here(), []), (Processes(2), ["vectors.npy"])])
def test_vectors_are_laid_out_only_for_processes_that_share_them(
    tmp_path: Path, engine: Here | Processes, shared: list[str]
) -> None:
    out, seen = tmp_path / "r.parquet", set()

    def look(done: int, total: int) -> None:
        seen.update(path.name for path in Path(f"{out}.work").iterdir() if path.is_file())

    rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), WordVectors(), engine=engine, stages=At(rank=look))
    assert sorted(seen) == ["lock", "questions.msgpack", "run.json", "signature.json", *shared]


def test_vectors_that_a_stopped_run_shared_are_not_made_again(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    out, encoder = tmp_path / "r.parquet", WordVectors()
    for engine in (Processes(2), Here()):
        with pytest.raises(KeyboardInterrupt):
            rank_questions(
                MAIN, POOL, out, RankQuestionsOptions(lam=0.1), WordVectors(), engine=engine, stages=At(rank=stop)
            )
    rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), encoder, engine=Processes(2))
    assert encoder.asked == 0
    assert not Path(f"{out}.work").exists()


class Hearing(At):
    """Keeps what is said."""

    def __init__(self, said: list[str]) -> None:
        super().__init__()
        self._said = said

    def say(self, text: str) -> None:
        self._said.append(text)


@pytest.mark.parametrize("harm", ["altered", "cut short"])
def test_vectors_that_are_not_as_they_were_written_are_made_anew(tmp_path: Path, harm: str) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    out, encoder, said = tmp_path / "r.parquet", WordVectors(), list[str]()
    with pytest.raises(KeyboardInterrupt):
        rank_questions(
            MAIN, POOL, out, RankQuestionsOptions(lam=0.1), WordVectors(), engine=Processes(1), stages=At(rank=stop)
        )
    vectors = Path(f"{out}.work") / "vectors.npy"
    data = bytearray(vectors.read_bytes())
    data[200:600] = bytes(400)
    vectors.write_bytes(data if harm == "altered" else data[:-700])
    rank_questions(MAIN, POOL, out, RankQuestionsOptions(lam=0.1), encoder, engine=Processes(1), stages=Hearing(said))
    assert encoder.asked > 0
    assert said == [f"{vectors}: not as it was written; the vectors are made anew"]
    rank_questions(MAIN, POOL, tmp_path / "s.parquet", RankQuestionsOptions(lam=0.1), WordVectors())
    assert out.read_bytes() == (tmp_path / "s.parquet").read_bytes()
