"""The section of exam 4 on small runs: every figure is the run's, and scoreboards are those of the probes."""

import json
from dataclasses import replace

import polars as pl
import pytest
from board_runs import ROWS, items, judgements, probe_run
from probe_dialogues import Table, given, material
from section_checks import cells, check_section, draw_charts, tables, texts

from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.humans import score_judges
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.scorekeeping.section import control_findings, probe_findings, scorekeeping_section
from voirdire.scorekeeping.section.probes import MOST, Probe, board_drills, detailed, probes_of
from voirdire.scorekeeping.section.tables import seen_table, table_2
from voirdire.section.content import Grid, Model, Section, SmallTable
from voirdire.section.context import Context, read_context

SEVEN = Key("accuracy", 7)
SMALL = {"epochs": 3, "batch": 128, "rate": 3e-2, "hidden": 16}


def probed(**options) -> Run:
    return probe_states(**given(material(40)), encoder=Table(), options=ProbeOptions(**{**SMALL, **options}))


@pytest.fixture(scope="module")
def one() -> Run:
    return probed()


@pytest.fixture(scope="module")
def every() -> Run:
    return probed(all=True)


@pytest.fixture(scope="module")
def questioner() -> Run:
    return probed(role="Q", all=True, epochs=1)


@pytest.fixture(scope="module")
def one_section(one: Run) -> Section:
    return scorekeeping_section([Model("one", "one-probe", one)], Context())


@pytest.fixture(scope="module")
def all_section(every: Run, questioner: Run) -> Section:
    return scorekeeping_section([Model("a", "a-probe", every), Model("q", "q-probe", questioner)], Context())


def points(wrong=(), task="TFxPS", **options) -> Run:
    """A run with the points of one dialogue and no figures."""
    return replace(probe_run(items(task, wrong=wrong)), options={"task": task, "role": "A", **options})


def estimates(**values: tuple[float, float, float]) -> dict[str, Estimate]:
    return {name.replace("__", "@"): Estimate(*figures, 100) for name, figures in values.items()}


def keyed(figures: dict[str, Estimate]) -> Measures:
    return Measures({Key.parse(name): figure for name, figure in figures.items()})


class TestOneTask:
    @pytest.fixture
    def models(self, one: Run) -> list[Model]:
        return [Model("one", "one-probe", one)]

    @pytest.fixture
    def section(self, one_section: Section) -> Section:
        return one_section

    def test_every_figure_is_the_runs(self, section, models):
        known = check_section(section, models)
        assert known == sum(cell.value is not None or bool(cell.measure) for cell in cells(section))
        assert draw_charts(section) == 4

    def test_what_is_shown(self, section, one):
        assert list(tables(section)) == [
            "scorekeeping-boards",
            "scorekeeping-by-turn-tfxps",
            "scorekeeping-rules",
            "scorekeeping-confusion-one-probe",
            "scorekeeping-sources-one-probe",
            "scorekeeping-overlap",
        ]
        found = tables(section)
        assert {row[0] for row in found["scorekeeping-rules"].rows} == {"caption", "there", "can_you_see"}
        assert len(found["scorekeeping-confusion-one-probe"].rows) == 16
        turns = [row[1] for row in found["scorekeeping-by-turn-tfxps"].rows]
        assert turns == [str(turn) for turn in range(11)]
        accuracy = one.measures["accuracy@5"].value
        assert texts(found["scorekeeping-boards"])[0][:2] == ["one", f"{100 * accuracy:.2f}"]
        assert found["scorekeeping-boards"].title == "What is read off the states, TFxPS"

    def test_headlines(self, section):
        assert [headline.measure for headline in section.headlines] == ["accuracy@5", "shift_only_right"]

    def test_scoreboards_are_the_probes(self, section, one):
        (drill,) = section.drills
        scored = one.items["dialogue"].unique().sort().to_list()
        assert [item.name for item in drill.items] == [f"dialogue {place}" for place in scored]
        assert drill.note.startswith(f"{len(scored)} dialogues")
        for item, place in zip(drill.items, scored, strict=True):
            rows = one.items.filter(pl.col("dialogue") == place)
            assert item.scores[0][0] == pytest.approx(rows["right"].mean())
            (grid,) = item.blocks
            assert isinstance(grid, Grid)
            right = sum(a == b for _, gold, taken, _ in grid.rows for a, b in zip(gold, taken, strict=True))
            assert right == rows["right"].sum()
            assert grid.label.startswith(f"one: {right} of {rows.height} right")


