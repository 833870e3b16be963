"""The outputs of witnesses for whole files: from records to records, and from file to file.

    VQA questions       answers (results)
    VisDial dialogues   generations, ranks, states, or a survey about the same images
    GuessWhat?! games   the same games, played anew

In a dialogue the history of a round is the caption and the earlier questions with their true answers. A survey is
dialogues of a small closed vocabulary: about every scene the same ten questions are asked, in the same words. The
caption is the same, the order is random, and the answers are yes and no. So a sentence that is made of a round is true
of one scene and false of another, early in one dialogue and late in another, and only the dialogue's state can tell
which.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar, get_args

import numpy as np

from voirdire.atomic import check_output
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source, same_place
from voirdire.formats.generations import Generations, write_generations
from voirdire.formats.guesswhat import Game, read_games, write_games
from voirdire.formats.option_numbers import Ranks, write_rounds
from voirdire.formats.scenes import Scene
from voirdire.formats.states import TURNS, States, write_states
from voirdire.formats.visdial import VisDial, read_visdial, write_visdial
from voirdire.formats.visdial_text import VisDialText
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.formats.vqa_results import VqaResults, write_vqa_results
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.questions.exam import PlayOptions
from voirdire.questions.oracles import ORACLES, make_oracle
from voirdire.world.meaning import Meaning
from voirdire.world.truth import answers
from voirdire.world.understand import understand
from voirdire.world.witnesses.answerers import History, Witness, make_witness
from voirdire.world.witnesses.listeners import WIDTH, DialogueSoFar, Role, make_state_witness
from voirdire.world.witnesses.play import LIMIT, GameOracle, make_guesser, play
from voirdire.world.witnesses.questioners import make_questioner
from voirdire.world.world_folder import find_scenes, scenes_by_id, seek_scenes

T = TypeVar("T")

CAPTION = "a picture"
ANSWERS = ("yes", "no")
EVERY = 100
"""Dialogues between two reports."""
TRUTH, TABLE = "truth", "table"
"""Who may answer beside the named oracles, and which of these only has answers to earlier questions."""


@dataclass(frozen=True)
class Testimony(Generic[T]):
    """A witness's outputs, the questions that it could not read, and of how many."""

    outputs: T
    unread: tuple[str, ...]
    asked: int


def answer_vqa(
    witness: Witness, questions: VqaQuestions, scenes: Mapping[int, Scene], source: str = "questions"
) -> Testimony[VqaResults]:
    """One answer per question."""
    images = questions.image_ids.tolist()
    _check_images(images, scenes, source)
    texts: list[str] = []
    unread: list[str] = []
    for image, question in zip(images, questions.questions, strict=True):
        texts.append(witness.answer(scenes[image], question))
        unread += _unread(witness, question)
    return Testimony(VqaResults(questions.question_ids, tuple(texts)), tuple(unread), len(texts))


def generate_visdial(
    witness: Witness, visdial: VisDial, scenes: Mapping[int, Scene], count: int = 1, source: str = "dialogues"
) -> Testimony[Generations]:
    """`count` generations per round, rounds counted from 0 as in the official files."""
    texts: list[str] = []
    unread: list[str] = []
    for scene, question, history, _ in _rounds(visdial, scenes, source):
        texts += witness.generate(scene, question, history, count)
        unread += _unread(witness, question)
    images, rounds = visdial.image_ids[visdial.round_dialogues()], visdial.round_numbers()
    first = np.arange(len(rounds) + 1, dtype=np.int64) * count
    return Testimony(Generations(images, rounds, texts, first, base=0), tuple(unread), len(rounds))


def rank_visdial(
    witness: Witness, visdial: VisDial, scenes: Mapping[int, Scene], source: str = "dialogues"
) -> Testimony[Ranks]:
    """The rank of each option of a round, rounds counted from 1 as the challenge does."""
    without = np.flatnonzero(visdial.options[:, 0] < 0)
    if len(without):
        problems = [Problem(visdial.label(int(row)), "answer_options", "none", "options to rank") for row in without]
        raise InputError(source, problems)
    ranks = np.empty(visdial.options.shape, np.int16)
    unread: list[str] = []
    for scene, question, history, round_ in _rounds(visdial, scenes, source):
        ranks[round_] = witness.rank(scene, question, history, visdial.option_texts(round_))
        unread += _unread(witness, question)
    images, rounds = visdial.image_ids[visdial.round_dialogues()], visdial.round_numbers()
    return Testimony(Ranks(images, rounds, ranks, base=1), tuple(unread), len(rounds))


