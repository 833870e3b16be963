"""Exams find flaws and not manners: a small sample of the table in docs/live.md, and what the table marks."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from manners import TESTS, Result, failures, measure, table

pytestmark = pytest.mark.slow
SAMPLE = {
    "answers": (40, "hedges"),
    "robustness": (50, "lists"),
    "questions": (50, "explains"),
    "scorekeeping": (50, "json"),
}
"""Scenes and the manner, by exam; of 40 scenes 8 are asked about, with which p may be 0.008."""


@pytest.mark.parametrize("exam", SAMPLE)
def test_exams_find_flaws_and_not_manners(exam: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # So few dialogues are too few for the answers of who forgets some of what was said.
    monkeypatch.setitem(TESTS, "answers", replace(TESTS["answers"], flawed="blind"))
    scenes, manner = SAMPLE[exam]
    results = measure(scenes, 7, tmp_path, (manner,), (exam,))
    assert list(results) == ["", manner]
    assert failures(results) == []


def test_what_fails_is_named_and_marked() -> None:
    plain, off, lost = Result((90.0, 80.0), 0.001), Result((90.0, 77.9), 0.02), Result((None, None))
    results = {manner: {"questions": one} for manner, one in (("", plain), ("json", off), ("foreign", lost))}
    assert failures(results) == [
        "json: questions, effective is 77.9, without a manner 80.0",
        "json: questions, p of repetitive is 0.02",
    ]
    assert table(results).splitlines()[2:] == [
        "| none | 90.0 | 80.0 | 0.0010 |",
        "| `+json` | 90.0 | **77.9** | **0.0200** |",
        "| `+foreign` | **–** | **–** | **–** |",
    ]
