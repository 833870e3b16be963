"""Whole sessions: all runs and the report, nothing twice, and the rest where one file is wrong."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from voirdire.engine import Processes
from voirdire.errors import UsageError
from voirdire.formats.game_logs import GameLog, write_game_logs
from voirdire.formats.guesswhat import read_games
from voirdire.runs import read_run
from voirdire.session.config import Config, read_config
from voirdire.session.execute import BadFiles, Done, Fault, Started, no_events
from voirdire.session.session import Session, _execute_all, check_files, run_session
from voirdire.session.steps import Step


class Event:
    """What became of the steps, by title."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.there: list[str] = []
        self.wrong: list[str] = []
        self.begun: list[str] = []
        self.unfit: list[str] = []

    def __call__(self, what: Started | Done | Fault | BadFiles) -> None:
        if isinstance(what, BadFiles):
            assert not self.begun, "told before any work"
            self.unfit += [fault.title for fault in what.faults]
            return
        if isinstance(what, Started):
            self.begun += what.titles
            return
        assert what.title in self.begun
        kind = self.wrong if isinstance(what, Fault) else self.there if what.seconds is None else self.made
        kind.append(what.title)


def held(spoken: Path, out: Path, change: tuple[str, str] = ("", ""), workers: int = 1) -> tuple[Session, Event]:
    text = (spoken / "exam.yaml").read_text().replace(*change) if change[0] else (spoken / "exam.yaml").read_text()
    path = spoken / f"{out.name}.yaml"
    path.write_text(text)
    told = Event()
    return run_session(read_config(path), out, Processes(workers) if workers > 1 else None, told), told


