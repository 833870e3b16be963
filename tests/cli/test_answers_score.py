"""`voirdire answers score` and `bounds` as they are called: figures, forms of output, and what bad input is told."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import VoirDireError
from voirdire.runs import read_run

TEXTS = [["yes", "yes it is"], ["a red dog", "a dog"], ["two", "2"]]


def reference(image, round_id, texts, truth=None):
    flags = [1] * len(texts) + [0] * (100 - len(texts))
    return {
        "image_id": image,
        "round_id": round_id,
        "in_cluster_idxs": flags,
        "refs": texts,
        "question": "what is it",
        "gt_answer": texts[0] if truth is None else truth,
    }


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "r.json", [reference(i, 0, texts) for i, texts in enumerate(TEXTS)])
    said = [["yes"], ["a big dog"], ["three"]]
    write(tmp_path / "g.json", [{"image_id": i, "round_id": 0, "generations": texts} for i, texts in enumerate(said)])
    return tmp_path


def write(path, rows):
    path.write_text(json.dumps(rows))
    return path


def call(*words):
    """Exit code, stdout and stderr (with the message that `run` would print)."""
    done = CliRunner().invoke(app, ["answers", *map(str, words)])
    if isinstance(done.exception, VoirDireError):
        return 2, done.stdout, done.stderr + str(done.exception)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def score(files, *words, generations="g.json", references="r.json", measures=("bleu",)):
    chosen = [word for family in measures for word in ("--measures", family)]
    both = ("--generations", files / generations, "--references", files / references)
    return call("score", *both, *chosen, *words)


def test_a_table_for_people(files):
    code, out, err = score(files, measures=("cider", "bleu", "rouge"))
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split() == ["measure", "value", "95", "%", "interval", "std", "extracted", "n"]
    assert [line.split()[0] for line in lines[2:11]] == [
        *("cider1", "cider2", "cider3", "cider4", "bleu1", "bleu2", "bleu3", "bleu4", "rouge_l")
    ]
    bleu1 = next(line for line in lines if line.startswith("bleu1"))
    assert bleu1.split()[1] == f"{(1 + 2 / 3 + 0) / 3:.4f}"
    assert bleu1.split()[-1] == "3"
    assert lines[-1].startswith("answers score|version:")


def test_json_alone_on_stdout(files):
    code, out, _ = score(files, "--json")
    made = json.loads(out)
    assert code == 0
    assert (made["exam"], made["warnings"]) == ("answers", [])
    assert made["measures"]["bleu1"]["n"] == 3
    assert set(made["measures"]["bleu1:std"]) == {"value", "low", "high", "n"}


def test_latex(files):
    code, out, _ = score(files, "--latex", measures=("rouge", "bleu"))
    assert code == 0
    assert r"\begin{tabular}{lrrrrr}" in out
    assert r"rouge\_l & " in out
    assert r"95 \% interval" in out


def test_the_run_is_kept(files):
    code, _, _ = score(files, "-o", files / "run")
    assert code == 0
    assert read_run(files / "run").items.height == 3
    code, _, err = score(files, "-o", files / "run")
    assert code == 2
    assert "there is a run already. Name another folder, or ask for it to be overwritten (--overwrite)" in err
    assert score(files, "-o", files / "run", "--overwrite")[0] == 0


def test_bounds(files):
    code, out, err = call("bounds", "--references", files / "r.json", "--measures", "bleu", "--json")
    assert code == 0, err
    measures = json.loads(out)["measures"]
    assert measures["bleu1[a_gt]"]["value"] == measures["bleu1[gamma]:best"]["value"] == 1.0


@pytest.mark.parametrize("verb", ["score", "bounds"])
def test_the_making_of_meteors_index_is_shown(verb, files, monkeypatch):
    made = []

    def prepare(report):
        if not made:
            for done in (0, 60, 100):
                report(done, 100)
        made.append(verb)

    monkeypatch.setattr("voirdire.metrics.meteor.index.installed_index", prepare)
    monkeypatch.setattr("voirdire.cli.progress_bars.QUIET", 0.0)
    monkeypatch.setattr("voirdire.metrics.meteor.meteor_segments", lambda said, sets: np.ones(len(said)))
    words = [verb, "--references", files / "r.json", "--json"]
    words += ["--generations", files / "g.json"] if verb == "score" else []
    code, out, err = call(*words, "--measures", "meteor")
    lines = [line for line in err.splitlines() if not line.startswith("read: ")]
    assert code == 0, err
    assert lines[0] == "index for METEOR, made once: 0 of 100 steps (0 %)"
    assert lines[1].startswith("index for METEOR, made once: 100 of 100 steps (100 %)")
    assert lines[2].startswith(f"answers {verb}: 0 of ")
    assert json.loads(out)["exam"] == "answers"
    code, _, err = call(*words, "--measures", "meteor")
    assert (code, len(made)) == (0, 2)
    assert "index" not in err
    assert call(*words, "--measures", "bleu")[0] == 0
    assert len(made) == 2


def test_json_and_latex_exclude_each_other(files):
    code, _, err = score(files, "--json", "--latex")
    assert code == 2
    assert "exclude each other" in err


BAD_GENERATIONS = {
    "rounds counted from one": (
        [{"image_id": i, "round_id": 1, "generations": ["yes"]} for i in range(3)],
        "neither 0 nor 10, so that it is unclear from where the rounds are counted",
    ),
    "both bases": (
        [{"image_id": 0, "round_id": r, "generations": ["yes"]} for r in (0, 10)],
        "both 0 and 10",
    ),
    "a missing round": (
        [{"image_id": i, "round_id": 0, "generations": ["yes"]} for i in range(2)],
        "image 2, round 0 (counted from 0): found nothing",
    ),
    "a round too many": (
        [{"image_id": i, "round_id": 0, "generations": ["yes"]} for i in range(4)],
        "image 3, round 0 (counted from 0): found this round",
    ),
    "an id twice": (
        [{"image_id": i, "round_id": 0, "generations": ["yes"]} for i in (0, 1, 2, 1)],
        "image 1, round_id 0: found this round twice",
    ),
    "no text at all": (
        [{"image_id": i, "round_id": 0, "generations": [" "]} for i in range(3)],
        "no text in any round to be scored",
    ),
    "a string for a list": (
        [{"image_id": 0, "round_id": 0, "generations": "yes"}],
        "image 0, round_id 0, field `generations`: found 'yes', expected array",
    ),
    "a missing field": (
        [{"image_id": 0, "generations": ["yes"]}],
        "field `round_id`: found nothing, expected this field",
    ),
    "an empty list": ([], "no record"),
}


@pytest.mark.parametrize("name", BAD_GENERATIONS)
def test_bad_generations(name, files):
    rows, message = BAD_GENERATIONS[name]
    write(files / "bad.json", rows)
    code, out, err = score(files, "--strict", generations="bad.json")
    assert (code, out) == (2, "")
    assert message in err


def test_the_base_can_be_given(files):
    write(files / "one.json", [{"image_id": i, "round_id": 1, "generations": ["yes"]} for i in range(3)])
    assert score(files, "--round-base", "1", generations="one.json")[0] == 0
    code, _, err = score(files, "--round-base", "0", generations="one.json")
    assert code == 2
    assert "0 rounds are in both files, but 3 if the generations are counted one round earlier" in err


BAD_REFERENCES = {
    "flags without texts": (
        [reference(i, 0, texts) | {"refs": ["yes"]} for i, texts in enumerate(TEXTS)],
        "found 1 texts, expected 2, as many as `in_cluster_idxs` has ones",
    ),
    "99 options": (
        [reference(0, 0, ["yes"]) | {"in_cluster_idxs": [1] + [0] * 98}, reference(1, 0, ["yes"])],
        "field `in_cluster_idxs`: found 99 options, expected 100, as most sets of the file have",
    ),
    "an empty set": ([reference(0, 0, ["yes"]) | {"refs": [], "in_cluster_idxs": [0] * 100}], "field `refs`"),
    "an id twice": ([reference(0, 0, ["yes"])] * 2, "this round twice"),
    "generations": (
        [{"image_id": 0, "round_id": 0, "generations": ["yes"]}],
        "found generated answers of a model (generations), expected reference sets for VisDial (references)",
    ),
}


@pytest.mark.parametrize("name", BAD_REFERENCES)
def test_bad_references(name, files):
    rows, message = BAD_REFERENCES[name]
    write(files / "bad.json", rows)
    for code, out, err in (
        score(files, references="bad.json"),
        call("bounds", "--references", files / "bad.json", "--measures", "bleu"),
    ):
        assert (code, out) == (2, "")
        assert message in err


def test_a_set_without_the_ground_truth_is_told(files):
    write(files / "odd.json", [reference(i, 0, texts, truth="unheard of") for i, texts in enumerate(TEXTS)])
    code, _, err = score(files, references="odd.json")
    assert code == 0
    assert "image 2, round 0 (counted from 0): the ground truth is not in the reference set." in err


def test_empty_generations_are_told(files):
    rows = [{"image_id": i, "round_id": 0, "generations": texts} for i, texts in enumerate((["yes", ""], [""], ["2"]))]
    write(files / "some.json", rows)
    code, out, err = score(files, "--json", generations="some.json")
    made = json.loads(out)
    assert code == 0
    assert "warning" not in err
    assert made["warnings"][0] == "2 generations without text were left out, in 2 rounds."
    assert made["measures"]["bleu1"] | {"low": 0, "high": 0} == {"value": 1.0, "low": 0, "high": 0, "n": 2}


def test_one_round_has_no_cider(files):
    write(files / "r1.json", [reference(0, 0, ["yes"])])
    write(files / "g1.json", [{"image_id": 0, "round_id": 0, "generations": ["yes"]}])
    code, _, err = score(files, generations="g1.json", references="r1.json", measures=("cider",))
    assert code == 2
    assert "with a single document every weight is log 1 − log 1 = 0" in err
    idf = f"references:{files / 'r.json'}"
    assert score(files, "--idf", idf, generations="g1.json", references="r1.json", measures=("cider",))[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--measures", "spice"], "there is no family of measures 'spice'"),
        (["--encoder", "minilm"], "which --measures leaves out; add distance to it"),
        (["--measures", "cider", "--idf", "coco"], "there is no corpus 'coco'"),
        (["--measures", "distance", "--encoder", "nobody"], "there is no encoder 'nobody'"),
    ],
)
def test_wrong_calls(words, message, files):
    code, _, err = score(files, *words)
    assert code == 2
    assert message in err


def test_several_generations(files):
    rows = [{"image_id": i, "round_id": 0, "generations": ["yes", "a dog", "2"]} for i in range(3)]
    write(files / "k.json", rows)
    code, out, _ = score(files, "--within", generations="k.json")
    assert code == 0
    names = "measure value 95 % interval std extracted best within n"
    assert out.splitlines()[0].split() == names.split()
    assert [line.split()[0] for line in out.splitlines()[2:5]] == ["bleu1", "bleu1@1", "bleu1@3"]
