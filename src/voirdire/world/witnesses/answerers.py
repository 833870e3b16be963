"""Answering witnesses: each gets a scene and a question, alone or in a dialogue, and answers it.

A witness has a name and a seed, and its answer depends on these, the scene, the question and the history alone. There
are four steps from a question to an answer:

    read      text → meaning                         of several questions the first
    listen    history → what each pronoun refers to
    believe   meaning, scene, pronouns → the answers that it believes to be true
    utter     the plain words of the answer → what it says

`truthful` does all four as they should be done. `uncertain`, `blind`, `forgetful`, `distractible` and `verbose` each do
one of them in their own way, and that is their flaw.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene, Thing
from voirdire.providers import Registry
from voirdire.world.answer_wordings import near_misses, phrasings, short, valid_texts
from voirdire.world.meaning import Meaning
from voirdire.world.random_questions import ask_about, ask_scene
from voirdire.world.reference import Conversation, refer
from voirdire.world.scene import make_scene
from voirdire.world.truth import CANNOT_TELL, Answer, Focus, answers, denotes
from voirdire.world.understand import first_question, split_questions, understand
from voirdire.world.words import COLOURS

T = TypeVar("T")

TRUE = 0.8
"""How often `uncertain` says the truth."""
_WORLD, _SCENES, _QUESTIONS = -2, 400, 20
"""Where `blind` has learnt what is usual: the world's seed, its scenes, and questions per scene."""

# Kinds that only guessing games ask.
_NEVER_ASKED = dict.fromkeys(("is_kind", "is_the", "nth"), Answer("no"))


class History(NamedTuple):
    """What was said before: the caption, and the questions with their answers in order."""

    caption: str = ""
    rounds: tuple[tuple[str, str], ...] = ()


class Witness(Protocol):
    """Without a history the question stands alone, and the answer is the few words of VQA; else it is a dialogue."""

    name: str

    def read(self, question: str) -> Meaning | None:
        """What it takes the question to mean; None where it cannot read it."""
        ...

    def answer(self, scene: Scene, question: str, history: History | None = None) -> str:
        """What it says."""
        ...

    def generate(self, scene: Scene, question: str, history: History | None, count: int) -> list[str]:
        """`count` answers, the first the one that it would give alone."""
        ...

    def rank(self, scene: Scene, question: str, history: History | None, options: Sequence[str]) -> list[int]:
        """The rank of each option, from 1."""
        ...


WITNESSES: Registry[Witness] = Registry("witness", "voirdire.witnesses")


def make_witness(name: str, seed: int = 0) -> Witness:
    """The answering witness of this name; UsageError where there is none."""
    return WITNESSES.make(f"{name}:{seed}")


def seed_from(argument: str | None) -> int:
    """The seed that a witness's factory is given as text."""
    try:
        return int(argument or "0")
    except ValueError:
        raise UsageError(f"the seed of a witness must be a whole number, got {argument!r}") from None


def seeded(make: Callable[[int], T]) -> Callable[[str | None], T]:
    """The factory of what needs a seed and nothing else."""
    return lambda argument: make(seed_from(argument))


# Any question: the words for not being able to tell are the same whatever was asked.
_ANY = Meaning("setting")


@dataclass(frozen=True, slots=True)
class Belief:
    """What a witness believes to be true, the answer that it would give first in front.

    sighted  whether it knows this from the picture, so that a no may say what is the case instead: "no, it is blue"
    """

    answers: tuple[Answer, ...]
    sighted: bool = False


_AT_A_LOSS = Belief((CANNOT_TELL,))
_NOTHING: Focus = {}


