"""What people are asked to judge: a dialogue up to a turn, a proposition, and two questions about it.

Points are drawn as in the paper: dialogues at random, of each one proposition, and a turn up to which the dialogue is
shown. A sheet holds no label and nothing that gives one away (a proposition's index would: entailments have the even
ones). So a proposition is named by its words, and only those are drawn whose words are once in their dialogue.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.dialogues import Dialogue, Dialogues

__all__ = ["Row", "check_together", "draw_rows", "spoken"]


@dataclass(frozen=True, slots=True)
class Row:
    """What a judge sees of one point.

    dialogue  its place in the file, from 0
    turn      up to which it is shown; 0 is the caption alone
    image     the name of the image's file, or its id
    lines     the caption, then a line a round
    """

    split: str
    dialogue: int
    turn: int
    image: str
    lines: tuple[str, ...]
    proposition: str


def draw_rows(propositions: PropositionSet, dialogues: Dialogues, count: int, seed: int) -> list[Row]:
    """`count` points of different dialogues, in the order in which they are to be judged."""
    check_together(propositions, dialogues)
    rng = np.random.default_rng(seed)
    usable = {place: once for place, records in propositions.dialogues.items() if (once := _once(records))}
    if count > len(usable):
        raise UsageError(f"--points {count}: only {len(usable)} dialogues have a proposition to judge")
    rows = []
    for place in rng.choice(np.array(list(usable), np.int64), count, replace=False).tolist():
        dialogue = dialogues[place]
        words: str = usable[place][int(rng.integers(len(usable[place])))]
        turn = int(rng.integers(len(dialogue.rounds) + 1))
        image = dialogue.image or str(dialogue.image_id)
        rows.append(Row(propositions.split or "–", place, turn, image, spoken(dialogue, turn), words))
    return rows


def check_together(propositions: PropositionSet, dialogues: Dialogues) -> None:
    """Refuse propositions of dialogues, or of turns, that are not there."""
    problems = []
    for place, records in propositions.dialogues.items():
        turns = len(dialogues[place].rounds) if place < len(dialogues) else -1
        last = max(record.turn_shared for record in records)
        if turns < 0:
            expected = f"places from 0 to {len(dialogues) - 1}"
            problems.append(Problem(f"dialogue {place}", "", "none at this place", expected, "Is it of another split?"))
        elif last > turns:
            found = f"a proposition of turn {last}"
            problems.append(Problem(f"dialogue {place}", "turn_shared", found, f"a turn from 0 to {turns}"))
    if problems:
        raise InputError("propositions", problems)


def _once(records: Sequence[Proposition]) -> list[str]:
    counts = Counter(record.proposition for record in records)
    return [words for words, count in counts.items() if count == 1]


def spoken(dialogue: Dialogue, turn: int) -> tuple[str, ...]:
    """What was said up to a turn: the caption, then a line a round."""
    return dialogue.caption, *(f"{_asked(question)} {answer}" for question, answer in dialogue.rounds[:turn])


def _asked(question: str) -> str:
    question = question.strip()
    return question if question.endswith("?") else question + "?"
