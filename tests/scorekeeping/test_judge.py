"""A model that was asked, scored: every figure done by hand, what is missing, and files that do not belong together."""

from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest
from judged import propositions, said

from voirdire.errors import InputError, UsageError
from voirdire.exam import options_of, part_named, views_of
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.record import Rows
from voirdire.options import OptionError
from voirdire.runs.store import write_run
from voirdire.scorekeeping.board import make_board
from voirdire.scorekeeping.exam import JudgeOptions
from voirdire.scorekeeping.humans import join_run
from voirdire.scorekeeping.judge import classes, score_judgements
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.tables import judge_tables
from voirdire.verdict.comparison import compare_runs

GIVEN = propositions()
POINTS = 6 * 8 * 11
PS = JudgeOptions(task="PS")


def other(row):
    return {"value": "no" if row.value == "yes" else "yes"}


def figures(run):
    return {str(key): figure.value for key, figure in run.measures.items()}


class TestClasses:
    def test_two_answers_make_a_class_of_every_task(self):
        truth, sharing = np.array([1, 0, 1, 0]), np.array([1, 1, 0, 0])
        named = {name: [task.classes[place] for place in classes(task, truth, sharing)] for name, task in TASKS.items()}
        assert named == {
            "TFxPS": ["true shared", "false shared", "true private", "false private"],
            "TF": ["true", "false", "true", "false"],
            "PS": ["shared", "shared", "private", "private"],
            "PxTSFS": ["true shared", "false shared", "private", "private"],
        }

    def test_a_task_needs_what_it_asks_for(self):
        truth, sharing = np.array([2, 2, 1, 2]), np.array([1, 0, 2, 2])
        known = {name: (classes(task, truth, sharing) >= 0).tolist() for name, task in TASKS.items()}
        assert known == {
            "TFxPS": [False, False, False, False],
            "TF": [False, False, True, False],
            "PS": [True, True, False, False],
            # What is private is so, whether true or not.
            "PxTSFS": [False, True, False, False],
        }


class TestFigures:
    def test_who_is_always_right(self):
        run = score_judgements(GIVEN, said(GIVEN))
        found = figures(run)
        for task in TASKS:
            assert found[f"accuracy@5[{task}]"] == found[f"accuracy[{task}]"] == 1
        assert found["shift_only_right[TFxPS]"] == found["truth_stable[TF]"] == 1
        assert found["opposites_agree[TFxPS]"] == found["unread"] == 0
        assert run.measures["accuracy[TFxPS]"].n == POINTS
        assert not any(name.endswith(":asked") for name in found)
        assert run.coverage is not None
        assert run.coverage.complete
        assert run.warnings == ()
        assert run.items.height == 4 * POINTS

    def test_who_denies_everything(self):
        run = score_judgements(GIVEN, said(GIVEN, lambda row: {"value": "no"}))
        found = figures(run)
        said_at = [one.turn_shared for records in GIVEN.dialogues.values() for one in records]
        private = sum(said_at) / POINTS
        assert found["accuracy[TF]"] == 0.5
        assert found["accuracy[PS]"] == pytest.approx(private)
        assert found["accuracy[PxTSFS]"] == pytest.approx(private)
        assert found["accuracy[TFxPS]"] == pytest.approx(private / 2)
        assert found["opposites_agree[TF]"] == 1
        assert found["truth_stable[TF]"] == 1
        assert found["shift_right[PS]"] == 0

    def test_one_task_has_all_its_figures(self):
        judged = said(GIVEN, lambda row: other(row) if row.turn == 3 else {})
        found = figures(run := score_judgements(GIVEN, judged, PS))
        assert found["accuracy@3"] == found["dialogue_accuracy@3"] == 0
        assert found["accuracy@5"] == found["confusion@5[shared → shared]"] == 1
        assert {"accuracy[there]", "accuracy[positive]", "accuracy[none, said at 0]"} <= set(found)
        assert set(run.items["task"]) == {"PS"}

    def test_nothing_of_training_is_there(self):
        run = score_judgements(GIVEN, said(GIVEN), JudgeOptions(task="TFxPS"))
        assert not {"seed", "control", "seen", "words_right"} & set(run.items.columns)
        assert not any("seen" in name or "words" in name or "valid" in name for name in figures(run))


