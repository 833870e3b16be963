"""A whole world on disk: the truth, and every official file that the exams read.

    scenes.jsonl                             the truth
    coco_instances.json                      all boxes
    visdial_{train,val}.json                 dialogues with 100 options per round
    visdial_{train,val}_dense.json           relevances of one round per dialogue, from five judges
    visdial_val_references_true.json         for every val round the options that are truly valid
    vqa_{train,val}_{questions,annotations}.json
    guesswhat_{train,val}.jsonl
    pictures/                                one PNG per scene, where asked for
    world.json                               seed, counts and version

The first four fifths of the scenes are train, the rest val. Each scene has its own generators, so that a file's bytes
depend on the seed and the number of scenes alone. `world.json` is written last: where it is, the world is complete. A
folder with anything but the same world is refused (`world_folder`).

Of the ten annotators of a VQA question each writes the usual short form of the true answer, or with the chance SYNONYM
another one; with the chances below errs: flips a yes or no, counts one too many or too few, or gives another answer of
the same sort. The majority, `multiple_choice_answer`, is the commonest of the true answers.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import msgspec
import numpy as np

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.formats.coco import Category, CocoInstances, GameImage, write_coco
from voirdire.formats.files import write_chunks, write_json, write_lines
from voirdire.formats.guesswhat import write_games
from voirdire.formats.option_numbers import Dense, write_rounds
from voirdire.formats.references import References, write_references
from voirdire.formats.round_files import OPTIONS
from voirdire.formats.scenes import Scene, WorldManifest, WorldSplit
from voirdire.formats.visdial import VisDial, write_visdial
from voirdire.formats.vqa_annotations import AnswerType, VqaAnnotation, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestions, write_vqa_questions
from voirdire.progress import Progress
from voirdire.world.answer_wordings import near_misses, short
from voirdire.world.dialogue import ROUNDS, TextPool, draw_candidates, judge, make_dialogue, seed_pool
from voirdire.world.grammar import say
from voirdire.world.inventory import CATEGORIES
from voirdire.world.meaning import YES_NO, Meaning
from voirdire.world.random_questions import ask_about, ask_scene
from voirdire.world.reference import refer, refer_all
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import make_game
from voirdire.world.truth import Answer, answers
from voirdire.world.world_folder import MANIFEST, Identity, claimed

VQA_QUESTIONS, TEXT_ONLY_QUESTIONS = 6, 20
TRAIN = 0.8
KEPT = 20_000
"""Up to so many scenes are kept in memory; those of a larger world are made again for each file."""
VERSION = "1.0"
BLOCK = 10_000


def build_world(
    folder: str | Path,
    scenes: int,
    seed: int,
    pictures: bool = False,
    text_only: bool = False,
    report: Progress | None = None,
) -> WorldManifest:
    """Make a world of `scenes` scenes in `folder` and return the content of `world.json`.

    `text_only` writes VQA questions alone, TEXT_ONLY_QUESTIONS per scene: a large pool of questions in short time.
    `report` is told how many of all steps are done.
    """
    folder = Path(folder)
    if seed < 0:
        raise UsageError(f"`seed` must be at least 0, got {seed}")
    if scenes < 2:
        raise UsageError(f"`scenes` must be at least 2 (one to train on and one to test), got {scenes}")
    if text_only and pictures:
        raise UsageError("a world of text alone has no pictures: leave out one of the two options")
    world = _World(scenes, seed, report, passes=2 if text_only else 4 + pictures)
    middle = min(max(int(scenes * TRAIN), 1), scenes - 1)
    splits = {"train": range(middle), "val": range(middle, scenes)}
    each = TEXT_ONLY_QUESTIONS if text_only else VQA_QUESTIONS
    counts: dict[str, WorldSplit] = {}
    with claimed(folder, Identity(__version__, seed, scenes, text_only)):
        _write_truth(folder, world, scenes, boxes=not text_only)
        for split, part in splits.items():
            questions = _write_vqa(folder, split, world.scenes(part), seed, each)
            dialogues: dict[str, int] = {}
            if not text_only:
                dialogues = write_dialogues(folder, split, world.scenes(part), len(part), seed)
                games = (make_game(scene, Random(f"{seed}/{scene.id}/game")) for scene in world.scenes(part))
                write_games(games, folder / f"guesswhat_{split}.jsonl")
            counts[split] = WorldSplit(len(part), questions, dialogues)
        if pictures:
            from voirdire.world.draw import write_picture

            for scene in world.scenes(range(scenes)):
                write_picture(scene, folder / "pictures" / scene.file_name)
        manifest = WorldManifest(__version__, seed, scenes, text_only, counts)
        write_json(manifest, folder / MANIFEST)
    return manifest


class _World:
    """The scenes by number, each made once where they are few."""

    def __init__(self, count: int, seed: int, report: Progress | None, passes: int) -> None:
        self.seed, self.report = seed, report
        self.kept: dict[int, Scene] | None = {} if count <= KEPT else None
        self.done, self.total = 0, count * passes

    def scenes(self, part: range) -> Iterator[Scene]:
        """The scenes of a part, one after the other."""
        for index in part:
            scene = None if self.kept is None else self.kept.get(index)
            if scene is None:
                scene = make_scene(self.seed, index)
                if self.kept is not None:
                    self.kept[index] = scene
            yield scene
            self.done += 1
            if self.report is not None and (self.done % 500 == 0 or self.done == self.total):
                self.report(self.done, self.total)


def _write_truth(folder: Path, world: _World, count: int, boxes: bool) -> None:
    """`scenes.jsonl`, and the boxes of all scenes in COCO's layout."""
    images: list[GameImage] = []
    ids: list[tuple[int, int, int]] = []
    rectangles: list[tuple[float, float, float, float]] = []

    def collected() -> Iterator[Scene]:
        for scene in world.scenes(range(count)):
            if boxes:
                images.append(GameImage(scene.id, scene.width, scene.height, scene.file_name))
                ids.extend((thing.id, scene.id, thing.category_id) for thing in scene.things)
                rectangles.extend(thing.bbox for thing in scene.things)
            yield scene

    write_lines(collected(), folder / "scenes.jsonl")
    if not boxes:
        return
    columns, box = np.array(ids, np.int64), np.array(rectangles)
    categories = tuple(Category(category.id, category.name, category.supercategory) for category in CATEGORIES)
    areas = np.round(box[:, 2] * box[:, 3], 2)
    crowd = np.zeros(len(columns), bool)
    record = CocoInstances(tuple(images), categories, columns[:, 0], columns[:, 1], columns[:, 2], box, areas, crowd)
    write_coco(record, folder / "coco_instances.json")