@pytest.fixture(scope="module")
def done(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that is done; tests may add to it, not take away."""
    out = tmp_path_factory.mktemp("held") / "out"
    result, told = held(spoken, out)
    assert result.faults == ()
    assert len(told.made) == 12
    assert sorted(told.begun) == sorted(told.made)
    return out


@pytest.mark.slow
def test_every_run_is_there_with_the_figures_of_its_verb(done: Path) -> None:
    titles = {
        "truthful/answers": "answers score",
        "truthful/answers-rank": "answers rank",
        "truthful/robustness": "robustness score",
        "truthful/questions": "questions score",
        "truthful/questions-kinds": "questions kinds",
        "truthful/scorekeeping": "scorekeeping probe",
        "blind/answers": "answers score",
        "blind/robustness": "robustness score",
        "references/answers-bounds": "answers bounds",
        "references/answers-overlap": "answers overlap",
    }
    runs = {name: read_run(done / "runs" / name) for name in titles}
    assert {name: run.title for name, run in runs.items()} == titles
    assert runs["truthful/answers"].options["measures"] == ["bleu", "rouge"]
    assert runs["truthful/scorekeeping"].options["epochs"] == 2
    truthful, blind = (runs[f"{name}/answers"].measures["bleu1"].value for name in ("truthful", "blind"))
    assert truthful is not None
    assert blind is not None
    assert truthful > blind
    bound = runs["references/answers-bounds"].measures["bleu1[a_gt]"].value
    # A ground truth is respelt, its set is not: "yes, it is" becomes "yes , it is".
    assert bound is not None
    assert 0.98 < bound < 1
    assert runs["references/answers-overlap"].measures["precision"].value == 100
    assert runs["blind/robustness"].measures["drop:partition1"].value == 0
    assert runs["truthful/robustness"].measures["drop:control"].value == 0


@pytest.mark.slow
def test_the_report_has_all_models(done: Path) -> None:
    page = (done / "report.html").read_text(encoding="utf-8")
    assert "truthful" in page
    assert "blind" in page
    assert "truthful and blind on the stand" in page
    assert "valid answers, best (Γ)" in page
    assert "Overlap of reference sets" in page


@pytest.mark.slow
def test_what_is_done_is_not_done_again(spoken: Path, done: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in done.rglob("*") if path.is_file()}
    result, told = held(spoken, done)
    assert (told.made, told.wrong) == ([], [])
    assert len(told.there) == 12
    assert result.report == done / "report.html"
    assert {path: path.stat().st_mtime_ns for path in done.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_only_what_an_option_changes_is_done_again(spoken: Path, tmp_path: Path, done: Path) -> None:
    import shutil

    out = tmp_path / "again"
    shutil.copytree(done, out)
    told = held(spoken, out, ("measures: [bleu, rouge]", "measures: [bleu]"))[1]
    # The report's runs are in another folder, so that it would be the same but for those of the exam.
    assert told.made == ["references: answers bounds", "truthful: answers score", "blind: answers score", "report"]


@pytest.mark.slow
def test_several_workers_make_the_same(spoken: Path, done: Path, tmp_path: Path) -> None:
    out = tmp_path / "two"
    assert held(spoken, out, workers=2)[0].faults == ()
    for path in sorted(done.glob("runs/*/*/run.json")):
        assert plain(out / path.relative_to(done)) == plain(path)


def plain(path: Path) -> dict[str, object]:
    """A run's head without the moment at which it was made."""
    head: dict[str, object] = json.loads(path.read_bytes())
    assert head.pop("created")
    return head


@pytest.mark.slow
def test_a_bad_file_costs_its_own_exam_alone(spoken: Path, tmp_path: Path) -> None:
    bad = spoken / "bad.json"
    bad.write_text('[{"image_id": 1}]')
    result, told = held(
        spoken,
        tmp_path / "bad",
        ("generations: truthful/generations.json", "generations: bad.json"),
    )
    assert told.unfit == [fault.title for fault in result.faults] == ["truthful: answers score"]
    assert "bad.json" in result.faults[0].message
    assert "truthful: answers rank" in told.made
    assert "blind: answers score" in told.made
    assert result.report is not None
    assert result.report.exists()
    assert len(result.runs) == 9
    assert not (tmp_path / "bad" / "runs" / "truthful" / "answers").exists()


@pytest.mark.slow
def test_what_needs_a_failed_step_is_not_tried(spoken: Path, tmp_path: Path) -> None:
    result, told = held(spoken, tmp_path / "lost", ("dialogues: survey.json", "dialogues: nowhere.json"))
    assert told.unfit == ["scorekeeping propositions"]
    said = {fault.title: fault.message for fault in result.faults}
    assert "no such file" in said["scorekeeping propositions"]
    assert "could not be made" in said["truthful: scorekeeping probe"]
    # The report is written; of an exam that was not taken it reads no dialogues.
    assert "report" not in said
    assert result.report is not None
    assert result.report.exists()


def test_a_report_that_cannot_be_written_is_not_named(
    spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execute(steps: Sequence[Step], *_: object, **__: object) -> list[Fault]:
        return [Fault(step, "no room") for step in steps if step.kind == "report"]

    monkeypatch.setattr("voirdire.session.session.execute", execute)
    result, _ = held(spoken, tmp_path / "full")
    assert [(fault.title, fault.message) for fault in result.faults] == [("report", "no room")]
    assert result.report is None
    assert len(result.runs) == 10


@pytest.mark.slow
def test_a_missing_file_of_the_data_is_told_for_each_model(spoken: Path, tmp_path: Path) -> None:
    result, told = held(spoken, tmp_path / "none", ("vqa_val_annotations.json", "gone.json"))
    assert told.unfit == ["truthful: robustness score", "blind: robustness score"]
    assert [fault.title for fault in result.faults] == ["truthful: robustness score", "blind: robustness score"]
    assert len({fault.message for fault in result.faults}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "titles"),
    [
        (("scenes:world/scenes.jsonl", "scenes:gone.jsonl"), ["truthful: questions score"]),
        (
            ("questions: [world/vqa_val_questions.json]", "questions: [gone.json]"),
            ["truthful: robustness score", "blind: robustness score"],
        ),
    ],
)
def test_a_missing_file_is_told_before_any_work_whatever_reads_it(
    spoken: Path, tmp_path: Path, change: tuple[str, str], titles: list[str]
) -> None:
    result, told = held(spoken, tmp_path / "early", change)
    assert told.unfit == titles
    assert any(fault.early and "no such file" in fault.message for fault in result.faults)
    assert result.report is not None


@pytest.mark.slow
def test_logs_are_joined_beside_games_that_have_their_objects(spoken: Path, tmp_path: Path) -> None:
    games = read_games(spoken / "keen" / "games.jsonl")
    logs = [
        GameLog(
            game.image.id,
            game.qas,
            game.status or "incomplete",
            target_id=game.target_id,
            guess_id=game.guess_object_id,
        )
        for game in games
    ]
    write_game_logs(logs, tmp_path / "logs.jsonl")
    path = tmp_path / "exam.yaml"
    path.write_text(
        f"""\
output: out
data: {{questions: {{oracle: "scenes:{spoken}/world/scenes.jsonl", coco: {spoken}/world/coco_instances.json}}}}
models:
  whole: {{questions: {{games: {spoken}/keen/games.jsonl}}}}
  logged: {{questions: {{games: logs.jsonl}}}}
"""
    )
    result = run_session(read_config(path))
    assert result.faults == ()
    whole, logged = (read_run(tmp_path / "out" / "runs" / name / "questions") for name in ("whole", "logged"))
    assert whole.measures["effectiveness"].value == logged.measures["effectiveness"].value


def make_it(step: Step) -> None:
    step.place.write_text("made")


def cannot(step: Step) -> None:
    raise UsageError("nobody answers")


def test_where_some_models_could_be_asked_the_rest_goes_on(tmp_path: Path) -> None:
    def steps(*makers: str) -> tuple[list[Step], list[Step]]:
        places = [tmp_path / "-".join((*makers, str(number))) for number in range(len(makers))]
        asks = [
            Step("w", "ask", place, {}, maker=f"{__name__}:{maker}")
            for place, maker in zip(places, makers, strict=True)
        ]
        scored = [
            Step("w", "score", Path(f"{ask.place}.run"), {"of": (str(ask.place),)}, maker=f"{__name__}:make_it")
            for ask in asks
        ]
        return [*asks, *scored], asks

    live = Config({"w": {}}, live={"w": {}})
    for config, makers, messages, on in (
        (live, ("make_it", "cannot"), 2, True),
        (live, ("cannot", "cannot"), 2, False),
        (Config({"w": {}, "filed": {}}, live={"w": {}}), ("cannot", "cannot"), 4, True),
    ):
        every, asks = steps(*makers)
        faults, went_on = _execute_all(every, asks, None, no_events, (), config)
        assert (len(faults), went_on) == (messages, on)
        for path in tmp_path.iterdir():
            path.unlink()


def test_runs_that_could_not_be_made_are_not_in_the_report(
    spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Step] = []

    def execute(steps: Sequence[Step], *_: object, **__: object) -> list[Fault]:
        shown.extend(step for step in steps if step.kind == "report")
        return [Fault(step, "no room") for step in steps if step.title == "blind: answers score"]

    monkeypatch.setattr("voirdire.session.session.execute", execute)
    result, _ = held(spoken, tmp_path / "some")
    assert len(result.runs) == 9
    assert tmp_path / "some" / "runs" / "blind" / "answers" not in result.runs
    assert shown[0].sources["runs"] == tuple(map(str, result.runs))
    assert result.report == tmp_path / "some" / "report.html"


def test_a_report_is_written_without_what_surrounds_the_items_where_that_is_broken(
    spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execute(steps: Sequence[Step], *_: object, **__: object) -> list[Fault]:
        read = [step for step in steps if step.kind == "report" and (step.sources["context"] or step.sources["slices"])]
        return [Fault(step, "a text is broken") for step in read]

    monkeypatch.setattr("voirdire.session.session.execute", execute)
    result, _ = held(spoken, tmp_path / "bare")
    assert [fault.message for fault in result.faults] == ["a text is broken"]
    assert result.report == tmp_path / "bare" / "report.html"


def test_files_of_steps_that_are_still_to_be_done_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Step("m", "answers score", tmp_path / "run", {"generations": (str(tmp_path / "gone.json"),)})
    (fault,) = check_files([step], ())
    assert (fault.step, fault.file) == (step, str(tmp_path / "gone.json"))
    # What another step makes, and what a step of another kind reads, is not.
    assert check_files([step], {tmp_path / "gone.json"}) == []
    assert check_files([replace(step, maker="elsewhere:make")], ()) == []
    monkeypatch.setattr("voirdire.session.session.is_made", lambda step: True)
    assert check_files([step], ()) == []
