"""`voirdire answers references`, `train`, `predict`, `densify` as they are called: good calls, and every bad input."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from voirdire.answers.cca import read_cca
from voirdire.cli.main import app
from voirdire.errors import VoirDireError
from voirdire.formats.generations import read_generations
from voirdire.formats.option_numbers import read_ranks
from voirdire.formats.references import read_references

sys.path.insert(0, str(Path(__file__).parent.parent / "answers"))
from word_world import WordWorld, word_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WordWorld:
    made = word_world(tmp_path_factory.mktemp("calls"))
    call("train", "--visdial", made["train"], "--encoder", made.encoder, "--k", "40", "-o", str(made.folder / "aq.npz"))
    return made


def call(*words: str) -> str:
    """Run a verb; what it printed, on both streams."""
    done = CliRunner().invoke(app, ["answers", *words])
    if done.exception is not None:
        raise done.exception
    return done.output


def measures(*words: str) -> Any:
    """The measures of a verb's --json, which stands alone on stdout."""
    return json.loads(CliRunner().invoke(app, ["answers", *words, "--json"]).stdout)["measures"]


def edited(path: str, out: Path, change: Callable[[Any], None]) -> str:
    value = json.loads(Path(path).read_text())
    change(value)
    out.write_text(json.dumps(value))
    return str(out)


def test_from_annotations_to_sets(world: WordWorld, tmp_path: Path) -> None:
    star, out = str(tmp_path / "star.npz"), tmp_path / "S.json"
    printed = call(
        *("train", "--visdial", world["train"], "--dense", world["train_dense"], "--round-base", "1"),
        *("--encoder", world.encoder, "--k", "40", "-o", star),
    )
    assert "(human reference sets), 2 views, 40 components" in printed
    printed = call("references", "--visdial", world["val"], "--method", "S", "--cca", star, "-o", str(out))
    assert "S: 120 sets" in printed
    assert "warning" not in printed
    again = str(tmp_path / "again.npz")
    printed = call("train", "--references", str(out), "--encoder", world.encoder, "--k", "9", "-o", again)
    assert f"{len(read_references(out).texts):,} pairs (reference sets)" in printed
    human = tmp_path / "H.json"
    dense = ("--dense", world["val_dense"], "--round-base", "1")
    assert "H: 12 sets" in call("references", "--visdial", world["val"], *dense, "--method", "H", "-o", str(human))
    printed = call("train", "--references", str(human), "--human", "--encoder", world.encoder, "--k", "9", "-o", again)
    assert "(human reference sets)" in printed


def test_several_files_of_a_kind_are_trained_on_together(world: WordWorld, tmp_path: Path) -> None:
    """As the authors did on train and val; what two files have is an error that names both."""
    made = [tmp_path / "a.json", tmp_path / "b.json"]
    for place, split in zip(made, ("train", "val"), strict=True):
        cca = ("--cca", str(world.folder / "aq.npz"), "--method", "S", "-o", str(place))
        call("references", "--visdial", world[split], *cca)
    both = [word for place in made for word in ("--references", str(place))]
    count = sum(len(read_references(place).texts) for place in made)
    options = ("--encoder", world.encoder, "--visdial", world["train"], "--k", "9", "-o", str(tmp_path / "cca.npz"))
    assert f"{count:,} pairs (reference sets)" in call("train", *both, *options)
    files = ("--visdial", world["train"], "--visdial", world["val"])
    truths = ("--encoder", world.encoder, "--k", "9", "-o", str(tmp_path / "cca.npz"))
    assert "600 pairs (ground truths)" in call("train", *files, *truths)
    annotated = ("--dense", world["train_dense"], "--dense", world["val_dense"], "--round-base", "1")
    assert "(human reference sets)" in call("train", *files, *annotated, *truths)
    with pytest.raises(VoirDireError, match=r"a\.json: .*\n.*found this round, which .*a\.json has too"):
        call("train", "--references", str(made[0]), "--references", str(made[0]), *truths)