class TestMissing:
    def test_what_could_not_be_read_is_left_out_and_counts_as_wrong(self):
        judged = said(GIVEN, lambda row: {"value": None} if row.index == 0 and row.question == "truth" else {})
        found = figures(run := score_judgements(GIVEN, judged))
        assert found["accuracy[TFxPS]"] == found["accuracy[PS]"] == 1
        assert found["accuracy[TFxPS]:asked"] == pytest.approx(7 / 8)
        assert found["accuracy[TF]:asked"] == pytest.approx(7 / 8)
        assert "accuracy[PS]:asked" not in found
        # The truth of what is private need not be known.
        first = [records[0].turn_shared for records in GIVEN.dialogues.values()]
        lost = sum(11 - turn for turn in first) / POINTS
        assert found["accuracy[PxTSFS]:asked"] == pytest.approx(1 - lost)
        assert found["unread"] == pytest.approx(1 / 16)
        assert found["unread[truth]"] == pytest.approx(1 / 8)
        assert found["unread[sharing]"] == 0
        assert run.coverage.complete
        assert run.warnings == ("In 66 of 1,056 judgements no answer could be read: `:asked` counts these as wrong.",)

    def test_a_row_with_a_gap_is_no_case_for_shifts(self):
        judged = said(GIVEN, lambda row: {"value": None} if (row.dialogue, row.index, row.turn) == (0, 0, 9) else {})
        run = score_judgements(GIVEN, judged)
        assert run.measures["shift_right[TFxPS]"].n == 6 * 8 - 1
        assert run.measures["shift_right[TFxPS]"].value == 1
        assert run.measures["opposites_agree[TFxPS]"].n == 6 * 4 * 11 - 1

    def test_a_file_of_fewer_dialogues_and_turns(self):
        judged = said(GIVEN, lambda row: {} if row.dialogue < 3 and row.turn in (0, 5) else None)
        run = score_judgements(GIVEN, judged)
        found = figures(run)
        assert found["accuracy[TFxPS]"] == 1
        assert found["accuracy[TFxPS]:asked"] == pytest.approx(3 * 2 / (6 * 11))
        assert found["accuracy@5[TFxPS]:asked"] == pytest.approx(1 / 2)
        assert found["shift_right[TFxPS]"] is None
        (warning,) = run.warnings
        assert warning.startswith("96 judgements of 1,056 are scored. The judgements lack 960 of the propositions")
        with pytest.raises(InputError, match="960 problems"):
            score_judgements(GIVEN, judged, JudgeOptions(strict=True))

    def test_options_that_ask_for_less_make_a_sample_whole(self):
        judged = said(GIVEN, lambda row: {} if row.turn in (0, 5) else None)
        run = score_judgements(GIVEN, judged, JudgeOptions(turns="5, 0"))
        assert run.coverage.complete
        assert run.coverage.asked == 6 * 8 * 2 * 2
        assert run.signature.options["turns"] == "0,5"

    def test_nothing_of_turn_5(self):
        run = score_judgements(GIVEN, said(GIVEN), JudgeOptions(turns="2"))
        assert run.measures["accuracy@5[TFxPS]"].value is None
        assert run.warnings == ("Nothing is asked of turn 5 (the last is 2), so there is no accuracy@5.",)

    def test_pairs_are_drawn_with_their_opposites(self):
        run = score_judgements(GIVEN, said(GIVEN), JudgeOptions(pairs=1, seed=3))
        ps = run.items.filter(pl.col("task") == "PS")
        by_dialogue = ps.group_by("dialogue").agg(pl.col("index").unique().sort(), pl.col("true").mean())
        assert all(index[0] % 2 == 0 and index[1] == index[0] + 1 for index in by_dialogue["index"].to_list())
        assert set(by_dialogue["true"]) == {0.5}
        fewer = score_judgements(GIVEN, said(GIVEN), JudgeOptions(pairs=1, seed=3, limit=2)).items
        assert fewer.height < run.items.height
        # A dialogue's pair is the same, whichever other dialogues are there.
        assert fewer.join(run.items, on=["dialogue", "index", "turn", "task"], how="anti").height == 0

    def test_a_limit(self):
        run = score_judgements(GIVEN, said(GIVEN), JudgeOptions(limit=2))
        assert run.items["dialogue"].n_unique() == 2
        assert run.warnings == ("Limited to 2 of 6 dialogues, seed 0.",)
        assert run.coverage.complete

    def test_nothing_that_can_be_read(self):
        with pytest.raises(InputError, match="nothing that could be read, expected an answer to some question"):
            score_judgements(GIVEN, said(GIVEN, lambda row: {"value": None}))

    def test_who_was_asked_for_the_truth_alone(self):
        run = score_judgements(GIVEN, said(GIVEN, lambda row: {} if row.question == "truth" else None))
        found = figures(run)
        assert found["accuracy[TF]"] == 1
        assert set(run.items["task"]) == {"TF"}
        assert not any("PS" in name for name in found)
        assert "unread[sharing]" not in found
        assert "TFxPS, in percent" not in judge_tables(run)
        with pytest.raises(InputError, match="expected an answer to some question of PS"):
            score_judgements(GIVEN, said(GIVEN, lambda row: {} if row.question == "truth" else None), PS)

    def test_several_ways_of_reading_are_told(self):
        judged = said(GIVEN, lambda row: {"how": "logprobs" if row.question == "truth" else "text"})
        run = score_judgements(GIVEN, judged)
        assert run.warnings == ("Judgements were read in several ways: 528 by logprobs, 528 by text.",)
        by_task = dict(run.items.group_by("task").agg(pl.col("how").first()).iter_rows())
        assert by_task == {"TFxPS": "logprobs+text", "TF": "logprobs", "PS": "text", "PxTSFS": "logprobs+text"}