class TestAllTasks:
    @pytest.fixture
    def models(self, every: Run, questioner: Run) -> list[Model]:
        return [Model("a", "a-probe", every), Model("q", "q-probe", questioner)]

    @pytest.fixture
    def section(self, all_section: Section) -> Section:
        return all_section

    @pytest.mark.slow
    def test_every_figure_is_the_runs_or_made_as_the_exam_makes_it(self, section, models):
        assert check_section(section, models) > 60

    def test_table_2(self, section, every, questioner):
        table = tables(section)["scorekeeping-table-2"]
        assert table.columns == ("states", "TFxPS", "TF", "PS", "PxTSFS")
        heads = [row[0] for row in table.rows]
        assert heads == [f"{who}, {what}" for who in ("a (A)", "q (Q)") for what in ("main", "random r", "null r")]
        for row, name in ((0, ""), (1, ", random"), (2, ", null")):
            for place, task in enumerate(TASKS, start=1):
                cell = table.rows[row][place]
                assert cell.measure == f"accuracy@5[{task}{name}]"
                assert cell.value == every.measures[cell.measure].value
        assert list(table.rows[3][1:3]) == ["–", "–"]
        assert table.rows[3][3].value == questioner.measures["accuracy@5[PS]"].value

    def test_tables_8_and_9_are_of_the_validation_points(self, section, every):
        for name, key in (
            ("scorekeeping-table-8", "accuracy@5[PS, null]"),
            ("scorekeeping-table-9", "accuracy[PS, null]"),
        ):
            cell = tables(section)[name].rows[2][3]
            assert cell.measure == f"{key}:valid"
            assert cell.value == every.measures[cell.measure].value

    def test_a_control_that_is_beaten_has_a_star_and_one_that_wins_a_mark(self, every):
        changed = {str(key): figure for key, figure in every.measures.items()}
        for task in TASKS:
            for control, value in (("random", 0.2), ("null", 0.9)):
                changed[f"accuracy@5[{task}, {control}]"] = Estimate(value, None, None, 9)
                changed[f"permutation_p[{task}, {control}]"] = Estimate(0.001, None, None, 9)
            changed[f"accuracy@5[{task}]"] = Estimate(0.5, None, None, 9)
        changed["accuracy@5[TF]:std"] = Estimate(0.0123, None, None, 2)
        changed["permutation_p[TF, random]"] = Estimate(0.01, None, None, 9)
        model = Model("a", "a", replace(every, measures=keyed(changed)))
        main, random, null = tables(scorekeeping_section([model], Context()))["scorekeeping-table-2"].rows
        assert [cell.text for cell in main[1:]] == ["50.00", "50.00 ± 1.23", "50.00", "50.00"]
        assert [cell.text for cell in random[1:]] == ["20.00 *", "20.00", "20.00 *", "20.00 *"]
        assert [(cell.text, cell.mark) for cell in null[1:]] == [("90.00 !", "bad")] * 4
        (finding,) = control_findings(probes_of([model]))
        assert finding.tone == "bad"
        assert ": TFxPS, null r; TF, random r; TF, null r; PS, null r; PxTSFS, null r." in finding.text

    def test_of_short_dialogues_the_accuracy_over_all_turns_is_tested(self, every):
        changed = {str(key): figure for key, figure in every.measures.items() if "PS" not in str(key)}
        changed |= {
            "accuracy@5[PS]": Estimate(None, None, None, 0),
            "accuracy@5[PS, null]": Estimate(None, None, None, 0),
        }
        changed |= {"accuracy[PS]": Estimate(0.5, None, None, 9), "accuracy[PS, null]": Estimate(0.4, None, None, 9)}
        changed["permutation_p[PS, null]"] = Estimate(0.001, None, None, 9)
        model = Model("a", "a", replace(every, measures=keyed(changed)))
        at_turn, over_all, *_ = table_2(probes_of([model]))
        assert [row[3].text for row in at_turn.rows] == ["–", "–", "–"]
        assert [row[3].text for row in over_all.rows] == ["50.00", "–", "40.00 *"]

    def test_details_are_of_the_richest_task(self, section, every):
        probes = detailed(probes_of([Model("a", "a-probe", every)]))
        assert [probe.task.name for probe in probes] == ["TFxPS"]
        here = every.items.filter((pl.col("task") == "TFxPS") & (pl.col("control") == ""))
        assert probes[0].figure(SEVEN).value == pytest.approx(here.filter(pl.col("turn") == 7)["right"].mean())
        cell = probes[0].cell(SEVEN)
        assert (cell.run, cell.measure, cell.value) == ("a-probe", "", probes[0].figure(SEVEN).value)
        assert probes[0].cell(Key("accuracy", 5)).measure == "accuracy@5[TFxPS]"
        assert "scorekeeping-confusion-q-probe" in tables(section)
        assert [drill.labels for drill in section.drills] == [("a, TFxPS, A", "q, PxTSFS, Q")]

    def test_headlines_are_of_the_richest_task(self, section):
        measures = [headline.measure for headline in section.headlines]
        tasks = ("TFxPS", "PxTSFS")
        assert measures == [f"{name}[{task}]" for task in tasks for name in ("accuracy@5", "shift_only_right")]

    def test_known_sentences_are_told_apart_where_there_are_others(self, every):
        probe = detailed(probes_of([Model("a", "a", every)]))[0]
        assert seen_table([probe]) == []
        half = every.items.with_columns((pl.col("index") < 4).alias("seen"))
        (probe,) = detailed(probes_of([Model("a", "a", replace(every, items=half))]))
        ((_, seen, unseen),) = seen_table([probe])[0].rows
        here = half.filter((pl.col("task") == "TFxPS") & (pl.col("control") == ""))
        assert seen.value == pytest.approx(here.filter(pl.col("seen"))["right"].mean())
        assert unseen.value == pytest.approx(here.filter(~pl.col("seen"))["right"].mean())


