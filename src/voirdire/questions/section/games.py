"""The games behind the figures of exam 3, turn by turn: the answer, who is left, what a question was good for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.figures import NONE, counted
from voirdire.formats.guesswhat import FORMAT as GAMES
from voirdire.formats.guesswhat import Game
from voirdire.questions.show import decisive
from voirdire.section.aligned_items import by_whom, evenly
from voirdire.section.content import Block, Boxes, Drill, Item, Model, SmallTable, Text
from voirdire.section.context import Context
from voirdire.section.phrases import of_all

COLUMNS = ("turn", "question", "answer", "distractors left", "effective", "refers to")

GameKey = tuple[int, int | None]
"""The ids of a game and of its image."""
Turns = list[dict[str, Any]]


def games_drill(models: Sequence[Model], context: Context) -> Drill:
    """Every game, as each model played it."""
    sides = [_Played(model) for model in models]
    every = list(dict.fromkeys(key for side in sides for key in side.places))
    kept = evenly(every)
    note = f"{of_all(len(kept), len(every), 'game')}. Marked are questions that neither exclude a candidate nor are "
    return Drill(
        name="questions-games",
        title="Games, turn by turn",
        labels=tuple(model.label for model in models),
        facets=("objects", "won", "last question refers to the target"),
        scores=("effectiveness", "questions", "success", "last_referring"),
        items=_Games(kept, sides, _known(context)),
        note=note + "true of the target alone.",
    )


def _known(context: Context) -> dict[int, Game]:
    """Games by their id; several models play the same game, and what is on the image does not differ."""
    found: dict[int, Game] = {}
    for file in context.of(GAMES.name):
        for game in file.record:
            found.setdefault(game.id, game)
    return found


class _Played:
    """One model's games; a game's rows are made when it is asked for: all at once would take ten times the memory."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._columns = {series.name: series.to_list() for series in model.run.items.get_columns()}
        self.places: dict[GameKey, list[int]] = {}
        for place, key in enumerate(zip(self._columns["game_id"], self._columns["image_id"], strict=True)):
            self.places.setdefault(key, []).append(place)

    def turns(self, key: GameKey) -> Turns | None:
        places = self.places.get(key)
        if places is None:
            return None
        return [{name: column[place] for name, column in self._columns.items()} for place in places]


@dataclass(frozen=True, eq=False)
class _Games:
    keys: Sequence[GameKey]
    sides: Sequence[_Played]
    games: Mapping[int, Game]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Item]:
        labels = [side.model.label for side in self.sides]
        for id_, image in self.keys:
            game = self.games.get(id_)
            if game is not None and game.image.id != image:
                game = None
            played = [side.turns((id_, image)) for side in self.sides]
            known = [turns for turns in played if turns is not None]
            ends = [None if turns is None else turns[-1] for turns in played]
            stories = [
                _story(side.model, turns, game)
                for side, turns in zip(self.sides, played, strict=True)
                if turns is not None
            ]
            yield Item(
                name=f"game {id_}" if image is None else f"game {id_}, image {image}",
                facets=(
                    str(known[0][-1]["objects"]),
                    by_whom(labels, [end is not None and end["status"] == "success" for end in ends]),
                    by_whom(labels, [end is not None and bool(end["referring"]) for end in ends]),
                ),
                scores=(
                    *(tuple(_number(end, name) for end in ends) for name in ("effectiveness", "questions", "success")),
                    tuple(_number(end, "referring") for end in ends),
                ),
                text=" ".join(str(row["question"]) for turns in known for row in turns if row["question"] is not None),
                blocks=(*([] if game is None else _about(game)), *stories),
                image=image,
                said=tuple("" if end is None else _outcome(end) for end in ends),
                ids={"game_id": id_, "image_id": image},
            )


def _about(game: Game) -> list[Block]:
    objects = {one.id: f"{one.category} {one.id}" for one in game.objects}
    boxes = tuple((*one.bbox, objects[one.id], one.id == game.target_id) for one in game.objects)
    size = (game.image.width, game.image.height)
    return [
        Boxes("objects, the target with a thick line", size, boxes),
        Text("objects", ", ".join(objects.values())),
        Text("target", objects[game.target_id]),
    ]


def _outcome(end: Mapping[str, Any]) -> str:
    """How a game ended: `success, 4 questions`."""
    return f"{end['status'] or 'outcome unknown'}, {counted(end['questions'] or 0, 'question')}"


def _story(model: Model, turns: Turns, game: Game | None) -> SmallTable:
    end = turns[-1]
    asked = [row for row in turns if row["turn"] is not None]
    recorded = model.run.options.get("answers") == "recorded"
    named = {} if game is None else {one.id: f"{one.category} {one.id}" for one in game.objects}
    rows = tuple(
        (
            str(row["turn"]),
            row["question"],
            decisive(row["oracle_answer"], row["answer"], recorded),
            str(row["distractors"]),
            "yes" if row["effective"] else "no",
            _refers_to(row, named),
        )
        for row in asked
    )
    marked = tuple(place for place, row in enumerate(asked) if not row["effective"] and not row["referring"])
    outcome = f"{counted(len(asked), 'question')}, {end['status'] or 'outcome unknown'}"
    label = f"{model.label} asks, the oracle answers: {outcome}"
    return SmallTable(label, COLUMNS, rows, marked)


def _refers_to(row: Mapping[str, Any], named: Mapping[int, str]) -> str:
    if row["referring"]:
        return "the target"
    other = row["refers_to"]
    if other is None:
        return NONE
    return named.get(other, f"object {other}" if isinstance(other, int) else str(other))


def _number(end: Mapping[str, Any] | None, name: str) -> float | None:
    return None if end is None or end[name] is None else float(end[name])
