"""What servers say in place of a reply: its words wherever they stand, its kind, and what helps."""

import email.utils
import json
import time
from typing import Any

import pytest

from voirdire.live.server_errors import MOST_WORDS, ServerError, error_within, read_error
from voirdire.runs.provenance import CONTENT, CONTEXT, IMAGE_SAFETY, PICTURE


def of(document: Any, status: int = 400) -> ServerError:
    return read_error(status, json.dumps(document).encode())


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"error": {"message": "too much"}}, "'too much'"),
        ([{"error": {"message": "too much"}}], "'too much'"),
        ({"error": "too much"}, "'too much'"),
        ({"object": "error", "message": "too much"}, "'too much'"),
        ({"detail": "too much"}, "'too much'"),
        (
            {"detail": [{"loc": ["body", "seed"], "msg": "too much", "input": {"temperature": 0}}]},
            "'body | seed | too much'",
        ),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": "too much"}}},
            "'Provider returned error: too much'",
        ),
        ({"error": {}}, "nothing"),
        ("too much", "'too much'"),
        (5, "nothing"),
    ],
)
def test_the_message_stands_in_many_layouts(document: Any, message: str) -> None:
    error = of(document)
    assert error.message == message
    assert "temperature" not in error.words


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("This model's maximum context length is 4097 tokens", CONTEXT),
        ("prompt is too long: 210000 tokens > 200000 maximum", CONTEXT),
        ("Your request was rejected by our safety system", CONTENT),
        ("The input image may contain content that is not allowed", IMAGE_SAFETY),
        ("Could not process image", PICTURE),
        ("image dimensions exceed max allowed size: 8000 pixels", PICTURE),
        ("Image aspect ratio must be smaller than 200", PICTURE),
        ("`inputs` must have less than 4095 tokens. Given: 5000", CONTEXT),
        ("litellm.ContentPolicyViolationError: AzureException", CONTENT),
        ("there is no model called gpt", ""),
        ("Unsupported parameter: 'max_tokens'", ""),
        ("messages must not be empty", ""),
        ("the image model m does not support image input", ""),
        ("The request body is no JSON", ""),
    ],
)
def test_the_kind_of_an_item_s_refusal(words: str, kind: str) -> None:
    assert of({"error": {"message": words}}).kind == kind
    # Neither a limit of the account nor a wrong key is about the item.
    assert {of({"error": words}, status).kind for status in (401, 402, 408, 429)} == {""}


@pytest.mark.parametrize(
    ("status", "words", "hint"),
    [
        (400, "m is not a multimodal model", "`show`"),
        (401, "no", "`key`"),
        (400, "API key not valid", "`key`"),
        (402, "pay", "credit"),
        (400, "Your credit balance is too low to access the API", "credit"),
        (400, "'messages.0' : ('messages.0.content' : value must be a string)", "`show`"),
        (422, "body.messages.0.user.content.str: Input should be a valid string", "`show`"),
        (400, "Image input modality is not enabled for models/gemma-3-1b-it", "`show`"),
        (404, "Resource not found", "?api-version=VERSION"),
        (404, "no such model", "it serves a, b"),
        (413, "large", "`longest`"),
        (400, "only stream is taken", "streams"),
        (400, "prompt_logprobs", "openai:MODEL@URL"),
        (400, "enable_thinking must be false", "`extra_body`"),
        (400, "X-Team is no header", "`header`"),
        (418, "I am a teapot", "`extra_body` and `header`"),
    ],
)
def test_each_message_names_what_helps(status: int, words: str, hint: str) -> None:
    assert hint in of({"error": words}, status).hint(False, ("a", "b"))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3", 3, 3),
        (" 2.5 ", 2.5, 2.5),
        ("in 20 seconds", 15, 20),
        ("-5", None, None),
    ]
    + [
        (text, None, None)
        for text in ("", "²", "nan", "inf", "1e9", "9" * 20, "Fri, 31 Dec 99999999999999 23:59:59 GMT")
    ],
)
def test_how_long_a_server_asks_to_wait(text: str, low: float | None, high: float | None) -> None:
    moment = email.utils.formatdate(time.time() + 20, usegmt=True)
    wait = read_error(503, b"", moment if text == "in 20 seconds" else text).wait
    assert wait is None if low is None or high is None else wait is not None and low <= wait <= high


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Rate limit reached. Please try again in 6.172s. Visit", 6.172),
        ("have exceeded token rate limit. Please retry after 26 seconds.", 26),
        ("Please try again in 2m59.5s.", 179.5),
        ("please try again in 120ms", 0.12),
        ("Please retry in 36.4s.", 36.4),
        ("try again in a while", None),
        ("retry in 5 steps", None),
    ],
)
def test_a_wait_that_the_message_asks_for(words: str, seconds: float | None) -> None:
    assert of({"error": {"message": words}}, 429).wait == seconds
    assert read_error(429, f'{{"error": "{words}"}}'.encode(), "3").wait == 3


def test_a_limit_per_minute_is_no_account_without_credit() -> None:
    quota = "You exceeded your current quota, please check your plan and billing details."
    assert not of({"error": {"message": quota}}, 429).gets_better
    assert of({"error": {"message": f"{quota} Please retry in 36.4s."}}, 429).gets_better


def test_loading_is_no_overload() -> None:
    assert of({"error": {"message": "Loading model"}}, 503).is_loading
    assert of({"error": "Model m is currently loading", "estimated_time": 20.0}, 503).wait == 20
    assert not of({"error": "The model is overloaded"}, 503).is_loading
    assert not of({"error": "Loading model"}, 400).is_loading


def test_words_are_bounded() -> None:
    assert len(of({"error": {"message": "a " * 25_000}}).words) == MOST_WORDS
    assert len(of({"error": {"message": "a " * 25_000}}).message) <= 200
    assert read_error(400, b"<html><title>" + b"a" * 60_000).message == "a web page"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"choices": [1], "error": {"code": 400}}, None),
        ({"error": None}, None),
        ({"error": {"code": 429}}, 429),
        ({"error": {"code": "404"}}, 404),
        ([{"error": {"code": 400}}], 400),
        ({"object": "error", "code": 400}, 400),
        ({"error": {"code": 3051}}, 0),
        ({"error": {"code": "rate_limit"}}, 0),
        ({"error": "x"}, 0),
        (5, None),
    ],
)
def test_an_error_within_a_reply(reply: Any, code: int | None) -> None:
    assert error_within(reply) == code


def test_a_filter_that_is_down_is_no_refusal_of_an_item() -> None:
    down = of({"error": "the moderation service is down"}, 503)
    assert (down.kind, down.gets_better) == ("", True)
    assert of({"error": "the request exceeds the available context size"}, 500).kind == CONTEXT
