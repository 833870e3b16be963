"""An interview: what is kept in its journal is checked before it counts, and who served it is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripted import Answer, chat, serving

from voirdire.errors import UsageError
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking, VisualInput
from voirdire.live.settings import LiveOptions
from voirdire.progress import Stages
from voirdire.runs.provenance import Provenance

QUESTIONS = [f"question {number}?" for number in range(6)]


class Lines(Stages):
    """Keeps the lines that stay."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


class Echo:
    """Repeats the question; from some request on it is served by another system."""

    def __init__(self, change_after: int = 1_000) -> None:
        self.asked: list[str] = []
        self.change_after = change_after

    def __call__(self, path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer(b'{"data": []}')
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        self.asked.append(text)
        reply = json.loads(chat(f"I heard {text}").body)
        fingerprint = "fp_1" if len(self.asked) <= self.change_after else "fp_2"
        return Answer(json.dumps(reply | {"model": "big-1", "system_fingerprint": fingerprint}).encode())


def interview(url: str, folder: Path, questions: list[str] = QUESTIONS) -> tuple[list[str], list[str], Provenance]:
    """The replies, the lines that were told, and the provenance."""
    lines = Lines()

    def script(question: str) -> Any:
        async def answer(ask: Asking) -> str:
            return (await ask(AnswerTask(VisualInput(1), question))).text

        return answer

    options = LiveOptions(model=f"openai:m@{url}", show="nothing", connections=1)
    with Interview(options, folder, folder / "j.journal", stages=lines) as asking:
        replies = asking.ask_all([script(question) for question in questions])
        return replies, lines.lines, asking.provenance()


def test_an_edited_line_is_told_and_asked_again_and_the_outcome_is_that_of_the_model(tmp_path: Path) -> None:
    model, journal = Echo(), tmp_path / "j.journal"
    with serving(model) as server:
        replies, told, provenance = interview(server.url, tmp_path)
        assert told == []
        journal.write_bytes(journal.read_bytes().replace(b"I heard question 2?", b"I heard nothing!!!!"))
        sent = len(model.asked)
        again, told, again_provenance = interview(server.url, tmp_path)
    assert again == replies
    assert again_provenance == provenance
    assert len(model.asked) == sent + 1
    (line,) = told
    assert line.startswith(f"{journal}: 1 line is not as written, and not scored: line 3 (edited or cut")


def test_a_picture_that_cannot_be_read_names_what_helps(tmp_path: Path) -> None:
    (tmp_path / "7.png").write_bytes(b"%!PS-Adobe-3.0")
    options = LiveOptions(model="openai:m@http://127.0.0.1:9/v1")
    told = r"7\.png: found no picture .* Ask about the others alone with `partial`"
    with (
        Interview(options, tmp_path, tmp_path / "m.journal", [tmp_path]) as begun,
        pytest.raises(UsageError, match=told),
    ):
        begun.seen(7)


def test_who_served_the_replies_is_kept_and_a_change_is_told_at_once_and_in_the_run(tmp_path: Path) -> None:
    with serving(Echo(change_after=4)) as server:
        name = f"openai:m@{server.url}"
        _, told, provenance = interview(server.url, tmp_path)
        assert told == [f"{name} is now served as 'big-1 fp_2', before as 'big-1 fp_1'"]
        assert provenance.served == {name: {"big-1 fp_1": 4, "big-1 fp_2": 2}}
        assert f"{name} was served as several: big-1 fp_1 4, big-1 fp_2 2. Its figures are of a mixture." in (
            provenance.warnings
        )
        # From the journal it is the same, without a request.
        assert interview(server.url, tmp_path)[2] == provenance


def test_a_change_between_two_calls_is_one_as_well(tmp_path: Path) -> None:
    with serving(Echo(change_after=3)) as server:
        assert interview(server.url, tmp_path, QUESTIONS[:3])[1] == []
        _, told, provenance = interview(server.url, tmp_path)
    assert len(told) == 1
    assert sum(len(names) for names in provenance.served.values()) == 2


def test_a_model_that_was_served_as_one_thing_gives_no_warning(tmp_path: Path) -> None:
    with serving(Echo()) as server:
        provenance = interview(server.url, tmp_path)[2]
    assert not [line for line in provenance.warnings if "served" in line]
    provenance.write(tmp_path)
    assert json.loads((tmp_path / "asked.json").read_text())["served"] == {
        f"openai:m@{server.url}": {"big-1 fp_1": len(QUESTIONS)}
    }