class TestFindings:
    @staticmethod
    def told(measures: dict[str, Estimate], task="TFxPS", control="") -> list[str]:
        run = replace(points(task=task, control=control or None), measures=keyed(measures))
        return [one.text for one in probe_findings(Probe(Model("m", "m", run), TASKS[task], control, "m"))]

    def test_beside_the_words_alone(self):
        def first(words: tuple[float, float, float]) -> str:
            return self.told(estimates(accuracy__5=(0.6, 0.55, 0.65), words_accuracy__5=words))[0]

        start = "A probe that learnt from the states reads what is true and what is shared (TFxPS) with an accuracy of "
        start += "60.0 % (95 % interval 55.0 … 65.0) at turn 5"
        assert first((0.4, 0.35, 0.45)) == f"{start}, more than the words alone give, 40.0 %."
        assert first((0.8, 0.75, 0.85)) == f"{start}, less than the words alone give, 80.0 %."
        assert (
            first((0.5, 0.4, 0.57)) == f"{start}; that is not clearly different from what the words alone give, 50.0 %."
        )

    def test_scoreboards_sentences_turns_and_mistakes(self):
        measures = estimates(
            accuracy__5=(0.6, 0.55, 0.65),
            shift_right=(0.6, 0.5, 0.7),
            shift_only_right=(0.38, 0.3, 0.45),
            truth_stable=(0.44, 0.4, 0.5),
            opposites_agree=(0.2, 0.1, 0.3),
            dialogue_accuracy__0=(0.5, 0.4, 0.55),
            dialogue_accuracy__10=(0.7, 0.6, 0.8),
        )
        measures |= {"accuracy[seen]": Estimate(0.7, 0.65, 0.75, 9), "accuracy[unseen]": Estimate(0.5, 0.45, 0.6, 9)}
        measures |= {"confusion@5[false private → true private]": Estimate(0.3, 0.2, 0.4, 9)}
        measures |= {"confusion@5[true shared → true private]": Estimate(0.1, 0.05, 0.2, 9)}
        assert self.told(measures)[1:] == [
            "Scoreboards (TFxPS): 60.0 % of the propositions become shared at the right turn, 38.0 % at that turn "
            "alone; 44.0 % keep one truth value; opposites have the same one at 20.0 % of the turns.",
            "On sentences that the probe learnt from it is right in 70.0 % of the points, on others in 50.0 % (TFxPS).",
            "Accuracy rises from 50.0 % after the caption to 70.0 % after turn 10 (TFxPS).",
            "Most often mistaken: 30.0 % (95 % interval 20.0 … 40.0) of what is false private is taken for true "
            "private.",
        ]

    @pytest.mark.parametrize(("value", "extreme"), [(0.3, "lowest"), (0.9, "highest")])
    def test_a_curve_that_comes_back_is_told_by_its_turning(self, value, extreme):
        measures = estimates(
            accuracy=(0.6, 0.5, 0.7),
            dialogue_accuracy__0=(0.7, 0.65, 0.75),
            dialogue_accuracy__1=(value, value - 0.05, value + 0.05),
            dialogue_accuracy__2=(0.55, 0.5, 0.6),
        )
        assert self.told(measures)[1] == (
            f"Accuracy is 70.0 % after the caption, {100 * value:.1f} % at its {extreme}, after turn 1, and 55.0 % "
            "after turn 2 (TFxPS)."
        )

    def test_within_noise_nothing_is_told(self):
        measures = estimates(
            accuracy=(0.6, 0.5, 0.7), dialogue_accuracy__0=(0.5, 0.4, 0.6), dialogue_accuracy__4=(0.6, 0.5, 0.7)
        )
        measures |= {"accuracy[seen]": Estimate(0.7, 0.5, 0.8, 9), "accuracy[unseen]": Estimate(0.6, 0.4, 0.7, 9)}
        (text,) = self.told(measures, "PS", "null")
        assert text == "A probe that learnt from empty states reads what is shared (PS) with an accuracy of 60.0 % " + (
            "(95 % interval 50.0 … 70.0)."
        )

    @pytest.mark.parametrize(
        ("p", "says", "tone"),
        [(0.001, "On every task real states are better than both", "good"), (0.5, "On no task are", "bad")],
    )
    def test_controls(self, p, says, tone):
        measures = {}
        for task in TASKS:
            measures[f"accuracy@5[{task}]"] = Estimate(0.5, None, None, 9)
            for control in ("random", "null"):
                measures[f"accuracy@5[{task}, {control}]"] = Estimate(0.4, None, None, 9)
                measures[f"permutation_p[{task}, {control}]"] = Estimate(p, None, None, 9)
        run = replace(points(all=True), measures=keyed(measures))
        (finding,) = control_findings(probes_of([Model("m", "m", run)]))
        assert finding.text.startswith(says)
        assert finding.tone == tone

    def test_a_run_of_one_task_has_no_controls(self):
        assert control_findings(probes_of([Model("m", "m", points())])) == []


