"""A small world on disk: strictly readable, true, the same bytes twice, and as varied as the exams need."""

import hashlib
from random import Random

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.coco import read_coco
from voirdire.formats.guesswhat import read_games
from voirdire.formats.option_numbers import read_dense
from voirdire.formats.references import read_references
from voirdire.formats.scenes import read_scenes, read_world_manifest
from voirdire.formats.visdial import read_visdial
from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.world.answer_wordings import valid_texts
from voirdire.world.build import build_world
from voirdire.world.dialogue import make_dialogue
from voirdire.world.inventory import CATEGORIES
from voirdire.world.reference import Conversation
from voirdire.world.scene import make_scene
from voirdire.world.truth import about
from voirdire.world.understand import understand

SCENES = 300


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    return folder, build_world(folder, SCENES, seed=5)


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_same_seed_same_bytes_and_another_seed_others(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        build_world(tmp_path / name, 12, seed)
    first, second, other = (digests(tmp_path / name) for name in "abc")
    assert first == second
    assert len(first) == 14
    assert all(first[name] != other[name] for name in first)


def test_a_scene_does_not_depend_on_the_others():
    assert make_scene(5, 77) == make_scene(5, 77)
    assert make_scene(5, 77) != make_scene(6, 77)


@pytest.mark.slow
def test_scenes_are_well_formed(world):
    scenes = read_scenes(world[0] / "scenes.jsonl")
    assert len(scenes) == SCENES
    assert all(3 <= len(scene.things) <= 20 for scene in scenes)
    coco = read_coco(world[0] / "coco_instances.json")
    assert coco.ids.tolist() == [thing.id for scene in scenes for thing in scene.things]
    assert {category.id for category in CATEGORIES} == {category.id for category in coco.categories}
    assert len(CATEGORIES) == 80


def test_every_category_occurs():
    seen = {thing.category for index in range(3000) for thing in make_scene(1, index).things}
    assert seen == {category.name for category in CATEGORIES}


@pytest.mark.parametrize("split", ["train", "val"])
def test_dialogues_hold_the_truth_among_a_hundred_different_candidates(world, split):
    visdial = read_visdial(world[0] / f"visdial_{split}.json")
    scenes = {scene.id: scene for scene in read_scenes(world[0] / "scenes.jsonl")}
    assert not visdial.notes
    assert len(visdial.question) == 10 * len(visdial)
    for row in visdial.options:
        assert len(set(row.tolist())) == 100
    assert len(set(visdial.answers)) == len(visdial.answers)
    for dialogue, image in enumerate(visdial.image_ids.tolist()):
        conversation = Conversation(scenes[image], visdial.captions[dialogue])
        for row in visdial.rounds(dialogue):
            meaning = understand(visdial.question_text(row))
            assert meaning is not None
            assert visdial.answer_text(row) in valid_texts(meaning, scenes[image], conversation.focus)
            conversation.add(meaning)


def test_relevances_are_shares_of_five_judges_and_follow_the_truth(world):
    dense = read_dense(world[0] / "visdial_val_dense.json")
    assert dense.base == 1
    assert np.array_equal(dense.relevance * 5, np.round(dense.relevance * 5))
    truth = read_references(world[0] / "visdial_val_references_true.json")
    rows = {(image, number): row for row, (image, number) in enumerate(zip(truth.image_ids, truth.rounds, strict=True))}
    valid = np.stack([truth.in_set[rows[key]] for key in zip(dense.image_ids, dense.rounds, strict=True)])
    assert 0.8 < dense.relevance[valid].mean() < 0.9
    assert 0 < dense.relevance[~valid].mean() < 0.02


def test_true_references_hold_the_ground_truth(world):
    visdial = read_visdial(world[0] / "visdial_val.json")
    truth = read_references(world[0] / "visdial_val_references_true.json")
    assert len(truth) == len(visdial.question)
    assert truth.in_set[np.arange(len(truth)), visdial.gt_index].all()
    for row in range(len(truth)):
        options = visdial.option_texts(row)
        assert truth.of(row) == [text for text, good in zip(options, truth.in_set[row], strict=True) if good]
    assert 5 < truth.in_set.sum(axis=1).mean() < 20


def test_vqa_annotators_mostly_agree_with_the_truth(world):
    questions = read_vqa_questions(world[0] / "vqa_val_questions.json")
    annotations = read_vqa_annotations(world[0] / "vqa_val_annotations.json")
    assert np.array_equal(questions.question_ids, annotations.question_ids)
    assert set(annotations.answer_types) == {"yes/no", "number", "other"}
    agree = []
    for row in range(len(annotations)):
        given = annotations.answers_of(row)
        assert annotations.majority[row] in given
        agree.append(given.count(annotations.majority[row]))
        assert understand(questions.questions[row]) is not None
    assert 8 < np.mean(agree) < 9.7


def test_games_are_answered_by_the_truth(world):
    scenes = {scene.id: scene for scene in read_scenes(world[0] / "scenes.jsonl")}
    games = read_games(world[0] / "guesswhat_train.jsonl")
    assert len(games) == SCENES * 4 // 5
    assert {game.status for game in games} == {"success", "failure", "incomplete"}
    for game in games:
        scene = scenes[game.image.id]
        assert [thing.id for thing in game.objects] == [thing.id for thing in scene.things]
        target = next(thing for thing in scene.things if thing.id == game.target_id)
        for qa in game.qas:
            meaning = understand(qa.question)
            assert meaning is not None, qa.question
            assert about(meaning, scene, target) == qa.answer


def test_variety(world):
    texts = set()
    long = total = pronouns = 0
    for split in ("train", "val"):
        visdial = read_visdial(world[0] / f"visdial_{split}.json")
        texts |= {text.rstrip("?").lower() for text in visdial.questions}
        texts |= {t.rstrip("?").lower() for t in read_vqa_questions(world[0] / f"vqa_{split}_questions.json").questions}
        for row in range(len(visdial.question)):
            total += 1
            long += len(visdial.answer_text(row).split()) >= 4
            pronouns += bool({"it", "he", "she", "they", "his", "her"} & set(visdial.question_text(row).split()))
    for game in read_games(world[0] / "guesswhat_train.jsonl"):
        texts |= {qa.question.rstrip("?").lower() for qa in game.qas}
    assert len(texts) >= 3000
    assert long / total >= 0.2
    assert pronouns / total >= 0.3


def test_dialogues_never_repeat_a_question_with_the_same_answer_due():
    for index in range(40):
        rounds = make_dialogue(make_scene(8, index), Random(index)).rounds
        assert len({(round_.meaning, round_.valid) for round_ in rounds}) == 10


def test_text_only_worlds_hold_questions_alone(tmp_path):
    manifest = build_world(tmp_path, 20, seed=1, text_only=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "scenes.jsonl",
        "vqa_train_annotations.json",
        "vqa_train_questions.json",
        "vqa_val_annotations.json",
        "vqa_val_questions.json",
        "world.json",
    ]
    assert manifest.splits["train"].vqa["questions"] == 320
    assert read_world_manifest(tmp_path / "world.json") == manifest


def test_the_smallest_world_and_refused_ones(tmp_path):
    assert build_world(tmp_path, 2, seed=1).splits["val"].scenes == 1
    with pytest.raises(UsageError, match="`scenes` must be at least 2"):
        build_world(tmp_path, 1, seed=1)
    with pytest.raises(UsageError, match="no pictures"):
        build_world(tmp_path, 2, seed=1, pictures=True, text_only=True)


def test_the_rounds_of_the_smallest_world_are_counted_without_doubt(tmp_path):
    build_world(tmp_path, 2, seed=1)
    for split in ("train", "val"):
        assert read_dense(tmp_path / f"visdial_{split}_dense.json").rounds.tolist() == [9]


def test_progress_reaches_its_end(tmp_path):
    seen = []
    build_world(tmp_path, 10, seed=1, report=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (40, 40)
