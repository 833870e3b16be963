"""A chat model behind a scripted server: what is sent, what is read, and what is a fault."""

import asyncio
import math
from pathlib import Path

import pytest
from scripted import Answer as Said
from scripted import chat, serving

from voirdire.errors import UsageError
from voirdire.live.chat import ChatModel
from voirdire.live.client import Client, Limits, Unanswered
from voirdire.live.endpoint import Endpoint
from voirdire.live.endpoint_model import split_spec
from voirdire.live.interview import Interview
from voirdire.live.model import (
    LABELS,
    AnswerTask,
    Asking,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    PointTask,
    RankTask,
    VisualInput,
)
from voirdire.live.prompts import read_template
from voirdire.live.reading import YES_NO, likeliest, read_label, read_number, read_question, read_yes_no
from voirdire.live.settings import LiveOptions
from voirdire.options import OptionError

SEEN = VisualInput(3, picture="ab")
DOG, CUP = BoxedObject("dog", (0, 0, 0.5, 0.5)), BoxedObject("cup", (0.5, 0.5, 0.1, 0.1))


def ask(said, task, pictures=(), **fields):
    async def go(url):
        async with Client(Endpoint.at(url), Limits(tries=1)) as client:
            return await ChatModel("m", client, read_template(), **fields).reply(task, pictures)

    with serving(lambda *_: said) as server:
        return asyncio.run(go(server.url)), server.seen


def test_an_answer_with_its_picture_and_tokens():
    reply, seen = ask(chat(" A red cup. "), AnswerTask(SEEN, "what is it?", temperature=0.7, sample=2), (b"\x89PNG..",))
    assert (reply.text, reply.value, reply.fault, reply.tokens) == ("A red cup.", None, "", (7, 3))
    ((path, _, body),) = seen
    assert path == "/v1/chat/completions"
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.7, 2)
    assert body["messages"][-1]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,iVBO")


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (chat(""), "empty"),
        (chat(None), "empty"),
        (chat("", finish_reason="length"), "length"),
        (chat("I cannot", finish_reason="content_filter"), "content filter"),
        (chat(None, message={"role": "assistant", "content": None, "refusal": "I will not."}), "refusal"),
    ],
)
def test_what_is_no_answer_is_told(said, fault):
    reply, _ = ask(said, AnswerTask(SEEN, "what is it?"))
    assert reply.fault == fault


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"choices": []}', b'{"choices": [{"message": 3}]}', b"null"])
def test_json_that_is_no_completion(body):
    with pytest.raises(Unanswered, match="no chat completion"):
        ask(Said(body), AnswerTask(SEEN, "what is it?"))


def test_sentences_are_judged_by_likelihood_where_there_is_one():
    likely = {"content": [{"top_logprobs": [{"token": " No", "logprob": -0.4}, {"token": "Yes", "logprob": -1.2}]}]}
    task = JudgeTask(SEEN, "c", (), "it is red.", "truth")
    reply, seen = ask(chat("Yes", logprobs=likely), task)
    assert (reply.value, reply.how) == ("no", "logprobs")
    assert (seen[0][2]["logprobs"], seen[0][2]["top_logprobs"]) == (True, 20)
    reply, _ = ask(chat("Yes, it is."), task)
    assert (reply.value, reply.how) == ("yes", "text")
    reply, _ = ask(chat("Das weiss ich nicht."), task)
    assert (reply.value, reply.fault) == (None, "")


def likely(**logprobs):
    return {"content": [{"top_logprobs": [{"token": token, "logprob": value} for token, value in logprobs.items()]}]}


@pytest.mark.parametrize(
    ("least_mass", "value", "how"), [(0.5, "no", "text-low"), (0.0, "yes", "logprobs"), (0.0025, "yes", "logprobs")]
)
def test_likelihoods_count_only_where_the_answers_have_enough_of_the_mass(least_mass, value, how):
    """Of a first token that is hardly ever yes or no, the larger of both says nothing: the words count."""
    task = JudgeTask(SEEN, "c", (), "it is red.", "truth")
    first = likely(The=-0.01, Yes=-6.1, No=-8.0)
    reply, _ = ask(chat("The answer is no.", logprobs=first), task, least_mass=least_mass)
    assert (reply.value, reply.how) == (value, how)


