"""Answers of a trained network: alone, in batches and from files, always the same."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tests.models.trained_networks import CLASSES, IMAGES, QUESTIONS, make_network, write_features

from voirdire.errors import InputError, UsageError
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.formats.vqa_results import read_vqa_results
from voirdire.models import answering
from voirdire.models.answering import VqaAnswerer, answer_files

PAIRS = [(question, image) for question in QUESTIONS for image in IMAGES]


@pytest.fixture(params=["question-only", "lqi", "hieco-att", "mutan", "mutan-att", "mlb-att"])
def answerer(request: pytest.FixtureRequest, tmp_path: Path) -> VqaAnswerer:
    layouts = {"question-only": None, "lqi": "global", "mutan": "global"}
    layout = layouts.get(request.param, "grid")
    features = None if layout is None else write_features(tmp_path / "f.npz", layout)
    make_network(tmp_path / "n.npz", request.param, features)
    return VqaAnswerer.from_files(tmp_path / "n.npz", None if layout is None else tmp_path / "f.npz")


def test_answers_in_a_batch_are_those_alone(answerer: VqaAnswerer, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, images = [question for question, _ in PAIRS], np.array([image for _, image in PAIRS])
    alone = [CLASSES[answerer.scores(question, image).argmax()] for question, image in PAIRS]
    assert answerer.answer(questions, images) == alone
    order = np.random.default_rng(1).permutation(len(PAIRS))
    mixed = answerer.answer([questions[place] for place in order], images[order])
    assert mixed == [alone[place] for place in order]
    monkeypatch.setattr(answering, "PICTURES", 1)
    monkeypatch.setattr(answering, "PAIRS", 5)
    assert answerer.answer(questions, images) == alone
    assert len({*alone}) > 1 or answerer.features is None


def test_scores_are_those_of_the_network(answerer: VqaAnswerer) -> None:
    network, vocabulary = answerer.trained.network(), answerer.trained.vocabulary
    seen = None if answerer.features is None else torch.from_numpy(answerer.features.of(np.array([9])))
    with torch.no_grad():
        wanted = network(torch.from_numpy(vocabulary.padded(["is it red"])), seen)[0]
    np.testing.assert_allclose(answerer.scores("is it red", 9), wanted.numpy(), atol=1e-6)
    likely = answerer.log_likelihoods("is it red", 9, ["no", "nothing", "yes"])
    of_all = wanted.double().log_softmax(0)
    np.testing.assert_allclose([likely[0], likely[2]], [of_all[1], of_all[0]], atol=1e-6)
    assert likely[1] < float(of_all.min())


def test_close_scores_are_made_again_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_network(tmp_path / "n.npz", "question-only")
    answerer = VqaAnswerer.from_files(tmp_path / "n.npz", None)
    asked: list[str] = []
    scores = answerer.scores
    monkeypatch.setattr(
        answerer, "scores", lambda question, image: (asked.append(question), scores(question, image))[1]
    )
    answerer.answer(QUESTIONS, np.full(len(QUESTIONS), 5))
    assert not asked
    monkeypatch.setattr(answering, "CLOSE", 1e9)
    answerer.answer(QUESTIONS, np.full(len(QUESTIONS), 5))
    assert asked == list(QUESTIONS)


def write_questions(path: Path, questions: list[tuple[int, int, str]]) -> Path:
    rows = [VqaQuestion(id_, image, text) for id_, image, text in questions]
    write_vqa_questions(VqaQuestions.from_rows(rows), path)
    return path


def test_several_files_are_answered_at_once(tmp_path: Path) -> None:
    features = write_features(tmp_path / "f.npz", "grid")
    make_network(tmp_path / "n.npz", "mutan-att", features)
    clean = write_questions(tmp_path / "clean.json", [(1, 5, "is it red"), (2, 9, "how many")])
    noisy = write_questions(tmp_path / "noisy.json.gz", [(2, 9, "how many is it red"), (1, 5, "is it red how many")])
    written = answer_files(tmp_path / "n.npz", [clean, noisy], tmp_path / "out", tmp_path / "f.npz")
    assert [(path.name, count) for path, count in written] == [("clean_results.json", 2), ("noisy_results.json", 2)]
    answerer = VqaAnswerer.from_files(tmp_path / "n.npz", tmp_path / "f.npz")
    results = read_vqa_results(tmp_path / "out" / "noisy_results.json")
    assert results.question_ids.tolist() == [2, 1]
    assert results.answers[0] == CLASSES[answerer.scores("how many is it red", 9).argmax()]
    answer_files(tmp_path / "n.npz", [clean], tmp_path / "one.json", tmp_path / "f.npz")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "out" / "clean_results.json").read_bytes()


def test_faults_name_file_and_image(tmp_path: Path) -> None:
    features = write_features(tmp_path / "f.npz", "global")
    make_network(tmp_path / "n.npz", "lqi", features)
    other = write_questions(tmp_path / "q.json", [(1, 77, "is it red")])
    with pytest.raises(InputError, match=r"f\.npz: image 77"):
        answer_files(tmp_path / "n.npz", [other], tmp_path / "r.json", tmp_path / "f.npz")
    assert not (tmp_path / "r.json").exists()
    with pytest.raises(UsageError, match=r"n\.npz was trained on global features"):
        answer_files(tmp_path / "n.npz", [other], tmp_path / "r.json")
    with pytest.raises(UsageError, match="q twice"):
        answer_files(tmp_path / "n.npz", [other, other], tmp_path / "out", tmp_path / "f.npz")
