"""Which of the files of dialogues a probe's propositions were made from.

A run does not name that file, and a report may be given several: those of another exam, or of another split. The right
one is told by its words. A proposition shares some with the round that established it; where that holds for fewer than
three quarters of them, the file is another one, and no dialogue is better than a wrong one. (Of VisDial's validation
dialogues, and of the world's, 99 of 100 propositions do; with dialogues in another order, 12 of 100 at most.)
"""

import re
from collections.abc import Iterable, Sequence

from voirdire.scorekeeping.board import Board
from voirdire.formats.dialogues import Dialogue, Dialogues

__all__ = ["fitting"]

ENOUGH = 0.75
_COMMON = frozenset(
    (
        *("a", "an", "the", "this", "that", "of", "in", "on", "it", "its", "there", "is"),
        *("are", "was", "be", "no", "not", "any", "one", "can", "cannot", "see", "has", "have"),
        *("does", "do", "image"),
    )
)
"""Words that rules bring in themselves, or that any round may have."""


def fitting(files: Iterable[Dialogues], boards: Sequence[Board]) -> Dialogues | None:
    """The file whose rounds have the words of the propositions that they established; None where none has."""
    shares = [(_share(file, boards), file) for file in files]
    best, file = max(shares, key=lambda one: one[0], default=(0.0, None))
    return file if best >= ENOUGH else None


def _share(file: Dialogues, boards: Sequence[Board]) -> float:
    found = [
        board.dialogue < len(file)
        and not _words(row.proposition).isdisjoint(_said(file[board.dialogue], row.turn_shared))
        for board in boards
        for row in board.rows
    ]
    return sum(found) / len(found) if found else 0.0


def _said(dialogue: Dialogue, turn: int) -> frozenset[str]:
    if turn == 0:
        return _words(dialogue.caption)
    return _words(" ".join(dialogue.rounds[turn - 1])) if turn <= len(dialogue.rounds) else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower())) - _COMMON
