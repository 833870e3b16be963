"""Seeds of the questions exam's own format for the mutation of formats."""

import json

from format_cases import Case

__all__ = ["CASES"]


def object_answers() -> list[bytes]:
    said = [("yes", "no"), ("n/a", "no"), ("yes", "n/a")]
    lines = [
        {"game_id": 1 + place // 2, "question": place % 2, "answers": {"7": first, "8": second}}
        for place, (first, second) in enumerate(said)
    ]
    return [b"".join(json.dumps(line).encode() + b"\n" for line in lines)]


CASES = (Case("object_answers", object_answers, suffix=".jsonl"),)
