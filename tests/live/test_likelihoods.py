"""Candidates weighed by an endpoint that gives the likelihoods of a prompt's tokens, as vLLM does."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from scripted import Answer, chat, serving
from tiny_models import TEMPLATE, make_reader

from voirdire.exam import read_run
from voirdire.live.client import Client, Refused
from voirdire.live.endpoint import Endpoint
from voirdire.live.journal import Journal
from voirdire.live.likelihoods import LikelihoodModel
from voirdire.live.local import LocalModel
from voirdire.live.model import RankTask, Reply, VisualInput
from voirdire.live.prompts import read_template
from voirdire.live.scripts import run_scripts

OPTIONS = ("yes", "no", "a red cup", "n", "ein Pfläumchen – 梅")
TASK = RankTask(VisualInput(1, told="a cup"), "what is it", OPTIONS, "a cup", (("is there a cup", "yes"),))
LINE_AFTER = TEMPLATE.replace("{{ '<end_of_utterance>' }}", "{{ '<end_of_utterance>\\n' }}")
THINKING = TEMPLATE.replace(
    "{{ m['role'] + ':' }}",
    "{{ m['role'] + ':' }}{% if loop.last and m['role'] == 'assistant' %}{{ '<s>' }}{% endif %}",
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    folder = tmp_path_factory.mktemp("likelihoods") / "reader"
    make_reader(folder)
    return LocalModel(f"hf:{folder}", read_template())


def weighing(reader: LocalModel, template: str = TEMPLATE) -> Callable[[str, dict[str, str], Any], Answer]:
    """What a server says that has this model, in vLLM's layout: of each token of the prompt its own likelihood, and the
    likeliest one's where that is another."""
    tokeniser, speaker = reader.model.tokeniser, reader.model.speaker
    decoded = cache(lambda token: tokeniser.decode([token]))

    def say(path: str, headers: dict[str, str], body: dict[str, Any] | None) -> Answer:
        if body is None or "prompt_logprobs" not in body:
            return chat("yes")
        tokens = tokeniser.apply_chat_template(
            body["messages"],
            chat_template=template,
            add_generation_prompt=body["add_generation_prompt"],
            return_tensors="pt",
            return_dict=True,
        )["input_ids"]
        with torch.inference_mode():
            likely = speaker(tokens).logits[0].log_softmax(-1)
        places: list[dict[int, dict[str, Any]] | None] = [None]
        own = likely[:-1].gather(1, tokens[0, 1:, None])
        ranks, best = ((likely[:-1] > own).sum(1) + 1).tolist(), likely[:-1].max(1)
        rows = zip(tokens[0, 1:].tolist(), own[:, 0].tolist(), ranks, *(one.tolist() for one in best), strict=True)
        for token, value, rank, highest, other in rows:
            near = [(other, highest, 1)] if rank == 1 else [(other, highest, 1), (token, value, rank)]
            places.append({one: {"logprob": of, "rank": at, "decoded_token": decoded(one)} for one, of, at in near})
        said = json.loads(chat("x").body) | {"prompt_logprobs": places}
        return Answer(json.dumps(said).encode())

    return say


def asked(url: str, journal: Path, task: RankTask = TASK) -> Reply:
    model = LikelihoodModel("tiny", Client(Endpoint.at(url)), read_template())
    with Journal(journal) as kept:
        held = asyncio.run(run_scripts([lambda ask: ask(task)], model, kept))
    assert held.results[0] is not None
    return held.results[0]


@pytest.mark.parametrize("template", [TEMPLATE, LINE_AFTER], ids=["no line", "a line after each turn"])
def test_the_scores_are_those_of_the_model_itself(reader: LocalModel, tmp_path: Path, template: str) -> None:
    tokeniser = reader.model.tokeniser
    tokeniser.chat_template = template
    try:
        here = asyncio.run(reader.reply(TASK)).scores
    finally:
        tokeniser.chat_template = TEMPLATE
    with serving(weighing(reader, template)) as server:
        found = asked(server.url, tmp_path / "journal")
    assert found.how == "logprobs"
    assert found.scores == pytest.approx(here, rel=1e-4)
    assert len(set(found.scores)) == len(OPTIONS)


