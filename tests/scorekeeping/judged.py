"""What a model says of made-up propositions: the truth, but for what a test changes."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from probe_dialogues import TURNS, dialogue

from voirdire.formats.model_judgements import SHARING, TRUTH, ModelJudgement
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.record import Rows

__all__ = ["propositions", "said"]


def propositions(count: int = 6, seed: int = 0, turns: int = TURNS) -> PropositionSet:
    """Eight propositions of each of some dialogues, in pairs of opposites."""
    rng = np.random.default_rng(seed)
    made = {place: tuple(dialogue(rng, turns)[0]) for place in range(count)}
    return PropositionSet("val", "made", made, fingerprint="f" * 64, turns=dict.fromkeys(made, turns))


def said(
    given: PropositionSet, change: Callable[[ModelJudgement], dict[str, Any] | None] = lambda row: {}
) -> Rows[ModelJudgement]:
    """A judgement of every point, right unless `change` gives other fields for it, or None to leave it out."""
    rows = []
    for number, records in given.dialogues.items():
        for turn in range(given.turns[number]):
            for index, record in enumerate(records):
                for question in (TRUTH, SHARING):
                    yes = record.a_thinks_true if question == "truth" else turn >= record.turn_shared
                    value = "yes" if yes else "no"
                    row = ModelJudgement(number, turn, index, question, value, proposition=record.proposition)
                    fields = change(row)
                    if fields is not None:
                        rows.append(msgspec.structs.replace(row, **fields))
    return Rows(tuple(rows), fingerprint="e" * 64)
