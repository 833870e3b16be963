"""Witnesses who judge: asked of a statement after a dialogue so far, is it true, and is it settled by now?

What a dialogue has settled are the claims of its turns (`witnesses.states`), so who judges and who has states know the
same. A statement that a witness does not understand, or that the scene leaves open ("the man is tall" where there are
two), gets no answer.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from voirdire.providers import Registry
from voirdire.world.reference import Conversation
from voirdire.world.statements import Statement, read_statement
from voirdire.world.truth import answers
from voirdire.world.understand import split_questions, understand
from voirdire.world.witnesses.states import Claim, Heard, claims, topic_of, without_pronouns

About = Literal["truth", "sharing"]


class JudgeWitness(Protocol):
    """Hears a dialogue and judges a statement."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

    def judge(self, heard: Heard, sentence: str, about: About) -> bool | None:
        """Whether the statement is true of the scene, or settled by what was heard; None where it cannot tell."""
        ...


JUDGES: Registry[JudgeWitness] = Registry("witness who judges", "voirdire.judges")


def _followed(heard: Heard) -> Conversation:
    """The conversation as it stands, for what pronouns refer to."""
    conversation = Conversation(heard.scene)
    conversation.hear_caption(heard.caption)
    for question in heard.questions:
        parts = split_questions(question)
        if parts and (meaning := understand(parts[0])) is not None:
            conversation.hear(meaning)
    return conversation


def _claimed(statement: Statement, conversation: Conversation, made: Sequence[Claim]) -> Claim | None:
    """The claim that settles a statement."""
    topic = topic_of(without_pronouns(statement.meaning, conversation.focus))
    return next((claim for claim in made if claim.topic == topic), None)


class ScorekeepingJudge:
    """`scorekeeper`: knows what is true, and remembers all that was said.

    No flaw: what every other judge is compared with.
    """

    name = "scorekeeper"

    def judge(self, heard: Heard, sentence: str, about: About) -> bool | None:
        """By the scene, or by the claims of all turns."""
        statement = read_statement(sentence)
        if statement is None:
            return None
        conversation = _followed(heard)
        if about == "sharing":
            said = [claim for turn in claims(heard.scene, heard.caption, heard.questions) for claim in turn]
            return _claimed(statement, conversation, said) is not None
        answer = answers(statement.meaning, heard.scene, conversation.focus)[0].what
        return (answer == "yes") is statement.positive if answer in ("yes", "no") else None


class AmnesicJudge:
    """`amnesic`: knows what the last turn said, and has forgotten all before it; it does not see the rest either.

    What it does not know it denies: it is neither true nor settled.
    """

    name = "amnesic"

    def judge(self, heard: Heard, sentence: str, about: About) -> bool | None:
        """By the claims of the last turn."""
        statement = read_statement(sentence)
        if statement is None:
            return None
        last = claims(heard.scene, heard.caption, heard.questions)[-1]
        claim = _claimed(statement, _followed(heard), last)
        if claim is None or about == "sharing":
            return claim is not None
        return claim.true is statement.positive


JUDGES.register("scorekeeper")(lambda argument: ScorekeepingJudge())
JUDGES.register("amnesic")(lambda argument: AmnesicJudge())