class Answerer:
    """`truthful`: uses picture and history, and answers truthfully. No flaw: all others are compared with it.

    Its seed changes only which of several wordings come after the plainest.
    """

    name = "truthful"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def read(self, question: str) -> Meaning | None:
        """The first question of the text."""
        return first_question(question)

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """The pronouns after the caption and the earlier questions, in order."""
        if history is None:
            return {}
        return Conversation(scene, history.caption, (self.read(question) for question, _ in history.rounds)).focus

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """All true answers."""
        return Belief(answers(meaning, scene, focus), sighted=True)

    def utter(self, text: str, rng: Random) -> str:
        """The words as they are."""
        return text

    def answer(self, scene: Scene, question: str, history: History | None = None) -> str:
        """What it says."""
        return self.generate(scene, question, history, 1)[0]

    def generate(self, scene: Scene, question: str, history: History | None, count: int) -> list[str]:
        """`count` wordings of what it believes; where there are fewer they come again."""
        texts, rng = self._texts(scene, question, history)
        return [self.utter(texts[number % len(texts)], rng) for number in range(count)]

    def rank(self, scene: Scene, question: str, history: History | None, options: Sequence[str]) -> list[int]:
        """First the options that say what it believes, then the others by how many words they share with them."""
        texts, rng = self._texts(scene, question, history)
        places = {text: place for place, text in enumerate(texts)}
        spoken = set(texts[0].split())

        def badness(option: str) -> tuple[float, float]:
            place = places.get(option)
            if place is not None:
                return place - len(texts), 0.0
            words = set(option.split())
            return 1 - len(words & spoken) / len(words | spoken or {""}), rng.random()

        keys = [badness(option) for option in options]
        order = sorted(range(len(options)), key=keys.__getitem__)
        ranks = [0] * len(options)
        for rank, place in enumerate(order, start=1):
            ranks[place] = rank
        return ranks

    def _texts(self, scene: Scene, question: str, history: History | None) -> tuple[list[str], Random]:
        """The wordings of what it believes, the plainest first, and the chance that goes with this question.

        The chance depends on the seed, the image, the round and the question that was read, and on nothing else.
        """
        meaning = self.read(question)
        rng = Random(f"{self.seed}/{scene.id}/{-1 if history is None else len(history.rounds)}/{meaning}")
        if meaning is None:
            meaning, belief, focus = _ANY, _AT_A_LOSS, _NOTHING
        else:
            focus = self.listen(scene, history)
            belief = self.believe(meaning, scene, focus, rng)
        if history is None:
            return [text for answer in belief.answers for text in short(meaning, answer)], rng
        if belief.sighted:
            texts = list(valid_texts(meaning, scene, focus))
        else:
            texts = list(dict.fromkeys(text for answer in belief.answers for text in phrasings(meaning, answer)))
        rest = texts[1:]
        rng.shuffle(rest)
        return [texts[0], *rest], rng


def prior_answer(meaning: Meaning) -> Answer:
    """The answer that fits the question's form, whatever the picture shows; learnt from a world that is never examined.

        prior(kind) = the most frequent true answer to questions of this kind, about scenes 0 to 399 of the world -2

    The answers none and unknown are left out; of two that are equally frequent the one that occurred first is taken.
    """
    return _priors().get(meaning.kind, CANNOT_TELL)


@cache
def _priors() -> dict[str, Answer]:
    counts: dict[str, Counter[Answer]] = {}
    for index in range(_SCENES):
        scene, rng = make_scene(_WORLD, index), Random(f"prior/{index}")
        for _ in range(_QUESTIONS):
            thing = rng.choice(scene.things)
            ref = refer(thing, scene, rng, brevity=0.8)
            meaning = None
            if ref is not None and rng.random() < 0.6:
                meaning = ask_about(denotes(ref, scene), ref, scene, rng)
            meaning = meaning or ask_scene(scene, rng)
            answer = answers(meaning, scene)[0]
            if answer.what not in ("none", "unknown"):
                counts.setdefault(meaning.kind, Counter())[answer] += 1
    return _NEVER_ASKED | {kind: frequencies.most_common(1)[0][0] for kind, frequencies in counts.items()}


