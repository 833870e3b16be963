"""A witness answers a whole file: VQA questions to results, VisDial dialogues to generations or to ranks.

In a dialogue the history of a round is the caption and the earlier questions with their true answers.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from voirdire.errors import InputError, Problem
from voirdire.formats.generations import Generations
from voirdire.formats.option_numbers import Ranks
from voirdire.formats.scenes import Scene
from voirdire.formats.visdial import VisDial
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.formats.vqa_results import VqaResults
from voirdire.world.witnesses.protocol import History, Witness

__all__ = ["Testimony", "answer_vqa", "check_images", "generate_visdial", "rank_visdial"]

T = TypeVar("T")


@dataclass(frozen=True)
class Testimony(Generic[T]):
    """A witness's outputs, the questions that it could not read, and of how many."""

    outputs: T
    unread: tuple[str, ...]
    asked: int


def answer_vqa(
    witness: Witness, questions: VqaQuestions, scenes: Mapping[int, Scene], source: str = "questions"
) -> Testimony[VqaResults]:
    """One answer a question."""
    images = questions.image_ids.tolist()
    check_images(images, scenes, source)
    texts, unread = [], []
    for image, question in zip(images, questions.questions, strict=True):
        texts.append(witness.answer(scenes[image], question))
        if witness.read(question) is None:
            unread.append(question)
    return Testimony(VqaResults(questions.question_ids, tuple(texts)), tuple(unread), len(texts))


def generate_visdial(
    witness: Witness, visdial: VisDial, scenes: Mapping[int, Scene], count: int = 1, source: str = "dialogues"
) -> Testimony[Generations]:
    """`count` generations a round, rounds counted from 0 as in the official files."""
    texts: list[str] = []
    unread: list[str] = []
    for scene, question, history, _ in _rounds(visdial, scenes, source):
        texts += witness.generate(scene, question, history, count)
        if witness.read(question) is None:
            unread.append(question)
    images, rounds = visdial.image_ids[visdial.round_dialogues()], visdial.round_numbers()
    first = np.arange(len(rounds) + 1, dtype=np.int64) * count
    return Testimony(Generations(images, rounds, texts, first, base=0), tuple(unread), len(rounds))


def rank_visdial(
    witness: Witness, visdial: VisDial, scenes: Mapping[int, Scene], source: str = "dialogues"
) -> Testimony[Ranks]:
    """The rank of each of the 100 options of a round, rounds counted from 1 as the challenge does."""
    without = np.flatnonzero(visdial.options[:, 0] < 0)
    if len(without):
        problems = [Problem(visdial.label(int(row)), "answer_options", "none", "100 options") for row in without]
        raise InputError(source, problems)
    ranks = np.empty(visdial.options.shape, np.int16)
    unread: list[str] = []
    for scene, question, history, round_ in _rounds(visdial, scenes, source):
        ranks[round_] = witness.rank(scene, question, history, visdial.option_texts(round_))
        if witness.read(question) is None:
            unread.append(question)
    images, rounds = visdial.image_ids[visdial.round_dialogues()], visdial.round_numbers()
    return Testimony(Ranks(images, rounds, ranks, base=1), tuple(unread), len(rounds))


def _rounds(visdial: VisDial, scenes: Mapping[int, Scene], source: str) -> Iterator[tuple[Scene, str, History, int]]:
    check_images(visdial.image_ids.tolist(), scenes, source)
    for dialogue, image in enumerate(visdial.image_ids.tolist()):
        history = History(visdial.captions[dialogue])
        for round_ in visdial.rounds(dialogue):
            question = visdial.question_text(round_)
            yield scenes[image], question, history, round_
            answered = question, visdial.answer_text(round_) or ""
            history = History(history.caption, (*history.rounds, answered))


def check_images(images: Iterable[int], scenes: Mapping[int, Scene], source: str) -> None:
    """Refuse images that no scene is known of."""
    problems = [
        Problem(f"image {image}", "image_id", "no scene for it", "a line in scenes.jsonl")
        for image in dict.fromkeys(images)
        if image not in scenes
    ]
    if problems:
        raise InputError(source, problems)
