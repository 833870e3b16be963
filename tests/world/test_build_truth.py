"""Of all that a world of 500 scenes writes, every answer is true, by a reader that shares no code with the grammar."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scene_reader import Reading, SceneReader, tokens_of

from voirdire.world.build import build_world, make_vqa
from voirdire.world.scene import make_scene

pytestmark = pytest.mark.slow

SCENES = 500
SPLITS = ("train", "val")
VERDICTS = {True: "Yes", False: "No", None: "N/A"}


class World:
    """A world's files as JSON."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scenes = {scene["id"]: scene for scene in self.lines("scenes.jsonl")}
        categories = self.document("coco_instances.json")["categories"]
        self.above = {category["name"]: category["supercategory"] for category in categories}
        self.actions = {
            thing["action"] for scene in self.scenes.values() for thing in scene["things"] if "action" in thing
        }
        self.places = {scene["setting"] for scene in self.scenes.values()}

    def document(self, name: str) -> Any:
        return json.loads((self.folder / name).read_bytes())

    def lines(self, name: str) -> list[Any]:
        return [json.loads(line) for line in (self.folder / name).read_bytes().splitlines()]

    def reader(self, image: int) -> SceneReader:
        return SceneReader(self.scenes[image], self.above, self.actions, self.places)

    def rounds(self, split: str) -> Iterator[tuple[int, int, str, str, Reading]]:
        """Image, round, question, true answer and reading of each round, every dialogue heard from its caption on."""
        data = self.document(f"visdial_{split}.json")["data"]
        for dialogue in data["dialogs"]:
            image = dialogue["image_id"]
            reader = self.reader(image)
            reader.hear_caption(dialogue["caption"])
            for number, round_ in enumerate(dialogue["dialog"]):
                question = data["questions"][round_["question"]]
                reading = reader.read(question)
                yield image, number, question, data["answers"][round_["answer"]], reading
                reader.hear(reading.mentions)

    def vqa(self) -> Iterator[tuple[str, dict[str, Any], Reading]]:
        """Question, annotation and reading."""
        for split in SPLITS:
            questions = self.document(f"vqa_{split}_questions.json")["questions"]
            annotations = self.document(f"vqa_{split}_annotations.json")["annotations"]
            for question, annotation in zip(questions, annotations, strict=True):
                assert question["question_id"] == annotation["question_id"]
                yield question["question"], annotation, self.reader(question["image_id"]).read(question["question"])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, SCENES, seed=5)
    return World(folder)


def test_answers_of_dialogues(world: World) -> None:
    rounds = [row for split in SPLITS for row in world.rounds(split)]
    assert len(rounds) == 10 * SCENES
    assert not [
        (image, question, answer)
        for image, _, question, answer, reading in rounds
        if not reading.accepts(tokens_of(answer))
    ]


def test_every_valid_candidate_of_a_round(world: World) -> None:
    references = {(row["image_id"], row["round_id"]): row for row in world.document("visdial_val_references_true.json")}
    false, count = [], 0
    for image, number, question, _, reading in world.rounds("val"):
        row = references[image, number]
        assert row["question"] == question
        count += len(row["refs"])
        false += [(image, question, text) for text in row["refs"] if not reading.accepts(tokens_of(text))]
    assert count > 8_000
    assert not false


def test_majorities_of_annotators(world: World) -> None:
    false, count = [], 0
    for question, annotation, reading in world.vqa():
        count += 1
        if not reading.accepts(tokens_of(annotation["multiple_choice_answer"])):
            false.append((question, annotation))
    assert count == 6 * SCENES
    assert not false


def test_true_votes_that_are_split_between_wordings() -> None:
    questions = make_vqa(make_scene(8, 41), 6, Random("8/42/vqa"))
    (annotation,) = (annotation for text, annotation in questions if text == "How many bicycles are visible?")
    votes = Counter(answer.answer for answer in annotation.answers)
    # There is one bicycle; the slip has as many votes as both wordings of the truth, and more than either.
    assert votes == {"0": 2, "2": 4, "1": 3, "one": 1}
    assert annotation.multiple_choice_answer == "1"


def test_answers_of_games_about_their_targets(world: World) -> None:
    false, count = [], 0
    for game in (game for split in SPLITS for game in world.lines(f"guesswhat_{split}.jsonl")):
        image = game["image"]["id"]
        target = next(thing for thing in world.scenes[image]["things"] if thing["id"] == game["object_id"])
        for qa in game["qas"]:
            verdict = world.reader(image).of_thing(target).read(qa["question"]).verdict
            count += 1
            if VERDICTS[verdict] != qa["answer"]:
                false.append((game["id"], qa))
    assert count > 1_000
    assert not false


def test_the_reader_refuses_what_is_not_so(world: World) -> None:
    """Yes for no and no for yes, one more for a number, and true answers about another scene."""
    accepted = Counter[bool]()
    for _, annotation, reading in world.vqa():
        answer = annotation["multiple_choice_answer"]
        if answer in ("yes", "no"):
            assert not reading.accepts(["no" if answer == "yes" else "yes"])
        elif answer.isdecimal():
            assert not reading.accepts([str(int(answer) + 1)])
    questions = world.document("vqa_val_questions.json")["questions"]
    annotations = world.document("vqa_val_annotations.json")["annotations"]
    for question, annotation in zip(questions, annotations, strict=True):
        if annotation["answer_type"] == "number":
            reading = world.reader(question["image_id"] - 1).read(question["question"])
            accepted[reading.accepts(tokens_of(annotation["multiple_choice_answer"]))] += 1
    assert accepted[False] > accepted[True]
