"""A trained network as a model: what it replies is what it answers from files."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from tests.models.trained_networks import CLASSES, make_network, write_features

from voirdire.errors import UsageError
from voirdire.live.model import AnswerTask, JudgeTask, RankTask, VisualInput
from voirdire.live.providers import make_model
from voirdire.live.settings import LiveOptions
from voirdire.models.answering import VqaAnswerer


@pytest.fixture
def spec(tmp_path: Path) -> str:
    make_network(tmp_path / "n.npz", "mutan-att", write_features(tmp_path / "f.npz", "grid"))
    return f"net:{tmp_path / 'n.npz'},{tmp_path / 'f.npz'}"


def test_it_answers_and_ranks_as_from_files(spec: str, tmp_path: Path) -> None:
    model = make_model(LiveOptions(spec))
    answerer = VqaAnswerer.from_files(tmp_path / "n.npz", tmp_path / "f.npz")
    tasks = [
        (AnswerTask(VisualInput(9), "is it red", alone=True), ()),
        (RankTask(VisualInput(5), "how many", ("2", "none", "red")), ()),
        (AnswerTask(VisualInput(20), "how many"), ()),
    ]
    first, ranked, second = asyncio.run(model.reply_many(tasks))
    wanted = answerer.answer(["is it red", "how many"], np.array([9, 20]))
    assert [first.text, second.text] == wanted
    assert {first.text, second.text} <= {*CLASSES}
    assert list(ranked.scores) == answerer.log_likelihoods("how many", 5, ("2", "none", "red"))
    assert asyncio.run(model.reply(*tasks[0])) == first
    assert model.skills == {"answer", "rank"}


def test_its_identity_is_that_of_weights_and_features(spec: str, tmp_path: Path) -> None:
    before = make_model(LiveOptions(spec)).identity
    assert before == make_model(LiveOptions(spec)).identity
    write_features(tmp_path / "f.npz", "grid", seed=2)
    assert make_model(LiveOptions(spec)).identity != before


def test_what_it_cannot_do_or_read_is_told(spec: str) -> None:
    with pytest.raises(UsageError, match="cannot do this task"):
        asyncio.run(make_model(LiveOptions(spec)).reply(JudgeTask(VisualInput(5), "", (), "it is red", "truth")))
    with pytest.raises(UsageError, match=r"net:mutan\.npz,features\.h5"):
        make_model(LiveOptions("net"))
