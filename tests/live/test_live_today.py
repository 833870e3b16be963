"""Replies as today's chat models and their gateways write them: what is said, what is only thought, what is a fault."""

import asyncio
import json

import pytest
from scripted import Answer, chat, serving

from voirdire.live.chat import ChatModel, longest
from voirdire.live.client import Client, Limits, Refused, Unanswered
from voirdire.live.endpoint import Endpoint
from voirdire.live.model import (
    CUT,
    DECLINED,
    UNLIKELY,
    AnswerTask,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    PointTask,
    VisualInput,
)
from voirdire.live.prompts import read_template
from voirdire.live.reading import declines, read_number, read_question, read_yes_no, split_thought

SEEN = VisualInput(3)
THINGS = tuple(BoxedObject(name, (0, 0, 0.5, 0.5)) for name in ("dog", "cup", "cat"))
ANSWER = AnswerTask(SEEN, "is it red?", "a bus")
JUDGE = JudgeTask(SEEN, "c", (), "it is red.", "truth")


def ask(say, *tasks, tries=1, thinking=0, greet=False, below="/v1"):
    """The replies of a model to tasks one after the other, what was noted, and what was sent."""
    noted = []

    async def wait(seconds):
        pass

    async def go(url):
        async with Client(Endpoint.at(url), Limits(tries=tries), note=noted.append, clock=wait) as client:
            model = ChatModel("m", client, read_template(), thinking)
            if greet:
                await client.greet()
            return [await model.reply(task) for task in tasks]

    with serving(say if callable(say) else lambda *_: say) as server:
        return asyncio.run(go(server.url.removesuffix("/v1") + below)), noted, [body for _, _, body in server.seen]


def message(**fields):
    return chat("", message={"role": "assistant", **fields})


THOUGHT = "Okay, the user asks. Maybe yes? No, I count 3 things. Is it a cat?"


@pytest.mark.parametrize(
    "around",
    [
        "<think>\n{thought}\n</think>\n\n{said}\n",
        "{thought}\n</think>\n\n{said}",
        "<thinking>{thought}</thinking>{said}",
        "◁think▷{thought}◁/think▷{said}",
        "<think>{thought}</think>\n<answer>{said}</answer>",
        "<think>{thought}</think><|begin_of_box|>{said}<|end_of_box|>",
        "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{said}<|return|>",
    ],
)
def test_what_is_thought_is_not_said(around):
    def say(path, headers, body):
        system = body["messages"][0]["content"]
        said = "Is it a dog?" if "say nothing but the question" in system else "2" if "number" in system else "no"
        return chat(around.format(thought=THOUGHT, said=said))

    tasks = [ANSWER, AskTask(SEEN, (), 5), GuessTask(SEEN, (), THINGS), PointTask(SEEN, "red?", THINGS[0]), JUDGE]
    replies, _, _ = ask(say, *tasks)
    assert [one.text for one in replies] == ["no", "Is it a dog?", "2", "no", "no"]
    assert [one.value for one in replies] == [None, "Is it a dog?", 1, "no", "no"]
    assert all(THOUGHT in one.thought for one in replies)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_thought_in_a_field_of_its_own_is_kept(field):
    likely = {"content": [{"top_logprobs": [{"token": "Yes", "logprob": -0.1}]}]}
    (reply,), _, _ = ask(chat("", message={"content": "no", field: THOUGHT}, logprobs=likely), JUDGE)
    # The first token is one of the thought, so that its probabilities say nothing of the answer.
    assert (reply.text, reply.value, reply.how, reply.thought) == ("no", "no", "text", THOUGHT)


@pytest.mark.parametrize(
    "said",
    [
        chat("<think>Let me look at", finish_reason="length"),
        chat("<think>Let me look at"),
        chat("", message={"content": None, "reasoning_content": "Let me"}, finish_reason="length"),
    ],
)
def test_a_thought_without_an_end_leaves_no_room_for_an_answer(said):
    (reply,), _, _ = ask(said, ANSWER)
    assert (reply.text, reply.fault, reply.kept) == ("", "length", True)
    assert reply.thought.startswith("Let me")


def test_room_for_thoughts_is_asked_for_and_is_another_request():
    _, _, (plain,) = ask(chat("no"), ANSWER)
    _, _, (roomy,) = ask(chat("no"), ANSWER, thinking=2000)
    assert roomy["max_tokens"] == plain["max_tokens"] + 2000
    client = Client(Endpoint.at("http://127.0.0.1:9/v1"))
    identities = [ChatModel("m", client, read_template(), room).identity for room in (0, 100, 200)]
    assert len({json.dumps(one) for one in identities}) == 3
    assert "thinking" not in identities[0]


