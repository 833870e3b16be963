"""The files of one split of a world, each written in its official layout as the scenes go by."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import msgspec
import numpy as np

from voirdire.formats.files import write_chunks
from voirdire.formats.guesswhat import write_games
from voirdire.formats.option_numbers import Dense, write_dense
from voirdire.formats.references import References, write_references
from voirdire.formats.scenes import Scene
from voirdire.formats.visdial import OPTIONS, VisDial, write_visdial
from voirdire.formats.vqa_questions import VqaQuestions, write_vqa_questions
from voirdire.world.candidates import Pool, draw_candidates, judge, seed_pool
from voirdire.world.dialogue import ROUNDS, make_dialogue
from voirdire.world.games import make_game
from voirdire.world.vqa import make_vqa

__all__ = ["write_dialogues", "write_game_files", "write_vqa"]

VERSION = "1.0"
BLOCK = 10_000


def write_dialogues(folder: Path, split: str, scenes: Iterable[Scene], count: int, seed: int) -> dict[str, int]:
    """The dialogues, the relevances of one round each, and for every round the set of the truly valid options."""
    questions, answers, captions = Pool(), seed_pool(), []
    size = count * ROUNDS
    images = np.empty(count, np.int64)
    question, answer = np.empty(size, np.int32), np.empty(size, np.int32)
    places = np.empty(size, np.int16)
    options, valid = np.empty((size, OPTIONS), np.int32), np.empty((size, OPTIONS), bool)
    judged, relevance = np.empty(count, np.int64), np.empty((count, OPTIONS))
    for index, scene in enumerate(scenes):
        dialogue = make_dialogue(scene, Random(f"{seed}/{scene.id}/dialogue"))
        rng = np.random.default_rng((seed, scene.id, 1))
        rows = slice(index * ROUNDS, (index + 1) * ROUNDS)
        images[index] = scene.id
        captions.append(dialogue.caption)
        question[rows] = [questions.add(round_.question) for round_ in dialogue.rounds]
        options[rows], places[rows], valid[rows] = draw_candidates(dialogue.rounds, answers, rng)
        answer[rows] = [answers.numbers[round_.answer] for round_ in dialogue.rounds]
        # The first dialogue is judged at its last round, so that any reader can tell from where the rounds are counted.
        judged[index] = rng.integers(ROUNDS) if index else ROUNDS - 1
        relevance[index] = judge(valid[index * ROUNDS + judged[index]], rng)
    texts = answers.texts()
    # Only the answers that some round offers stay in the pool.
    used = np.zeros(len(texts), bool)
    used[options.reshape(-1)] = True
    renumbered = (np.cumsum(used) - 1).astype(np.int32)
    for start in range(0, size, BLOCK):
        options[start : start + BLOCK] = renumbered[options[start : start + BLOCK]]
    kept = [text for text, stays in zip(texts, used.tolist(), strict=True) if stays]
    visdial = VisDial(
        VERSION,
        split,
        questions.texts(),
        kept,
        images,
        captions,
        np.arange(0, size + 1, ROUNDS, dtype=np.int64),
        question,
        renumbered[answer],
        places,
        options,
    )
    write_visdial(visdial, folder / f"visdial_{split}.json")
    write_dense(Dense(images, judged, relevance), folder / f"visdial_{split}_dense.json")
    if split == "val":
        write_references(_references(visdial, valid), folder / f"visdial_{split}_references_true.json")
    return {"dialogues": count, "questions": len(visdial.questions), "answers": len(kept)}


def _references(visdial: VisDial, valid: np.ndarray) -> References:
    rounds = len(visdial.question)
    texts = [visdial.answers[place] for place in visdial.options[valid].tolist()]
    first = np.concatenate([[0], np.cumsum(valid.sum(axis=1))]).astype(np.int64)
    asked = [visdial.question_text(row) for row in range(rounds)]
    given = [visdial.answers[place] for place in visdial.answer.tolist()]
    return References(
        visdial.image_ids[visdial.round_dialogues()], visdial.round_numbers(), valid, texts, first, asked, given
    )


def write_vqa(folder: Path, split: str, scenes: Iterable[Scene], seed: int, each: int) -> dict[str, int]:
    """VQA questions and annotations, `each` to a scene."""
    ids: list[int] = []
    images: list[int] = []
    texts: list[str] = []
    encoder = msgspec.json.Encoder()

    def annotations() -> Iterator[bytes]:
        yield b'{"annotations":['
        for scene in scenes:
            for text, annotation in make_vqa(scene, each, Random(f"{seed}/{scene.id}/vqa")):
                yield (b",\n" if ids else b"\n") + encoder.encode(annotation)
                ids.append(annotation.question_id)
                images.append(annotation.image_id)
                texts.append(text)
        yield b"]}\n"

    write_chunks(annotations(), folder / f"vqa_{split}_annotations.json")
    record = VqaQuestions(np.array(ids, np.int64), np.array(images, np.int64), tuple(texts), (None,) * len(ids))
    write_vqa_questions(record, folder / f"vqa_{split}_questions.json")
    return {"questions": len(ids), "distinct": len(set(texts))}


def write_game_files(folder: Path, split: str, scenes: Iterable[Scene], seed: int) -> None:
    """One GuessWhat?! game a scene."""
    games = (make_game(scene, Random(f"{seed}/{scene.id}/game")) for scene in scenes)
    write_games(games, folder / f"guesswhat_{split}.jsonl")
