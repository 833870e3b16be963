"""People's accuracy and agreement by hand, a probe's run on the same points, and sheets from drawing to judgements."""

import csv
import json
import math
import re

import numpy as np
import pytest
from board_runs import FACTS, items, probe_run
from voirdire.scorekeeping.sheet import collect, draw_rows, read_sheet, write_sheet

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.judgements import Judgements, read_judgements, write_judgements
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import JudgedPropositionsOptions
from voirdire.scorekeeping.humans import score_judges


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


def values(run):
    return {str(key): one.value for key, one in run.measures.items()}


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


class TestSheets:
    def test_rows_are_drawn_by_the_seed(self, propositions, dialogues):
        rows = draw_rows(propositions, dialogues, 10, 5)
        assert rows == draw_rows(propositions, dialogues, 10, 5)
        assert rows != draw_rows(propositions, dialogues, 10, 6)
        assert len({row.dialogue for row in rows}) == 10
        for row in rows:
            assert row.proposition != "said twice."
            assert len(row.lines) == row.turn + 1 <= len(dialogues[row.dialogue].rounds) + 1
            assert row.lines[0] == f"dog number {row.dialogue}"
        assert {row.turn for row in rows} > {0, 1}
        with pytest.raises(
            UsageError, match="`points` must be at most 12, the dialogues with a proposition to judge, got 13"
        ):
            draw_rows(propositions, dialogues, 13, 0)

    def test_propositions_of_other_dialogues(self, propositions, dialogues):
        with pytest.raises(InputError, match="dialogue 11: found none at this place"):
            draw_rows(propositions, Dialogues(dialogues.dialogues[:11]), 2, 0)
        cut = Dialogues(tuple(Dialogue(one.image_id, one.caption, ()) for one in dialogues))
        with pytest.raises(InputError, match="a proposition of turn 1"):
            draw_rows(propositions, cut, 2, 0)

    def test_no_label_is_on_a_sheet(self, propositions, dialogues, tmp_path):
        write_sheet(draw_rows(propositions, dialogues, 5, 0), tmp_path / "s.csv")
        with (tmp_path / "s.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 5
        assert not {"prop_idx", "content_gold", "shared_gold", "turn_shared", "rule", "type"} & set(rows[0])
        assert all(row["content"] == row["shared"] == row["username"] == "" for row in rows)

    def test_filled_sheets_become_judgements(self, propositions, dialogues, tmp_path):
        write_sheet(draw_rows(propositions, dialogues, 8, 1), tmp_path / "s.csv")
        with (tmp_path / "s.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        paths = []
        for judge in ("ann", "bob"):
            filled = [{**row, "username": judge, "content": "1", "shared": "0"} for row in rows]
            paths.append(tmp_path / f"{judge}.csv")
            with paths[-1].open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(filled)
        judged = collect([read_sheet(path) for path in paths], propositions, dialogues)
        write_judgements(judged, tmp_path / "judged.csv")
        assert read_judgements(tmp_path / "judged.csv") == judged
        assert len(judged) == 16
        for place, index in zip(judged.dialogues.tolist(), judged.indices.tolist(), strict=True):
            assert propositions.dialogues[place][index].proposition in judged.propositions
        found = values(score_judges(read_judgements(tmp_path / "judged.csv")))
        assert found["tf"] == judged.true_gold.mean()
        assert found["ps"] == 1 - judged.shared_gold.mean()
        assert math.isclose(found["tfxps"], (judged.true_gold & ~judged.shared_gold).mean())

    @pytest.mark.parametrize("written", [True, False], ids=["as written", "as a spreadsheet may save it"])
    def test_no_cell_of_a_sheet_is_a_formula_and_all_come_back(self, tmp_path, written):
        facts = (Proposition("=1+1", 1, 0, "caption", None), Proposition("'-it is not.", 0, 0, "caption", None))
        dialogues = Dialogues((Dialogue(1, "@a caption", (("+is it?", "no"),) * 10),))
        propositions = PropositionSet("val", "x.json", {0: facts})
        for seed in range(6):
            write_sheet(draw_rows(propositions, dialogues, 1, seed), tmp_path / "s.csv")
            with (tmp_path / "s.csv").open(newline="") as file:
                head, cells = csv.reader(file)
            assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
            row = dict(zip(head, cells, strict=True)) | {"username": "ann", "content": "1", "shared": "1"}
            if not written and row["prop"] == "'=1+1":
                row["prop"] = "=1+1"
            with (tmp_path / "s.csv").open("w", newline="") as file:
                csv.writer(file).writerows([head, row.values()])
            (said,) = collect([read_sheet(tmp_path / "s.csv")], propositions, dialogues).propositions
            assert said in {fact.proposition for fact in facts}

    def test_a_sheet_that_is_given_twice_or_is_empty(self, propositions, dialogues, tmp_path):
        write_sheet(draw_rows(propositions, dialogues, 3, 1), tmp_path / "s.csv")
        head, *lines = (tmp_path / "s.csv").read_text().splitlines(keepends=True)
        assert lines
        (tmp_path / "empty.csv").write_text(head)
        with pytest.raises(InputError, match=r"empty\.csv: found no judgement"):
            read_sheet(tmp_path / "empty.csv")
        with (tmp_path / "s.csv").open(newline="") as file:
            rows = [{**row, "username": "ann", "content": "1", "shared": "0"} for row in csv.DictReader(file)]
        for name in ("first", "again"):
            with (tmp_path / f"{name}.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        with pytest.raises(InputError, match=r"again\.csv: 3 problems\n.*'ann' on a point that they judged already"):
            collect([read_sheet(tmp_path / f"{name}.csv") for name in ("first", "again")], propositions, dialogues)

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("content", "", "field `content`"),
            ("content", "true", "field `content`"),
            ("username", " ", "the judge's name"),
            ("prop", "there is a cat.", "no such proposition"),
            ("dialogue", "another one", "as it was"),
            ("turn_idx", "11", "field `turn_idx`"),
            ("dlg_idx", "77", "a proposition of dialogue 77"),
        ],
    )
    def test_a_sheet_that_cannot_be_used(self, propositions, dialogues, tmp_path, field, value, message):
        (row,) = draw_rows(propositions, dialogues, 1, 1)
        write_sheet([row], tmp_path / "s.csv")
        with (tmp_path / "s.csv").open(newline="") as file:
            (cells,) = csv.DictReader(file)
        cells |= {"username": "ann", "content": "1", "shared": "1", field: value}
        with (tmp_path / "s.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(cells))
            writer.writeheader()
            writer.writerow(cells)
        with pytest.raises(InputError, match=message):
            collect([read_sheet(tmp_path / "s.csv")], propositions, dialogues)

    def test_a_page_holds_all_points_and_its_pictures(self, propositions, dialogues, tmp_path):
        from PIL import Image

        rows = draw_rows(propositions, dialogues, 3, 2)
        (tmp_path / "pictures").mkdir()
        for row in rows:
            Image.new("RGB", (8, 8), "red").save(tmp_path / "pictures" / f"scene_{int(row.image):012}.png")
        write_sheet(rows, tmp_path / "s.html", tmp_path / "pictures")
        page = (tmp_path / "s.html").read_text()
        assert page.count("<section>") == page.count("data:image/png;base64") == 3
        data = json.loads(re.findall(r'<script type="application/json" id="sheet">(.*?)</script>', page)[0])
        assert [row[5] for row in data["rows"]] == [row.proposition for row in rows]
        assert len(data["columns"]) == 2 + len(data["rows"][0]) + 2
        with pytest.raises(UsageError, match="there is no image"):
            write_sheet(draw_rows(propositions, dialogues, 12, 2), tmp_path / "t.html", tmp_path / "pictures")
        with pytest.raises(UsageError, match="on a page only"):
            write_sheet(rows, tmp_path / "s.csv", tmp_path / "pictures")
        with pytest.raises(UsageError, match=r"\.csv or \.html"):
            write_sheet(rows, tmp_path / "s.txt")
