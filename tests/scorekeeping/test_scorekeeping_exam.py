"""The exam as it declares itself: its measures, its options, and what a session makes of them."""

import json
from pathlib import Path

import pytest
from board_runs import ROWS, items, judgements, probe_run
from probe_dialogues import Table, given, material

from voirdire.errors import UsageError
from voirdire.exam import measures_of, options_of
from voirdire.formats.dialogues import read_dialogues
from voirdire.metrics.key import Key
from voirdire.options import OptionError
from voirdire.runs import Run
from voirdire.scorekeeping.exam import EXAM, JudgedPropositionsOptions, ProbeOptions, ProbeTraining
from voirdire.scorekeeping.humans import score_judges
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.scorekeeping.propositions.counts import propose
from voirdire.session.config import Config
from voirdire.session.schedule import schedule

SMALL = ProbeOptions(epochs=1, batch=256, hidden=8, seeds=2)
SAID = ["a dog", "is it big? no", "what color is it? brown", "is it sunny? no"]


def proposed(folder: Path) -> Run:
    path = folder / "dialogues.json"
    path.write_text(json.dumps([{"img": f"x_{number:04}.jpg", "dialog": SAID} for number in range(3)]))
    run = propose(read_dialogues(path), output=folder / "propositions.json").run
    assert run is not None
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    judged = probe_run(*(items("PS", dialogue=one) for one in (7, 8, 9)))
    return [
        probe_states(**given(material(20)), encoder=Table(), options=SMALL),
        probe_states(**given(material(20)), encoder=Table(), options=ProbeOptions("PS", all=False, role="Q", epochs=1)),
        probe_states(**given(material(20)), encoder=Table(), options=ProbeOptions(all=True, epochs=1, hidden=8)),
        score_judges(judgements(ROWS), {"a, b [c]": judged}),
        proposed(tmp_path_factory.mktemp("proposed")),
    ]


@pytest.mark.slow
def test_every_figure_is_of_a_measure_that_is_declared(runs: list[Run]) -> None:
    for run in runs:
        known = measures_of(run)
        for key in run.measures:
            assert Key.parse(str(key)) == key
            assert known[key.measure].description, key
            assert known[key.measure].work in EXAM.papers
    assert measures_of(runs[0])["opposites_agree"].better == "lower"
    assert "tfxps" in measures_of(runs[3])
    assert [str(key) for key in runs[3].measures.of("ps")] == ["ps", r"ps[a\, b \[c\]]"]


def test_options_come_back_from_a_run(runs: list[Run]) -> None:
    assert options_of(runs[0]) == SMALL
    assert options_of(runs[3]) == JudgedPropositionsOptions()


def test_options_that_exclude_each_other() -> None:
    with pytest.raises(OptionError, match="`all` asks all tasks; `task` is for one, got PS"):
        ProbeOptions(all=True, task="PS")
    with pytest.raises(OptionError, match="`task` TF cannot be asked of the questioner"):
        ProbeOptions(task="TF", role="Q")
    with pytest.raises(OptionError, match="`dropout` must be below 1, got 1"):
        ProbeOptions(dropout=1.0)


def test_a_probe_is_trained_with_its_own_seed() -> None:
    assert ProbeOptions("PS", epochs=3, rate=0.1, seed=4).training(6) == ProbeTraining(epochs=3, rate=0.1, seed=6)


def config(tmp_path: Path, **states: str) -> Config:
    files = {"dialogues": str(tmp_path / "d.json"), "valid_propositions": "v.json", "test_dialogues": "t.json"}
    return Config(
        models={"one": {"scorekeeping": {"states": "s.h5", **states}}},
        data={"scorekeeping": files},
        options={"scorekeeping": {"balance": True, "seed": 2, "captions": 0.5}},
    )


def test_a_session_makes_propositions_as_they_are_and_balances_for_the_probe(tmp_path: Path) -> None:
    made, probe = schedule(config(tmp_path), tmp_path).steps
    assert (made.kind, made.place) == ("scorekeeping propositions", tmp_path / "propositions" / "propositions.json")
    options = {"captions": 0.5, "balance": False, "wording": "authors", "colours": "and", "seed": 2, "limit": None}
    assert made.options == options
    assert probe.place == tmp_path / "runs" / "one" / "scorekeeping"
    assert probe.options["balance"]
    # Files of splits of which the model has no states are not read.
    assert set(probe.sources) == {"propositions", "states", "encoder"}


def test_each_split_that_a_model_has_states_of_has_propositions(tmp_path: Path) -> None:
    *made, probe = schedule(config(tmp_path, valid_states="v.h5", test_states="t.h5"), tmp_path).steps
    assert [step.place.name for step in made] == ["propositions.json", "test_propositions.json"]
    assert probe.file("valid_propositions") == "v.json"
    assert probe.file("test_propositions") == str(made[1].place)
    lacking = Config(models=config(tmp_path).models, data={})
    with pytest.raises(UsageError, match=r"needs `data.scorekeeping.dialogues`, which is not given"):
        schedule(lacking, tmp_path)
