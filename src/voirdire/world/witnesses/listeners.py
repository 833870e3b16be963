"""Witnesses who listen: each gets a dialogue about a scene, and has a state after every turn, or judges statements.

A turn makes claims: a topic, and whether it is so.

    is it sunny, no                  (the weather is sunny, false)
    what color is the dog, brown     (the dog is brown, true)
    a brown dog in a park            (there is a dog, true), (there is a brown dog, true), (it is a park, true)

A topic is the senses of its words. Two ways to ask the same make one topic, and a pronoun is what it refers to. Whether
a claim is true is looked up in the scene, so the answerer knows it before the question comes.

    state = code(a turn) + Σ_topic truth · code(topic, true) + score · code(topic, shared)
    truth  +1 true, −1 false, 0 not known          score  +1 shared, −1 private, 0 not known

A state is a sum of codes, as a model's state is no list of facts either. A word's code is a vector of WIDTH signs from
a hash of the word, so those of two words are nearly orthogonal; a topic's is the sum of its words', so that topics
with common words are alike, as sentences are. No state is all zeros: zeros stand for turns that a dialogue does not
have.

A judge is asked of a statement after a dialogue so far: is it true, and is it settled by now? It knows the same claims.
A statement that a witness does not understand, or that the scene leaves open ("the man is tall" where there are two),
gets no answer.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple, Protocol

import msgspec
import numpy as np

from voirdire.formats.scenes import Scene
from voirdire.providers import Registry
from voirdire.world.meaning import YES_NO, Meaning, Ref
from voirdire.world.reference import Conversation
from voirdire.world.truth import Focus, answers, person_noun
from voirdire.world.understand import Statement, chunk, first_question, normal_words, read_statement
from voirdire.world.witnesses.answerers import seeded

# Questions for a value, and the yes/no question that the answer settles.
_SETTLED = {"setting": "is_setting", "room": "is_setting"} | {
    kind: f"is_{kind}"
    for kind in ("colour", "size", "material", "shape", "action", "side", "gender", "age", "weather", "time", "indoors")
}


# Kinds of questions that the words of a statement say already.
_PLAIN = frozenset(("exists", "relation", "wears"))

Topic = tuple[str, ...]
Role = Literal["A", "Q"]
About = Literal["truth", "sharing"]
WIDTH = 256


class Claim(NamedTuple):
    """A topic that a turn settles, and how."""

    topic: Topic
    true: bool


def topic_of(meaning: Meaning) -> Topic:
    """The senses that a yes/no question is about, the same for all ways to ask it: ("dog", "brown")."""
    words = [] if meaning.kind in _PLAIN or meaning.kind.startswith("is_") else [meaning.kind]
    words += [*_senses(meaning.of), meaning.value, meaning.shade, meaning.relation, *_senses(meaning.to)]
    return tuple(dict.fromkeys(filter(None, words))) or (meaning.kind,)


def _senses(ref: Ref | None) -> list[str]:
    if ref is None:
        return []
    own = [ref.size, ref.colour, ref.material, ref.noun, ref.pronoun, ref.side, ref.shade, ref.garment, ref.relation]
    return [*own, *_senses(ref.other)]


@dataclass(frozen=True, slots=True)
class DialogueSoFar:
    """A dialogue about a scene: the caption and the questions; the answers are true ones."""

    scene: Scene
    caption: str
    questions: Sequence[str] = ()

    def conversation(self) -> Conversation:
        """The conversation at its end, for what pronouns refer to."""
        return Conversation(self.scene, self.caption, map(first_question, self.questions))

    def claims(self) -> list[list[Claim]]:
        """The claims of each turn, that of the caption first."""
        conversation = Conversation(self.scene, self.caption)
        turns = [_of_caption(self.caption)]
        for meaning in map(first_question, self.questions):
            turns.append([] if meaning is None else _of_round(meaning, self.scene, conversation.focus))
            conversation.add(meaning)
        return turns


def _of_caption(caption: str) -> list[Claim]:
    """What a caption mentions is there."""
    topics: dict[Topic, None] = {}
    for piece in chunk(list(normal_words(caption))):
        if piece.symbol in ("I", "B"):
            plain = Ref(noun=piece.payload.noun)
            for ref in (plain, msgspec.structs.replace(plain, colour=piece.payload.colour)):
                topics[topic_of(Meaning("exists", ref))] = None
        elif piece.symbol in ("P", "Q"):
            topics[topic_of(Meaning("is_setting", value=piece.payload))] = None
    return [Claim(topic, True) for topic in topics]


def _of_round(meaning: Meaning, scene: Scene, focus: Focus) -> list[Claim]:
    answer = answers(meaning, scene, focus)[0]
    if answer.what in ("none", "unknown", "n/a"):
        return []
    named = without_pronouns(meaning, focus)
    if meaning.kind in YES_NO:
        return [Claim(topic_of(named), answer.what == "yes")]
    settled = msgspec.structs.replace(named, kind=_SETTLED.get(meaning.kind, meaning.kind))
    # A garment's colour or a number stands beside the garment or the noun, in the place of a shade.
    place = "value" if not settled.value else "shade"
    return [Claim(topic_of(msgspec.structs.replace(settled, **{place: answer.value})), True)]


def without_pronouns(meaning: Meaning, focus: Focus) -> Meaning:
    """The question with nouns for its pronouns."""
    refs = {}
    for role in ("of", "to"):
        ref = getattr(meaning, role)
        if ref is not None and ref.pronoun and focus.get(ref.pronoun):
            things = focus[ref.pronoun]
            refs[role] = Ref(noun=person_noun(things[0]), many=len(things) > 1)
    return msgspec.structs.replace(meaning, **refs) if refs else meaning


class StateWitness(Protocol):
    """Has states."""

    name: str

    def states(self, dialogue: DialogueSoFar, role: Role = "A") -> np.ndarray:
        """float32[turns, WIDTH]: A sees the scene; Q knows the dialogue and nothing else."""
        ...


STATE_WITNESSES: Registry[StateWitness] = Registry("witness for states", "voirdire.state_witnesses")


def make_state_witness(name: str, seed: int = 0) -> StateWitness:
    """The witness for states of this name; UsageError where there is none."""
    return STATE_WITNESSES.make(f"{name}:{seed}")


def board(turns: int) -> np.ndarray:
    """States of so many turns in which no topic is known."""
    return np.tile(_signs("a turn", ""), (turns, 1))


def code(topic: Topic, of: Literal["true", "shared"]) -> np.ndarray:
    """float32[WIDTH]: the code of a topic's truth or of its score."""
    total: np.ndarray = np.array([_signs(word, of) for word in topic]).sum(axis=0)
    return total


