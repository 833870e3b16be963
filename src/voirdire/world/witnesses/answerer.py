"""The four steps from a question to an answer. Each witness does one of them in its own way, and that is its flaw.

    read      text → meaning                         of several questions the first
    listen    history → what each pronoun refers to
    believe   meaning, scene, pronouns → the answers it holds for true
    utter     the plain words of the answer → what is said

`Answerer` itself does all four as they should be done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from voirdire.formats.scenes import Scene
from voirdire.world.answering import phrasings, short, valid_texts
from voirdire.world.meaning import Meaning
from voirdire.world.reference import Conversation
from voirdire.world.truth import CANNOT_TELL, Answer, Focus, answers
from voirdire.world.understand import split_questions, understand
from voirdire.world.witnesses.protocol import History

__all__ = ["Answerer", "Belief"]

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
    """The truth of the scene, well phrased."""

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