def test_a_score_is_one_of_three_labels():
    task = JudgeTask(SEEN, "c", (), "it is red.", "score", ("open", "true", "false"))
    reply, seen = ask(chat("Open", logprobs=likely(Open=-0.2, true=-2.0)), task)
    assert (reply.value, reply.how) == ("open", "logprobs")
    assert "Answer with one word: open, true or false." in seen[0][2]["messages"][-1]["content"]
    reply, _ = ask(chat("It is false.", logprobs=likely(It=-0.1, Yes=-3.0)), task)
    assert (reply.value, reply.how) == ("false", "text-low")
    reply, _ = ask(chat("Yes"), task)
    assert reply.value is None
    task = JudgeTask(SEEN, "c", (), "the door is open.", "score", LABELS)
    for text in ("Statement: the door is open. True.", "The door is open: true", "true, the door is open"):
        assert ask(chat(text), task)[0].value == "true"


def test_games():
    assert ask(chat("1. Is it a dog? It may be."), AskTask(SEEN, (), 5))[0].value == "Is it a dog?"
    assert ask(chat("I cannot see anything."), AskTask(SEEN, (), 5))[0].value is None
    assert ask(chat("**READY**."), AskTask(SEEN, (), 5, may_stop=True))[0].value == ""
    assert ask(chat("READY"), AskTask(SEEN, (), 5))[0].value is None
    # The number is that of the list; the reply's value is the place in the game.
    assert ask(chat("2"), GuessTask(SEEN, (), (DOG, CUP), order=(1, 0)))[0].value == 0
    assert ask(chat("the cup"), GuessTask(SEEN, (), (DOG, CUP), order=(1, 0)))[0].value == 1
    assert ask(chat("No idea."), GuessTask(SEEN, (), (DOG, CUP), order=(1, 0)))[0].value is None
    assert ask(chat("It is number 2."), GuessTask(SEEN, (), (DOG, CUP)))[0].value == 1
    assert ask(chat("N/A"), PointTask(SEEN, "is it red?", DOG))[0].value == "n/a"


def test_it_cannot_rank():
    with pytest.raises(UsageError, match="cannot rank"):
        ask(chat("x"), RankTask(SEEN, "what?", ("a", "b")))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *(("Yes.", "yes"), ("no", "no"), ("Nope, not at all", "no"), ("The answer is yes.", "yes"), ("True", "yes")),
        *(("It is either yes or no.", None), ("Perhaps", None), ("", None), ("nothing to see", None), ("N / A", None)),
    ],
)
def test_yes_and_no(text, read):
    assert read_yes_no(text) == read


def test_numbers_and_categories():
    assert read_number("Object 2", ["dog", "cup"]) == 1
    assert read_number("1 or 2", ["dog", "cup"]) is None
    assert read_number("the cup, I think", ["dog", "cup"]) == 1
    assert read_number("a dog", ["dog", "dog"]) is None
    assert read_number("7", ["dog", "cup"]) is None
    assert read_number("2.5 or 20 %", ["dog", "cup"]) is None
    assert read_number("2. cup, from 1 % to 40 % of the width", ["dog", "cup"]) == 1
    assert read_number("Object 1: the dog, since 2 is a cup", ["dog", "cup"]) == 0
    assert read_number("from 1 % to 2 %", ["dog", "cup"]) is None
    assert read_number("9" * 5000, ["dog", "cup"]) is None


