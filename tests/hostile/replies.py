"""Mutated replies: whatever a body holds, the client makes a reply, a fault or a message of it."""

import asyncio
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import httpx2
from behaviours import KEY
from mutation import mutate
from quirky_servers import QUIRKY

from voirdire.errors import VoirDireError
from voirdire.live.chat import ChatModel
from voirdire.live.client import Client, Limits
from voirdire.live.endpoint import Endpoint, Secret
from voirdire.live.journal import Journal
from voirdire.live.likelihoods import LikelihoodModel
from voirdire.live.model import AnswerTask, JudgeTask, RankTask, Task, VisualInput
from voirdire.live.prompts import read_template

__all__ = ["fuzz"]

STATUSES = (*[200] * 12, 400, 404, 422, 429, 500, 503)
_SEEN = VisualInput(1)
TASKS: tuple[Task, ...] = (
    AnswerTask(_SEEN, "is it red?", alone=True),
    JudgeTask(_SEEN, "a room.", (), "it is red.", "truth"),
    RankTask(_SEEN, "is it red?", ("yes",), start=1),
)


def _seeds() -> list[bytes]:
    """Replies as servers send them: good ones with likelihoods, and all that quirky servers say."""
    likely = {"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2.5}]}
    place = {"7": {"logprob": -0.5, "rank": 1, "decoded_token": "yes"}}
    choice = {"message": {"content": f"yes {KEY}", "reasoning_content": "hm"}, "logprobs": {"content": [likely]}}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    good = {"choices": [choice | {"finish_reason": "stop"}], "usage": usage, "prompt_logprobs": [None, place, place]}
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "nr 7?"}], "max_tokens": 1}
    said = (behaviour.say("/v1/chat/completions", {}, body).body for behaviour in QUIRKY)
    return [json.dumps(good).encode()] * 150 + sorted(set(said))


def _changed(numbers: range, seed: int) -> Iterator[tuple[int, httpx2.Response]]:
    seeds = _seeds()
    for number in numbers:
        rng = random.Random(seed * 10**9 + number)
        body = mutate(rng.choice(seeds), rng, lambda: seeds)
        heads = rng.choice([{}] * 8 + [{"Retry-After": rng.choice("5²-é")}, {"Content-Encoding": "gzip"}])
        plain = {name: text.encode() for name, text in heads.items()}
        yield number, httpx2.Response(rng.choice(STATUSES), headers=plain, stream=httpx2.ByteStream(body))


async def _put(model: ChatModel, task: Task, journal: Journal) -> str:
    """What the model makes of the response that it gets."""
    try:
        reply = await model.reply(task)
    except VoirDireError as error:
        return "the key in a message" if KEY in str(error) else type(error).__name__
    journal.add(hashlib.sha256(repr(reply).encode()).hexdigest(), {"task": 1}, reply)
    return "the key in a reply" if KEY in repr(reply) else reply.fault or "reply"


async def _all(numbers: range, seed: int, journal: Journal) -> tuple[Counter[str], list[str]]:
    async def wait(seconds: float) -> None:
        assert 0 <= seconds <= 60

    ends: Counter[str] = Counter()
    faults: list[str] = []
    current: list[httpx2.Response] = []
    client = Client(Endpoint.at("http://127.0.0.1:9/v1", Secret(KEY)), Limits(tries=1, wait=0.0), clock=wait)
    async with client:
        client._http = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: current[-1]))
        for number, response in _changed(numbers, seed):
            current[:] = [response]
            task = TASKS[number % len(TASKS)]
            model = (LikelihoodModel if isinstance(task, RankTask) else ChatModel)("m", client, read_template())
            # What a server refuses is left away after one request, and then refused again.
            model.refused.update(("max_tokens", "max_completion_tokens", "temperature", "logprobs", "system"))
            try:
                end = await _put(model, task, journal)
            except Exception as error:
                end = f"{type(error).__name__}: {error}"
            ends[end.partition(":")[0]] += 1
            if ":" in end or "key" in end:
                faults.append(f"{number}: {end}")
    return ends, faults


def fuzz(numbers: range, seed: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """How so many mutated replies ended, and those that ended in an error of ours or told the key."""
    with Journal(folder / "m.journal") as journal:
        return asyncio.run(_all(numbers, seed, journal))