def _unread(witness: Witness, question: str) -> tuple[str, ...]:
    """A question that it cannot read; looked at right after it is answered, while what was read is still kept."""
    return (question,) if witness.read(question) is None else ()


def _rounds(visdial: VisDial, scenes: Mapping[int, Scene], source: str) -> Iterator[tuple[Scene, str, History, int]]:
    _check_images(visdial.image_ids.tolist(), scenes, source)
    for dialogue, image in enumerate(visdial.image_ids.tolist()):
        history = History(visdial.captions[dialogue])
        for round_ in visdial.rounds(dialogue):
            question = visdial.question_text(round_)
            yield scenes[image], question, history, round_
            answered = question, visdial.answer_text(round_) or ""
            history = History(history.caption, (*history.rounds, answered))


def _check_images(images: Iterable[int], scenes: Mapping[int, Scene], source: str) -> None:
    """Refuse images without a scene."""
    problems = [
        Problem(f"image {image}", "image_id", "no scene for it", "a line in scenes.jsonl")
        for image in dict.fromkeys(images)
        if image not in scenes
    ]
    if problems:
        raise InputError(source, problems)


def _understood(question: str) -> Meaning:
    meaning = understand(question)
    if meaning is None:
        raise ValueError(f"`question` must be in the world's language, got {question!r}")
    return meaning


QUESTIONS: dict[str, Meaning] = {
    question: _understood(question)
    for question in (
        "are there any people",
        "is there a woman",
        "is there a man",
        "is there a child",
        "is there an animal",
        "is there a vehicle",
        "is there a clock",
        "is there a table",
        "is it daytime",
        "is it indoors",
    )
}


def survey(visdial: VisDial, scenes: Mapping[int, Scene], seed: int = 0) -> VisDial:
    """The dialogues about the images of `visdial` in place of its own, with their true answers and no candidates."""
    texts = tuple(QUESTIONS)
    question, answer = [], []
    for image in visdial.image_ids.tolist():
        order = Random(f"{seed}/{image}/survey").sample(range(len(texts)), len(texts))
        question += order
        answer += [ANSWERS.index(answers(QUESTIONS[texts[place]], scenes[image])[0].what) for place in order]
    size = len(question)
    return replace(
        visdial,
        questions=list(texts),
        answers=list(ANSWERS),
        captions=[CAPTION] * len(visdial),
        first_round=np.arange(0, size + 1, len(texts), dtype=np.int64),
        question=np.array(question, np.int32),
        answer=np.array(answer, np.int32),
        gt_index=np.full(size, -1, np.int16),
        options=np.full((size, visdial.options.shape[1]), -1, np.int32),
        fingerprint="",
        notes=(),
    )


def answer_file(
    witness: str,
    questions: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    count: int | None = None,
    ranks: bool = False,
) -> Testimony[Any]:
    """Let a witness answer VQA questions (to results) or VisDial dialogues (to generations, or to ranks).

    count  generations per round, for dialogues; 1 unless given
    """
    speaker = make_witness(witness, seed)
    _check_places(out, questions)
    if ranks and count is not None:
        raise UsageError("`ranks` orders the options that a file gives, so that `count` has no meaning with it")
    source = open_source(questions)
    format_ = detect(source)
    if format_.name not in ("vqa_questions", "visdial"):
        raise UsageError(f"{questions} holds {format_.title}; a witness answers VQA questions or VisDial dialogues")
    if format_.name == "vqa_questions" and (ranks or count is not None):
        raise UsageError(
            f"{questions} holds VQA questions, which have one answer each; `ranks` and `count` are for dialogues"
        )
    known = scenes_by_id(scenes or find_scenes(questions))
    record = format_.parse(source)
    if format_.name == "vqa_questions":
        answered = answer_vqa(speaker, record, known, questions)
        write_vqa_results(answered.outputs, out)
        return answered
    if ranks:
        ranked = rank_visdial(speaker, record, known, questions)
        write_rounds(ranked.outputs, out)
        return ranked
    generated = generate_visdial(speaker, record, known, 1 if count is None else count, questions)
    write_generations(generated.outputs, out)
    return generated