def scored(change=lambda row: {}):
    """The same as scores: the truth of what is open stands beside them."""
    rows, by_place = [], {}
    for row in said(GIVEN):
        by_place.setdefault(row.asked[:3], {})[row.question] = row
    for point in by_place.values():
        settled, truth = point["sharing"].value == "yes", point["truth"]
        score = {"yes": "true", "no": "false"}[truth.value] if settled else "open"
        some = [msgspec.structs.replace(truth, question="score", value=score), *([] if settled else [truth])]
        changed = ((row, change(row)) for row in some)
        rows += [msgspec.structs.replace(row, **fields) for row, fields in changed if fields is not None]
    return Rows(tuple(rows), fingerprint="e" * 64)


PRIVATE = sum(one.turn_shared for records in GIVEN.dialogues.values() for one in records)


class TestScores:
    def test_they_have_the_figures_of_two_answers(self):
        run, other = score_judgements(GIVEN, scored()), score_judgements(GIVEN, said(GIVEN))
        unread = {key for key in (*run.measures, *other.measures) if key.measure == "unread"}
        assert {key: run.measures[key] for key in run.measures if key not in unread} == {
            key: other.measures[key] for key in other.measures if key not in unread
        }
        assert run.coverage.asked == POINTS + PRIVATE
        assert run.coverage.complete
        assert (run.signature.options["questions"], other.signature.options["questions"]) == (
            "score and truth",
            "truth and sharing",
        )

    def test_who_calls_everything_established_as_true(self):
        run = score_judgements(GIVEN, scored(lambda row: {"value": "true"} if row.question == "score" else None))
        found = figures(run)
        assert found["accuracy[TF]"] == 0.5
        assert found["accuracy[PS]"] == pytest.approx(1 - PRIVATE / POINTS)
        assert found["opposites_agree[TF]"] == 1
        assert run.coverage.asked == POINTS

    def test_what_could_not_be_read_or_is_not_there(self):
        judged = scored(lambda row: {"value": None} if row.question == "score" and row.index == 0 else {})
        run = score_judgements(GIVEN, judged)
        assert run.measures["unread[score]"].value == pytest.approx(1 / 8)
        assert run.measures["accuracy[PS]:asked"].value == pytest.approx(7 / 8)
        without = score_judgements(GIVEN, scored(lambda row: {} if row.question == "score" else None))
        assert without.coverage.missing == PRIVATE
        assert without.measures["accuracy[PxTSFS]"].value == 1
        assert "accuracy[PxTSFS]:asked" not in figures(without)
        assert without.measures["accuracy[TF]"].n == POINTS - PRIVATE

    def test_a_file_has_either_way(self):
        both = Rows((*scored(), *(row for row in said(GIVEN) if row.question == "sharing")))
        with pytest.raises(InputError, match="found sharing, expected score, and truth of what is open"):
            score_judgements(GIVEN, both)