@lru_cache(maxsize=65536)
def _signs(word: str, of: str) -> np.ndarray:
    digest = hashlib.sha256(f"{of}/{word}".encode()).digest()
    drawn = np.random.default_rng(int.from_bytes(digest, "big")).integers(0, 2, WIDTH)
    signs: np.ndarray = (2 * drawn - 1).astype(np.float32)
    return signs


class Scorekeeper:
    """`scorekeeper`: keeps the scoreboard. It knows all that is true, and remembers all claims.

    No flaw: what every other witness for states is compared with.
    """

    name = "scorekeeper"

    def states(self, dialogue: DialogueSoFar, role: Role = "A") -> np.ndarray:
        """A has the whole scoreboard at every turn; Q has what is shared."""
        turns = dialogue.claims()
        states = board(len(turns))
        known: set[Topic] = set()
        for turn, claims in enumerate(turns):
            for claim in claims:
                # A claim that comes again was shared before.
                if claim.topic in known:
                    continue
                known.add(claim.topic)
                true, shared = code(claim.topic, "true"), code(claim.topic, "shared")
                start = 0 if role == "A" else turn
                states[start:] += true if claim.true else -true
                states[start:turn] -= shared
                states[turn:] += shared
        return states


class Amnesic:
    """`amnesic`: knows the claims of the last turn and of no other turn; it does not see the picture either."""

    name = "amnesic"

    def states(self, dialogue: DialogueSoFar, role: Role = "A") -> np.ndarray:
        """The same for both roles: both know the last turn."""
        turns = dialogue.claims()
        states = board(len(turns))
        for turn, claims in enumerate(turns):
            for claim in claims:
                true = code(claim.topic, "true")
                states[turn] += (true if claim.true else -true) + code(claim.topic, "shared")
        return states


class Noise:
    """`noise`: random states, in which there is nothing to find."""

    name = "noise"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def states(self, dialogue: DialogueSoFar, role: Role = "A") -> np.ndarray:
        """Normal numbers; another seed, scene or role has others."""
        key = [self.seed % 2**63, dialogue.scene.id, int(role == "Q")]
        return np.random.default_rng(key).standard_normal((len(dialogue.questions) + 1, WIDTH), np.float32)


STATE_WITNESSES.register("scorekeeper")(seeded(lambda seed: Scorekeeper()))
STATE_WITNESSES.register("amnesic")(seeded(lambda seed: Amnesic()))
STATE_WITNESSES.register("noise")(seeded(Noise))


class JudgeWitness(Protocol):
    """Judges statements."""

    name: str

    def judge(self, dialogue: DialogueSoFar, sentence: str, about: About) -> bool | None:
        """Whether the statement is true of the scene, or settled by the dialogue; None where it cannot tell."""
        ...


JUDGES: Registry[JudgeWitness] = Registry("witness who judges", "voirdire.judges")


def _claim_of(statement: Statement, conversation: Conversation, claims: Iterable[Claim]) -> Claim | None:
    """The claim that settles a statement."""
    topic = topic_of(without_pronouns(statement.meaning, conversation.focus))
    return next((claim for claim in claims if claim.topic == topic), None)


class ScorekeepingJudge:
    """`scorekeeper`: knows what is true, and remembers all claims.

    No flaw: what every other judge is compared with.
    """

    name = "scorekeeper"

    def judge(self, dialogue: DialogueSoFar, sentence: str, about: About) -> bool | None:
        """By the scene, or by the claims of all turns."""
        statement = read_statement(sentence)
        if statement is None:
            return None
        conversation = dialogue.conversation()
        if about == "sharing":
            return _claim_of(statement, conversation, chain.from_iterable(dialogue.claims())) is not None
        answer = answers(statement.meaning, dialogue.scene, conversation.focus)[0].what
        return (answer == "yes") is statement.positive if answer in ("yes", "no") else None


class AmnesicJudge:
    """`amnesic`: knows the claims of the last turn and of no other turn; it does not see the picture either.

    What it does not know it denies: it is neither true nor settled.
    """

    name = "amnesic"

    def judge(self, dialogue: DialogueSoFar, sentence: str, about: About) -> bool | None:
        """By the claims of the last turn."""
        statement = read_statement(sentence)
        if statement is None:
            return None
        claim = _claim_of(statement, dialogue.conversation(), dialogue.claims()[-1])
        if claim is None or about == "sharing":
            return claim is not None
        return claim.true is statement.positive


JUDGES.register("scorekeeper")(lambda argument: ScorekeepingJudge())
JUDGES.register("amnesic")(lambda argument: AmnesicJudge())
