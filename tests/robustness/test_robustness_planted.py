"""Planted flaws show: who is led astray by added questions loses its accuracy, and more so the further they lie."""

import numpy as np
import pytest

from voirdire.formats.question_ranking import read_ranking
from voirdire.formats.scenes import read_scenes
from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions
from voirdire.metrics.r_score import r_score_measure
from voirdire.robustness.accuracy import Judge
from voirdire.robustness.exam import PerturbOptions, RankQuestionsOptions
from voirdire.robustness.noise import perturb
from voirdire.robustness.pool import make_pool, read_pool
from voirdire.robustness.ranking.rank import rank_questions
from voirdire.robustness.score import score_robustness
from voirdire.stats import page_trend, paired_permutation
from voirdire.text.encoders import encoder
from voirdire.world.build import build_world
from voirdire.world.witnesses import answer_vqa, make_witness

pytestmark = pytest.mark.slow

SCENES = 100
WITNESSES = ("truthful", "distractible", "blind")
PARTITIONS = [str(number) for number in range(1, 8)]
LAMBDA = 1e-3
"""Every question still has its 21, in a tenth of the time of the paper's 1e-6, which the documentation's walk takes."""


class Case:
    """A world, the ranking of its pool for the questions of val, and the noisy questions."""

    def __init__(self, folder, ranker):
        build_world(folder, SCENES, 3, text_only=True)
        self.questions = read_vqa_questions(folder / "vqa_val_questions.json")
        self.annotations = read_vqa_annotations(folder / "vqa_val_annotations.json")
        self.scenes = {scene.id: scene for scene in read_scenes(folder / "scenes.jsonl")}
        pool = make_pool([read_vqa_questions(folder / "vqa_train_questions.json"), self.questions])
        path = folder / "ranking.parquet"
        options = RankQuestionsOptions(ranker, lam=LAMBDA) if ranker == "lasso" else RankQuestionsOptions(ranker)
        rank_questions(self.questions, pool, path, options, encoder("minilm") if ranker == "lasso" else None)
        self.ranking, whole = read_ranking(path), read_pool(path)
        joined = PerturbOptions(max_words=0)
        self.noisy = {name: perturb(self.ranking, name, joined, whole).questions for name in (*PARTITIONS, "control")}

    def answers(self, witness, questions):
        return answer_vqa(make_witness(witness), questions, self.scenes).outputs

    def score(self, witness):
        said = {name: self.answers(witness, questions) for name, questions in self.noisy.items()}
        clean = self.answers(witness, self.questions)
        return score_robustness(self.annotations, clean, [said[name] for name in PARTITIONS], said["control"])


@pytest.fixture(scope="module", params=["lasso", "cider"])
def case(request, tmp_path_factory):
    return Case(tmp_path_factory.mktemp("planted") / "world", request.param)


@pytest.fixture(scope="module")
def runs(case):
    return {name: case.score(name) for name in WITNESSES}


def statistics(run):
    return run.items.select("accuracy", "accuracy:partition1").to_numpy()


def test_every_question_has_its_21(case):
    assert all(len(questions) == len(case.questions) for questions in case.noisy.values())


def test_distractible_is_less_robust_than_truthful(runs):
    assert runs["distractible"].measures["accuracy"].value == runs["truthful"].measures["accuracy"].value
    found = paired_permutation(
        statistics(runs["truthful"]),
        statistics(runs["distractible"]),
        r_score_measure("accuracy", "accuracy:partition1").aggregate,
        seed=0,
        clusters=runs["truthful"].items["image_id"].to_numpy(),
    )
    assert found.difference > 0.5
    assert found.p < 0.01


def test_its_accuracy_falls_from_partition_to_partition(runs):
    measures = runs["distractible"].measures
    assert measures["trend_p"].value < 0.01
    assert measures["trend_p"].n == measures["accuracy"].n
    assert measures["accuracy:partition1"].value > measures["accuracy:partition7"].value
    # Random questions disturb more than any that were ranked.
    assert measures["accuracy:control"].value < min(measures[f"accuracy:partition{p}"].value for p in PARTITIONS)


def test_blind_is_perfectly_robust_though_bad(runs):
    measures = runs["blind"].measures
    assert measures["r_score"].value == 1
    assert (measures["r_score"].low, measures["r_score"].high) == (1, 1)
    assert measures["accuracy:partition1"].value < 50 < runs["truthful"].measures["accuracy:partition1"].value
    assert any("however bad it is" in warning for warning in runs["blind"].warnings)
    assert not runs["distractible"].warnings


def test_random_partitionings_have_no_trend(case, runs):
    """The 21 basic questions of each question, dealt to partitions at random 200 times: a trend one time in twenty."""
    table = _by_basic_question(case)
    last = table[:, 2::3]
    in_order = runs["distractible"].items.select(f"accuracy:partition{p}" for p in PARTITIONS).to_numpy()
    assert np.array_equal(last, in_order)  # distractible answers the last question, so these are all that count
    rng = np.random.default_rng(1)
    found = np.array([page_trend(rng.permuted(table, axis=1)[:, 2::3], "falling").p for _ in range(200)])
    # Binomial of 200 at 0.05: between 4 and 17 with 99.5 %.
    assert 4 <= int((found < 0.05).sum()) <= 17
    assert 0.4 < found.mean() < 0.6


def _by_basic_question(case):
    """What distractible earns if one basic question alone is added: one row a question, one column a rank."""
    ids = case.questions.question_ids.tolist()
    texts = {row.question_id: row.question for row in case.questions.rows()}
    neighbours = {id_: case.ranking.of(row) for row, id_ in enumerate(case.ranking.question_ids.tolist())}
    judge = Judge(case.annotations)
    columns = []
    for rank in range(21):
        asked = tuple(f"{texts[id_]} {neighbours[id_][rank]}" for id_ in ids)
        questions = VqaQuestions(case.questions.question_ids, case.questions.image_ids, asked, (None,) * len(ids))
        columns.append(judge.judge(case.answers("distractible", questions), "results").official)
    return np.stack(columns, axis=1)
