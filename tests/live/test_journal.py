"""The journal: what is kept, what a kill leaves, and what counts as no reply, with the number of its line."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from voirdire.bounded import LARGEST
from voirdire.errors import OutputError, UsageError
from voirdire.live.journal import Journal, key_of
from voirdire.live.model import Reply

QUESTIONS = ("is it red?", "is it blue?", "is it round?")


def filled(path: Path) -> list[bytes]:
    """The lines of a journal with a reply to each question."""
    with Journal(path) as journal:
        for number, question in enumerate(QUESTIONS):
            journal.add(key_of(question), question, Reply(f"reply {number}"))
    return path.read_bytes().splitlines(keepends=True)


def replies(path: Path) -> list[str | None]:
    """What a journal has for the questions."""
    with Journal(path) as journal:
        return [reply.text if (reply := journal.get(key_of(question))) else None for question in QUESTIONS]


def resealed(line: bytes, **changes: object) -> bytes:
    """A line with other entries, and a hash that goes with them."""
    record = {**json.loads(line), **changes}
    rest = json.dumps({name: value for name, value in record.items() if name != "hash"}).encode()[1:]
    return b'{"hash":"%s",' % hashlib.sha256(rest).hexdigest().encode() + rest + b"\n"


def test_replies_come_back_by_content(tmp_path: Path) -> None:
    path = tmp_path / "live" / "journal.jsonl"
    request = {"messages": [{"role": "user", "content": "is it red?"}], "image": "ab12"}
    other = {"image": "ab12", "messages": [{"content": "is it red?", "role": "user"}]}
    assert key_of(request) == key_of(other)
    reply = Reply("yes", value="yes", tokens=(3, 4), served="big-1 fp_7")
    with Journal(path) as journal:
        journal.add(key_of(request), request, reply)
        journal.note("429")
        assert journal.get(key_of(other)) == reply
    with Journal(path) as journal:
        assert (len(journal), journal.faults, journal.warning()) == (1, {"429": 1}, "")
        assert journal.get(key_of(request)) == reply
        assert journal.get(key_of("never asked")) is None
    assert all(json.loads(line)["hash"] for line in path.read_text().splitlines())


@pytest.mark.parametrize("rest", [b'{"hash":"x","requ', b"\xff", b"{", b'{"hash":'])
def test_a_last_line_that_was_cut_short_is_removed_and_the_rest_goes_on(tmp_path: Path, rest: bytes) -> None:
    path = tmp_path / "journal.jsonl"
    whole = b"".join(filled(path)[:2])
    path.write_bytes(whole + rest)
    with Journal(path) as journal:
        assert "line 3 (breaks off, as a kill leaves it)" in journal.warning()
        journal.add(key_of(QUESTIONS[2]), QUESTIONS[2], Reply("again"))
    assert path.read_bytes().startswith(whole)
    assert replies(path) == ["reply 0", "reply 1", "again"]


FOREIGN = b'{"key": "x", "request": 1, "reply": {"text": "yes"}}\n'
DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "edited": (lambda line: line.replace(b"reply 1", b"reply 9"), "edited or cut"),
    "a space": (lambda line: line.replace(b'"text":', b'"text": '), "edited or cut"),
    "cut": (lambda line: line[:90] + b"\n", "edited or cut"),
    "foreign": (lambda line: FOREIGN, "edited or cut"),
    "rubbish": (lambda line: b"rubbish\n", "edited or cut"),
    "empty": (lambda line: b"\n", "edited or cut"),
    "no UTF-8": (lambda line: b"\xff" * 100 + b"\n", "edited or cut"),
    "too long": (lambda line: b"x" * (LARGEST + 5) + b"\n", "longer than"),
    "another request": (lambda line: resealed(line, request="is it big?"), "its key is not that of its request"),
    "another shape": (lambda line: resealed(line, reply={"text": 5}), "JSON of another shape"),
    "another entry": (lambda line: resealed(line, more=1), "JSON of another shape"),
    "no reply": (lambda line: resealed(line, reply=None), "neither a reply nor a fault"),
    "deep": (lambda line: resealed(line, request=json.loads("[" * 100 + "]" * 100)), "JSON that is nested deeper"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_line_is_told_with_its_number_and_is_no_reply(tmp_path: Path, name: str) -> None:
    path = tmp_path / "journal.jsonl"
    lines = filled(path)
    damage, why = DAMAGE[name]
    damaged = lines[0] + damage(lines[1]) + lines[2]
    path.write_bytes(damaged)
    with Journal(path) as journal:
        assert list(journal.unfit) == [2]
        assert journal.warning().startswith(f"{path}: 1 line is not as written, and not scored: line 2 ({why}")
    assert path.read_bytes() == damaged
    assert replies(path) == ["reply 0", None, "reply 2"]
    with Journal(path) as journal:
        journal.add(key_of(QUESTIONS[1]), QUESTIONS[1], Reply("again"))
    assert replies(path) == ["reply 0", "again", "reply 2"]


def test_a_second_reply_to_a_request_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    lines = filled(path)
    path.write_bytes(b"".join(lines) + resealed(lines[0], reply={"text": "other"}))
    assert replies(path) == ["reply 0", "reply 1", "reply 2"]
    with Journal(path) as journal:
        assert journal.unfit == {4: "a second reply to a request"}


def test_a_line_that_is_changed_while_the_journal_is_open_is_no_reply(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    lines = filled(path)
    with Journal(path) as journal:
        path.write_bytes(b"".join(lines).replace(b"reply 1", b"reply 9"))
        assert [journal.get(key_of(question)) is None for question in QUESTIONS] == [False, True, False]


def test_many_damaged_lines_are_counted_and_three_are_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"rubbish\n" * 50)
    with Journal(path) as journal:
        warning = journal.warning()
    assert "50 lines are not as written" in warning
    assert "line 3 (" in warning
    assert "line 4 (" not in warning


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(OutputError, match=r"journal\.jsonl"):
        Journal(tmp_path / "journal.jsonl")


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl"), pytest.raises(UsageError, match="another run is at work here"):
        Journal(tmp_path / "journal.jsonl")
