"""Random sets of runs of one part of an exam: ties, zeros, one model, twenty models, missing answers, one item."""

import random
from collections.abc import Callable

import numpy as np
import polars as pl
from comparison_runs import made
from judged import propositions
from judged import said as judged_as
from question_games import game, given
from robustness_records import annotations, results
from score_records import generations, references

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.score import score_answers
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.score import score_questions
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.score import score_robustness
from voirdire.runs import Run
from voirdire.scorekeeping.exam import JudgeOptions
from voirdire.scorekeeping.judge import score_judgements

WORDS = ("red", "blue", "yes", "no", "2", "dog")
COUNTS = (1, 1, 2, 2, 2, 3, 3, 5, 20)
ITEMS = (1, 2, 7, 24, 24, 60, 60)
PATTERNS = ("{}", "{}", "{}", "The answer is {}.", "It is {}.")

Draw = random.Random


def random_set(seed: int) -> dict[str, Run]:
    """Runs of one part by the labels of their models."""
    draw = Draw(seed)
    make = draw.choice(PARTS)
    count, items = draw.choice(COUNTS), draw.choice(ITEMS)
    of_one = make(draw, items)
    runs: dict[str, Run] = {}
    for number in range(count):
        copied = runs and draw.random() < 0.2
        runs[f"m{number}"] = draw.choice(list(runs.values())) if copied else of_one()
    return runs


def _right(draw: Draw) -> float:
    return draw.choice((0.0, 1.0, draw.random(), draw.random(), draw.random()))


def _answers(draw: Draw, truths: list[str], right: float, pattern: str, missing: float) -> list[str | None]:
    answers = [pattern.format(truth if draw.random() < right else draw.choice(WORDS)) for truth in truths]
    kept = [None if draw.random() < missing else answer for answer in answers]
    return kept if any(answer is not None for answer in kept) else answers


def _truth(draw: Draw, items: int):
    truths = [draw.choice(WORDS) for _ in range(items)]
    people = {}
    for number in range(items):
        if draw.random() < 0.4:
            split = draw.randint(4, 9)
            people[number] = [truths[number]] * split + [draw.choice(WORDS) for _ in range(10 - split)]
    return truths, annotations(truths, people)


def _accuracy(draw: Draw, items: int) -> Callable[[], Run]:
    truths, truth = _truth(draw, items)
    missing = draw.choice((0, 0, 0.3))

    def one() -> Run:
        answers = _answers(draw, truths, _right(draw), draw.choice(PATTERNS), missing)
        return score_vqa(truth, results(answers))

    return one


def _robustness(draw: Draw, items: int) -> Callable[[], Run]:
    truths, truth = _truth(draw, items)
    partitions, missing, control = draw.choice((1, 3, 7)), draw.choice((0, 0, 0.2)), draw.random() < 0.5

    def one() -> Run:
        right, pattern, falls = _right(draw), draw.choice(PATTERNS), draw.choice((0, 0.05, 0.1, -0.05))
        clean = _answers(draw, truths, right, pattern, missing)
        deaf = draw.random() < 0.2

        def under(number: int):
            if deaf:
                return results(clean)
            again = _answers(draw, truths, min(1.0, max(0.0, right - falls * number)), pattern, 0)
            return results([None if before is None else after for before, after in zip(clean, again, strict=True)])

        noisy = [under(number) for number in range(1, partitions + 1)]
        return score_robustness(truth, results(clean), noisy, under(9) if control else None)

    return one


def _ranks(draw: Draw, items: int) -> Callable[[], Run]:
    relevant = draw.random() < 0.5

    def one() -> Run:
        worst = draw.choice((1, 3, 20, 100))
        ranks = [draw.randint(1, worst) for _ in range(items)]
        columns = {"image_id": np.arange(items) // 2, "round": np.arange(items) % 2, "rank": ranks}
        if relevant:
            columns["ndcg"] = [draw.random() if at % 3 == 0 else None for at in range(items)]
        frame = pl.DataFrame(columns, schema_overrides={"rank": pl.Int64})
        return made("answers", "rank", frame, {"cutoff": "relevant", "seed": 0})

    return one


def _generations(draw: Draw, items: int) -> Callable[[], Run]:
    sets = [[draw.choice(WORDS) for _ in range(draw.randint(1, 3))] for _ in range(items)]
    several = draw.choice((1, 1, 2, 3))

    def one() -> Run:
        right, pattern = _right(draw), draw.choice(PATTERNS)

        def text(own: list[str]) -> str:
            if draw.random() < 0.05:
                return " "
            return pattern.format(draw.choice(own) if draw.random() < right else draw.choice(WORDS))

        given_ = [[text(own) for _ in range(draw.randint(1, several))] for own in sets]
        if not any(each.strip() for texts in given_ for each in texts):
            given_[0][0] = "red"
        where = {"images": [at // 2 for at in range(items)], "rounds": [at % 2 for at in range(items)]}
        options = ScoreAnswersOptions(measures=("bleu", "rouge"))
        return score_answers(generations(given_, **where), references(sets, **where), options)

    return one


def _games(draw: Draw, items: int) -> Callable[[], Run]:
    every = list(range(items))

    def one() -> Run:
        useful, won = _right(draw), _right(draw)
        ids = [id_ for id_ in every if draw.random() < 0.9] or every[:1]
        played = []
        for id_ in ids:
            objects = 3 + id_ % 3
            rows = []
            for _ in range(draw.randint(1, 6)):
                letters = ["y"] * objects
                if draw.random() < useful:
                    letters[draw.randrange(1, objects)] = "n"
                if draw.random() < 0.2:
                    letters = ["y", *["n"] * (objects - 1)]
                rows.append("".join(letters))
            status = "success" if draw.random() < won else draw.choice(("failure", "failure", "incomplete"))
            played.append(game(rows, id_=id_, image=id_ // 2, status=status))
        games, oracle = given(*played, identity="one")
        return score_questions(games, oracle, options=ScoreQuestionsOptions(answers="recorded"))

    return one


def _judgements(draw: Draw, items: int) -> Callable[[], Run]:
    points, task = propositions(count=min(items, 6), turns=4), draw.choice(("TF", "PS", "TFxPS"))

    def one() -> Run:
        right = _right(draw)
        wrong = {"yes": "no", "no": "yes"}

        def change(row):
            return {} if draw.random() < right else {"value": wrong[row.value]}

        return score_judgements(points, judged_as(points, change), JudgeOptions(task=task))

    return one


PARTS = (_accuracy, _accuracy, _robustness, _robustness, _ranks, _generations, _games, _games, _judgements)
