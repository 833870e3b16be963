"""Printed numbers that follow from other printed ones: they are read from the papers' texts at run time."""

import re
from math import floor

import pytest

from voirdire.robustness.exam import HelpfulOptions


def test_table_6_of_robustness(paper) -> None:
    """Shares of the questions that get 0, 1, 2 and 3 basic questions, and that they are all."""
    text = paper("vqa-robustness")
    (row,) = re.findall(r"^# Q\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$", text, re.MULTILINE)
    counts = [int(number) for number in row]
    assert sum(counts) == 244_302
    shares = [float(share) for share in re.findall(r"^\((\d+\.\d+)%\)$", text, re.MULTILINE)]
    assert [round(100 * count / sum(counts), 2) for count in counts] == shares == [96.84, 3.07, 0.09, 0.0]
    assert f"around {100 * sum(counts[1:]) / sum(counts):.2f}%" in text


def test_49_questions_more(paper) -> None:
    """From 60.32 to 60.34 % of 244,302 questions; and the thresholds are the defaults."""
    text = paper("vqa-robustness")
    assert "around 49 questions more" in text
    assert round((60.34 - 60.32) / 100 * 244_302) == 49
    options = HelpfulOptions()
    assert f"({options.s1:.2f}, {options.s2:.2f}, {options.s3:.2f})" in text


@pytest.fixture
def counts(paper) -> dict[str, list[int]]:
    """The counts of Table 1 of scorekeeping: of train, valid and test."""
    text = paper("scorekeeping")
    rows = re.findall(
        r"^(dialogues|propositions|proposition types|datapoints)\t([\d,]+)\t([\d,]+)\t([\d,]+)", text, re.M
    )
    return {name: [int(number.replace(",", "")) for number in numbers] for name, *numbers in rows}


def test_points_of_scorekeeping_are_propositions_at_every_turn(counts) -> None:
    """Turns 0 to 10; dialogues of the test split end earlier."""
    train, valid, test = zip(counts["propositions"], counts["datapoints"], strict=True)
    assert [train[1], valid[1]] == [11 * train[0], 11 * valid[0]] == [3_794_868, 253_660]
    assert test[1] < 11 * test[0]


def test_uses_of_a_sentence(counts, paper) -> None:
    text = " ".join(paper("scorekeeping").split())
    uses = [all_ / types for all_, types in zip(counts["propositions"], counts["proposition types"], strict=True)]
    assert [round(use, 2) for use in uses] == [12.77, 1.91, 2.34]
    assert "12.77 dialogues in the training set, 1.91 dialogues in the validation set and 2.34 dialogues" in text


def test_propositions_a_dialogue_are_cut_after_two_digits(counts, paper) -> None:
    """As the figures of Table 3 are: 3.617 is printed as 3.61."""
    each = [all_ / dialogues for all_, dialogues in zip(counts["propositions"], counts["dialogues"], strict=True)]
    (row,) = re.findall(r"^avg\. .*?\t([\d.]+)\t([\d.]+)\t([\d.]+)", paper("scorekeeping"), re.MULTILINE)
    assert [floor(100 * value) / 100 for value in each] == [float(number) for number in row] == [3.61, 11.65, 6.53]


def test_what_table_2_of_scorekeeping_is_said_to_show(paper) -> None:
    """Encoders differ by less than 1.5 points, Q is before A, and every control is 8 to 32 points behind."""
    text = paper("scorekeeping")
    block = text[text.index("6 Results") : text.index("Table 2: Accuracy")]
    rows = re.findall(r"^([AQ]?)\t(main|random r|null r)\t(.+)$", block, re.MULTILINE)
    assert len(rows) == 6
    figures = {}
    for place, (_, row, cells) in enumerate(rows):
        figures["AQ"[place // 3], row] = [float(cell) if cell != "-" else None for cell in cells.split("\t")]
    for role, tasks in (("A", range(4)), ("Q", range(2, 4))):
        for task in tasks:
            main, random, null = (figures[role, row][3 * task : 3 * task + 3] for row in ("main", "random r", "null r"))
            assert max(main) - min(main) < 1.5
            ahead = [first - other for control in (random, null) for first, other in zip(main, control, strict=True)]
            assert 8 < min(ahead) < max(ahead) < 32
    assert all(q > a for q, a in zip(figures["Q", "main"][6:], figures["A", "main"][6:], strict=True))
