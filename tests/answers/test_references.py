"""Reference sets: H from relevances, the pairings, the layout, and what is left out and said."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from word_world import WordWorld, word_world

from voirdire.answers import references
from voirdire.answers.cca.projection import Projector
from voirdire.answers.cca.sentences import Sentences, sentences
from voirdire.answers.cca.training import pairs_of_ground_truths, train, train_vocabulary, training_pairs
from voirdire.answers.exam import CcaOptions, SetOptions
from voirdire.answers.references import members, reference_sets
from voirdire.errors import InputError, UsageError
from voirdire.formats.option_numbers import Dense, read_dense
from voirdire.formats.references import read_references, write_references
from voirdire.formats.visdial import VisDial, read_visdial
from voirdire.progress import Progress, Stages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WordWorld:
    return word_world(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="module")
def val(world: WordWorld) -> VisDial:
    return read_visdial(world["val"])


@pytest.fixture(scope="module")
def dense(world: WordWorld) -> Dense:
    return read_dense(world["val_dense"], 1)


@pytest.fixture(scope="module")
def texts(world: WordWorld) -> Sentences:
    return sentences(world.encoder, train_vocabulary(read_visdial(world["train"])))


@pytest.fixture(scope="module")
def human(world: WordWorld, texts: Sentences) -> Projector:
    visdial = read_visdial(world["train"])
    pairs, _ = training_pairs(visdial, read_dense(world["train_dense"], 1), None)
    return Projector(train(pairs, texts, CcaOptions(k=40)), texts)


def test_h_is_what_people_found_relevant_and_the_ground_truth(val: VisDial, dense: Dense) -> None:
    sets, warnings = reference_sets(val, SetOptions("H"), dense=dense)
    assert warnings == ()
    assert len(sets) == len(dense)
    for row in range(len(sets)):
        at = int(np.flatnonzero((dense.image_ids == sets.image_ids[row]) & (dense.rounds == sets.rounds[row]))[0])
        dialogue = int(np.flatnonzero(val.image_ids == sets.image_ids[row])[0])
        round_ = val.rounds(dialogue)[sets.rounds[row]]
        expected = dense.relevance[at] > 0
        expected[val.gt_index[round_]] = True
        np.testing.assert_array_equal(sets.in_set[row], expected)
        assert sets.of(row) == [text for text, inside in zip(val.option_texts(round_), expected, strict=True) if inside]
        assert (sets.questions[row], sets.gt_answers[row]) == (val.question_text(round_), val.answer_text(round_))


def test_rounds_without_relevance_are_left_out_and_said(val: VisDial, dense: Dense) -> None:
    relevance = dense.relevance.copy()
    relevance[2] = 0
    sets, (warning,) = reference_sets(val, SetOptions("H"), dense=replace(dense, relevance=relevance))
    assert len(sets) == len(dense) - 1
    image = dense.image_ids[2]
    assert warning.startswith(f"image {image}, round {dense.rounds[2]} (counted from 0): all relevances are 0")


def test_rounds_without_ground_truth_are_left_out_and_said(val: VisDial, human: Projector) -> None:
    gt_index = val.gt_index.copy()
    gt_index[[3, 14]] = -1
    sets, (warning,) = reference_sets(replace(val, gt_index=gt_index), projector=human)
    assert len(sets) == len(gt_index) - 2
    assert f"image {val.image_ids[0]}, round 3 (counted from 0); image {val.image_ids[1]}, round 4" in warning
    with pytest.raises(InputError, match="no round with candidates and a ground truth"):
        reference_sets(replace(val, gt_index=np.full_like(gt_index, -1)), projector=human)


def test_annotations_of_unknown_rounds_are_an_error(val: VisDial, dense: Dense) -> None:
    strange = replace(dense, image_ids=dense.image_ids + 10**6)
    with pytest.raises(InputError, match="an unknown round"):
        reference_sets(val, SetOptions("H"), dense=strange)


def test_what_a_method_needs(val: VisDial) -> None:
    with pytest.raises(UsageError, match="method H needs dense annotations"):
        reference_sets(val, SetOptions("H"))
    with pytest.raises(UsageError, match="method S needs a CCA"):
        reference_sets(val)
    with pytest.raises(UsageError, match=r"`pairing` must be one of gt-others, .*, got 'x'"):
        SetOptions("S", "x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="`method` must be one of H, S, M, G, got 'X'"):
        SetOptions("X")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="`clusters` must be at least 2, got 1"):
        SetOptions("G", clusters=1)


@pytest.mark.parametrize("pairing", ["gt-others", "gt-all", "question-gt", "question-max"])
def test_sets_are_those_of_a_loop_over_the_rounds(val: VisDial, human: Projector, pairing: str) -> None:
    sets, _ = reference_sets(val, SetOptions("S", pairing), human)  # type: ignore[arg-type]
    for row in range(0, len(sets), 7):
        true, options = int(val.gt_index[row]), human.answers(val.option_texts(row))
        by_question = pairing.startswith("question")
        anchor = human.questions([val.question_text(row)])[0] if by_question else options[true]
        values = options @ anchor
        if pairing == "gt-others":
            others = np.delete(values, true)
            expected = np.insert(others >= others.max() - others.std(ddof=1), true, True)
        else:
            top = values[true] if pairing == "question-gt" else values.max()
            expected = values >= top - values.std(ddof=1)
        np.testing.assert_array_equal(sets.in_set[row], expected)


def test_only_the_best_of_the_question_may_lack_the_ground_truth() -> None:
    rng = np.random.default_rng(0)
    rows, truth = rng.normal(size=(50, 100)), rng.integers(0, 100, 50)
    for method in ("S", "M", "G"):
        for pairing in ("gt-others", "gt-all", "question-gt", "question-max"):
            in_set = members(rows, truth, SetOptions(method, pairing))  # type: ignore[arg-type]
            assert in_set[np.arange(50), truth].all() == (pairing != "question-max")
            assert (in_set.sum(axis=1) >= 1).all()


def test_fewer_clusters_are_larger(val: VisDial, human: Projector) -> None:
    sizes = [
        reference_sets(val, SetOptions("G", clusters=clusters), human)[0].in_set.sum(axis=1).mean()
        for clusters in (3, 4, 5)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 1


def test_annotated_rounds_alone_where_annotations_are_given(val: VisDial, dense: Dense, human: Projector) -> None:
    every, _ = reference_sets(val, SetOptions("G"), human)
    some, _ = reference_sets(val, SetOptions("G"), human, dense)
    assert (len(every), len(some)) == (len(val.question), len(dense))
    rows = val.first_round[np.searchsorted(val.image_ids, some.image_ids)] + some.rounds
    np.testing.assert_array_equal(some.in_set, every.in_set[rows])


def test_the_published_layout(val: VisDial, human: Projector, tmp_path: Path) -> None:
    sets, _ = reference_sets(val, SetOptions(), human)
    write_references(sets, tmp_path / "S.json")
    again = read_references(tmp_path / "S.json")
    assert again == sets
    assert not any("not in the set" in note for note in again.notes)


def test_precision_on_the_world_is_far_above_chance(
    world: WordWorld, val: VisDial, texts: Sentences, human: Projector
) -> None:
    true = read_references(world["val_references_true"])
    plain = Projector(train(pairs_of_ground_truths(read_visdial(world["train"])), texts, CcaOptions(k=40)), texts)
    precision = {}
    for name, projector in (("human", human), ("ground truths", plain)):
        sets, warnings = reference_sets(val, SetOptions(), projector)
        np.testing.assert_array_equal(sets.image_ids, true.image_ids)
        np.testing.assert_array_equal(sets.rounds, true.rounds)
        others = sets.in_set.copy()
        others[np.arange(len(others)), val.gt_index] = False
        # Without the ground truths, which are always in: the share of valid answers among those that were chosen.
        precision[name] = (others & true.in_set).sum() / others.sum()
        assert bool(warnings) == (name == "ground truths")
    chance = (true.in_set.sum(axis=1) - 1).mean() / 99
    assert chance < 0.15
    assert precision["human"] > 5 * chance
    assert precision["ground truths"] > 2 * chance
    assert "without dense annotations" in warnings[0]


def test_sets_say_how_far_they_are(val: VisDial, human: Projector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts and rounds were gone through in silence; the sets do not depend on how many rounds are told of at once."""
    calls: dict[tuple[str, str], list[tuple[int, int]]] = {}

    class Heard(Stages):
        def __call__(self, name: str, unit: str) -> Progress:
            return lambda done, total: calls.setdefault((name, unit), []).append((done, total))

    options = SetOptions("G", "question-gt")
    whole, _ = reference_sets(val, options, human)
    monkeypatch.setattr(references, "ROUNDS", 7)
    parts, _ = reference_sets(val, options, human, stages=Heard())
    np.testing.assert_array_equal(parts.in_set, whole.in_set)
    assert list(calls) == [("project answers", "texts"), ("project questions", "texts"), ("choose", "rounds")]
    count = len(whole)
    assert calls["choose", "rounds"][:2] == [(0, count), (7, count)]
    assert all(reports[0][0] == 0 and reports[-1][0] == reports[-1][1] > 0 for reports in calls.values())