def play_file(
    questioner: str,
    games: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    limit: int = LIMIT,
    *,
    oracle: GameOracle | None = None,
    guesser: str = "consistent",
    report: Progress = silent,
) -> list[Game]:
    """Let players play a file's games anew, with an oracle (the truth unless given); the games, also written."""
    asker, namer = make_questioner(questioner, seed), make_guesser(guesser, seed)
    _check_places(out, games)
    place, recorded = scenes or seek_scenes(games), read_games(games)
    known = None if place is None else scenes_by_id(place)
    if scenes is None and known is not None and not any(game.image.id in known for game in recorded):
        known = None  # A world's folder may lie above real games.
    played = play(asker, recorded, known, seed, limit, games, oracle=oracle, guesser=namer, report=report)
    write_games(played, out)
    return played


def play_games(
    games: str, scenes: str | None = None, *, options: PlayOptions, stages: Stages = UNSEEN, output: str
) -> Outcome:
    """Let a questioner, an oracle and a guesser play the games of a file anew; the new games go to a file."""
    name = options.oracle.partition(":")[0]
    if options.oracle != TRUTH and name not in ORACLES.names():
        known = ", ".join([*(known for known in ORACLES.names() if known != TABLE), TRUTH])
        raise UsageError(f"there is no oracle {options.oracle!r} to play with; there are: {known}")
    if name == TABLE:
        raise UsageError("a table has answers to questions that were asked before; these games ask new ones")
    played = play_file(
        options.questioner,
        games,
        output,
        scenes,
        options.seed,
        options.max_questions,
        oracle=None if options.oracle == TRUTH else make_oracle(options.oracle),
        guesser=options.guesser,
        report=stages("play", "games"),
    )
    won = sum(game.status == "success" for game in played)
    asked = sum(len(game.qas) for game in played)
    line = (
        f"{options.questioner} asked {asked:,} questions in {len(played):,} games, {options.oracle} answered, "
        f"{options.guesser} found {won:,} targets: {output}"
    )
    return Outcome((line,), {"games": len(played), "won": won, "questions": asked, "path": output})


def _check_places(out: str, source: str) -> None:
    """Refuse a place that cannot be written, or must not be, before any work is done."""
    if out == "-":
        return
    check_output(Path(out))
    if source != "-" and same_place(out, source):
        raise UsageError(f"{out} is the file that is read; name another one to write to")


def states_file(
    witness: str,
    dialogues: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    role: Role = "A",
    report: Progress = silent,
) -> States:
    """The states of a witness at the turns of a file's dialogues; written too, whole or not at all.

    There are always 11 turns; a dialogue that ends earlier has zeros after its end.
    """
    listener = make_state_witness(witness, seed)
    if role not in get_args(Role):
        raise UsageError(f"`role` must be A (the answerer) or Q (the questioner), got {role!r}")
    _check_places(out, dialogues)
    source = open_source(dialogues)
    format_ = detect(source)
    if format_.name not in ("visdial", "visdial_text"):
        raise UsageError(f"{dialogues} holds {format_.title}; states are of VisDial dialogues")
    record = format_.parse(source)
    known = scenes_by_id(scenes or find_scenes(dialogues))
    _check_images(record.image_ids.tolist(), known, dialogues)
    questions = _answered_questions(record)
    vectors = np.zeros((len(questions), TURNS, WIDTH), np.float32)
    report(0, len(vectors))
    for place, image in enumerate(record.image_ids.tolist()):
        turns = listener.states(DialogueSoFar(known[image], record.captions[place], questions[place]), role)
        vectors[place, : len(turns)] = turns
        if (place + 1) % EVERY == 0 or place + 1 == len(vectors):
            report(place + 1, len(vectors))
    states = States(vectors)
    write_states(states, out)
    return states


def _answered_questions(record: VisDial | VisDialText) -> list[list[str]]:
    """The questions that have an answer, dialogue by dialogue."""
    if isinstance(record, VisDialText):
        return [[record.questions[round_] for round_ in record.rounds(place)] for place in range(len(record))]
    return [
        [record.question_text(round_) for round_ in record.rounds(place) if record.answer[round_] >= 0]
        for place in range(len(record))
    ]


def survey_file(dialogues: str, out: str, scenes: str | None = None, seed: int = 0) -> VisDial:
    """Ask the questions of the survey about the images of a file; the dialogues, also written."""
    _check_places(out, dialogues)
    visdial = read_visdial(dialogues)
    known = scenes_by_id(scenes or find_scenes(dialogues))
    _check_images(visdial.image_ids.tolist(), known, dialogues)
    dialogues_ = survey(visdial, known, seed)
    write_visdial(dialogues_, out)
    return dialogues_
