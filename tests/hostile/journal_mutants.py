"""The property that an interview keeps when its journal is mutated.

A line that was changed, cut, moved, or written by something else is no reply: it is told, asked again, and the files
are those of the model, to the byte. Where the hash of a changed line was made anew as well, it may count, or be told;
then the files may be others. Nothing but an error of ours for users is ever raised.
"""

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from format_cases import Outcome
from mutation import _change_bytes, _change_value, mutate

from voirdire.errors import VoirDireError
from voirdire.live.chat import read_reply
from voirdire.live.journal import key_of
from voirdire.live.model import MODELS, LiveModel, RankTask, Reply, Skill, Task, skill_of
from voirdire.live.settings import LiveOptions
from voirdire.progress import Stages
from voirdire.session.config import Config
from voirdire.session.execute import execute
from voirdire.session.schedule import schedule
from voirdire.session.session import _needed_for
from voirdire.session.steps import JOURNAL, Step, interviews_shown_by, make_replies
from voirdire.world.build import build_world
from voirdire.world.witness_session import world_data

WORDS: dict[str, Sequence[str]] = {
    "answer": ("yes", "no", "two", "a dog on the grass", ""),
    "ask": ("Is it a person?", "Is it on the left?", "I stop.", "nothing that is a question"),
    "guess": ("1", "object 2", "the third", "I cannot tell"),
    "point": ("yes", "no", "n/a", "perhaps"),
    "judge": ("yes", "no", "maybe"),
}


class Fuzzed(LiveModel):
    """A model of this process whose replies follow from the task alone."""

    name = "fuzzed:mine"
    skills: frozenset[Skill] = frozenset({"answer", "rank", "ask", "guess", "point", "judge"})
    identity: ClassVar[dict[str, str]] = {"model": "fuzzed", "template": "none"}
    knows_scenes = True

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """One of a few, drawn by the task."""
        rng = random.Random(msgspec.json.encode(task))
        if isinstance(task, RankTask):
            return Reply(scores=tuple(rng.random() for _ in task.options), served="fuzzed-1")
        return msgspec.structs.replace(read_reply(task, rng.choice(WORDS[skill_of(task)])), served="fuzzed-1")


class Lines(Stages):
    """Keeps the lines that stay."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """Keep a line."""
        self.lines.append(text)


def interviews(folder: Path) -> list[Step]:
    """The steps that ask, for every exam of a small world, each with what it needs."""
    if "fuzzed" not in MODELS.names():
        MODELS.register("fuzzed")(lambda argument: lambda options: Fuzzed())
    build_world(folder / "world", 8, 3)
    names = {"answers", "robustness", "questions", "scorekeeping"}
    before, data, _ = world_data(folder / "world", folder / "out", names)
    live = LiveOptions(model="fuzzed:mine", show="nothing", scenes=str(folder / "world" / "scenes.jsonl"))
    given = {"model": live.model, "show": live.show, "scenes": live.scenes}
    config = Config({"mine": {}}, data, {}, None, str(folder / "out"), shared={"limit": 1}, live={"mine": given})
    plan = schedule(config, folder / "out")
    faults = execute(_needed_for(plan.asks, (*before, *plan.steps)))
    assert not faults, faults
    return list(plan.asks)


def files_of(folder: Path) -> dict[str, bytes]:
    """What an interview wrote."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def run(numbers: Iterable[int], seed: int, folder: Path) -> Iterator[tuple[int, str, Outcome]]:
    """Each number with what was changed, and what became of it."""
    steps = interviews(folder)
    originals: list[tuple[bytes, dict[str, bytes]]] = []
    for step in steps:
        make_replies(step)
        originals.append((_journal(step).read_bytes(), files_of(step.place)))
    for number in numbers:
        rng = random.Random(f"{seed} journal {number}")
        place = rng.randrange(len(steps))
        whole, files = originals[place]
        others = [journal for journal, _ in originals]
        change, forged = rng.choice(CHANGES)
        mutant = change(whole, rng, others)
        shutil.rmtree(steps[place].place)
        _journal(steps[place]).write_bytes(mutant)
        name = f"{steps[place].title}: {change.__name__}"
        known = {line for journal in others for line in journal.splitlines(keepends=True)}
        yield number, name, _examine(steps[place], known, mutant, None if forged else files)


def _journal(step: Step) -> Path:
    return step.place.with_name(step.place.name + JOURNAL)