def test_what_was_cut_off_or_refused_in_words_is_marked_and_stays():
    said = [chat("There is a", finish_reason="length"), chat("I’m sorry, but I can’t assist with that."), chat("red")]
    answers = iter(said)
    replies, _, _ = ask(lambda *_: next(answers), ANSWER, ANSWER, ANSWER)
    assert [one.mark for one in replies] == [CUT, DECLINED, ""]
    assert all(one.text and not one.fault for one in replies)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sorry, but I can't help with identifying people.", True),
        ("Sorry, I cannot see the picture you are referring to.", True),
        ("I apologize, but I am unable to determine that from the image.", True),
        ("I cannot assist with this request.", True),
        ("I'm unable to provide that information.", True),
        ("As an AI language model, I don't have eyes.", True),
        ("I don't see any image attached to your message.", True),
        ("I can't view images.", True),
        ("I can't tell", False),
        ("I can't see his face", False),
        ("no, i can't see any", False),
        ("He looks sorry.", False),
        ("The sign says SORRY, WE ARE CLOSED", False),
        ("I see no people", False),
        ("There is no picture on the wall.", False),
    ],
)
def test_refusals_in_words(text, expected):
    assert declines(text) is expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<answer>two</answer>", "two"),
        ("<answer>a</answer> or <answer>b</answer>", "<answer>a</answer> or <answer>b</answer>"),
        ("It says </b> on the sign", "It says </b> on the sign"),
        ("red<|im_end|>", "red"),
        ("I think it is red", "I think it is red"),
    ],
)
def test_what_is_said(text, said):
    assert split_thought(text) == (said, "")


@pytest.mark.parametrize(
    "content", [["yes"], [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "yes"}]]
)
def test_content_in_parts(content):
    (reply,), _, _ = ask(message(content=content), ANSWER)
    assert reply.text == "yes"


@pytest.mark.parametrize("usage", [None, {}, [], {"prompt_tokens": "many"}, {"prompt_tokens": None}])
def test_usage_that_tells_nothing_is_no_fault(usage):
    body = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": usage}).encode()
    (reply,), _, _ = ask(Answer(body), ANSWER)
    assert (reply.text, reply.tokens) == ("yes", (0, 0))


def test_marks_of_bytes_and_halves_of_signs():
    plain = b'{"choices": [{"message": {"content": "a dog \\ud83d\\udc36 and \\ud83d"}}]}'
    (reply,), _, _ = ask(Answer(b"\xef\xbb\xbf" + plain), ANSWER)
    assert reply.text == "a dog 🐶 and �"


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (Answer(b'{"error": {"message": "Upstream timed out", "code": 504}}'), "error 504", "Upstream timed out"),
        (Answer(b'{"error": "overloaded"}'), "error in place of a reply", "overloaded"),
        (chat("", finish_reason="error", error={"message": "Upstream"}), "error in place of a reply", "Upstream"),
        (Answer(b"<!DOCTYPE html><html><title>Sign\n in</title>"), "no JSON", "a web page called 'Sign in'"),
        (Answer(b"<html><h1>x</h1>", 502), "502", "a web page"),
        (Answer(b'data: {"choices": []}'), "no JSON", "data: "),
    ],
)
def test_what_a_gateway_sends_in_place_of_a_reply_is_tried_again_and_told(said, kind, words):
    with pytest.raises(Unanswered, match=words) as caught:
        ask(said, ANSWER, tries=2)
    assert caught.value.kind == kind
    answers = iter([said, chat("yes")])
    (reply,), noted, _ = ask(lambda *_: next(answers), ANSWER, tries=2)
    assert (reply.text, noted) == ("yes", [kind])


def test_an_error_of_the_request_within_a_reply_is_not_tried_again():
    with pytest.raises(Refused, match="said 400: 'too long'"):
        ask(Answer(b'{"error": {"message": "too long", "code": 400}}'), ANSWER, tries=5)


def test_a_wrong_model_is_told_with_those_that_there_are():
    def say(path, headers, body):
        if path.endswith("/models"):
            return Answer(b'{"data": [{"id": "llava"}, {"id": "qwen"}]}')
        return Answer(b'{"error": {"message": "no such model"}}', 404)

    with pytest.raises(Refused, match="no such model'; it serves llava, qwen"):
        ask(say, ANSWER, greet=True)


def test_a_url_without_its_version_is_told():
    with pytest.raises(Refused, match=r"said 404: 'Not Found'; most servers are at .*/v1$"):
        ask(Answer(b'{"detail": "Not Found"}', 404), ANSWER, below="")


def test_a_web_page_where_a_url_has_no_version():
    with pytest.raises(Unanswered, match=r"'Open WebUI'; most servers are at http://127.0.0.1:\d+/v1$"):
        ask(Answer(b"<html><title>Open WebUI</title>"), ANSWER, below="")


def test_too_large_a_request():
    with pytest.raises(Refused, match="said 413: 'too large'; pictures are sent smaller with `longest`"):
        ask(Answer(b"too large", 413), ANSWER)


REFUSALS = {
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
    "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model.",
    "logprobs": "You are not allowed to request logprobs from this model",
}


