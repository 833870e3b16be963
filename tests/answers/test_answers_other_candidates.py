"""Own data: 20 candidates per round in place of VisDial's 100, and none at all, through every verb that reads them."""

import json
import sys

import numpy as np
import pytest

from voirdire.cli.main import run
from voirdire.formats.option_numbers import read_dense, read_ranks
from voirdire.formats.references import read_references
from voirdire.formats.visdial import read_visdial

pytestmark = pytest.mark.slow

KEPT = 20


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A world whose rounds keep 20 of their 100 candidates: the truth, and 19 spread over the others."""
    folder = tmp_path_factory.mktemp("world")
    call("world", str(folder / "w"), "--scenes", "12", "--seed", "5")
    for split in ("train", "val"):
        path = folder / "w" / f"visdial_{split}.json"
        value = json.loads(path.read_text())
        kept = {}
        for dialogue in value["data"]["dialogs"]:
            for number, turn in enumerate(dialogue["dialog"]):
                others = [place for place in range(0, 100, 4) if place != turn["gt_index"]]
                places = sorted([turn["gt_index"], *others[: KEPT - 1]])
                turn["answer_options"] = [turn["answer_options"][place] for place in places]
                turn["gt_index"] = places.index(turn["gt_index"])
                kept[dialogue["image_id"], number] = places
        path.write_text(json.dumps(value))
        dense = folder / "w" / f"visdial_{split}_dense.json"
        rows = json.loads(dense.read_text())
        for row in rows:
            places = kept[row["image_id"], row["round_id"] - 1]
            row["gt_relevance"] = [row["gt_relevance"][place] for place in places]
        dense.write_text(json.dumps(rows))
    return folder


def call(*arguments, expected=0):
    before, sys.argv = sys.argv, ["voirdire", *map(str, arguments)]
    try:
        with pytest.raises(SystemExit) as caught:
            run()
    finally:
        sys.argv = before
    assert (caught.value.code or 0) == expected


def test_every_verb_takes_twenty_candidates(world, capsys):
    data = world / "w"
    val, dense = data / "visdial_val.json", data / "visdial_val_dense.json"
    assert read_visdial(val).options.shape[1] == KEPT
    assert read_dense(dense).relevance.shape[1] == KEPT
    call("validate", val, dense)
    assert "20 options each" in capsys.readouterr().out
    call("answers", "references", "--visdial", val, "--dense", dense, "--method", "H", "-o", world / "H.json")
    assert read_references(world / "H.json", base=0).in_set.shape[1] == KEPT
    train = ("--visdial", data / "visdial_train.json", "--encoder", "static", "-o", world / "cca.npz")
    call("answers", "train", *train)
    for method in "SMG":
        sets = world / f"{method}.json"
        call("answers", "references", "--visdial", val, "--cca", world / "cca.npz", "--method", method, "-o", sets)
        assert read_references(sets).in_set.shape == (len(read_visdial(val).question), KEPT)
    call("answers", "densify", "--visdial", val, "--cca", world / "cca.npz", "-o", world / "dense.parquet")
    call("answers", "overlap", "--of", world / "S.json", "--with", world / "dense.parquet", "--json")
    capsys.readouterr()
    call("answers", "overlap", "--of", world / "S.json", "--visdial", val, "--dense", dense, "--common", "--json")
    assert json.loads(capsys.readouterr().out)["measures"]["size"]["n"] == len(read_dense(dense))
    ranks = world / "ranks.json"
    call("answers", "predict", "--model", "cca-aq", "--cca", world / "cca.npz", "--visdial", val, "--ranks", ranks)
    assert np.sort(read_ranks(ranks).ranks, axis=1).tolist() == [[*range(1, KEPT + 1)]] * len(read_ranks(ranks))
    call("world", "answer", "--witness", "truthful", "--questions", val, "--ranks", "-o", world / "said.json")
    capsys.readouterr()
    call("answers", "rank", "--visdial", val, "--ranks", world / "said.json", "--dense", dense, "--json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["measures"]["mr"]["value"] <= KEPT
    assert printed["signature"]["options"]["candidates"] == KEPT
    call("answers", "audit", "--visdial", val, "--ranks", ranks, "--dense", dense, "--encoder", "static", "--json")
    measures = json.loads(capsys.readouterr().out)["measures"]
    shares = [figure["value"] for name, figure in measures.items() if name.startswith("gt_rank")]
    assert len(shares) == 11
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rank", "--ranks"), "rankings (--ranks): found 3 options per round, expected 20, as the dialogues have"),
        (
            ("audit", "--dense"),
            "dense annotations (--dense): found 3 options per round, expected 20",
        ),
        (
            ("references", "--method", "H", "-o", "H.json", "--dense"),
            "dense annotations (--dense): found 3",
        ),
    ],
)
def test_files_of_other_numbers_of_candidates_do_not_go_together(arguments, message, world, tmp_path, capsys):
    name = "ranks" if "--ranks" in arguments else "gt_relevance"
    (tmp_path / "f.json").write_text(json.dumps([{"image_id": 1, "round_id": 10, name: [1, 1, 1]}]))
    if name == "ranks":
        (tmp_path / "f.json").write_text(json.dumps([{"image_id": 1, "round_id": 10, name: [1, 2, 3]}]))
    verb, *rest = arguments
    call("answers", verb, "--visdial", world / "w" / "visdial_val.json", *rest, tmp_path / "f.json", expected=2)
    assert message in capsys.readouterr().err


def test_more_clusters_than_candidates_are_refused(world, tmp_path, capsys):
    train = ("--visdial", world / "w" / "visdial_train.json", "--encoder", "static", "-o", tmp_path / "cca.npz")
    call("answers", "train", *train)
    options = ("--method", "G", "--clusters", "20", "-o", tmp_path / "G.json")
    arguments = ("--visdial", world / "w" / "visdial_val.json", "--cca", tmp_path / "cca.npz", *options)
    call("answers", "references", *arguments, expected=2)
    expected = "method G needs at least 20 candidates beside the ground truth in a round, and the dialogues have 19"
    assert expected in capsys.readouterr().err


def test_dialogues_without_candidates_are_scored_against_sets(tmp_path, capsys):
    """Sets of texts alone: nothing says which option each text is, since there are none."""
    sets = [
        {"image_id": image, "round_id": 0, "refs": ["yes", "it is"], "question": "is it red", "gt_answer": "yes"}
        for image in (1, 2)
    ]
    generated = [{"image_id": image, "round_id": 0, "generations": ["yes"]} for image in (1, 2)]
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    (tmp_path / "said.json").write_text(json.dumps(generated))
    call("validate", tmp_path / "sets.json")
    capsys.readouterr()
    files = ("--generations", tmp_path / "said.json", "--references", tmp_path / "sets.json", "--measures", "bleu")
    call("answers", "score", *files, "--json")
    assert json.loads(capsys.readouterr().out)["measures"]["bleu1"]["value"] == 1
    call("answers", "overlap", "--of", tmp_path / "sets.json", "--with", tmp_path / "sets.json", expected=2)
    assert "field `in_cluster_idxs`: found nothing, expected which of the options" in capsys.readouterr().err