def test_what_densify_writes_is_trained_on_compared_and_scored_with(world: WordWorld, tmp_path: Path) -> None:
    cca = ("--cca", str(world.folder / "aq.npz"))
    models = []
    for ending in ("parquet", "jsonl.gz", "json"):
        sets, model = str(tmp_path / f"dense.{ending}"), tmp_path / f"{ending}.npz"
        call("densify", "--visdial", world["train"], *cca, "-o", sets)
        words = ("--references", sets, "--visdial", world["train"], "--encoder", world.encoder, "--k", "9")
        assert "pairs (reference sets), 2 views, 9 components" in call("train", *words, "-o", str(model))
        models.append(read_cca(model))
    for other in models[1:]:
        np.testing.assert_array_equal(other.eigenvalues, models[0].eigenvalues)
        for ours, theirs in zip(other.weights, models[0].weights, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    table, plain = (str(tmp_path / f"dense.{ending}") for ending in ("parquet", "json"))
    same = measures("overlap", "--of", table, "--with", plain)
    assert same["iou"]["value"] == same["contains_gt"]["value"] == 100
    bleu = ("--measures", "bleu")
    found = measures("bounds", "--references", table, *bleu)
    assert found == measures("bounds", "--references", plain, *bleu)
    said = tmp_path / "said.json"
    rows = json.loads(Path(plain).read_text())
    said.write_text(json.dumps([{**{k: r[k] for k in ("image_id", "round_id")}, "generations": ["yes"]} for r in rows]))
    words = ("--generations", str(said), "--references", table, *bleu)
    assert measures("score", *words)["bleu1"]["n"] == 480


def test_a_table_of_other_columns_is_refused_by_every_verb(world: WordWorld, tmp_path: Path) -> None:
    bad = str(tmp_path / "bad.parquet")
    pl.DataFrame({"image_id": [1], "round_id": [0], "refs": [[3]], "question": ["?"]}).write_parquet(bad)
    message = r"(?s)bad\.parquet: 2 problems.*`refs`: found a column of List\(Int64\).*`gt_answer`: found nothing"
    fails(message, "train", "--references", bad, "-o", str(tmp_path / "o.npz"))
    fails(message, "overlap", "--of", bad, "--with", world["val_references_true"])
    fails(message, "bounds", "--references", bad)
    said = tmp_path / "said.json"
    said.write_text(json.dumps([{"image_id": 1, "round_id": 0, "generations": ["yes"]}]))
    fails(message, "score", "--generations", str(said), "--references", bad)


def test_no_dense_annotations_is_a_warning_that_says_what_it_costs(world: WordWorld, tmp_path: Path) -> None:
    words = ("--visdial", world["val"], "--cca", str(world.folder / "aq.npz"), "-o", str(tmp_path / "S.jsonl"))
    for verb in (("references", "--method", "G", "--clusters", "3"), ("densify", "--method", "M")):
        printed = call(*verb, *words)
        assert "warning: This CCA was trained on ground truths alone" in printed
        assert "49.21 % instead of 62.48 %" in printed


def test_ranks_and_generations(world: WordWorld, tmp_path: Path) -> None:
    ranks, made = tmp_path / "r.json", tmp_path / "g.json"
    words = ("--model", "cca-aq", "--visdial", world["val"], "--cca", str(world.folder / "aq.npz"))
    words += ("--train", world["train"], "--ranks", str(ranks), "--generations", str(made), "--k", "4", "--seed", "3")
    call("predict", *words)
    assert read_ranks(ranks).base == 1
    assert len(read_ranks(ranks)) == 120
    assert set(np.diff(read_generations(made).first)) == {4}
    first = ranks.read_bytes(), made.read_bytes()
    call("predict", *words)
    assert (ranks.read_bytes(), made.read_bytes()) == first


def test_three_views_by_name(world: WordWorld, tmp_path: Path) -> None:
    train, val = (json.loads(Path(world[split]).read_text())["data"]["dialogs"] for split in ("train", "val"))
    ids = np.array([dialogue["image_id"] for dialogue in (*train, *val)])
    features = np.random.default_rng(0).normal(size=(len(ids), 6)).astype(np.float32)
    images, model, ranks = str(tmp_path / "i.npz"), str(tmp_path / "aqi.npz"), str(tmp_path / "r.json")
    np.savez(images, image_ids=ids, features=features)
    call("train", "--visdial", world["train"], "--encoder", world.encoder, "--images", images, "-o", model)
    call("predict", "--model", "cca-aqi", "--visdial", world["val"], "--cca", model, "--ranks", ranks)
    words = ("--encoder", world.encoder, "--images", images, "--train", world["train"], "--ranks", ranks)
    assert "nn-aqi: ranks of 120 rounds" in call("predict", "--model", "nn-aqi", "--visdial", world["val"], *words)


def fails(message: str, *words: str) -> None:
    with pytest.raises(VoirDireError, match=message):
        call(*words)


def test_an_encoder_of_another_dimension(world: WordWorld, tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    table = Path(world.encoder.removeprefix("glove:")).read_text().splitlines()
    short.write_text("\n".join(" ".join(line.split()[:31]) for line in table))
    words = ("--visdial", world["val"], "--cca", str(world.folder / "aq.npz"), "--encoder", f"glove:{short}")
    message = r"has 30 dimensions, but the CCA was trained with .* which had 60"
    fails(message, "references", *words, "--method", "S", "-o", str(tmp_path / "o.json"))
    fails(message, "densify", *words, "-o", str(tmp_path / "o.json"))
    fails(message, "predict", "--model", "cca-aq", *words, "--ranks", str(tmp_path / "o.json"))
    assert not (tmp_path / "o.json").exists()


def test_nan_in_vectors(world: WordWorld, tmp_path: Path) -> None:
    lines = Path(world.encoder.removeprefix("glove:")).read_text().splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("yes "))
    lines[row] = " ".join([*lines[row].split()[:-1], "nan"])
    (tmp_path / "nan.txt").write_text("\n".join(lines))
    words = ("--visdial", world["train"], "--encoder", f"glove:{tmp_path / 'nan.txt'}", "-o", str(tmp_path / "o.npz"))
    fails("word 'yes': found a number that is not finite", "train", *words)


def test_candidates_other_than_100(world: WordWorld, tmp_path: Path) -> None:
    bad = edited(
        world["val"], tmp_path / "v.json", lambda v: v["data"]["dialogs"][0]["dialog"][2]["answer_options"].pop()
    )
    words = ("--visdial", bad, "--cca", str(world.folder / "aq.npz"), "-o", str(tmp_path / "o.json"))
    expected = r"round 2 \(from 0\), field `answer_options`: found 99 entries, expected 100"
    fails(expected, "references", *words, "--method", "S")
    fails("found 99 entries, expected 100", "densify", *words)


def test_missing_ground_truths_are_skipped_and_said(world: WordWorld, tmp_path: Path) -> None:
    bad = edited(world["val"], tmp_path / "v.json", lambda v: v["data"]["dialogs"][1]["dialog"][4].pop("gt_index"))
    words = ("--visdial", bad, "--cca", str(world.folder / "aq.npz"), "-o", str(tmp_path / "o.json"))
    for verb in (("references", "--method", "S"), ("densify",)):
        printed = call(*verb, *words)
        assert "round 4 (counted from 0): no candidates or no ground truth, so no set." in printed
        assert "119 sets" in printed


def test_relevance_outside_0_and_1(world: WordWorld, tmp_path: Path) -> None:
    def change(value: Any) -> None:
        value[0][next(key for key in value[0] if "relevance" in key)][7] = 1.5

    bad = edited(world["val_dense"], tmp_path / "d.json", change)
    words = ("--visdial", world["val"], "--dense", bad, "--method", "H", "-o", str(tmp_path / "o.json"))
    fails(r"relevance.*found 1\.5", "references", *words)


def test_a_round_base_that_is_not_the_files(world: WordWorld, tmp_path: Path) -> None:
    def change(value: Any) -> None:
        for record in value:
            record["round_id"] = 11

    bad = edited(world["val_dense"], tmp_path / "d.json", change)
    words = ("--visdial", world["val"], "--dense", bad, "--method", "H", "-o", str(tmp_path / "o.json"))
    fails("round_id", "references", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("references", "--visdial", "VAL", "--method", "X", "-o", "OUT"),
            "--method must be one of H, S, M, G, got 'X'",
        ),
        (("references", "--visdial", "VAL", "--method", "S", "-o", "OUT"), "method S needs a CCA"),
        (("references", "--visdial", "VAL", "--method", "H", "-o", "OUT"), "method H needs dense annotations"),
        (
            ("references", "--visdial", "VAL", "--method", "S", "--pairing", "x", "-o", "OUT"),
            "--pairing must be one of gt-others, gt-all, question-gt, question-max, got 'x'",
        ),
        (("train", "-o", "OUT"), "give the dialogues to train on"),
        (("train", "--visdial", "VAL", "--form", "x", "-o", "OUT"), "--form must be one of code, inter, got 'x'"),
        (
            ("predict", "--model", "x", "--visdial", "VAL", "--ranks", "OUT"),
            "--model must be one of cca-aq, .*, got 'x'",
        ),
        (("predict", "--model", "nn-aq", "--visdial", "VAL"), "nothing to write"),
        (
            ("predict", "--model", "cca-aq", "--visdial", "VAL", "--generations", "OUT"),
            "generations are drawn from the answers of train: give --train",
        ),
        (("densify", "--visdial", "VAL", "--cca", "VAL", "-o", "x.csv"), "--output must end in .parquet or .jsonl"),
        (("densify", "--visdial", "VAL", "--cca", "VAL", "-o", "x.json"), "a CCA that `voirdire answers train` wrote"),
    ],
)
def test_calls_that_cannot_be_carried_out(
    world: WordWorld, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    places = {"VAL": world["val"], "OUT": str(tmp_path / "o.json")}
    fails(message, *(places.get(word, word) for word in words))
