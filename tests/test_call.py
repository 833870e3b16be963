"""The exams' functions from Python: files and records give the same, and mistakes are said in Python's words."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voirdire
from voirdire.answers.exam import JudgedAnswersOptions, ScoreAnswersOptions
from voirdire.call import Call, read_input
from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import Input, Part, part_named
from voirdire.options import Options, option
from voirdire.runs import Run, Signature
from voirdire.runs.provenance import Provenance

SETS = [
    {"image_id": image, "round_id": round_, "question": "what", "gt_answer": "a", "refs": ["a", "a b"]}
    for image in (5, 6)
    for round_ in (0, 9)
]
SAID = [{"image_id": set_["image_id"], "round_id": set_["round_id"], "generations": ["a b"]} for set_ in SETS]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, Path]:
    (tmp_path / "said.json").write_text(json.dumps(SAID))
    (tmp_path / "sets.json").write_text(json.dumps(SETS))
    return str(tmp_path / "said.json"), tmp_path / "sets.json"


def test_paths_and_records_give_the_same(files: tuple[str, Path]) -> None:
    said, sets = files
    by_path = voirdire.score_answers(said, sets, measures=("bleu",), seed=3)
    records = voirdire.read_generations(said), voirdire.read_references(sets)
    by_record = voirdire.score_answers(*records, ScoreAnswersOptions(measures=("bleu",), seed=3))
    assert by_path.measures == by_record.measures
    assert by_path.signature == by_record.signature
    assert by_path.fingerprints == by_record.fingerprints
    mixed = voirdire.score_answers(records[0], references=str(sets), options=ScoreAnswersOptions(measures=("bleu",)))
    assert mixed.items.equals(by_path.items)


def test_several_files_of_one_kind_are_joined(files: tuple[str, Path], tmp_path: Path) -> None:
    said, _ = files
    (tmp_path / "one.json").write_text(json.dumps(SETS[:2]))
    (tmp_path / "two.json").write_text(json.dumps(SETS[2:]))
    parts = [tmp_path / "one.json", tmp_path / "two.json"]
    assert voirdire.score_answers(said, parts, measures=("bleu",)).items.height == len(SETS)


def test_mistakes_are_said_in_the_words_of_python(files: tuple[str, Path], tmp_path: Path) -> None:
    said, sets = files
    with pytest.raises(UsageError, match="give either `options` or `seed`"):
        voirdire.score_answers(said, sets, options=ScoreAnswersOptions(), seed=3)
    with pytest.raises(VoirDireError, match=r"`seed` must be at least 0, got -1"):
        voirdire.score_answers(said, sets, seed=-1)
    with pytest.raises(TypeError, match="no_option"):
        voirdire.score_answers(said, sets, no_option=1)
    with pytest.raises(VoirDireError, match=r"gone\.json"):
        voirdire.score_answers(tmp_path / "gone.json", sets)


def test_an_input_with_an_empty_name_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="`judgements` must name something, got an empty name"):
        Call(part_named("answers humans"), {"judgements": ""}, JudgedAnswersOptions()).run()


@dataclass(frozen=True)
class Choices(Options):
    """Of a part that was made up here."""

    encoder: str = option("minilm", "Vectors.", provider="voirdire.text.encoders:ENCODERS")
    suffix: str = option("!", "What a reader adds.")


def read_text(path: str | Path, suffix: str = "") -> str:
    return Path(path).read_text() + suffix


def together(**given: Any) -> dict[str, Any]:
    return given


CLEAN = Input("clean", "Answers.", read="path", needed=True, of_model=True)
NOISY = Input("noisy", "Answers under noise.", read="path", many=True, together="noise")
NOISE = Input("noise", "Questions.", read="path", together="noisy")
COCO = Input("coco", "Boxes.", read="path", either="originals")
ORIGINALS = Input("originals", "Boxes of old.", read="path", either="coco")
PART = Part("score", "Score.", together, inputs=(CLEAN, NOISY, NOISE, COCO, ORIGINALS), options=Choices, makes="value")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "`clean` must be given: Answers"),
        ({"clean": ""}, "`clean` must name something, got an empty name"),
        ({"clean": "c", "noisy": ["a", ""]}, "`noisy` must name something, got an empty name"),
        ({"clean": ("c", "d")}, "`clean` must be given once, got 2"),
        ({"clean": "c", "noisy": ["n"]}, "`noisy` needs `noise` beside it: Questions"),
        ({"clean": "c", "noise": "q"}, "`noise` needs `noisy` beside it: Answers under noise"),
        ({"clean": "c", "coco": "a", "originals": "b"}, "give either `coco` or `originals`"),
    ],
)
def test_what_lacks_and_what_is_too_much_is_refused_before_anything_is_read(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        Call(PART, given, Choices()).check()
    assert str(caught.value) == message


def test_what_is_needed_in_any_case_is_asked_for_by_what_stands_beside_it() -> None:
    part = replace(PART, inputs=(replace(CLEAN, together="noise"), replace(NOISE, together="clean")))
    with pytest.raises(UsageError, match=r"^`noise` needs `clean` beside it: Answers$"):
        Call(part, {"noise": "q"}, Choices()).check()


def test_what_goes_together_is_taken_and_empty_values_are_none() -> None:
    given: dict[str, Any] = {"clean": "c", "noisy": ["n1", "n2"], "noise": "q", "coco": "a", "originals": ()}
    made = Call(PART, given, Choices(), {"output": "o"}).run()
    del made["options"], made["stages"]
    assert made == {"clean": "c", "noisy": ["n1", "n2"], "noise": "q", "coco": "a", "originals": None, "output": "o"}
    Call(PART, {"clean": "c", "noisy": [], "noise": None, "coco": ""[:0] or None}, Choices()).check()


def test_a_parts_own_check_sees_what_is_given_and_where_its_outputs_go() -> None:
    seen: list[object] = []
    part = replace(PART, check=lambda given, options: seen.append((given, options.suffix)))
    Call(part, {"clean": "c", "noisy": []}, Choices(suffix="?"), {"output": "o", "all": None}).check()
    assert seen == [({"clean": "c", "output": "o"}, "?")]


def test_a_provider_that_there_is_not_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="`encoder`: there is no encoder 'maxilm'"):
        Call(PART, {"clean": "gone.json"}, Choices(encoder="maxilm")).run()


def test_a_reader_gets_the_options_that_it_has_parameters_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.call.load", lambda place: {"here:read_text": read_text}[place])
    files = [str(tmp_path / name) for name in "ab"]
    for file in files:
        Path(file).write_text(file[-1])
    one = Input("words", "Words.", read="here:read_text")
    assert read_input(replace(one, many=True), files, Choices(suffix="?")) == ["a?", "b?"]
    assert read_input(replace(one, many=True), None, Choices()) == []
    assert read_input(one, files[0], Choices()) == "a!"
    assert read_input(one, None, Choices()) is None


def test_a_format_is_read_with_the_round_base_of_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.formats.catalogue.read_as", lambda *given: given)
    one = Input("generations", "Answers.", "generations visdial")
    assert read_input(one, "g.json", ScoreAnswersOptions(round_base=1)) == ("g.json", "generations", 1)
    assert read_input(one, "g.json", Options()) == ("g.json", "generations", None)
    # Of formats that are not joined several files are several records.
    assert len(read_input(replace(one, many=True), ("a.json", "b.json"), Options())) == 2


def test_a_run_says_how_its_model_was_asked_but_nothing_is_beside_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Provenance("openai:mine", {"template": "plain"}, "pictures").write(tmp_path)
    run = Run("taste", {}, pl.DataFrame({"x": [1]}), {}, Signature("1"))
    part = replace(PART, function=lambda **given: run, makes="run")
    asked = Call(part, {"clean": str(tmp_path / "c.json")}, Choices()).run()
    assert asked.signature.options == {"asked": {"template": "plain", "shown": "pictures"}}
    assert Call(part, {"clean": "-"}, Choices()).run() is run
    # What is beside the data's files is not of the model.
    assert Call(part, {"clean": "-", "coco": str(tmp_path / "c.json")}, Choices()).run() is run


def test_what_is_no_part_is_handed_out_as_it_is() -> None:
    from voirdire.exam import read_run

    assert voirdire.read_run is read_run
    assert voirdire.score_answers.__name__ == "score_answers"


@pytest.mark.slow
def test_a_live_file_scored_in_all_ways_gives_the_same_run(
    tmp_path: Path, called: Callable[..., tuple[int, str, str]]
) -> None:
    """A verb, a session's step, a live model's step and a function of Python's find how its model was asked."""
    world, out = tmp_path / "world", tmp_path / "out"
    assert called("world", world, "--scenes", 6, "--seed", 3)[0] == 0
    words = ("--model", "witness:truthful", "--data", world, "-o", out, "--name", "terse")
    assert called("ask", "answers", *words)[0] == 0
    said = out / "said" / "terse" / "answers-score" / "generations.json"
    sets = world / "visdial_val_references_true.json"
    files = ("--generations", said, "--references", sets)
    assert called("answers", "score", *files, "--extract", "-o", tmp_path / "verb")[0] == 0
    config = {
        "models": {"terse": {"answers": {"generations": str(said)}}},
        "data": {"answers": {"references": str(sets)}},
        "options": {"answers": {"extract": True}},
        "output": str(tmp_path / "session"),
    }
    (tmp_path / "exam.yaml").write_text(json.dumps(config))
    assert called("exam", "--config", tmp_path / "exam.yaml")[0] == 0
    runs = [
        voirdire.read_run(out / "runs" / "terse" / "answers"),
        voirdire.read_run(tmp_path / "session" / "runs" / "terse" / "answers"),
        voirdire.read_run(tmp_path / "verb"),
        voirdire.score_answers(said, sets, extract=True),
    ]
    for run in runs:
        assert run.signature.options["asked"] == {"template": "none", "shown": "the scene itself"}
        assert any(line.startswith("Asked live: witness:truthful, ") for line in run.warnings)
        assert run.signature == runs[0].signature
        assert run.warnings == runs[0].warnings
        assert run.measures == runs[0].measures
        assert run.items.equals(runs[0].items)
