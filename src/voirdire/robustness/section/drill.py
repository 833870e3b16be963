"""The questions behind the figures of the robustness exam: what was added, what models then answered, and people."""

from collections import Counter
from collections.abc import Iterator, Sequence

from voirdire.metrics.key import Key
from voirdire.robustness.section.conditions import Asked, condition_words, conditions_of
from voirdire.robustness.views import ACCURACY, ANSWER_TYPE, CUT, NEAREST, QUESTION_TYPE
from voirdire.section.aligned_items import Side, Unit, by_whom, evenly, first_value, units_of
from voirdire.section.content import Block, Drill, Item, Model, SmallTable, Text
from voirdire.section.phrases import of_all

UNIT = ("question_id",)
ANSWER = Key("answer")
LEGEND = " Behind → stands the answer with partition 1, where it is another; marked are conditions that cost a model."


def question_drill(name: str, models: Sequence[Model], asked: Asked) -> Drill:
    """Questions with each model's answers under every condition."""
    sides = [Side(model, UNIT) for model in models]
    conditions = ("", *conditions_of(models))
    every = units_of(sides)
    units = evenly(every)
    return Drill(
        name,
        "Questions and their answers under noise" if len(conditions) > 1 else "Questions and their answers",
        tuple(model.label for model in models),
        ("answer type", "question type", *(("loses with partition 1",) if NEAREST in conditions else ())),
        tuple(_accuracy(condition) for condition in conditions),
        _Questions(sides, units, conditions, asked),
        note=f"{of_all(len(units), len(every), 'question')}.{LEGEND if conditions[1:] else ''}",
    )


def _accuracy(condition: str) -> str:
    return str(ACCURACY.key.under(condition))


class _Questions:
    """The items, made one by one as they are asked for."""

    def __init__(self, sides: Sequence[Side], units: Sequence[Unit], conditions: Sequence[str], asked: Asked) -> None:
        self._sides, self._units, self._conditions, self._asked = sides, units, conditions, asked

    def __len__(self) -> int:
        return len(self._units)

    def __iter__(self) -> Iterator[Item]:
        return map(self._item, self._units)

    def _text(self, id_: int, condition: str = "") -> str | None:
        return self._asked.get(condition, {}).get(id_)

    def _item(self, unit: Unit) -> Item:
        (id_,) = unit
        question = self._text(id_) or ""
        blocks: list[Block] = [Text("question", question)] if question else []
        people = first_value(self._sides, "humans", unit)
        if people:
            counts = Counter(people).most_common()
            blocks.append(Text("people's answers", ", ".join(f"{text} × {count}" for text, count in counts)))
        blocks.append(self._answers(unit, question))
        scores = tuple(tuple(side.value(_accuracy(one), unit) for side in self._sides) for one in self._conditions)
        facets = [str(first_value(self._sides, facet, unit)) for facet in (ANSWER_TYPE, QUESTION_TYPE)]
        if NEAREST in self._conditions:
            lost = [_loses(side, NEAREST, unit) for side in self._sides]
            facets.append(by_whom([side.model.label for side in self._sides], lost))
        others = [one for one in self._conditions if one not in ("", NEAREST)]
        more = (side.value(str(ANSWER.under(one)), unit) for one in others for side in self._sides)
        text = " · ".join(filter(None, [question, *dict.fromkeys(more)]))
        image = first_value(self._sides, "image_id", unit)
        said = tuple(_said(side, unit) for side in self._sides)
        ids = {"question_id": id_, "image_id": image}
        return Item(f"question {id_}", tuple(facets), scores, text, tuple(blocks), image, said, ids)

    def _answers(self, unit: Unit, question: str) -> SmallTable:
        """A row per condition: what was added, and each model's answer with its accuracy."""
        rows, marked = [], []
        texts = any(one in self._asked for one in self._conditions if one)
        for place, condition in enumerate(self._conditions):
            added = (self._added(unit[0], condition, question),) if texts else ()
            words = condition_words(condition)
            if any(side.value(str(CUT.key.under(condition)), unit) for side in self._sides):
                words += ", cut"
            rows.append((words, *added, *(_answer(side, condition, unit) for side in self._sides)))
            if condition and any(_loses(side, condition, unit) for side in self._sides):
                marked.append(place)
        head = ("questions", *(("added",) if texts else ()), *(side.model.label for side in self._sides))
        return SmallTable("answers, and their accuracies in percent", head, tuple(rows), tuple(marked))

    def _added(self, id_: int, condition: str, question: str) -> str:
        """What follows the main question; the whole text where it does not begin with it, or was cut before its end."""
        text = self._text(id_, condition)
        if not condition or text is None:
            return ""
        return text.removeprefix(question).strip() if question else text


def _said(side: Side, unit: Unit) -> str:
    """The answer to the question as it is and, where that is another, with the nearest questions added: `yes → no`."""
    clean, noisy = (side.value(str(ANSWER.under(one)), unit) for one in ("", NEAREST))
    return " → ".join(dict.fromkeys(text for text in (clean, noisy) if text is not None))


def _answer(side: Side, condition: str, unit: Unit) -> str:
    text, accuracy = (side.value(str(key.under(condition)), unit) for key in (ANSWER, ACCURACY.key))
    shown = "–" if accuracy is None else f"{accuracy:.0f}"
    return shown if text is None else f"{text} ({shown})"


def _loses(side: Side, condition: str, unit: Unit) -> bool:
    before, after = (side.value(_accuracy(one), unit) for one in ("", condition))
    return before is not None and after is not None and bool(after < before)
