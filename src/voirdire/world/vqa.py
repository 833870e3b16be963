"""VQA questions about scenes, each with the answers of ten simulated annotators.

An annotator writes the usual short form of the true answer, or with the chance SYNONYM another one; with the chances
below errs: flips a yes or no, counts one too many or too few, or gives another answer of the same sort. The majority,
`multiple_choice_answer`, is the commonest of the true answers.
"""

from random import Random

from voirdire.formats.scenes import Scene
from voirdire.formats.vqa_annotations import AnswerType, VqaAnnotation, VqaAnswer
from voirdire.world.answer_wordings import near_misses, short
from voirdire.world.grammar import say
from voirdire.world.meaning import YES_NO, Meaning
from voirdire.world.random_questions import ask_about, ask_scene
from voirdire.world.reference import refer, refer_all
from voirdire.world.truth import Answer, answers

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
