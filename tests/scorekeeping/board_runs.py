"""Runs of a probe made by hand, for what reads them."""

import numpy as np
import polars as pl

from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.score_tasks import TASKS

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
