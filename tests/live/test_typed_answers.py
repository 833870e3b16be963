"""Models that give answers of a type, against a server on loopback."""

import asyncio
import json

import pytest
from scripted import Answer, serving

from voirdire.errors import UsageError
from voirdire.live.client import Client, Limits, Refused, Unanswered
from voirdire.live.endpoint import Endpoint, Secret
from voirdire.live.model import AnswerTask, BoxedObject, JudgeTask, PointTask, Reply, VisualInput
from voirdire.live.prompts import read_template
from voirdire.live.providers import MODELS, make_model
from voirdire.live.settings import LiveOptions
from voirdire.live.typed_answers import TypedModel
from voirdire.live.vision_check import two_pictures, why_blind

DOG = BoxedObject("dog", (0.1, 0.2, 0.3, 0.4))
TASK = JudgeTask(VisualInput(1, told="There are two dogs."), "a park", (("is it sunny?", "no"),), "it is red.", "truth")


def typed(answer, **usage):
    """The reply of such an endpoint."""
    return Answer(json.dumps({"model": "m", "answers": {"answer": answer}, "usage": usage}).encode())


def ask(said, task, pictures=(), key=None):
    """What the model replies, and what was sent."""

    async def run(url):
        client = Client(Endpoint.at(url, key), Limits(tries=2, timeout=5), clock=lambda seconds: asyncio.sleep(0))
        async with client:
            return await TypedModel("m", client, read_template()).reply(task, pictures)

    with serving(lambda path, headers, body: said) as server:
        return asyncio.run(run(server.url)), server.seen


def test_a_sentence_is_judged_by_the_probability_of_yes():
    reply, seen = ask(typed({"type": "noul", "noul": 0.93}, input_tokens=25, output_tokens=0), TASK, key=Secret("k"))
    assert (reply.value, reply.how, reply.text) == ("yes", "typed", "p(yes) = 0.93")
    assert reply.tokens == (25, 0)
    ((path, headers, body),) = seen
    assert path == "/v1/systemone"
    assert headers["authorization"] == "Bearer k"
    assert set(body) == {"model", "state", "questions"}
    assert body["model"] == "m"
    # One proposition per request.
    assert list(body["questions"]) == ["answer"]
    question = body["questions"]["answer"]
    assert question["type"] == "noul"
    assert "it is red." in question["instructions"]
    assert "true of the picture" in question["instructions"]
    assert body["state"].startswith("There are two dogs.\n")
    assert "a park" in body["state"]
    assert "Q: is it sunny?\nA: no" in body["state"]


@pytest.mark.parametrize(("share", "value"), [(0.51, "yes"), (1, "yes"), (0.5, None), (0.49, "no"), (0, "no")])
def test_half_is_neither(share, value):
    assert ask(typed({"type": "noul", "noul": share}), TASK)[0].value == value


def test_a_score_is_a_choice_among_its_labels_in_their_order():
    task = JudgeTask(TASK.seen, TASK.caption, TASK.rounds, TASK.sentence, "score", ("open", "true", "false"))
    reply, seen = ask(typed({"type": "choice", "choice": "open"}), task)
    assert (reply.value, reply.how) == ("open", "typed")
    question = seen[0][2]["questions"]["answer"]
    assert question["type"] == "choice"
    assert list(question["criteria"]) == ["open", "true", "false"]
    assert question["criteria"]["true"] == "it is established as true"
    with pytest.raises(Unanswered):
        ask(typed({"type": "choice", "choice": "yes"}), task)


def test_an_object_is_a_choice():
    said = {"type": "choice", "choice": "n/a", "probabilities": {"yes": 0.1, "no": 0.2, "n/a": 0.7}, "confidence": 0.5}
    reply, seen = ask(typed(said), PointTask(VisualInput(1), "is it red?", DOG))
    assert (reply.value, reply.how) == ("n/a", "typed")
    question = seen[0][2]["questions"]["answer"]
    assert question["type"] == "choice"
    assert list(question["criteria"]) == ["yes", "no", "n/a"]
    assert "dog, from 10 %" in question["instructions"]
    assert seen[0][2]["state"]


def test_a_picture_goes_beside_the_state():
    _, seen = ask(typed({"type": "noul", "noul": 1}), TASK, [b"\x89PNG rest"])
    assert seen[0][2]["images"] == ["data:image/png;base64,iVBORyByZXN0"]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        None,
        {"type": "noul"},
        {"type": "noul", "noul": "high"},
        {"type": "noul", "noul": 1.5},
        {"type": "noul", "noul": None},
        {"type": "choice", "choice": "yes"},
    ],
)
def test_json_that_is_no_typed_answer(answer):
    with pytest.raises(Unanswered, match="the last time: JSON that is no reply"):
        ask(typed(answer), TASK)


@pytest.mark.parametrize("choice", ["maybe", None, ["yes"], 1])
def test_a_choice_of_something_else(choice):
    with pytest.raises(Unanswered, match="the last time: JSON that is no reply"):
        ask(typed({"type": "choice", "choice": choice}), PointTask(VisualInput(1), "is it red?", DOG))


@pytest.mark.parametrize("body", [b"[]", b"null", b'{"answers": []}', b'{"answers": {"other": {}}}', b'"text"'])
def test_json_without_answers(body):
    with pytest.raises(Unanswered, match="the last time: JSON that is no reply"):
        ask(Answer(body), TASK)


def test_what_the_endpoint_refuses_is_told():
    said = Answer(b'{"error": {"message": "model is no decision model"}}', 422)
    with pytest.raises(Refused, match=r"systemone said 422: .?model is no decision model"):
        ask(said, TASK)


def test_it_has_no_words():
    with pytest.raises(UsageError, match=r"cannot answer; it can judge and point"):
        ask(typed({}), AnswerTask(VisualInput(1), "what is it?"))


def test_by_its_name():
    model = make_model(LiveOptions(model="systemone:jev@http://127.0.0.1:9/v1"))
    assert model.name == "systemone:jev@http://127.0.0.1:9/v1"
    assert model.skills == {"judge", "point"}
    assert model.identity["by"] == "types"
    assert model.size(TASK)[0] > 20
    with pytest.raises(
        UsageError, match="`model` systemone needs a model and a URL, as in systemone:MODEL@https://host/v1"
    ):
        MODELS.make("systemone:jev")


@pytest.mark.parametrize("blind", [False, True])
def test_whether_it_sees_is_found_out_by_a_sentence(blind):
    disc, _ = two_pictures()

    async def say(task, spec=""):
        assert isinstance(task, JudgeTask)
        return Reply("p(yes) = 0.9" if task.seen.picture == disc and not blind else "p(yes) = 0.1", how="typed")

    assert bool(asyncio.run(why_blind(say, {"judge", "point"}))) is blind
