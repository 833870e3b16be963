"""What a config comes to: steps, their places, and what is skipped or lacks its data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UsageError
from voirdire.exam import Exam, Input, InSession, Part
from voirdire.session.config import Config, read_config
from voirdire.session.schedule import _of_data, schedule
from voirdire.session.session import report_step


@pytest.fixture
def config(spoken: Path) -> Config:
    return read_config(spoken / "exam.yaml")


def kinds(config: Config) -> list[str]:
    return [step.kind for step in schedule(config, Path("out")).steps]


def with_data(config: Config, **exams: dict[str, Any]) -> Config:
    """The same with other files of the data for some exams."""
    return replace(config, data={**config.data, **exams})


def with_options(config: Config, **exams: dict[str, Any]) -> Config:
    """The same with other options for some exams."""
    return replace(config, options={**config.options, **exams})


def only_blind(config: Config, **exams: dict[str, Any]) -> Config:
    """One model alone, with other files for some exams; an exam with none is taken away."""
    files = {**config.models["blind"], **exams}
    return replace(config, models={"blind": {exam: given for exam, given in files.items() if given}})


def test_runs_have_a_folder_by_model_exam_and_part(config: Config) -> None:
    plan = schedule(config, Path("out"))
    places = [step.place.relative_to("out").as_posix() for step in plan.steps]
    assert places == [
        "propositions/propositions.json",
        "runs/truthful/answers",
        "runs/truthful/answers-rank",
        "runs/truthful/robustness",
        "runs/truthful/questions",
        "runs/truthful/questions-kinds",
        "runs/truthful/scorekeeping",
        "runs/blind/answers",
        "runs/blind/robustness",
        "runs/references/answers-bounds",
        "runs/references/answers-overlap",
    ]
    assert [step.place for step in plan.runs] == [step.place for step in plan.steps[1:]]


def test_what_a_model_lacks_is_skipped_and_said(config: Config) -> None:
    assert schedule(config, Path("out")).skipped == ("blind: no files for questions, scorekeeping",)


def test_propositions_that_are_given_are_not_made(config: Config) -> None:
    given = with_data(config, scorekeeping={"propositions": "p.json"})
    plan = schedule(given, Path("out"))
    assert "scorekeeping propositions" not in kinds(given)
    probe = next(step for step in plan.steps if step.kind == "scorekeeping probe")
    assert probe.sources["propositions"] == ("p.json",)


def test_propositions_are_not_made_for_nobody(config: Config) -> None:
    assert "scorekeeping propositions" not in kinds(only_blind(config))


def test_seven_partitions_by_one_name(config: Config) -> None:
    plan = schedule(only_blind(config, robustness={"clean": "c.json", "noisy": "p{}.json"}), Path("out"))
    step = next(step for step in plan.steps if step.kind == "robustness score")
    assert step.sources["noisy"] == tuple(f"p{number}.json" for number in range(1, 8))


def test_the_report_takes_what_surrounds_the_items(config: Config, spoken: Path) -> None:
    for questions in ("asked.json", ("asked.json",)):
        given = with_data(config, robustness={"annotations": "a.json", "questions": questions})
        step = report_step(given, schedule(given, Path("out")).runs, Path("out/report.html"))
        files = [str(spoken / name) for name in ("world/visdial_val.json", "keen/games.jsonl", "survey.json")]
        assert step.sources["context"] == (files[0], "asked.json", *files[1:])
        assert step.options["labels"] == ["truthful"] * 6 + ["blind"] * 2 + ["references"] * 2


def test_an_option_of_one_part_leaves_the_other_alone(config: Config) -> None:
    def options(**chosen: object) -> dict[str, object]:
        changed = with_options(config, answers={**config.options["answers"], **chosen})
        return {step.kind: step.options for step in schedule(changed, Path("out")).steps if step.model == "truthful"}

    before, after = options(), options(cutoff="scored")
    assert before["answers rank"] != after["answers rank"]
    assert before["answers score"] == after["answers score"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "line 16, field `models.truthful.answers.generations`: needs `data.answers.references`"),
        (
            {"answers": {"references": "r"}},
            "field `models.truthful.answers.ranks`: needs `data.answers.visdial`",
        ),
        (
            {"answers": {"references": "r", "visdial": "d"}},
            "field `models.truthful.robustness.noisy`: needs `data.robustness.annotations`",
        ),
    ],
)
def test_files_without_their_data(config: Config, data: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        schedule(replace(config, data=data), Path("out"))


def test_scores_without_dialogues(config: Config) -> None:
    given = replace(only_blind(config, answers={"scores": "s.json"}), data={})
    with pytest.raises(UsageError, match=r"field `models.blind.answers.scores`: needs `data.answers.visdial`"):
        schedule(given, Path("out"))


def test_states_without_dialogues(config: Config) -> None:
    with pytest.raises(UsageError, match=r"scorekeeping.states`: needs `data.scorekeeping.dialogues`"):
        schedule(with_data(config, scorekeeping={}), Path("out"))


def test_files_of_a_model_without_those_that_belong_to_them(config: Config) -> None:
    with pytest.raises(
        UsageError, match=r"field `models.blind.robustness.noisy`: needs `models.blind.robustness.clean`"
    ):
        schedule(only_blind(config, robustness={"noisy": "n.json"}), Path("out"))
    with pytest.raises(UsageError, match=r"field `models.blind.robustness`: give noisy or clean"):
        schedule(only_blind(config, robustness={"control": "c.json"}), Path("out"))


def test_clean_answers_alone_have_an_accuracy(config: Config) -> None:
    clean = kinds(only_blind(config, robustness={"clean": "c.json"}))
    assert "robustness accuracy" in clean
    assert "robustness score" not in clean
    both = kinds(only_blind(config, robustness={"clean": "c.json", "noisy": "n.json"}))
    assert "robustness accuracy" not in both
    assert "robustness score" in both


def test_a_task_that_there_is_not(config: Config) -> None:
    with pytest.raises(UsageError, match=r"line 25, field `options.scorekeeping.task`: .*XX"):
        schedule(with_options(config, scorekeeping={"task": "XX"}), Path("out"))


@pytest.mark.parametrize(
    ("exam", "options", "message"),
    [
        ("answers", {"encoder": ("minilm", "maxilm")}, "answers.encoder`: there is no encoder 'maxilm'"),
        ("scorekeeping", {"encoder": "x:y"}, "scorekeeping.encoder`: there is no encoder 'x'"),
        ("scorekeeping", {"tagger": "x"}, "scorekeeping.tagger`: there is no tagger 'x'"),
        ("scorekeeping", {"resolver": "x"}, "scorekeeping.resolver`: there is no resolver 'x'"),
    ],
)
def test_a_provider_that_there_is_not(config: Config, exam: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        schedule(with_options(config, **{exam: options}), Path("out"))


def test_a_config_without_any_file(config: Config) -> None:
    with pytest.raises(UsageError, match="no model has a file"):
        schedule(only_blind(config, answers={}, robustness={}), Path("out"))


def test_games_need_no_data(config: Config) -> None:
    bare = only_blind(config, questions={"games": "g.json"})
    assert kinds(bare)[:4] == ["answers score", "robustness score", "questions score", "questions kinds"]


def test_reference_sets_are_examined_where_models_are_by_them(config: Config) -> None:
    def of_sets(config: Config) -> list[str]:
        return [step.kind for step in schedule(config, Path("out")).runs if step.model == "references"]

    assert of_sets(config) == ["answers bounds", "answers overlap"]
    undense = {key: value for key, value in config.data["answers"].items() if key != "dense"}
    assert of_sets(with_data(config, answers=undense)) == ["answers bounds"]
    assert of_sets(only_blind(config, answers={"ranks": "r.json"})) == ["answers overlap"]
    assert of_sets(only_blind(config, answers={})) == []
    assert of_sets(with_options(config, answers={"bounds": False, "overlap": False})) == []


def test_the_bounds_are_of_the_measures_that_models_have(config: Config) -> None:
    steps = {step.kind: step for step in schedule(config, Path("out")).runs if step.model in ("blind", "references")}
    scored, bounds = steps["answers score"], steps["answers bounds"]
    assert bounds.sources["measures"] == scored.sources["measures"] == ("bleu", "rouge")
    assert {**bounds.sources, "generations": scored.sources["generations"]} == scored.sources


LIVE = {"model": "witness:truthful"}


def with_live(config: Config, spoken: Path, **files: dict[str, Any]) -> Config:
    """With a model more that can be asked, and the files that it brings."""
    live = {**LIVE, "scenes": str(spoken / "world" / "scenes.jsonl")}
    return replace(config, models={**config.models, "asked": files}, live={"asked": live})


def test_a_live_model_is_asked_for_what_it_does_not_bring(config: Config, spoken: Path) -> None:
    def asked(**files: dict[str, Any]) -> list[str]:
        return [step.kind for step in schedule(with_live(config, spoken, **files), Path("out")).asks]

    everything = asked()
    assert {"ask answers score", "ask answers rank", "ask robustness score"} <= set(everything)
    assert asked(answers={"generations": "g.json"}) == [kind for kind in everything if kind != "ask answers score"]
    # Who brings one of a part's files brings all that there are.
    assert asked(robustness={"clean": "c.json"}) == [kind for kind in everything if kind != "ask robustness score"]


def test_what_a_live_model_is_asked_for_is_scored_as_its_files_and_nothing_of_it_is_skipped(
    config: Config, spoken: Path
) -> None:
    plan = schedule(with_live(config, spoken), Path("out"))
    score = next(step for step in plan.runs if step.title == "asked: answers score")
    assert score.sources["generations"] == ("out/said/asked/answers-score/generations.json",)
    assert plan.skipped == ("blind: no files for questions, scorekeeping",)


def test_why_a_model_is_not_asked_is_told_unless_it_brings_files(config: Config, spoken: Path) -> None:
    data = {**config.data, "answers": {"dense": "d.json"}}
    bare = replace(with_live(config, spoken), data=data, models={"asked": {}})
    said = schedule(bare, Path("out")).unasked
    assert any(
        line.startswith("asked: answers score is not asked: `data.answers.visdial` is not given") for line in said
    )
    games = {"questions": {"games": str(spoken / "keen" / "games.jsonl")}}
    assert schedule(replace(bare, models={"asked": games}), Path("out")).unasked == ()


def test_propositions_are_of_all_dialogues_whatever_the_limit(config: Config) -> None:
    steps = {step.kind: step for step in schedule(replace(config, shared={"limit": 5}), Path("out")).steps}
    assert steps["scorekeeping propositions"].options["limit"] is None
    assert steps["scorekeeping probe"].options["limit"] == 5


def test_of_two_inputs_that_exclude_each_other_one_is_given(config: Config) -> None:
    for given in ({"ranks": "r.json"}, {"scores": "s.json"}):
        assert "answers rank" in kinds(only_blind(config, answers=given))
    with pytest.raises(UsageError, match=r"field `models.blind.answers`: give either ranks or scores"):
        schedule(only_blind(config, answers={"ranks": "r.json", "scores": "s.json"}), Path("out"))


def test_the_games_of_the_first_model_have_the_objects_of_all(config: Config, spoken: Path) -> None:
    games = {"games": str(spoken / "keen" / "games.jsonl")}
    more = replace(
        config,
        models={name: {"questions": games} for name in ("one", "two")},
        data={"questions": config.data["questions"]},
    )
    (spoken / "keen" / "again.jsonl").write_bytes((spoken / "keen" / "games.jsonl").read_bytes())
    more.models["two"]["questions"] = {"games": str(spoken / "keen" / "again.jsonl")}  # type: ignore[index]
    step = report_step(more, schedule(more, Path("out")).runs, Path("out/report.html"))
    assert step.sources["context"] == (games["games"],)


def test_what_is_of_the_data_is_run_where_inputs_that_need_each_other_are_both_there_or_neither() -> None:
    sets = Input("sets", "Sets.", needed=True)
    more = (Input("dense", "Judgements.", together="splits"), Input("splits", "Splits.", together="dense"))
    rules = InSession(given=("said",), of_data="references")
    part = Part("bounds", "Bounds.", print, inputs=(sets, *more), session=rules)
    exam = Exam("taste", "Is it good?", (), (part,), "Taste.")

    def places(said: str = "said", **data: str) -> list[str]:
        given = Config({"mine": {"taste": {said: "s.json"}}}, data={"taste": data})
        return [str(step.place) for step in _of_data(given, exam, Path("out"), {})]

    assert places(sets="s") == places(sets="s", dense="d", splits="p") == ["out/runs/references/taste-bounds"]
    assert places(sets="s", dense="d") == places(sets="s", splits="p") == []
    assert places(dense="d", splits="p") == []
    assert places("ranked", sets="s") == [], "no model is examined by it"