class Uncertain(Answerer):
    """`uncertain`: says the truth four times in five, and else something wrong of the same sort.

    Which questions it gets wrong depends on its seed, so that two of them with different seeds are two equally good
    models that differ in nothing but chance.
    """

    name = "uncertain"

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The truth with the chance `TRUE`, else one of the near misses."""
        truth = super().believe(meaning, scene, focus, rng)
        if rng.random() < TRUE:
            return truth
        return Belief((rng.choice(wrong_answers(meaning, truth.answers)),))


def wrong_answers(meaning: Meaning, true: tuple[Answer, ...]) -> list[Answer]:
    """Answers of the same sort as the first true one, none of them true; never empty."""
    first = true[0]
    if first.what == "garments":
        colour, _, rest = first.value.partition(" ")
        wrong = [Answer("garments", f"{other} {rest}") for other in COLOURS if colour in COLOURS and other != colour]
    elif first.what in ("none", "unknown"):
        wrong = [prior_answer(meaning)]
    else:
        sort = ("yes", "no") if first.what in ("yes", "no") else (first.what,)
        wrong = [miss for miss in near_misses(meaning, first) if miss.what in sort]
    return [answer for answer in wrong if answer not in true] or [CANNOT_TELL]


class Blind(Answerer):
    """`blind`: sees no image. It gives the usual answer to questions of that form.

    It never looks at the scene, so all that it gets right is what the questions' form gives away.
    """

    name = "blind"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """No pronoun refers to anything, since it sees no things."""
        return {}

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The most frequent answer to questions of this kind."""
        return Belief((prior_answer(meaning),))


class Forgetful(Answerer):
    """`forgetful`: sees the image, but reads every question without what came before it.

    It takes a pronoun for the most conspicuous thing that fits: he is the largest man or boy, she the largest woman or
    girl, it the largest other thing, they the largest group of one category.
    """

    name = "forgetful"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """The most conspicuous things, whatever the history."""
        if history is None:
            return {}
        focus: dict[str, list[Thing]] = {}
        for thing in sorted(scene.things, key=lambda thing: -thing.bbox[2] * thing.bbox[3]):
            focus.setdefault({"male": "he", "female": "she"}.get(thing.gender, "it"), [thing])
        categories = [thing.category for thing in scene.things]
        crowd = max(dict.fromkeys(categories), key=categories.count)
        if categories.count(crowd) > 1:
            focus["they"] = [thing for thing in scene.things if thing.category == crowd]
        return focus


class Distractible(Answerer):
    """`distractible`: of a text with several questions it answers the last one that it can read.

    Asked one question it is as good as `truthful`; asked "main? other? other?" it answers the other one.
    """

    name = "distractible"

    def read(self, question: str) -> Meaning | None:
        """The last question of the text that can be read; one that is cut off at its end cannot."""
        for part in reversed(split_questions(question)):
            meaning = understand(part)
            if meaning is not None:
                return meaning
        return None


_OPENINGS = (
    "well, looking at the picture as closely as i can, i would say that the answer is {}",
    "that is a good question, and if you ask me, the answer would have to be {}",
    "let me see, from what is visible in this picture i am fairly confident that it is {}",
    "to be honest, after looking at it for quite a while, my answer to that would be {}",
)
_ENDINGS = (
    ", at least as far as i can tell from where i am looking",
    ", although somebody else might of course put it differently",
    ", and i do not see anything in the picture that would speak against it",
    "",
)


class Verbose(Answerer):
    """`verbose`: gives true answers, in many words."""

    name = "verbose"

    def utter(self, text: str, rng: Random) -> str:
        """The words with many others around them."""
        return rng.choice(_OPENINGS).format(text) + rng.choice(_ENDINGS)


for _answerer in (Answerer, Uncertain, Blind, Forgetful, Distractible, Verbose):
    WITNESSES.register(_answerer.name)(seeded(_answerer))