class TestScoreboards:
    def test_letters_and_errors_by_name(self):
        wrong = ((0, 2, "true private"), (2, 1, "false private"))
        (drill,) = board_drills(detailed(probes_of([Model("m", "m", points(wrong))])), Context())
        (item,) = drill.items
        (grid,) = item.blocks
        assert isinstance(grid, Grid)
        assert grid.label == "m: 28 of 30 right (93.3 %)"
        assert grid.legend == (
            ("T", "true shared"),
            ("F", "false shared"),
            ("t", "true private"),
            ("f", "false private"),
        )
        assert grid.rows[0] == ("there is a dog.", "TTTTT", "TTtTT", "back from shared to private")
        assert grid.rows[2] == (
            "the dog is brown.",
            "ttTTT",
            "tfTTT",
            "the same truth value as its opposite; its truth value changes",
        )
        assert item.scores == ((28 / 30,), (3.0,))
        assert drill.facets == ("propositions", "error 1", "error 2", "error 3")
        assert item.facets == ("6", "yes", "yes", "yes")
        assert "it is not sunny." in item.text

    def test_models_stand_beside_each_other(self):
        models = [Model("a", "a", points()), Model("b", "b", points(((0, 0, "true private"),)))]
        (drill,) = board_drills(detailed(probes_of(models)), Context())
        (item,) = drill.items
        assert drill.labels == ("a", "b")
        assert item.scores[0] == (1.0, 29 / 30)
        assert item.facets == ("6", "no model", "no model", "no model")
        assert [block.label.split(":")[0] for block in item.blocks if isinstance(block, Grid)] == ["a", "b"]

    def test_other_propositions_are_another_drill(self):
        signatures = [Signature(version="0", data={"propositions": letter * 64}) for letter in "ab"]
        models = [
            Model(name, name, replace(points(), signature=one)) for name, one in zip("ab", signatures, strict=True)
        ]
        drills = board_drills(detailed(probes_of(models)), Context())
        assert [(drill.name, drill.labels) for drill in drills] == [
            ("scorekeeping-scoreboards-1", ("a",)),
            ("scorekeeping-scoreboards-2", ("b",)),
        ]

    def test_of_many_dialogues_a_sample_is_shown(self):
        many = pl.concat([items(turns=2, dialogue=place) for place in range(MOST + 50)])
        (drill,) = board_drills(detailed(probes_of([Model("m", "m", replace(points(), items=many))])), Context())
        assert len(drill.items) == len(list(drill.items)) == MOST
        assert drill.note.startswith(f"{MOST} of {MOST + 50} dialogues, at even distances")

    def test_the_dialogue_is_shown_where_a_file_holds_it(self, tmp_path):
        rounds = ("is it a puppy? yes", "what color is the dog? brown", "is it sunny? no", "why? no")
        cats = [(one, "a cat", "is it black? no") for one in range(7)]
        right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
        for path, said in (
            (right, [*cats, (77, "a dog in a park", *rounds)]),
            (wrong, [(one, "two boats", *("are they white? yes",) * 4) for one in range(8)]),
        ):
            path.write_text(json.dumps([{"img": f"x_{one:04}.jpg", "dialog": lines} for one, *lines in said]))
        probes = detailed(probes_of([Model("m", "m", points())]))
        for files in ((right,), (wrong, right)):
            (drill,) = board_drills(probes, read_context(files))
            (item,) = drill.items
            assert item.image == 77
            assert item.blocks[0] == SmallTable(
                "what was said",
                ("turn", "questioner asks", "answerer says"),
                (
                    ("0", "caption: a dog in a park", ""),
                    ("1", "is it a puppy", "yes"),
                    ("2", "what color is the dog", "brown"),
                    ("3", "is it sunny", "no"),
                    ("4", "why", "no"),
                ),
            )
            assert "brown" in item.text
        (drill,) = board_drills(probes, read_context([wrong]))
        (item,) = drill.items
        assert item.image is None
        assert len(item.blocks) == 1
        assert drill.note.endswith("The dialogues are not shown: no file that was given holds them.")