class TestOtherFiles:
    def test_judgements_of_other_dialogues_are_left_aside(self):
        judged = said(GIVEN)
        more = said(propositions(8), lambda row: {} if row.dialogue > 5 and row.turn == 0 else None)
        run = score_judgements(GIVEN, Rows((*judged, *more)))
        assert run.coverage.beyond == 2 * 8 * 2
        assert "32 other judgements of the judgements are left aside" in run.warnings[0]

    def test_other_words_at_the_same_places(self):
        judged = said(GIVEN, lambda row: {"proposition": "there is a whale"} if row.index == 2 else {})
        with pytest.raises(InputError, match="proposition 2: truth, field `proposition`: found 'there is a whale'"):
            score_judgements(GIVEN, judged)

    @pytest.mark.parametrize(
        ("change", "found"),
        [
            ({"index": 8}, "field `index`: found 8, expected one of the dialogue's 8 propositions"),
        ],
    )
    def test_places_that_are_not_there(self, change, found):
        judged = said(GIVEN, lambda row: change if (row.dialogue, row.turn, row.index) == (0, 0, 7) else {})
        with pytest.raises(InputError) as caught:
            score_judgements(GIVEN, judged)
        assert found in str(caught.value)

    def test_a_turn_after_the_dialogue_s_end(self):
        short = propositions(turns=6)
        judged = said(short, lambda row: {"turn": 7} if (row.turn, row.index) == (5, 0) else {})
        with pytest.raises(InputError, match="field `turn`: found 7, expected one of the dialogue's 6 turns"):
            score_judgements(short, judged)

    def test_propositions_that_do_not_say_how_long_dialogues_are(self):
        unsaid = replace(GIVEN, turns={})
        with pytest.raises(InputError, match=r"field `turns`: found nothing, .*Give the `dialogues`"):
            score_judgements(unsaid, said(GIVEN))
        rounds = tuple((f"question {number}?", "yes") for number in range(10))
        dialogues = Dialogues(tuple(Dialogue(number, "a caption", rounds) for number in range(6)))
        assert figures(score_judgements(unsaid, said(GIVEN), dialogues=dialogues))["accuracy[PS]"] == 1

    @pytest.mark.parametrize("turns", ["11", "five", "1,-2", "1;2", "٣"])
    def test_turns_that_are_none(self, turns):
        with pytest.raises(OptionError, match="`turns` must hold numbers of turns, 0 to 10, with commas in between"):
            JudgeOptions(turns=turns)

    def test_turns_that_no_dialogue_has(self):
        short = propositions(turns=6)
        with pytest.raises(UsageError, match="`turns` is 9, and no dialogue has more than 5 rounds"):
            score_judgements(short, said(short), JudgeOptions(turns="9"))


@pytest.fixture(scope="module")
def run():
    """Of somebody who is right but at turn 5."""
    return score_judgements(GIVEN, said(GIVEN, lambda row: other(row) if row.turn == 5 else {}))


class TestAfterwards:
    def test_it_is_kept_and_read_again(self, run, tmp_path):
        from voirdire.exam import read_run

        write_run(run, tmp_path / "run")
        again = read_run(tmp_path / "run")
        assert again.measures == run.measures
        assert options_of(again) == JudgeOptions()
        assert part_named("scorekeeping judge").views

    def test_every_figure_comes_from_its_views(self, run):
        keys = {measure.key for view in views_of(run) for measure in view.measures}
        assert {key for key in run.measures if key.measure != "unread"} == keys

    def test_two_models_are_compared(self, run):
        better = score_judgements(GIVEN, said(GIVEN))
        (compared,) = compare_runs(("one", "better"), (run, better), resamples=100)
        found = {one.measure.name: one for one in compared.measures}
        assert found["accuracy@5[TFxPS]"].difference == 1

    def test_tables_for_people(self, run):
        shown = judge_tables(run)
        assert shown.splitlines()[0].split() == ["asked,", "in", "percent", "TFxPS", "TF", "PS", "PxTSFS"]
        assert shown.splitlines()[1].split()[-4:] == ["0.00"] * 4
        assert "can_you_see" in shown
        assert "unread as wrong" not in shown
        gone = score_judgements(GIVEN, said(GIVEN, lambda row: None if row.turn == 5 else {}))
        assert "accuracy, all turns, unread as wrong" in judge_tables(gone)
        alone = judge_tables(score_judgements(GIVEN, said(GIVEN), JudgeOptions(task="TF")))
        assert "gold ↓ predicted →" in alone
        assert "accuracy@5" in alone

    def test_its_scoreboard(self, run):
        board = make_board(run, 2, "TFxPS")
        assert (board.right, board.cells) == (80, 88)
        assert board.head() == "dialogue 2, TFxPS: 80 of 88 right (90.9 %)"
        assert board.plain()["seed"] is None

    def test_a_scoreboard_with_gaps(self):
        run = score_judgements(GIVEN, said(GIVEN, lambda row: {"value": None} if row.turn in (3, 4) else {}))
        board = make_board(run, 0, "TFxPS")
        assert (board.right, board.cells, board.turns) == (72, 72, 11)
        row = board.rows[0]
        assert board.letters(row.predicted)[3:5] == "··"
        assert "·" not in board.letters(row.gold)
        assert row.errors == ()
        assert not any(row.wrong)
        assert board.legend().endswith("· nothing")
        assert board.plain()["propositions"][0]["predicted"][3] is None

    def test_points_that_people_judged(self, run):
        points = run.items.filter((pl.col("task") == "TFxPS") & (pl.col("turn") == 4)).select(
            "dialogue", "turn", "index", "proposition", "true", "shared"
        )
        joined = {one.task: one.right.to_list() for one in join_run(points, "asked", run)}
        assert joined == dict.fromkeys(TASKS, [1.0] * 48)