def write_dialogues(folder: Path, split: str, scenes: Iterable[Scene], count: int, seed: int) -> dict[str, int]:
    """The dialogues, the relevances of one round each, and for every round the set of the truly valid options."""
    questions, answers, captions = TextPool(), seed_pool(), []
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
    first, texts = np.arange(0, size + 1, ROUNDS, dtype=np.int64), questions.texts()
    visdial = VisDial(
        VERSION, split, texts, kept, images, captions, first, question, renumbered[answer], places, options
    )
    write_visdial(visdial, folder / f"visdial_{split}.json")
    write_rounds(Dense(images, judged, relevance), folder / f"visdial_{split}_dense.json")
    if split == "val":
        write_references(_references(visdial, valid), folder / f"visdial_{split}_references_true.json")
    return {"dialogues": count, "questions": len(visdial.questions), "answers": len(kept)}


def _references(visdial: VisDial, valid: np.ndarray) -> References:
    rounds = len(visdial.question)
    texts = [visdial.answers[place] for place in visdial.options[valid].tolist()]
    first = np.concatenate([[0], np.cumsum(valid.sum(axis=1))]).astype(np.int64)
    questions = [visdial.question_text(row) for row in range(rounds)]
    answers = [visdial.answers[place] for place in visdial.answer.tolist()]
    images = visdial.image_ids[visdial.round_dialogues()]
    return References(images, visdial.round_numbers(), valid, texts, first, questions, answers)


def _write_vqa(folder: Path, split: str, scenes: Iterable[Scene], seed: int, each: int) -> dict[str, int]:
    """VQA questions and annotations, `each` per scene."""
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


