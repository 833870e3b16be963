"""Runs of a probe made by hand, for what reads them."""

import numpy as np
import polars as pl

from voirdire.formats.judgements import Judgements
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.points import TASKS

# proposition, true, turn_shared, rule
FACTS = (
    ("there is a dog.", 1, 0, "caption"),
    ("there is no dog.", 0, 0, "caption"),
    ("the dog is brown.", 1, 2, "what_color"),
    ("the dog is not brown.", 0, 2, "what_color"),
    ("it is not sunny.", 1, 3, "sunny"),
    ("it is sunny.", 0, 3, "sunny"),
)

UNASKED = ("seen", "words_right", "shift_right", "shift_only_right", "truth_stable", "opposites_agree")


def items(task="TFxPS", turns=5, wrong=(), dialogue=7, control="", seed=0, facts=FACTS):
    """Points of one dialogue, all right but those in `wrong`: (index, turn, predicted class)."""
    cut, rows = TASKS[task], []
    for turn in range(turns):
        for index, (text, true, turn_shared, rule) in enumerate(facts):
            gold = cut.classes[int(cut.label(np.array([bool(true)]), np.array([turn >= turn_shared]))[0])]
            predicted = next((name for i, t, name in wrong if (i, t) == (index, turn)), gold)
            rows.append(
                {
                    "dialogue": dialogue,
                    "index": index,
                    "turn": turn,
                    "proposition": text,
                    "rule": rule,
                    "turn_shared": turn_shared,
                    "task": task,
                    "control": control,
                    "seed": seed,
                    "gold": gold,
                    "predicted": predicted,
                    "polarity": "",
                    "true": bool(true),
                    "shared": turn >= turn_shared,
                    "right": predicted == gold,
                    # What a run has beside this, and what reads these runs does not ask for.
                    **dict.fromkeys(("dialogue_accuracy", *UNASKED)),
                }
            )
    return pl.DataFrame(rows)


def probe_run(*frames):
    """A run with these items and no measures."""
    return Run(
        exam="scorekeeping",
        part="probe",
        options={},
        items=pl.concat(frames),
        measures=Measures(),
        signature=Signature(version="0"),
        fingerprints={"states": "0" * 64},
    )


def judgements(rows):
    """Rows of (judge, dialogue, turn, index, true, shared) about the facts of `board_runs`."""
    facts = [FACTS[row[3]] for row in rows]
    turns = [row[2] for row in rows]
    n = len(rows)

    def flags(values):
        return np.array(list(values), bool)

    return Judgements(
        judges=tuple(row[0] for row in rows),
        times=("",) * n,
        splits=("test",) * n,
        dialogues=np.array([row[1] for row in rows]),
        turns=np.array(turns),
        indices=np.array([row[3] for row in rows]),
        true=flags(row[4] for row in rows),
        true_gold=flags(fact[1] for fact in facts),
        shared=flags(row[5] for row in rows),
        shared_gold=flags(turn >= fact[2] for turn, fact in zip(turns, facts, strict=True)),
        turns_shared=np.array([fact[2] for fact in facts]),
        rules=tuple(fact[3] for fact in facts),
        kinds=tuple("entailment" if fact[1] else "contradiction" for fact in facts),
        facts=(None,) * n,
        questions=("",) * n,
        answers=("",) * n,
        propositions=tuple(fact[0].capitalize().rstrip(".") for fact in facts),
        fingerprint="f" * 64,
    )


# Two judges, three points: the dog is brown, private at turn 1; it is sunny (false), shared at turn 3; and
# there is a dog, shared at turn 0.
ROWS = [
    ("a", 7, 1, 2, 1, 0),  # right
    ("b", 7, 1, 2, 0, 0),  # wrong on the truth of what is private
    ("a", 8, 3, 5, 0, 1),  # right
    ("b", 8, 3, 5, 1, 1),  # wrong on the truth of what is shared
    ("a", 9, 0, 0, 1, 0),  # takes what is shared for private
    ("b", 9, 0, 0, 1, 1),  # right
]
