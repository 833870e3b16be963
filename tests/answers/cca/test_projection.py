"""Comparing answers through a trained CCA or by an encoder alone, in the verbs that do so."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from voirdire.answers.cca import read_cca, solve, write_cca
from voirdire.answers.cca.moments import DenseMoments
from voirdire.answers.cca.projection import cca_space, encoder_space
from voirdire.answers.exam import CcaOptions
from voirdire.text.encoders import encoder

TEXTS = [f"a{place}" for place in range(100)]
MEMBERS = ((0, 1, 2), (4,), (7, 9))
ASKED = TEXTS[50]  # Of which there is a vector, as of all that is compared.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Vectors of a hundred answers, a CCA that was trained on them, sets and dialogues of these answers."""
    path = tmp_path_factory.mktemp("space")
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(100, 6)).astype(np.float32)
    np.savez(path / "vectors.npz", texts=np.array(TEXTS), vectors=vectors)
    np.savez(path / "wider.npz", texts=np.array(TEXTS), vectors=rng.normal(size=(100, 7)).astype(np.float32))
    np.savez(path / "other.npz", texts=np.array(TEXTS), vectors=vectors + 1)
    moments = DenseMoments((6, 6))
    moments.add(vectors, vectors @ rng.normal(size=(6, 6)) + rng.normal(size=(100, 6)))
    spec = f"npz:{path / 'vectors.npz'}"
    cca = solve(moments.moments(), CcaOptions(k=4))
    write_cca(replace(cca, encoder=spec, signature=encoder(spec).signature), path / "cca.npz")
    sets = [
        {
            "image_id": image,
            "round_id": 0,
            "in_cluster_idxs": [int(place in members) for place in range(100)],
            "refs": [TEXTS[place] for place in members],
            "question": ASKED,
            "gt_answer": TEXTS[members[0]],
        }
        for image, members in enumerate(MEMBERS, start=5)
    ]
    (path / "sets.json").write_text(json.dumps(sets))
    turn = {"question": 0, "answer": 3, "gt_index": 3, "answer_options": list(range(100))}
    dialogs = [{"image_id": image, "caption": "a cup", "dialog": [turn] * 10} for image in (5, 6)]
    pools = {"questions": ["is it red"], "answers": TEXTS}
    value = {"version": "1.0", "split": "val2018", "data": {**pools, "dialogs": dialogs}}
    (path / "visdial.json").write_text(json.dumps(value))
    return path


def by_definition(folder):
    """The correlations of all answers, from the file's arrays: x W diag(λ), minus its mean, then the cosine."""
    with np.load(folder / "cca.npz") as file:
        weights, values, mean = file["answer_weights"], file["eigenvalues"], file["answer_mean"]
    with np.load(folder / "vectors.npz") as file:
        projected = (file["vectors"].astype(np.float64) - mean) @ weights * values
    units = projected / np.linalg.norm(projected, axis=1, keepdims=True)
    return units @ units.T


def test_the_projection_is_the_definition(folder):
    space = cca_space(read_cca(folder / "cca.npz"))
    vectors = space.vectors(TEXTS)
    assert vectors @ vectors.T == pytest.approx(by_definition(folder), abs=1e-9)
    assert space.name == f"cca of npz:{folder / 'vectors.npz'}"
    assert space.data == {"cca": hashlib.sha256((folder / "cca.npz").read_bytes()).hexdigest()}


def test_an_encoder_alone(folder):
    vectors = encoder_space(f"npz:{folder / 'vectors.npz'}").vectors(["a5", "a5", "a6"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert np.array_equal(vectors[0], vectors[1])


def test_overlap_with_a_cca(folder, called):
    sets, cca = folder / "sets.json", folder / "cca.npz"
    status, out, err = called("answers", "overlap", "--of", sets, "--with", sets, "--cca", cca, "--json")
    assert status == 0, err
    measures = json.loads(out)["measures"]
    table = by_definition(folder)
    inside = [table[members[0], list(members)] for members in MEMBERS]
    assert measures["corr"]["value"] == pytest.approx(np.mean([each.mean() for each in inside]), abs=1e-9)
    spreads = [each.std(ddof=1) for each in inside if len(each) > 1]
    assert measures["corr_spread"]["value"] == pytest.approx(np.mean(spreads), abs=1e-9)
    assert measures["corr:std"]["value"] == pytest.approx(np.std([each.mean() for each in inside], ddof=1), abs=1e-9)
    assert (measures["corr"]["n"], measures["corr_spread"]["n"]) == (3, 2)


def test_overlap_of_sets_that_the_question_made(folder, called):
    """Its projection is that of questions, by the file's arrays."""
    sets, cca = folder / "sets.json", folder / "cca.npz"
    options = ("--of", sets, "--with", sets, "--cca", cca, "--pairing", "question-max", "--json")
    status, out, err = called("answers", "overlap", *options)
    assert status == 0, err
    with np.load(cca) as file, np.load(folder / "vectors.npz") as archive:
        vectors = dict(zip(archive["texts"].tolist(), archive["vectors"].astype(np.float64), strict=True))
        asked = (vectors[ASKED] - file["question_mean"]) @ file["question_weights"] * file["eigenvalues"]
        answers = [
            (vectors[text] - file["answer_mean"]) @ file["answer_weights"] * file["eigenvalues"] for text in TEXTS
        ]
    cosines = [asked @ each / np.linalg.norm(asked) / np.linalg.norm(each) for each in answers]
    expected = np.mean([np.mean([cosines[place] for place in members]) for members in MEMBERS])
    assert json.loads(out)["measures"]["corr"]["value"] == pytest.approx(expected, abs=1e-9)


def test_audit_with_a_cca_and_with_an_encoder(folder, called):
    status, out, err = called(
        "answers", "audit", "--visdial", folder / "visdial.json", "--cca", folder / "cca.npz", "--json"
    )
    assert status == 0, err
    others = np.delete(by_definition(folder)[3], 3)
    top = np.append(others[others >= others.max() - others.std(ddof=1)], 1.0)
    measures = json.loads(out)["measures"]
    assert measures["cluster_mean"]["value"] == pytest.approx(top.mean(), abs=1e-9)
    assert measures["cluster_size"]["value"] == pytest.approx(len(top))
    spec = f"npz:{folder / 'vectors.npz'}"
    status, out, _ = called("answers", "audit", "--visdial", folder / "visdial.json", "--encoder", spec, "--json")
    assert status == 0
    assert json.loads(out)["measures"]["cluster_mean"]["value"] != pytest.approx(top.mean(), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "text"),
    [("wider.npz", "has 7 dimensions, but the CCA was trained with"), ("other.npz", "is not the one that the CCA was")],
)
def test_another_encoder_than_the_ccas(name, text, folder, called):
    spec = f"npz:{folder / name}"
    both = ["--cca", folder / "cca.npz", "--encoder", spec]
    for verb in (
        ["overlap", "--of", folder / "sets.json", "--with", folder / "sets.json"],
        ["audit", "--visdial", folder / "visdial.json"],
    ):
        status, _, err = called("answers", *verb, *both)
        assert status == 2
        assert text in err
