"""One round for a reader: its question, the sets of valid answers, and each model's answers with their scores.

references   sets to show beside each other, such as H and Σ (dense-visdial, Figure 5), called as their files
run          runs of `answers score` and `rank`, called as their folders: answers and scores, or the truth's rank
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.answers.exam import ShowRoundOptions
from voirdire.answers.views import UNIT, measured
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.figures import counted, show_figure
from voirdire.formats.references import References
from voirdire.formats.references import read_references as read
from voirdire.lazy import pl
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run

Round = tuple[int, int]
RANKS = ("rank", "ndcg")
PARTS = ("score", "rank")


def read_named_references(path: str) -> tuple[str, References]:
    """Sets, and what they are called: their file."""
    return path, read(path)


def show_round(
    run: Sequence[tuple[str, Run]] | None = None,
    references: Sequence[tuple[str, References]] | None = None,
    options: ShowRoundOptions | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """The round that the options name, or the first that all files and runs have."""
    options, runs, sets = options or ShowRoundOptions(), run or (), references or ()
    if not runs and not sets:
        raise UsageError("`run` or `references` must be given: what is to be shown?")
    for name, each in runs:
        if each.exam != "answers" or each.part not in PARTS:
            raise UsageError(
                f"{name}: a run of `{each.title}`; rounds are in runs of `answers score` and `answers rank`"
            )
    chosen = _choose(
        [(name, list(zip(record.image_ids.tolist(), record.rounds.tolist(), strict=True))) for name, record in sets]
        + [(name, each.items.select(UNIT).rows()) for name, each in runs],
        options,
    )
    value: dict[str, Any] = {"image_id": chosen[0], "round": chosen[1], "question": None, "sets": {}, "runs": {}}
    for name, record in sets:
        (row,) = np.flatnonzero((record.image_ids == chosen[0]) & (record.rounds == chosen[1]))
        value |= {"question": record.questions[row], "gt_answer": record.gt_answers[row]}
        value["sets"][name] = record.of(int(row))
    for name, each in runs:
        item = each.items.row(
            by_predicate=(pl.col("image_id") == chosen[0]) & (pl.col("round") == chosen[1]), named=True
        )
        value["question"] = value["question"] or item.get("question")
        if not sets and "references" in item:
            value["sets"].setdefault("valid answers", item["references"])
        names = RANKS if each.part == "rank" else [measure.name for measure in measured(each.items)]
        scores = {score: item[score] for score in names if item.get(score) is not None}
        value["runs"][name] = {"answers": item.get("answers"), "scores": scores}
    return Outcome(tuple(_lines(value)), value)


def _choose(rounds: Sequence[tuple[str, Sequence[Round]]], options: ShowRoundOptions) -> Round:
    """The first round of the first source that the options allow; every other source must have it, too."""
    (first, candidates), *others = rounds
    others_have = [(name, set(several)) for name, several in others]
    asked = [unit for unit in candidates if options.image in (None, unit[0]) and options.round in (None, unit[1])]
    for unit in asked:
        if all(unit in several for _, several in others_have):
            return unit
    if not asked:
        raise UsageError(f"{first} has no {_words(options)}")
    lacking = next(name for name, several in others_have if not several.intersection(asked))
    raise UsageError(f"{lacking} has no {_words(options)} that {first} has, too")


def _words(options: ShowRoundOptions) -> str:
    words = "round" if options.round is None else f"round {options.round} (counted from 0)"
    return words if options.image is None else f"{words} of image {options.image}"


def _lines(value: dict[str, Any]) -> list[str]:
    lines = [f"image {value['image_id']}, round {value['round']} (counted from 0)"]
    lines += [
        f"{name}: {value[key]}"
        for name, key in (("question", "question"), ("true answer", "gt_answer"))
        if value.get(key)
    ]
    for name, texts in value["sets"].items():
        lines += ["", f"{name}: {counted(len(texts), 'answer')}", *(f"  {text}" for text in texts)]
    for name, about in value["runs"].items():
        scores = ", ".join(
            f"{score} {figure if isinstance(figure, int) else show_figure(figure)}"
            for score, figure in about["scores"].items()
        )
        answers = [] if about["answers"] is None else about["answers"] or ["(no text)"]
        lines += ["", f"{name}: {scores}", *(f"  {answer}" for answer in answers)]
    return lines