FLIP, MISCOUNT, OTHER, SYNONYM = 0.05, 0.12, 0.08, 0.15
ANNOTATORS = 10

# So many yes/no questions are passed over that they are four in ten, as in VQA.
_FEWER = 0.58

_TYPE_TEXT = """
are|are the|are there|are there any|can you|do|do you|does|does the|does this|how|how many|how many people are|is|is he
is it|is she|is the|is the man|is the person|is the woman|is there|is there a|is this|is this a|is this an|was|what
what animal is|what are the|what color|what color are the|what color is|what color is the|what is|what is on the
what is the|what is the color of the|what is the man|what is the person|what is the woman|what kind of|what room is
what time|where|where are the|where is the|which|who is
"""
_TYPES = frozenset(text for line in _TYPE_TEXT.strip().split("\n") for text in line.split("|"))


def question_type(question: str) -> str:
    """The longest beginning of the question that is a known type."""
    words = question.lower().rstrip("?").replace("'s", " is").split()
    for length in range(min(6, len(words)), 0, -1):
        start = " ".join(words[:length])
        if start in _TYPES:
            return start
    return "none of the above"


def make_vqa(scene: Scene, count: int, rng: Random) -> list[tuple[str, VqaAnnotation]]:
    """`count` different questions about a scene, each with its annotation."""
    questions: list[tuple[str, VqaAnnotation]] = []
    asked: set[Meaning] = set()
    while len(questions) < count:
        meaning = _question(scene, rng)
        if meaning is None or meaning in asked or (meaning.kind in YES_NO and rng.random() < _FEWER):
            continue
        truth = answers(meaning, scene)[0]
        if truth.what in ("none", "unknown") or (truth.what == "number" and truth.value == "0" and rng.random() < 0.7):
            continue
        asked.add(meaning)
        text = say(meaning, rng, "vqa")
        questions.append((text, _annotate(meaning, truth, text, scene.id, scene.id * 1000 + len(questions), rng)))
    return questions


def _question(scene: Scene, rng: Random) -> Meaning | None:
    draw = rng.random()
    if draw < 0.42:
        return ask_scene(scene, rng)
    if draw < 0.52:
        several = refer_all(scene, rng)
        return None if several is None else ask_about(several[1], several[0], scene, rng)
    thing = rng.choice(scene.things)
    ref = refer(thing, scene, rng)
    return None if ref is None else ask_about([thing], ref, scene, rng)


def _annotate(meaning: Meaning, truth: Answer, text: str, image: int, question: int, rng: Random) -> VqaAnnotation:
    kind: AnswerType = "other"
    if meaning.kind in YES_NO:
        kind = "yes/no"
    elif truth.what == "number":
        kind = "number"
    usual = short(meaning, truth)
    wrong = near_misses(meaning, truth)
    slip = {"yes/no": FLIP, "number": MISCOUNT, "other": OTHER}[kind]
    written: list[str] = []
    for _ in range(ANNOTATORS):
        draw = rng.random()
        if draw < slip and wrong:
            written.append(short(meaning, _slip(kind, truth, wrong, rng))[0])
        elif draw < slip + SYNONYM and len(usual) > 1:
            written.append(usual[1 + int(rng.random() * (len(usual) - 1))])
        else:
            written.append(usual[0])
    people = tuple(_person(answer, number, rng) for number, answer in enumerate(written, start=1))
    # True votes may be split between "1" and "one", so that a slip has more: the commonest of the true ones it is.
    true = [answer for answer in written if answer in usual] or [usual[0]]
    majority = max(dict.fromkeys(true), key=true.count)
    return VqaAnnotation(question, image, question_type(text), kind, people, majority)


def _slip(kind: str, truth: Answer, wrong: tuple[Answer, ...], rng: Random) -> Answer:
    if kind == "number":
        count = int(truth.value)
        return Answer("number", str(count + 1 if count == 0 or rng.random() < 0.5 else count - 1))
    return wrong[0] if kind == "yes/no" else rng.choice(wrong)


def _person(answer: str, number: int, rng: Random) -> VqaAnswer:
    draw = rng.random()
    return VqaAnswer(answer, "yes" if draw < 0.8 else "maybe" if draw < 0.95 else "no", number)
