"""What an answering witness is: it is shown a scene and asked a question, alone or in a dialogue, and says something.

A witness has a name and a seed, and what it says depends on these, the scene, the question and the history alone. There
are four steps from a question to an answer. Each witness does one of them in its own way, and that is its flaw.

    read      text → meaning                         of several questions the first
    listen    history → what each pronoun refers to
    believe   meaning, scene, pronouns → the answers it holds for true
    utter     the plain words of the answer → what is said

`Answerer` itself does all four as they should be done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene
from voirdire.providers import Registry
from voirdire.world.answering import phrasings, short, valid_texts
from voirdire.world.meaning import Meaning
from voirdire.world.reference import Conversation
from voirdire.world.truth import CANNOT_TELL, Answer, Focus, answers
from voirdire.world.understand import split_questions, understand

T = TypeVar("T")


class History(NamedTuple):
    """What was said before: the caption, and the questions with their answers in order."""

    caption: str = ""
    rounds: tuple[tuple[str, str], ...] = ()


class Witness(Protocol):
    """Without a history the question stands alone, and the answer is the few words of VQA; else it is a dialogue."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

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


# Any question: not being able to tell is said in the same words whatever was asked.
_ANY = Meaning("setting")


@dataclass(frozen=True, slots=True)
class Belief:
    """What a witness holds for true, the answer that it would give first in front.

    seen  whether it knows this from the picture, so that a no may say what is the case instead: "no, it is blue"
    """

    answers: tuple[Answer, ...]
    seen: bool = False


_AT_A_LOSS = Belief((CANNOT_TELL,))
_NOTHING: Focus = {}


class Answerer:
    """`truthful`: looks, listens and says what is true. No flaw: what every other witness is compared with.

    Its seed changes only which of several wordings come after the plainest.
    """

    name = "truthful"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def read(self, question: str) -> Meaning | None:
        """The first question of the text."""
        parts = split_questions(question)
        return understand(parts[0]) if parts else None

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """Take in the caption and the earlier questions, in order."""
        if history is None:
            return {}
        conversation = Conversation(scene)
        conversation.hear_caption(history.caption)
        for question, _ in history.rounds:
            meaning = self.read(question)
            if meaning is not None:
                conversation.hear(meaning)
        return conversation.focus

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """All true answers."""
        return Belief(answers(meaning, scene, focus), seen=True)

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
        if belief.seen:
            texts = list(valid_texts(meaning, scene, focus))
        else:
            texts = list(dict.fromkeys(text for answer in belief.answers for text in phrasings(meaning, answer)))
        rest = texts[1:]
        rng.shuffle(rest)
        return [texts[0], *rest], rng


WITNESSES.register("truthful")(seeded(Answerer))