@pytest.mark.slow
def test_each_candidate_is_kept_and_not_asked_again(reader: LocalModel, tmp_path: Path) -> None:
    with serving(weighing(reader)) as server:
        first = asked(server.url, tmp_path / "journal")
        posted = sum(body is not None for _, _, body in server.seen)
        assert posted == 1 + len(OPTIONS)
        lines = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
        assert len(lines) == posted
        (tmp_path / "journal").write_bytes(b"".join(lines[:3]))
        assert asked(server.url, tmp_path / "journal") == first
        assert sum(body is not None for _, _, body in server.seen) == posted + posted - 3


def test_a_server_without_them_is_refused(tmp_path: Path) -> None:
    with (
        serving(lambda path, headers, body: chat("yes")) as server,
        pytest.raises(Refused, match=r"gives no likelihoods of a prompt's tokens.*ask it as openai:tiny@"),
    ):
        asked(server.url, tmp_path / "journal")


@pytest.mark.slow
def test_a_template_that_puts_something_before_an_answer_is_refused(reader: LocalModel, tmp_path: Path) -> None:
    with (
        serving(weighing(reader, THINKING)) as server,
        pytest.raises(Refused, match="does not put an answer right after its prompt"),
    ):
        asked(server.url, tmp_path / "journal")


def test_nonsense_for_likelihoods_is_a_fault_on_the_way(tmp_path: Path) -> None:
    odd = Answer(json.dumps(json.loads(chat("x").body) | {"prompt_logprobs": [None, 3]}).encode())
    with serving(lambda path, headers, body: odd) as server:
        found = asked(server.url, tmp_path / "journal")
    assert found.fault == "no likelihoods"
    assert not found.scores
    assert not (tmp_path / "journal").read_bytes()


@pytest.mark.slow
def test_a_whole_exam_ranks_as_the_model_itself_does(reader: LocalModel, tmp_path: Path) -> None:
    command, world = str(Path(sys.executable).parent / "voirdire"), tmp_path / "world"
    subprocess.run([command, "world", str(world), "--scenes", "24", "--seed", "5"], check=True)
    common = ["--data", str(world), "-o", str(tmp_path / "out"), "--show", "words", "--limit", "1"]

    def ask(model: str, *more: str) -> str:
        words = [command, "ask", "answers", "--model", model, *common, *more]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    with serving(weighing(reader)) as server:
        told = ask(f"vllm:tiny@{server.url}", "--dry-run")
        assert "answers rank, template plain: 1,010 requests" in told, (
            "ten rounds, each with its prompt and a hundred candidates"
        )
        ask(f"vllm:tiny@{server.url}", "--name", "there")
    ask(reader.name, "--name", "here")
    there, here = (read_run(tmp_path / "out" / "runs" / name / "answers-rank") for name in ("there", "here"))
    assert there.items["rank"].to_list() == here.items["rank"].to_list()
    assert there.items["rank"].n_unique() > 3


def test_what_a_server_refuses_of_a_candidate_is_left_away_once_and_never_for_ever() -> None:
    complaint = Answer(b'{"error": {"message": "max_tokens and temperature are not supported"}}', 400)

    async def go(url: str) -> Reply:
        async with Client(Endpoint.at(url)) as client:
            return await LikelihoodModel("m", client, read_template()).reply(TASK)

    with serving(lambda *_: complaint) as server:
        with pytest.raises(Refused, match="said 400"):
            asyncio.run(go(server.url))
        sent = [body for _, _, body in server.seen]
    assert len(sent) == 3
    assert {"max_tokens", "temperature"} <= sent[0].keys()
    assert not {"max_tokens", "temperature"} & sent[-1].keys()
    assert sent[-1]["max_completion_tokens"] == 1