def test_parameters_that_a_model_refuses_are_left_away_from_then_on():
    def say(path, headers, body):
        for name, words in REFUSALS.items():
            if name in body:
                return Answer(json.dumps({"error": {"message": words}}).encode(), 400)
        return chat("yes")

    replies, noted, sent = ask(say, JUDGE, JUDGE)
    assert [one.value for one in replies] == ["yes", "yes"]
    assert len(sent) == 5
    assert sent[-1]["max_completion_tokens"] == longest(JUDGE)
    assert not {"max_tokens", "temperature", "logprobs", "top_logprobs"} & sent[-1].keys()
    assert len(noted) == 3
    assert "without a temperature: it does not take the one of the exam" in noted


def test_fewer_likeliest_tokens_where_the_usual_number_is_too_many():
    def say(path, headers, body):
        few = body["top_logprobs"] <= 5
        return chat("yes") if few else Answer(b'{"error": {"message": "top_logprobs must be at most 5"}}', 400)

    _, _, sent = ask(say, JUDGE)
    assert [body["top_logprobs"] for body in sent] == [20, 5]


def test_any_other_refusal_ends_it():
    with pytest.raises(Refused, match="context length"):
        ask(Answer(b'{"error": {"message": "the context length is too small"}}', 400), JUDGE)
    with pytest.raises(Refused, match="logprobs"):
        ask(Answer(b'{"error": {"message": "logprobs and all else are refused"}}', 400), JUDGE)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Yes", ""),
        ("No", UNLIKELY),
        ("The answer is no.", UNLIKELY),
        ("Statement: it is red.", ""),
    ],
)
def test_probabilities_count_and_words_against_them_are_marked(text, mark):
    likely = {"content": [{"top_logprobs": [{"token": "Yes", "logprob": -1.0}, {"token": "No", "logprob": -1.1}]}]}
    (reply,), _, _ = ask(chat(text, logprobs=likely), JUDGE)
    assert (reply.value, reply.how, reply.mark) == ("yes", "logprobs", mark)


YES = """Yes, that statement is true.
The statement is **true**.
That's not incorrect.
✅ Yes
Correct!
Based on the dialogue, yes.
\\boxed{Yes}
Yeah, it is.
Final answer: **yes**"""
NO = """- No
The statement is not true.
The statement isn’t correct.
That is incorrect.
Nope.
It is false that the dog is red.
The answer is **No**, because it is red.
That cannot be true.
It has not been settled, so no.
I would say no because it is red.
No dog is visible."""
NEITHER = """Yes and no.
I have no idea.
No idea.
There is no way to tell.
It cannot be determined.
It is unclear whether this is true.
It's impossible to say if it is true or false.
I think so.
That is not entirely correct.
That is not quite true.
There is no dog in the picture.
是
Not yet."""
JUDGED = [(text, value) for value, texts in (("yes", YES), ("no", NO), (None, NEITHER)) for text in texts.split("\n")]
JUDGED += [
    ("Answer: No\n\nExplanation: nobody has said so.", "no"),
    ("**Answer:** Yes\n**Reason:** It is not true that the cup is red.", "yes"),
    ("It may be true, or false.\n\nFinal answer: **No**", "no"),
    ("The first part is true, the second is false.\n\nNo.", "no"),
    ('```json\n{"answer": "No", "reason": "yes, but ..."}\n```', "no"),
    ("Answer:\n\nYes", "yes"),
    ("Yes, it is.\n\nStatement: there is a cup.\nAnswer: No", "yes"),
    ("The answer is no longer clear.", None),
    ("The answer is: yes or no.", None),
    ("I can't answer yes or no.", None),
]
NUMBERED = [
    ("Answer: 2\n\nExplanation: object 1 is left of 3.", 1),
    ("**2**\n\nBecause object 1 is small.", 1),
    ("My guess is object 3, not 1.", 2),
    ("1. dog\n2. cat\nAnswer: #2", 1),
    ("The answer is 2 or 3.", None),
    ("Answer: 2.5", None),
    ("Answer: 2\nAnswer: 3", None),
]
ASKED = [
    ("Okay, is it red?", "is it red?"),
    ("**Question 3:** Sure! Is it red?", "Is it red?"),
    ("Sure, here's my next question:\n\nIs it on the left?", "Is it on the left?"),
    ("Is it red?\n\n(Yes/No)", "Is it red?"),
    ("Does it look great, or is it old?", "Does it look great, or is it old?"),
]


@pytest.mark.parametrize(("text", "value"), JUDGED)
def test_yes_and_no_in_prose(text, value):
    assert read_yes_no(text) == value


@pytest.mark.parametrize(("text", "place"), NUMBERED)
def test_numbers_in_prose(text, place):
    assert read_number(text, ["dog", "cat", "cup"]) == place


@pytest.mark.parametrize(("text", "question"), ASKED)
def test_questions_in_prose(text, question):
    assert read_question(text) == question
