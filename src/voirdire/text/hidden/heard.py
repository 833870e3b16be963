"""What a listener has heard of a dialogue, turn by turn: as messages, and as one text.

    A    caption, rounds 1 … t, question t + 1        what an answerer has heard when it is to answer
    Q    caption, rounds 1 … t                        what a questioner has heard when it is to ask

Turn 0 is the caption. Where there is no next question, as at turn 10, the answerer hears a dummy, a question mark
alone. Everything that is said ends in a mark.
"""

from dataclasses import dataclass
from typing import Literal

from voirdire.formats.dialogues import Dialogue

DUMMY = "?"
Listener = Literal["A", "Q"]
Kind = Literal["caption", "question", "answer"]


@dataclass(frozen=True, slots=True)
class HeardDialogue:
    """A dialogue as somebody hears it.

    said   all that is said, and what each of it is
    turns  how much of `said` has been heard at each turn
    """

    said: tuple[tuple[Kind, str], ...]
    turns: tuple[int, ...]

    def texts(self) -> list[str]:
        """What has been heard at each turn, as one text."""
        return [" ".join(text for _, text in self.said[:count]) for count in self.turns]


def hear(dialogue: Dialogue, role: Listener) -> HeardDialogue:
    """The dialogue as the answerer or the questioner hears it."""
    said: list[tuple[Kind, str]] = [("caption", _ended(dialogue.caption, "."))]
    for question, answer in dialogue.rounds:
        said += [("question", _ended(question, "?")), ("answer", _ended(answer, "."))]
    turns = range(1, len(said) + 1, 2)
    if role == "Q":
        return HeardDialogue(tuple(said), tuple(turns))
    said.append(("question", _ended(dialogue.pending or DUMMY, "?")))
    return HeardDialogue(tuple(said), tuple(count + 1 for count in turns))


def _ended(text: str, mark: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "!")) else text + mark
