"""A session on a world: the witnesses speak, are examined, and what was planted is found."""

from pathlib import Path

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.exam import exams, part_named
from voirdire.runs import Run, read_run
from voirdire.session.config import Config, read_config
from voirdire.session.execute import Done, Fault, Started
from voirdire.session.session import run_session
from voirdire.world.build import build_world
from voirdire.world.witness_session import ANSWERING, LISTENING, ON_NOISE, QUESTIONING, run_world_session, world_session

CHEAP = {
    "answers": {"measures": ("rouge",)},
    "scorekeeping": {"task": "PS", "encoder": "static", "standardise": True, "batches": "grouped", "epochs": 2},
}


@pytest.fixture(scope="module")
def done(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a session leaves, with a ranker and measures that cost little."""
    out = tmp_path_factory.mktemp("on-a-world") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("voirdire.world.witness_session.RANKING", {"ranker": "rouge_l"})
        patch.setattr("voirdire.world.witness_session.OPTIONS", CHEAP)
        held = run_world_session(spoken / "world", out)
    assert held.faults == ()
    of_models = 2 * len(ANSWERING) + len(ON_NOISE) + 2 * len(QUESTIONING) + len(LISTENING)
    assert len(held.runs) == of_models + len(("bounds", "overlap"))
    assert held.report == out / "report.html"
    return out


def run(done: Path, name: str) -> Run:
    return read_run(done / "runs" / name)


def value(done: Path, name: str, measure: str) -> float:
    found = run(done, name).measures[measure].value
    assert found is not None
    return found


@pytest.mark.slow
def test_what_was_planted_is_found(done: Path) -> None:
    said = [value(done, f"{witness}/answers", "rouge_l") for witness in ("truthful", "forgetful", "blind")]
    assert said[0] > said[1] > said[2]
    # A ground truth is respelt, its set is not.
    assert 0.98 < value(done, "references/answers-bounds", "rouge_l[a_gt]") < 1
    # Judges are kinder than the truth: they miss none of it, and add to it.
    assert value(done, "references/answers-overlap", "precision") > value(done, "references/answers-overlap", "recall")
    assert value(done, "truthful/answers-rank", "mrr") > value(done, "blind/answers-rank", "mrr")
    assert value(done, "distractible/robustness", "drop:partition1") > 20
    assert value(done, "truthful/robustness", "drop:partition1") < 5
    noise = run(done, "truthful/robustness").signature.options["noise"]
    assert (noise["ranker"], noise["max_words"], noise["yes_no"]) == ("rouge_l", 26, False)
    assert value(done, "truthful/robustness", "cut:partition1") > 0
    asked = [value(done, f"{witness}/questions", "effectiveness") for witness in ("keen", "repetitive")]
    assert asked[0] > asked[1]
    assert value(done, "confirming/questions", "last_referring") > value(done, "keen/questions", "last_referring")


@pytest.mark.slow
def test_its_config_is_the_same_session(done: Path) -> None:
    made: list[str] = []

    def told(what: Started | Done | Fault) -> None:
        assert not isinstance(what, Fault)
        if isinstance(what, Done) and what.seconds is not None:
            made.append(what.title)

    config = read_config(done / "exam.yaml")
    held = run_session(config, on_event=told)
    assert held.faults == ()
    assert made == []


def test_the_whole_of_it_is_the_paper_s_where_it_can_be(spoken: Path, tmp_path: Path) -> None:
    steps, config = world_session(spoken / "world", tmp_path)
    ranking = next(step for step in steps if step.kind == "robustness rank")
    paper = part_named("robustness rank").options().plain()
    assert {**paper, **ranking.options} == paper
    assert list(config.options) == ["scorekeeping"]
    assert config.options["scorekeeping"]["all"]
    assert _three_each(config)
    assert len({step.place for step in steps}) == len(steps)


def _three_each(config: Config) -> bool:
    counts = [sum(exam.name in files for files in config.models.values()) for exam in exams()]
    return counts == [3, 3, 3, 3]


def test_faults_name_the_lines_of_the_config_that_it_writes(
    spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voirdire.world.witness_session.run_session", lambda config, *_: config)
    config = run_world_session(spoken / "world", tmp_path)
    assert isinstance(config, Config)
    lines = (tmp_path / "exam.yaml").read_text().splitlines()
    place = config.places.at("data.answers.dense")
    assert place.startswith(f"{tmp_path / 'exam.yaml'}: line ")
    assert "visdial_val_dense.json" in lines[config.places.lines["data.answers.dense"] - 1]


def test_no_world_and_a_world_of_text_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        world_session(tmp_path, tmp_path / "out")
    build_world(tmp_path / "text", 4, 0, text_only=True)
    with pytest.raises(UsageError, match="text alone"):
        world_session(tmp_path / "text", tmp_path / "out")


def test_witnesses_beside_a_live_model_are_asked_whole_questions(tmp_path: Path) -> None:
    world = tmp_path / "world"
    build_world(world, 6, 3)

    def most_words(judging: bool) -> int:
        steps, _ = world_session(world, tmp_path / "out", judging)
        return next(step.options["max_words"] for step in steps if step.kind == "robustness perturb")

    assert (most_words(False), most_words(True)) == (26, 0)
