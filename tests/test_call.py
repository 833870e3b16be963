"""The exams' functions from Python: files and records give the same, and mistakes are said in Python's words."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import voirdire
from voirdire.answers.exam import JudgedAnswersOptions, ScoreAnswersOptions
from voirdire.call import Call
from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import part_named

SETS = [
    {"image_id": image, "round_id": round_, "question": "what", "gt_answer": "a", "refs": ["a", "a b"]}
    for image in (5, 6)
    for round_ in (0, 9)
]
SAID = [{"image_id": one["image_id"], "round_id": one["round_id"], "generations": ["a b"]} for one in SETS]


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