def _examine(step: Step, known: set[bytes], mutant: bytes, files: dict[str, bytes] | None) -> Outcome:
    """Go on with a mutated journal, and see whether the property holds."""
    stages = Lines()
    try:
        with interviews_shown_by(stages):
            make_replies(step)
    except VoirDireError as error:
        return Outcome("error" if "\n" not in str(error) else "fault", str(error))
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__}: {error}")
    told = [line for line in stages.lines if "not as written" in line]
    strange = [line for line in mutant.splitlines(keepends=True) if line not in known]
    if files is None:
        return Outcome("error" if told else "fine")
    if files_of(step.place) != files:
        return Outcome("fault", "the files are others than those of the model")
    if strange and not told:
        return Outcome("fault", f"a strange line, and nothing is told: {strange[0][:200]!r}")
    return Outcome("error" if told else "fine")


Change = Callable[[bytes, random.Random, list[bytes]], bytes]


def change_anything(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """By bytes, by values, or as a whole."""
    return mutate(data, rng, lambda: others)


def change_bytes(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """A few bytes, somewhere."""
    for _ in range(rng.choice((1, 1, 2, 8))):
        data = _change_bytes(data, rng)
    return data


def change_order(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Lines that are gone, twice there, in another order, or from another journal."""
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 2, 5))):
        kind, at = rng.randrange(5), rng.randrange(len(lines) + 1)
        if kind == 0:
            lines[at : at + rng.choice((1, 3))] = []
        elif kind == 1 and lines:
            lines.insert(at, rng.choice(lines))
        elif kind == 2:
            rng.shuffle(lines)
        elif kind == 3:
            lines.insert(at, rng.choice(rng.choice(others).splitlines(keepends=True)))
        else:
            lines[at:] = []
    return b"".join(lines)


def cut(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """As a kill does, or a full disk: the end is gone, and something may stand there."""
    return data[: rng.randrange(len(data) + 1)] + rng.choice((b"", b"", b"\n", b"\0" * 512, b'{"hash":'))


def exchange_values(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """The reply of one request stands under another."""
    lines = data.splitlines(keepends=True)
    replies = [json.loads(line)["reply"] for line in lines if b'"reply"' in line]
    place = rng.randrange(len(lines))
    record = json.loads(lines[place]) | {"reply": rng.choice(replies)}
    lines[place] = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    return b"".join(lines)


def forge(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Lines with other values, whose hashes, and now and then keys, go with these."""
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 2, 4))):
        place = rng.randrange(len(lines))
        try:
            record = json.loads(lines[place])
        except ValueError:
            continue
        record.pop("hash", None)
        target = rng.choice(("reply", "reply", "reply", "request", None))
        part: Any = record if target is None else {target: copy.deepcopy(record.get(target))}
        for _ in range(rng.choice((1, 1, 3))):
            part = _change_value(part, rng)
        if isinstance(part, dict):
            record = part if target is None else record | part
        try:
            if rng.random() < 0.7 and "request" in record:
                record["key"] = key_of(record["request"])
            rest = msgspec.json.encode(record)[1:]
        except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
            continue
        lines[place] = b'{"hash":"%s",' % hashlib.sha256(rest).hexdigest().encode() + rest + b"\n"
    return b"".join(lines)


def forge_reply(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """A reply that has the right shape and no sense: a place beyond the objects, too few scores, a text as a value."""
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 3, len(lines)))):
        place = rng.randrange(len(lines))
        record = json.loads(lines[place])
        record.pop("hash")
        if "reply" not in record:
            continue
        record["reply"] |= rng.choice(
            (
                {"value": rng.choice((-1, 0, 5, 99, 10**9, 2**63 - 1, "", "yes", "x" * 5000, "\n\0", None))},
                {"scores": rng.choice(([], [0.5], [1e308] * 3, [0.1] * 500, [-0.0]))},
                {"fault": rng.choice(("refusal", "x" * 5000, "\x1b[2J", "500", "")), "text": ""},
                {"mark": rng.choice(("cut off", "\x1b[2J", "\n"))},
                {"tokens": rng.choice(([0, 0], [-5, 10**18], [2**62, 2**62]))},
                {"kept": False},
                {"served": rng.choice(("other", "\x1b[2J", "x" * 5000))},
                {"text": rng.choice(("", "\x1b[2J", "\ud7ff\ue000", "x" * 100_000, "\0")), "how": "nonsense"},
            )
        )
        rest = msgspec.json.encode(record)[1:]
        lines[place] = b'{"hash":"%s",' % hashlib.sha256(rest).hexdigest().encode() + rest + b"\n"
    return b"".join(lines)


CHANGES: tuple[tuple[Change, bool], ...] = (
    (change_anything, False),
    (change_bytes, False),
    (change_order, False),
    (cut, False),
    (exchange_values, False),
    (forge, True),
    (forge_reply, True),
)
"""Ways to change a journal, and whether hashes are made anew."""
