"""A model's judgements of propositions: is it true, and has it been established? JSON lines, one question per line.

    {"dialogue", "turn", "index", "question": "score", "value": "true" | "false" | "open" | null,
     "how": "logprobs" | "text" | "text-low" | "typed", "text", "proposition"}
    {…, "question": "truth" | "sharing", "value": "yes" | "no" | null, …}

`dialogue` and `index` are those of the propositions' file, `turn` is the last turn of the dialogue that the model was
given: 0 is the caption. A point has a `score` (established as true, established as false, or still open), and where
that is open a `truth`; or it has a `truth` (is it true of the picture?) and a `sharing` (is it settled whether it is
true?). `value` is what was read in the reply, null where nothing could be; `how` is by what: the probabilities of the
labels, the words of the reply (`text`), the words since the labels had too little of the probability (`text-low`), or
an answer of the type that was asked for. `how`, `text` and `proposition` may be missing; a sentence that is given must
be that of the propositions' file.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final, Literal, get_args

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.documents import Id, decode_records, id_array, named
from voirdire.formats.files import Source, write_lines
from voirdire.formats.propositions import TURNS
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems

Question = Literal["score", "truth", "sharing"]
SCORE: Final = "score"
TRUTH: Final = "truth"
SHARING: Final = "sharing"
"""What a dialogue has established of a proposition; whether it is true of the picture; whether both can know it."""
OPEN = "open"
SETTLED = {"true": "yes", "false": "no"}
"""The scores of what is established, each with its truth."""
VALUES: dict[str, tuple[str, ...]] = {SCORE: (*SETTLED, OPEN), TRUTH: ("yes", "no"), SHARING: ("yes", "no")}
"""What may be read in the reply to each question."""
How = Literal["logprobs", "text", "text-low", "typed"]
HOW: tuple[str, ...] = get_args(How)


class ModelJudgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model's answer to one of the questions about a proposition at a turn."""

    dialogue: Id
    turn: Annotated[int, msgspec.Meta(ge=0, le=TURNS)]
    index: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    question: Question
    value: Literal["yes", "no", "true", "false", "open"] | None
    how: How = "text"
    text: str = ""
    proposition: str = ""

    @property
    def asked(self) -> tuple[int, int, int, str]:
        """The question that it answers."""
        return self.dialogue, self.turn, self.index, self.question

    @property
    def says(self) -> dict[str, str]:
        """Yes or no to `truth` and to `sharing`, as far as it says anything of them."""
        if self.value is None:
            return {}
        if self.question != SCORE:
            return {self.question: self.value}
        return {SHARING: "no"} if self.value == OPEN else {SHARING: "yes", TRUTH: SETTLED[self.value]}


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the file; its values are checked one by one, for the sake of the messages."""

    dialogue: Id
    turn: Annotated[int, msgspec.Meta(ge=0, le=TURNS)]
    index: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    question: str
    value: str | None
    how: str = "text"
    text: str = ""
    proposition: str = ""


def _row(line: _Line, problems: Problems) -> ModelJudgement | None:
    where = f"dialogue {line.dialogue}, turn {line.turn}, proposition {line.index}"
    before, allowed_values = problems.total, VALUES.get(line.question, tuple(SETTLED.values()))
    for name, value, allowed, expected in (
        ("question", line.question, tuple(VALUES), "score, truth or sharing"),
        ("value", line.value, (*allowed_values, None), f"{', '.join(allowed_values)} or null"),
        ("how", line.how, HOW, ", ".join(HOW[:-1]) + f" or {HOW[-1]}"),
    ):
        if value not in allowed:
            problems.add(where, name, shorten(value), expected)
    return None if problems.total > before else msgspec.convert(line, ModelJudgement, from_attributes=True)


def parse_model_judgements(source: Source) -> Rows[ModelJudgement]:
    """A model's judgements from a file's bytes."""
    problems = Problems(source.name)
    lines, unread = decode_records(
        source, _Line, named(dialogue="dialogue", turn="turn", proposition="index"), problems
    )
    rows = [row for line in lines if (row := _row(line, problems)) is not None]
    for (dialogue, turn, index, question), count in Counter(row.asked for row in rows).items():
        if count > 1:
            where = f"dialogue {dialogue}, turn {turn}, proposition {index} (all from 0)"
            problems.add(where, "question", f"{question!r} {count} times", "each question once")
    problems.require(rows, "judgement")
    problems.check()
    return Rows(tuple(rows), fingerprint=source.fingerprint, notes=unread)


def _describe(rows: Sequence[ModelJudgement]) -> str:
    dialogues = len({row.dialogue for row in rows})
    unread = sum(row.value is None for row in rows)
    counts = f"{counted(len(rows), 'judgement')} of {counted(dialogues, 'dialogue')}"
    return f"{counts}, {unread:,} of which could not be read" if unread else counts


FORMAT = Format(
    name="model_judgements",
    title="a model's judgements of propositions",
    fields=("dialogue", "turn", "index", "question", "value"),
    matches=lambda sample: sample.has(RECORDS, "dialogue", "turn", "index", "question", "value"),
    parse=parse_model_judgements,
    describe=_describe,
    keys=lambda rows: {"dialogue": np.unique(id_array(row.dialogue for row in rows))},
    write=write_lines,
)

read_model_judgements = FORMAT.read
"""Read a model's judgements."""