class TestPeople:
    def test_people_and_probes_on_their_points(self):
        frames = [items("PS", dialogue=dialogue) for dialogue in (7, 8, 9)]
        run = score_judges(judgements(ROWS), runs={"probe": replace(probe_run(*frames), options={"task": "PS"})})
        models = [Model("people", "people", run)]
        section = scorekeeping_section(models, Context())
        assert check_section(section, models) > 5
        people, probe = texts(tables(section)["scorekeeping-humans"])
        assert people[0] == "people"
        assert people[1] == f"{100 * run.measures['tfxps'].value:.2f}"
        assert probe == ["people: probe", "–", "–", "100.00", "–", "–", "3"]
        first, second = (finding.text for finding in section.findings)
        assert first.startswith(f"People get {100 * run.measures['tfxps'].value:.1f} %")
        assert second.startswith("On judged points probe is right in 100.0 % (PS), not clearly different")
        assert section.drills == []

    def test_other_runs_have_a_plain_table(self):
        run = Run(
            "scorekeeping", {}, pl.DataFrame(), keyed(estimates(dialogues=(3.0, 2.0, 4.0))), Signature(version="0")
        )
        models = [Model("m", "m", replace(run, part="propositions"))]
        section = scorekeeping_section(models, Context())
        assert check_section(section, models) == 1
        assert list(tables(section)) == ["scorekeeping-m"]
