"""People keep score: of a dialogue up to a turn they say whether a sentence is true, and whether it has been said.

Points are drawn as in the paper: some dialogues, of each one proposition, and a turn up to which the dialogue is shown
(scorekeeping, Figure 7 and Table 3: 100 points, three people each). The two answers together are one of the four
classes of TFxPS. Only sentences are drawn whose words are once in their dialogue.

An attention check is a sentence of what has just been said, in another dialogue, which so is shared, and true or false
as it was answered; as many are true as false.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.judgements import Judgements, write_judgements
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import PEOPLE_FILE, StudyPointsOptions
from voirdire.study.design import NO, YES, Judged, Line, StudyTask


def draw_points(
    propositions: PropositionSet,
    dialogues: Dialogues,
    options: StudyPointsOptions,
    pictured: Collection[int] | None = None,
) -> list[StudyTask]:
    """Points of different dialogues, then the attention checks."""
    _check_together(propositions, dialogues)
    rng = np.random.default_rng(options.seed)
    usable = {
        place: once
        for place, records in propositions.dialogues.items()
        if (pictured is None or dialogues[place].image_id in pictured) and (once := _once(records))
    }
    if not usable:
        raise UsageError("`propositions`: no dialogue has a sentence to judge; with `pictured`, one that has a picture")
    count, more = options.sizes("tasks", options.tasks, 100, len(usable))
    tasks = []
    for number, place in enumerate(rng.permutation(np.array(list(usable), np.int64))[: count + more].tolist()):
        dialogue, records = dialogues[place], propositions.dialogues[place]
        index = usable[place][int(rng.integers(len(usable[place])))]
        turn = int(rng.integers(len(dialogue.rounds) + 1))
        truth: tuple[str, ...] = ()
        if number >= count:
            wished = [index for index in usable[place] if records[index].a_thinks_true == number % 2] or usable[place]
            index = wished[int(rng.integers(len(wished)))]
            turn = records[index].turn_shared
            truth = (YES if records[index].a_thinks_true else NO, YES)
        key = point_key(propositions.split or "–", place, turn, index, records[index], dialogue)
        text = records[index].proposition
        lines = _spoken(dialogue, turn)
        tasks.append(StudyTask("true-shared", text, dialogue.image_id, lines=lines, key=key, truth=truth))
    return tasks


def _check_together(propositions: PropositionSet, dialogues: Dialogues) -> None:
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


def _once(records: Sequence[Proposition]) -> list[int]:
    """The places of the propositions whose words no other has."""
    counts = Counter(record.proposition for record in records)
    return [place for place, record in enumerate(records) if counts[record.proposition] == 1]


def _spoken(dialogue: Dialogue, turn: int) -> tuple[Line, ...]:
    """What was said up to a turn."""
    lines: list[Line] = [("caption", dialogue.caption)]
    for question, answer in dialogue.rounds[:turn]:
        lines += [("question", question if question.rstrip().endswith("?") else f"{question}?"), ("answer", answer)]
    return tuple(lines)


def point_key(
    split: str, place: int, turn: int, index: int, proposition: Proposition, dialogue: Dialogue
) -> dict[str, str | int | bool | None]:
    """What a judgement of a point is written with: its names, its labels, and what it was made of."""
    # A caption has no question.
    round_ = dialogue.rounds[proposition.turn_shared - 1] if proposition.turn_shared else ("none", dialogue.caption)
    return {
        "splits": split,
        "dialogues": place,
        "turns": turn,
        "indices": index,
        "true_gold": bool(proposition.a_thinks_true),
        "shared_gold": turn >= proposition.turn_shared,
        "turns_shared": proposition.turn_shared,
        "rules": proposition.rule,
        "kinds": "entailment" if proposition.a_thinks_true else "contradiction",
        "facts": proposition.qa_fact,
        "questions": round_[0],
        "answers": round_[1],
        "propositions": proposition.proposition,
    }


_NUMBERS = ("dialogues", "turns", "indices", "turns_shared")
_FLAGS = ("true", "true_gold", "shared", "shared_gold")


def gather_judgements(judged: Sequence[Judged], folder: Path) -> Sequence[str]:
    """Write the table of judgements: one row per judge and point."""
    rows = []
    for judgement in judged:
        true, shared = (answer == YES for answer in judgement.answers)
        who = {"judges": judgement.judge, "times": judgement.at}
        rows.append({**who, "true": true, "shared": shared, **judgement.task.key})
    columns: dict[str, Any] = {name: tuple(row[name] for row in rows) for name in rows[0]}
    columns |= {name: np.array(columns[name], bool) for name in _FLAGS}
    columns |= {name: np.array(columns[name], np.int64) for name in _NUMBERS}
    record = Judgements(**columns)
    write_judgements(record, folder / PEOPLE_FILE)
    return ()
