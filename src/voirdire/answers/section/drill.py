"""The rounds behind the figures of the answers exam: dialogue, references, each model's answers and scores."""

from collections.abc import Mapping, Sequence

from voirdire.answers.section.tables import base_keys, leading
from voirdire.metrics.key import Key
from voirdire.section.content import Block, Drill, Item, Lines, Model, Reference, SmallTable, Text
from voirdire.section.context import Context, MadeItems, Side, Unit, evenly, first_value, units_of
from voirdire.section.phrases import of_all

UNIT = ("image_id", "round")
SCORES = 5
SIZES = ((1, "1"), (5, "2 to 5"), (10, "6 to 10"), (20, "11 to 20"), (100, "more than 20"))


def scored_rounds(name: str, models: Sequence[Model], context: Context) -> Drill:
    """Rounds whose answers were compared with reference sets."""
    scores = [str(key) for key in leading(models, base_keys(models), SCORES)]
    return _drill(name, "Rounds and their answers", models, scores, context)


def ranked_rounds(name: str, models: Sequence[Model], context: Context) -> Drill:
    """Rounds whose candidates were ranked."""
    scores = [name for name in ("rank", "ndcg") if any(name in model.run.items.columns for model in models)]
    return _drill(name, "Rounds and the true answer's rank", models, scores, context)


def _drill(name: str, title: str, models: Sequence[Model], scores: Sequence[str], context: Context) -> Drill:
    sides = [Side(model, UNIT) for model in models]
    every = units_of(sides)
    units = evenly(every)
    dialogues = _dialogues(sides, units, context)
    sizes = any(side.has("references") for side in sides)
    return Drill(
        name,
        title,
        tuple(model.label for model in models),
        ("round", *(("references",) if sizes else ())),
        tuple(scores),
        MadeItems(units, _Rounds(sides, tuple(scores), dialogues, sizes).item),
        dialogues,
        f"{of_all(len(units), len(every), 'round')}; rounds are counted from 0.",
        # A rank is no measure of its own, and a lower one is better.
        tuple(name for name in scores if name == "rank" or models[0].measure(Key.parse(name)).better == "lower"),
    )


def _blocks(caption: str, rounds: Sequence[tuple[str, str]]) -> tuple[Block, ...]:
    """A dialogue as it is in the data: caption, questions and answers, rounds from 0."""
    rows = tuple((str(number), question, answer) for number, (question, answer) in enumerate(rounds))
    head = ("round", "questioner asks", "answerer says (true answer)")
    return (Text("caption", caption), SmallTable("dialogue", head, rows))


def _dialogues(sides: Sequence[Side], units: Sequence[Unit], context: Context) -> dict[str, tuple[Block, ...]]:
    """The dialogues about the images, where they are given and ask what the runs say was asked."""
    dialogues: dict[str, tuple[Block, ...]] = {}
    for image, round_ in units:
        if str(image) in dialogues:
            continue
        asked = first_value(sides, "question", (image, round_))
        dialogue = context.dialogue(image, None if asked is None else (round_, asked))
        if dialogue is not None:
            rounds = [*dialogue.rounds, *([(dialogue.pending, "")] if dialogue.pending else [])]
            dialogues[str(image)] = _blocks(dialogue.caption, rounds)
    return dialogues


class _Rounds:
    """What the items are made of."""

    def __init__(
        self,
        sides: Sequence[Side],
        scores: tuple[str, ...],
        dialogues: Mapping[str, tuple[Block, ...]],
        sizes: bool,
    ) -> None:
        self._sides, self._scores, self._dialogues, self._sizes = sides, scores, dialogues, sizes

    def item(self, unit: Unit) -> Item:
        """A round, with each model's answers."""
        image, round_ = unit
        question = first_value(self._sides, "question", unit) or ""
        searched = question or self._question(str(image), round_)
        references: Sequence[str] = first_value(self._sides, "references", unit) or ()
        blocks: list[Block] = [Reference(str(image), round_)] if str(image) in self._dialogues else []
        if question and not blocks:
            blocks.append(Text("question", question))
        if references:
            blocks.append(Lines("references", tuple(references)))
        first: list[str] = []
        more: list[str] = []
        for side in self._sides:
            answers = side.value("answers", unit)
            first.append(answers[0] if answers else "")
            if answers is not None:
                more += answers[1:]
                text = Text(side.model.label, answers[0] if answers else "(no text)")
                blocks.append(text if len(answers) < 2 else Lines(side.model.label, tuple(answers)))
        facets = (str(round_), *((_size(len(references)),) if self._sizes else ()))
        scores = tuple(tuple(side.value(score, unit) for side in self._sides) for score in self._scores)
        searchable = " · ".join(filter(None, [searched, *dict.fromkeys(more)]))
        ids = dict(zip(UNIT, unit, strict=True))
        return Item(
            f"image {image}, round {round_}", facets, scores, searchable, tuple(blocks), image, tuple(first), ids
        )

    def _question(self, image: str, round_: int) -> str:
        """The question of a round as its dialogue has it, so that a search finds it."""
        rows = [row for block in self._dialogues.get(image, ()) if isinstance(block, SmallTable) for row in block.rows]
        return rows[round_][1] if round_ < len(rows) else ""


def _size(count: int) -> str:
    return next((words for most, words in SIZES if count <= most), SIZES[-1][1])
