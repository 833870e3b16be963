"""Two thousand mutated replies: each is a reply, a fault or a message, and none tells the key."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import replies


def test_mutated_replies_end_in_order(tmp_path: Path) -> None:
    ends, faults = replies.fuzz(range(2000), 0, tmp_path)
    assert faults == []
    assert sum(ends.values()) == 2000
    assert ends["reply"] > 100
    assert {"Unanswered", "Refused", "content filter"} <= set(ends)
