"""People's accuracy and agreement by hand, and a probe's run on the same points."""

import pytest
from board_runs import FACTS, ROWS, items, judgements, probe_run

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import JudgedPropositionsOptions
from voirdire.scorekeeping.humans import score_judges


def values(run):
    return {str(key): figure.value for key, figure in run.measures.items()}


class TestJudges:
    def test_four_tasks_by_hand(self):
        run = score_judges(judgements(ROWS))
        found = values(run)
        assert found["tfxps"] == pytest.approx(3 / 6)
        assert found["tf"] == pytest.approx(4 / 6)
        assert found["ps"] == pytest.approx(5 / 6)
        # What is private is not told apart, so b is right on the first point.
        assert found["pxtsfs"] == pytest.approx(4 / 6)
        assert run.measures["tf"].n == 3
        assert run.items.height == 3

    def test_kappa_by_hand(self):
        # Every point splits its two judges: P̄ = 0. Classes tp, fp | fs, ts | tp, ts have shares 2/6, 1/6, 1/6, 2/6.
        chance = (4 + 1 + 1 + 4) / 36
        assert values(score_judges(judgements(ROWS)))["fleiss_kappa"] == pytest.approx(-chance / (1 - chance))

    def test_dialogues_left_out(self):
        run = score_judges(judgements(ROWS), options=JudgedPropositionsOptions(exclude="8,9"))
        assert values(run)["tfxps"] == 0.5
        assert run.items["dialogue"].to_list() == [7]
        assert run.measures["tfxps"].low is None
        with pytest.raises(UsageError, match="dialogue 99"):
            score_judges(judgements(ROWS), options=JudgedPropositionsOptions(exclude="99"))
        with pytest.raises(UsageError, match="no judgement is left"):
            score_judges(judgements(ROWS), options=JudgedPropositionsOptions(exclude="7,8,9"))

    def test_a_judge_who_missed_a_point(self):
        run = score_judges(judgements(ROWS[:-1]))
        assert values(run)["tfxps"] == pytest.approx((0.5 + 0.5 + 0) / 3)
        assert values(run)["fleiss_kappa"] is None
        assert "1 to 2 judges per point" in run.warnings[0]

    def test_judges_who_agree_in_all(self):
        same = [(judge, *row[1:]) for judge in "ab" for row in ROWS[::2]]
        assert values(score_judges(judgements(same)))["fleiss_kappa"] == pytest.approx(1.0)

    def test_a_table_without_a_judgement(self):
        with pytest.raises(UsageError, match="no judgement"):
            score_judges(judgements([]))


class TestRuns:
    def test_the_same_points(self):
        frames = [
            items(dialogue=7, wrong=[(2, 1, "false private")]),
            items(dialogue=8, wrong=[(4, 3, "false shared")]),
            items(dialogue=9),
        ]
        run = score_judges(judgements(ROWS), runs={"probe": probe_run(*frames)})
        assert run.measures["tfxps[probe]"].value == pytest.approx(2 / 3)
        assert run.measures["tfxps[probe]"].n == 3
        assert list(map(str, run.measures))[:5] == ["tfxps", "tf", "ps", "pxtsfs", "fleiss_kappa"]

    def test_every_task_of_a_run_and_the_mean_over_seeds(self):
        everywhere = [items(task, dialogue=one) for one in (7, 8, 9) for task in ("TFxPS", "PS")]
        second = [items("PS", dialogue=one, seed=1, wrong=[(2, 1, "shared")]) for one in (7, 8, 9)]
        nothing = [items("PS", dialogue=one, control="null", wrong=[(2, 1, "shared")]) for one in (7, 8, 9)]
        run = score_judges(judgements(ROWS), runs={"p": probe_run(*everywhere, *second, *nothing)})
        assert run.measures["tfxps[p]"].value == 1.0
        assert run.measures["ps[p]"].value == pytest.approx((0.5 + 1 + 1) / 3)

    def test_points_that_a_run_lacks_are_errors_or_left_out(self):
        run = probe_run(items(dialogue=7), items(dialogue=9))
        with pytest.raises(InputError, match="dialogue 8, turn 3: found no proposition 'It is sunny'"):
            score_judges(judgements(ROWS), runs={"p": run})
        common = score_judges(judgements(ROWS), {"p": run}, JudgedPropositionsOptions(common=True))
        assert common.measures["tfxps"].n == common.measures["tfxps[p]"].n == 2
        assert values(common)["tfxps"] == 0.5
        assert "1 of 3 points" in common.warnings[0]
        with pytest.raises(UsageError, match="no point"):
            score_judges(judgements(ROWS), {"p": probe_run(items(dialogue=1))}, JudgedPropositionsOptions(common=True))

    def test_a_run_of_a_control_alone(self):
        with pytest.raises(UsageError, match="p: a run of controls alone"):
            score_judges(judgements(ROWS), runs={"p": probe_run(items(dialogue=7, control="null"))})

    def test_another_gold_label_is_another_point(self):
        later = [(text, true, 4 if "brown" in text else turn, rule) for text, true, turn, rule in FACTS]
        runs = {"p": probe_run(items(dialogue=7, facts=later), items(dialogue=8), items(dialogue=9))}
        at_three = [("a", 7, 3, 2, 1, 1), *ROWS[2:]]
        with pytest.raises(InputError, match="brown"):
            score_judges(judgements(at_three), runs=runs)

    def test_equal_words_are_told_apart_by_the_index(self):
        twice = [FACTS[2], FACTS[3], FACTS[2], FACTS[3]]
        rows = [("a", 7, 1, 2, 1, 0), ("b", 7, 1, 2, 1, 0)]
        for index, share in ((0, 1.0), (2, 0.0)):
            run = probe_run(items(facts=twice, wrong=[(index, 1, "false private")]))
            found = score_judges(judgements(rows), runs={"p": run})
            assert found.measures["tfxps[p]"].value == share

    def test_a_run_of_something_else(self):
        with pytest.raises(UsageError, match="scorekeeping humans"):
            score_judges(judgements(ROWS), runs={"p": score_judges(judgements(ROWS))})


@pytest.fixture
def dialogues():
    rounds = (("what color is the dog", "it is brown"), ("is it sunny?", "no"), ("any people", "no"))
    return Dialogues(
        tuple(Dialogue(40 + place, f"dog number {place}", rounds[: 1 + place % 3], image="") for place in range(12)),
        "val",
    )


@pytest.fixture
def propositions(dialogues):
    def of(place):
        last = len(dialogues[place].rounds)
        made = [("there is a dog.", 1, 0, "caption", None), ("there is no dog.", 0, 0, "caption", None)]
        made += [("the dog is brown.", 1, 1, "what_color", None), ("the dog is not brown.", 0, 1, "what_color", None)]
        made += [("said twice.", 1, last, "there", "positive"), ("said twice.", 0, last, "there", "negative")]
        return tuple(Proposition(*one) for one in made)

    return PropositionSet("val", "x.json", {place: of(place) for place in range(12)})
