"""The file of dialogues that propositions are of is found by its words, on real dialogues."""

from pathlib import Path

import pytest

from voirdire.formats.dialogues import Dialogues, read_dialogues
from voirdire.scorekeeping.board import Board, Row
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.propositions.making import make_propositions
from voirdire.scorekeeping.section.probes import fitting
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger

pytestmark = pytest.mark.slow

COUNT = 60


def test_dialogues_in_another_order_are_another_file(real_data: Path) -> None:
    every = read_dialogues(real_data / "visdial" / "dialogues" / "visdial_1.0_val_text.json").dialogues
    right, later = Dialogues(every[:COUNT]), Dialogues(every[COUNT : 2 * COUNT])
    moved = Dialogues((*every[1:COUNT], every[0]))
    made = make_propositions(right, tagger(), resolver("rules")).propositions
    boards = [
        Board(
            "run",
            place,
            TASKS["PS"],
            "",
            0,
            tuple(
                Row(at, record.proposition, record.rule, record.turn_shared, (0,), (0,))
                for at, record in enumerate(records)
            ),
        )
        for place, records in made.dialogues.items()
    ]
    assert fitting([later, moved, right], boards) is right
    assert fitting([later, moved], boards) is None
    assert fitting([], boards) is None