def test_questions():
    assert read_question('Sure!\nQuestion 3: "Is it red?"') == "Is it red?"
    assert read_question("is it on the left") == "is it on the left"
    assert read_question("  \n") == ""


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Sure! Here is my question: Is it red? I hope that helps.", "Is it red?"),
        ('Okay. "Is it on the left?" would be my next question.', "Is it on the left?"),
        ('Is it a "stop sign"?', 'Is it a "stop sign"?'),
        ("We know that it is no dog. Is it one of the cups?", "Is it one of the cups?"),
        ("Let me think.\n\n**Question 4:** is it the man's hat?", "is it the man's hat?"),
        ("- Does it have wheels", "Does it have wheels"),
        ("What colour is it?", "What colour is it?"),
        ("I'm sorry, I cannot see any picture.", ""),
        ("The object is the dog.", ""),
    ],
)
def test_questions_in_the_prose_of_a_chatty_model(text, question):
    assert read_question(text) == question


def test_the_likeliest_label_and_the_mass_of_all():
    assert likeliest({"Yes": -1.0, " yes": -1.2, "No": -0.6}, YES_NO) == ("yes", 1)
    assert likeliest({"maybe": -0.1}, YES_NO) == (None, 0)
    assert likeliest({}, YES_NO) == (None, 0)
    labels = {label: {label} for label in LABELS}
    best, mass = likeliest({"open": -1.5, " Open": -1.6, "true": -1.4, "The": -1.2}, labels)
    assert best == "open"
    assert mass == pytest.approx(math.exp(-1.5) + math.exp(-1.6) + math.exp(-1.4))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Open.", "open"),
        ("**true**", "true"),
        ("False, since the answer was no.", "false"),
        ("true or false", None),
        ("open, true or false? true", "true"),
        ("The answer is: open", "open"),
        ('{"answer": "false"}', "false"),
        ("They have not spoken of it.\n\nopen", "open"),
        ("It is established as true by the second answer.", "true"),
        ("It is still open whether it is true or false.", "open"),
        ("It is not established as true.", None),
        ("Has it been established as true? I would say it is open.", "open"),
        ("It could be true, it could be false.", None),
        ("Nobody knows.", None),
    ],
)
def test_a_label_in_words(text, label):
    assert read_label(text, ("open", "true", "false")) == label


@pytest.mark.parametrize("spec", [None, "", "m", "m@", "@https://x/v1"])
def test_a_model_is_named_with_its_url(spec):
    with pytest.raises(UsageError, match="openai:MODEL@https://host/v1"):
        split_spec(spec)
    assert split_spec("a@b@http://x/v1") == ("a@b", "http://x/v1")


def test_what_users_add_is_sent_and_signed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VD_HEADER", "hush-hush-4711")
    added = {"extra_body": '{"top_k": 1, "temperature": null}', "header": ("X-Team=vision", "X-Key=env:VD_HEADER")}
    with serving(lambda path, headers, body: chat("yes") if body else Said()) as server:
        options = LiveOptions(model=f"openai:m@{server.url}", show="nothing", **added)
        with Interview(options, tmp_path, tmp_path / "m.journal") as interview:

            async def script(ask: Asking) -> str:
                return (await ask(AnswerTask(VisualInput(3), "is it red?"))).text

            assert interview.ask_all([script]) == ["yes"]
            provenance = interview.provenance()
    _, headers, body = server.seen[-1]
    assert body["top_k"] == 1
    assert "temperature" not in body
    assert (headers["x-team"], headers["x-key"]) == ("vision", "hush-hush-4711")
    assert provenance.signed["extra_body"] == '{"temperature":null,"top_k":1}'
    assert provenance.signed["headers"] == "X-Key, X-Team=vision"


@pytest.mark.parametrize(
    "given",
    [
        "{",
        "[1]",
        '{"messages": []}',
        '{"stream": true}',
        '{"n": 2}',
        '{"api_key": "planted"}',
        '{"litellm": [{"extra_headers": {"Authorization": "Bearer planted"}}]}',
    ],
)
def test_what_may_not_be_added(given: str) -> None:
    with pytest.raises(OptionError, match="`extra_body` must") as caught:
        LiveOptions(model="openai:m@http://127.0.0.1:9/v1", extra_body=given)
    assert "planted" not in str(caught.value)
