"""The journal: what is kept, what a kill leaves, and what it refuses."""

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.live.journal import Journal, key_of


def test_replies_come_back_by_content_and_sample(tmp_path):
    request = {"messages": [{"role": "user", "content": "is it red?"}], "image": "ab12"}
    other = {"image": "ab12", "messages": [{"content": "is it red?", "role": "user"}]}
    assert key_of(request) == key_of(other) != key_of(request, 1)
    with Journal(tmp_path / "live" / "journal.jsonl") as journal:
        journal.add(key_of(request), request, {"text": "yes"})
        journal.add(key_of(request, 1), request, {"text": "no"})
        assert journal.get(key_of(other)) == {"text": "yes"}
    with Journal(tmp_path / "live" / "journal.jsonl") as journal:
        assert len(journal) == 2
        assert journal.get(key_of(request, 1)) == {"text": "no"}
        assert journal.get(key_of("never asked")) is None
        assert [line["reply"]["text"] for line in journal] == ["yes", "no"]


@pytest.mark.parametrize("rest", [b'{"key": "x", "requ', b"\xff", b"{"])
def test_a_line_that_was_cut_short_is_dropped_and_the_rest_goes_on(tmp_path, rest):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", 1, 2)
    whole = path.read_bytes()
    path.write_bytes(whole + rest)
    with Journal(path) as journal:
        assert len(journal) == 1
        journal.add("b", 3, 4)
    assert path.read_bytes().startswith(whole)
    with Journal(path) as journal:
        assert [journal.get("a"), journal.get("b")] == [2, 4]


def test_a_damaged_line_is_an_error_and_nothing_is_lost(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"key": "a", "request": 1, "reply": 2}\nrubbish\n{"key": "b", "request": 1, "reply": 3}\n')
    before = path.read_bytes()
    with pytest.raises(InputError, match="line 2 that is no record, expected a journal of replies"):
        Journal(path)
    assert path.read_bytes() == before


def test_one_process_at_a_time(tmp_path):
    with Journal(tmp_path / "journal.jsonl"), pytest.raises(UsageError, match="another run is at work here"):
        Journal(tmp_path / "journal.jsonl")
