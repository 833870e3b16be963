"""How a model is asked for its judgements: what it is told each time, and what is written of what it says."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import pytest
from judged import propositions

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.model_judgements import read_model_judgements
from voirdire.live.model import LABELS, Reply, VisualInput
from voirdire.live.prompts import Template, read_template
from voirdire.scorekeeping.exam import AskedPointsOptions, JudgeOptions
from voirdire.scorekeeping.judge import score_judgements
from voirdire.scorekeeping.live_judgements import ask_judgements
from voirdire.scorekeeping.points import TASKS

GIVEN = propositions(4)
ROUNDS = tuple((f"question {number}?", f"answer {number}") for number in range(1, 11))
DIALOGUES = Dialogues(tuple(Dialogue(100 + number, f"caption {number}", ROUNDS) for number in range(4)))


@dataclass
class ScriptedInterview:
    """An interview with somebody who says what a test wants."""

    folder: Path
    say: object
    template: Template
    dry: bool = False
    notes: list = field(default_factory=list)
    terms: dict = field(default_factory=dict)
    model: object = field(default_factory=lambda: SimpleNamespace(identity={"least_mass": "0.5"}))
    tasks: list = field(default_factory=list)
    expected: list = field(default_factory=list)
    early: str = ""

    def askable(self, images):
        return images

    def showable(self, images):
        self.expected += images
        return set(images)

    def seen(self, image):
        return VisualInput(image, "a picture's hash", "a scene in words")

    def tell_requests(self, line):
        self.notes.append(line)

    def ask_all(self, scripts, unit="tasks", look=None):
        async def ask(task, spec=""):
            self.tasks.append(task)
            return self.say(task)

        async def all_of_them():
            return [await script(ask) for script in scripts]

        made = asyncio.run(all_of_them())
        self.early = look(made)
        return made


def asked(tmp_path, say=lambda task: Reply("Yes.", "yes"), template="two-questions", dry=False, **options):
    interview = ScriptedInterview(tmp_path, say, read_template(template), dry)
    ask_judgements(GIVEN, DIALOGUES, AskedPointsOptions(**options), interview)
    return interview, read_model_judgements(tmp_path / "judgements.jsonl")


def test_every_point_is_asked_twice_in_a_context_of_its_own(tmp_path):
    interview, rows = asked(tmp_path)
    assert len(interview.tasks) == len(rows) == 4 * 8 * 11 * 2
    assert interview.expected == [100, 101, 102, 103]
    by_point = {(task.seen.image, task.sentence, len(task.rounds), task.about): task for task in interview.tasks}
    first = GIVEN.dialogues[2][3].proposition
    truth, sharing = (by_point[102, first, 4, about] for about in ("truth", "sharing"))
    assert truth.caption == sharing.caption == "caption 2"
    assert truth.rounds == sharing.rounds == ROUNDS[:4]
    assert truth.seen == VisualInput(102, "a picture's hash", "a scene in words")
    # Whether a thing has been said is not to be seen.
    assert sharing.seen == VisualInput(102)


def test_what_was_said_and_how_it_was_read_is_written(tmp_path):
    def say(task):
        if task.about == "truth":
            return Reply("No", "no", how="logprobs", scores=(0.1,))
        return Reply(fault="refusal") if len(task.rounds) else Reply("Well …", None)

    _, rows = asked(tmp_path, say, turns="0,1", pairs=1, limit=1)
    assert {(row.question, row.turn, row.value, row.how, row.text) for row in rows} == {
        ("truth", 0, "no", "logprobs", "No"),
        ("truth", 1, "no", "logprobs", "No"),
        ("sharing", 0, None, "text", "Well …"),
        ("sharing", 1, None, "text", ""),
    }
    assert all(row.proposition == GIVEN.dialogues[row.dialogue][row.index].proposition for row in rows)


def test_an_early_look_counts_points_with_both_answers_right(tmp_path):
    interview, rows = asked(tmp_path)
    points = {row.asked[:3] for row in rows}
    propositions_of = [GIVEN.dialogues[dialogue][index] for dialogue, turn, index in points]
    turns = [turn for _, turn, _ in points]
    shares = [one.a_thinks_true and turn >= one.turn_shared for one, turn in zip(propositions_of, turns, strict=True)]
    # It says yes to everything.
    assert interview.early == f"{100 * sum(shares) / len(shares):.1f} % right (TFxPS)"


def test_a_way_of_reading_without_a_name_is_text(tmp_path):
    _, rows = asked(tmp_path, lambda task: Reply("yes", "yes", how="by heart"), turns="5", limit=1)
    assert {row.how for row in rows} == {"text"}


@pytest.mark.parametrize(
    "options", [{}, {"limit": 2, "seed": 7}, {"limit": 3, "turns": "0,5,10", "pairs": 2, "seed": 1}]
)
def test_what_is_asked_is_what_is_scored_with_the_same_options(tmp_path, options):
    _, rows = asked(tmp_path, **options)
    run = score_judgements(GIVEN, rows, JudgeOptions(**options, strict=True))
    assert run.coverage.complete
    assert run.coverage.asked == len(rows)


def score_of(task):
    """What is so: the score by the dialogue, the truth by the proposition."""
    number = task.seen.image - 100
    (proposition,) = {one for one in GIVEN.dialogues[number] if one.proposition == task.sentence}
    if task.about == "truth":
        value = "yes" if proposition.a_thinks_true else "no"
    elif len(task.rounds) < proposition.turn_shared:
        value = "open"
    else:
        value = "true" if proposition.a_thinks_true else "false"
    return Reply(value, value)


class TestScore:
    def test_one_question_and_a_second_where_it_is_open(self, tmp_path):
        interview, rows = asked(tmp_path, score_of, "plain")
        private = sum(one.turn_shared for records in GIVEN.dialogues.values() for one in records)
        points = 4 * 8 * 11
        assert [task.about for task in interview.tasks].count("score") == points
        assert [task.about for task in interview.tasks].count("truth") == private
        assert len(rows) == points + private
        each = f"{points:,} points in {points + private:,} requests, {1 + private / points:.2f} per point"
        assert interview.notes == [
            f"{each}: the score of each, and the truth of the {private:,} that the model took for open."
        ]
        assert interview.early == "100.0 % right (TFxPS)"
        assert interview.terms == {"least_mass": "0.5"}
        run = score_judgements(GIVEN, rows, JudgeOptions(strict=True))
        assert {run.measures[f"accuracy[{task}]"].value for task in TASKS} == {1}
        assert run.signature.options["questions"] == "score and truth"

    def test_the_score_is_asked_without_the_picture(self, tmp_path):
        interview, _ = asked(tmp_path, score_of, "plain", turns="1", limit=1)
        for task in interview.tasks:
            assert bool(task.seen.picture) == bool(task.seen.told) == (task.about == "truth")

    def test_labels_are_in_all_orders_as_often_and_the_same_each_time(self, tmp_path):
        interview, _ = asked(tmp_path, score_of, "plain")
        orders = {
            (task.seen.image, task.sentence, len(task.rounds)): task.labels
            for task in interview.tasks
            if task.about == "score"
        }
        counts = Counter(orders.values())
        assert set(counts) == set(permutations(LABELS))
        # 44 pairs at a turn of each dialogue, by turns through six orders.
        assert max(counts.values()) <= 1.25 * min(counts.values())
        first, second = (GIVEN.dialogues[2][index].proposition for index in (4, 5))
        assert all(orders[102, first, turn] == orders[102, second, turn] for turn in range(11))
        fewer, _ = asked(tmp_path, score_of, "plain", turns="5", limit=2)
        scores = [task for task in fewer.tasks if task.about == "score"]
        assert all(task.labels == orders[task.seen.image, task.sentence, 5] for task in scores)
        other, _ = asked(tmp_path, score_of, "plain", seed=1)
        assert [task.labels for task in other.tasks if task.about == "score"] != list(orders.values())

    def test_a_dry_run_counts_both_questions(self, tmp_path):
        interview, _ = asked(tmp_path, lambda task: Reply(fault="dry run"), "plain", dry=True, turns="5", limit=1)
        assert len(interview.tasks) == 16
        (note,) = interview.notes
        assert note.startswith("At most 8 points in 16 requests, 2.00 per point")
