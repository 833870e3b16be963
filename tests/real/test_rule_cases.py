"""The authors' own cases: question, answer and the question after coreference, and the pair that comes out of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.scorekeeping.exam import ExplainOptions
from voirdire.scorekeeping.propositions.deriving import explain_part

pytestmark = pytest.mark.slow

CASES = 64


@pytest.fixture(scope="module")
def cases(real_data: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((real_data / "scorekeeping" / "rule_cases.json").read_text())
    return found


def words(sentence: str | None) -> list[str] | None:
    """Words without their order and without marks, as the cases are to be compared."""
    return None if sentence is None else sorted(sentence.replace(",", " ").replace(".", " ").split())


def test_every_case_comes_out(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == CASES
    wrong = []
    for case in cases:
        told = explain_part(ExplainOptions(case["question"], case["answer"], resolved=case["resolved"] or "")).value
        for name in ("entailment", "contradiction"):
            if words(told[name]) != words(case[name]):
                wrong.append((case["question"], case["answer"], told[name], case[name]))
    assert wrong == []
