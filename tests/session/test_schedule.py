"""What a config comes to: steps, their places, and what is skipped or lacks its data."""

from pathlib import Path

import msgspec
import pytest

from voirdire.errors import UsageError
from voirdire.session.config import (
    AnswersData,
    AnswersFiles,
    AnswersOptions,
    Config,
    Data,
    Options,
    QuestionsFiles,
    RobustnessData,
    RobustnessFiles,
    ScorekeepingData,
    ScorekeepingOptions,
)
from voirdire.session.config_file import read_config
from voirdire.session.page import bare, report_step
from voirdire.session.planning import schedule


@pytest.fixture
def config(spoken: Path) -> Config:
    return read_config(spoken / "exam.yaml")


def kinds(config: Config) -> list[str]:
    return [step.kind for step in schedule(config, Path("out")).steps]


def without(config: Config, **parts: object) -> Config:
    return msgspec.structs.replace(config, data=msgspec.structs.replace(config.data, **parts))


def test_runs_have_a_folder_by_model_exam_and_part(config: Config) -> None:
    plan = schedule(config, Path("out"))
    places = [step.place.relative_to("out").as_posix() for step in plan.steps]
    assert places == [
        "propositions/train.json",
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
    given = without(config, scorekeeping=ScorekeepingData(propositions="p.json"))
    plan = schedule(given, Path("out"))
    assert "scorekeeping propositions" not in kinds(given)
    probe = next(step for step in plan.steps if step.kind == "scorekeeping probe")
    assert probe.sources["propositions"] == ("p.json",)


def test_propositions_are_not_made_for_nobody(config: Config) -> None:
    alone = msgspec.structs.replace(config, models={"blind": config.models["blind"]})
    assert "scorekeeping propositions" not in kinds(alone)


def test_seven_partitions_by_one_name(config: Config) -> None:
    files = msgspec.structs.replace(config.models["blind"], robustness=RobustnessFiles("c.json", "p{}.json"))
    plan = schedule(msgspec.structs.replace(config, models={"blind": files}), Path("out"))
    step = next(step for step in plan.steps if step.kind == "robustness score")
    assert step.sources["noisy"] == tuple(f"p{number}.json" for number in range(1, 8))


def test_the_report_takes_what_surrounds_the_items(config: Config, spoken: Path) -> None:
    for questions in ("asked.json", ("asked.json",)):
        given = without(config, robustness=RobustnessData("a.json", questions))
        step = report_step(given, schedule(given, Path("out")).runs, Path("out/report.html"))
        files = [str(spoken / name) for name in ("world/visdial_val.json", "survey.json", "keen/games.jsonl")]
        assert step.sources["context"] == (*files[:2], "asked.json", files[2])
        assert step.options["labels"] == ["truthful"] * 6 + ["blind"] * 2 + ["references"] * 2
        assert bare(step).sources["context"] == ()


def test_an_option_of_one_part_leaves_the_other_alone(config: Config) -> None:
    def options(**chosen: object) -> dict[str, object]:
        answers = msgspec.structs.replace(config.options.answers, **chosen)
        changed = msgspec.structs.replace(config, options=msgspec.structs.replace(config.options, answers=answers))
        return {step.kind: step.options for step in schedule(changed, Path("out")).steps if step.model == "truthful"}

    before, after = options(), options(cutoff="scored")
    assert before["answers rank"] != after["answers rank"]
    assert before["answers score"] == after["answers score"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (Data(), "line 16, field `models.truthful.answers.generations`: needs `data.answers.references`"),
        (Data(AnswersData(references="r")), "field `models.truthful.answers.ranks`: needs `data.answers.dialogues`"),
        (Data(AnswersData("d", None, "r")), "field `models.truthful.robustness`: needs `data.robustness.annotations`"),
    ],
)
def test_files_without_their_data(config: Config, data: Data, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        schedule(msgspec.structs.replace(config, data=data), Path("out"))


def test_scores_without_dialogues(config: Config) -> None:
    blind = msgspec.structs.replace(config.models["blind"], answers=AnswersFiles(scores="s.json"))
    given = msgspec.structs.replace(config, models={"blind": blind}, data=Data())
    with pytest.raises(UsageError, match=r"field `models.blind.answers.scores`: needs `data.answers.dialogues`"):
        schedule(given, Path("out"))


def test_states_without_dialogues(config: Config) -> None:
    with pytest.raises(UsageError, match=r"scorekeeping.states`: needs `data.scorekeeping.dialogues`"):
        schedule(without(config, scorekeeping=ScorekeepingData()), Path("out"))


def test_a_task_that_there_is_not(config: Config) -> None:
    options = Options(scorekeeping=ScorekeepingOptions(task="XX"))
    with pytest.raises(UsageError, match=r"line 25, field `options.scorekeeping.task`: there is no task 'XX'"):
        schedule(msgspec.structs.replace(config, options=options), Path("out"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            Options(answers=AnswersOptions(encoders=("minilm", "maxilm"))),
            "answers.encoders`: there is no encoder 'maxilm'",
        ),
        (Options(scorekeeping=ScorekeepingOptions(encoder="x:y")), "scorekeeping.encoder`: there is no encoder 'x'"),
        (Options(scorekeeping=ScorekeepingOptions(tagger="x")), "scorekeeping.tagger`: there is no tagger 'x'"),
        (Options(scorekeeping=ScorekeepingOptions(resolver="x")), "scorekeeping.resolver`: there is no resolver 'x'"),
    ],
)
def test_a_provider_that_there_is_not(config: Config, options: Options, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        schedule(msgspec.structs.replace(config, options=options), Path("out"))


def test_a_config_without_any_file(config: Config) -> None:
    empty = msgspec.structs.replace(config.models["blind"], answers=None, robustness=None)
    with pytest.raises(UsageError, match="no model has a file"):
        schedule(msgspec.structs.replace(config, models={"blind": empty}), Path("out"))


def test_games_need_no_data(config: Config) -> None:
    files = msgspec.structs.replace(config.models["blind"], questions=QuestionsFiles("g.json"))
    bare = msgspec.structs.replace(config, models={"blind": files})
    assert kinds(bare)[:4] == ["answers score", "robustness score", "questions score", "questions kinds"]


def test_reference_sets_are_examined_where_models_are_by_them(config: Config) -> None:
    def of_sets(config: Config) -> list[str]:
        return [step.kind for step in schedule(config, Path("out")).runs if step.model == "references"]

    assert of_sets(config) == ["answers bounds", "answers overlap"]
    data, blind = config.data.answers, config.models["blind"]
    unjudged = without(config, answers=msgspec.structs.replace(data, dense=None))
    assert of_sets(unjudged) == ["answers bounds"]
    ranking = msgspec.structs.replace(blind, answers=AnswersFiles(ranks="r.json"))
    assert of_sets(msgspec.structs.replace(config, models={"blind": ranking})) == ["answers overlap"]
    silent = msgspec.structs.replace(blind, answers=None)
    assert of_sets(msgspec.structs.replace(config, models={"blind": silent})) == []
    answers = msgspec.structs.replace(config.options.answers, bounds=False, overlap=False)
    assert of_sets(msgspec.structs.replace(config, options=Options(answers))) == []


def test_the_bounds_are_of_the_measures_that_models_have(config: Config) -> None:
    steps = {step.kind: step for step in schedule(config, Path("out")).runs if step.model in ("blind", "references")}
    scored, bounds = steps["answers score"], steps["answers bounds"]
    assert bounds.options["families"] == scored.options["families"] == ("bleu", "rouge")
    assert {**bounds.sources, "generations": scored.sources["generations"]} == scored.sources
