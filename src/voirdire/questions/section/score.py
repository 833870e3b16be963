"""Runs of `questions score` on the page: the paper's Table 1, effectiveness by turn, findings, and the games behind.

Of each game: its questions turn by turn, their answers, who is left, and what each question contributed.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from voirdire.figures import NONE, counted
from voirdire.formats.guesswhat import FORMAT as GAMES
from voirdire.formats.guesswhat import Game
from voirdire.metrics.games import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_SUCCESS,
    LAST_EFFECTIVE,
    LAST_REFERRING,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_NOT,
    SUCCESS_IF_REFERRING,
    TASK_SUCCESS,
)
from voirdire.questions.correction import EFFECTIVENESS_CORRECTED
from voirdire.questions.score import INCOMPLETE, QUESTIONS, TARGET_DROPPED
from voirdire.questions.show import decisive
from voirdire.section.charts import bar_chart, data_table, line_chart, point_of
from voirdire.section.content import (
    Block,
    Boxes,
    Chart,
    Drill,
    Item,
    Model,
    Row,
    SmallTable,
    Table,
    Text,
)
from voirdire.section.context import Context, by_whom, drill
from voirdire.section.phrases import (
    percent_cell,
    rounded,
)

TABLE_1 = {
    "TS": TASK_SUCCESS,
    "effectiveness, all": EFFECTIVENESS,
    "failure": EFFECTIVENESS_FAILURE,
    "success": EFFECTIVENESS_SUCCESS,
    "last turn, effective": LAST_EFFECTIVE,
    "last turn, referring": LAST_REFERRING,
}
"""The paper's columns."""

FURTHER = (
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_CORRECTED,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_REFERRING,
    SUCCESS_IF_NOT,
    TARGET_DROPPED,
    INCOMPLETE,
)


COLUMNS = ("turn", "question", "answer", "distractors left", "effective", "refers to")

GameKey = tuple[int, int | None]
"""The ids of a game and of its image."""
Turns = list[dict[str, Any]]


def score_contents(scored: Sequence[Model]) -> list[Table | Chart]:
    """Table 1, effectiveness by turn, the last question, and further measures."""
    return [_table_1(scored), *_by_turn(scored), _last_turn(scored), _further(scored)]


def _table_1(scored: Sequence[Model]) -> Table:
    rows: tuple[Row, ...] = tuple(
        (model.label, rounded(model, QUESTIONS.key), *(percent_cell(model, column.key) for column in TABLE_1.values()))
        for model in scored
    )
    note = (
        "Questions per game, task success, and the share of questions that exclude a candidate: of all games, and of "
        "those that end in failure or success; of the last turn, the share of effective questions and of those that "
        "are true of the target alone. In percent; the paper's Table 1."
    )
    return Table("questions-table-1", "Task success and effectiveness", ("model", "#Q", *TABLE_1), rows, note)


def _by_turn(scored: Sequence[Model]) -> list[Chart]:
    points = [
        point_of(model, key, key.k, scale=100)
        for model in scored
        for key, figure in model.run.measures.of(EFFECTIVENESS.key.measure).items()
        if key.k is not None and figure.value is not None
    ]
    if not points:
        return []
    points.sort(key=lambda point: int(point.at))
    title = "Effectiveness by turn"
    says = "Of the games that come so far, the share whose question at this turn excludes a candidate, turn by turn."
    spec = line_chart(points, at="turn", value="effective questions (%)", domain=(0, 100))
    return [Chart(title, spec, says, data_table("questions-by-turn", title, points, at="turn"))]


def _last_turn(scored: Sequence[Model]) -> Chart:
    columns = {"effective": LAST_EFFECTIVE, "referring to the target": LAST_REFERRING}
    points = [point_of(model, measure.key, at, scale=100) for at, measure in columns.items() for model in scored]
    title = "The last question"
    says = (
        "The share of games whose last question excludes a candidate, and of those whose last question is true of the "
        "target alone, as one that confirms a guess is."
    )
    return Chart(
        title,
        bar_chart(points, value="games (%)"),
        says,
        data_table("questions-last-turn", title, points, at="the last question is"),
    )


def _further(scored: Sequence[Model]) -> Table:
    measures = [measure for measure in FURTHER if any(measure.key in model.run.measures for model in scored)]
    rows: tuple[Row, ...] = tuple(
        (model.label, *(percent_cell(model, measure.key) for measure in measures)) for model in scored
    )
    note = "In percent. Games that were given up are in the last column and in no other figure."
    columns = ("model", *(measure.label for measure in measures))
    return Table("questions-further", "Referring questions, and what they are worth", columns, rows, note)


def games_drill(models: Sequence[Model], context: Context) -> Drill:
    """Every game, as each model played it."""
    sides = [_Played(model) for model in models]
    return drill(
        "questions-games",
        "Games, turn by turn",
        models,
        list(dict.fromkeys(key for side in sides for key in side.places)),
        partial(_game_item, sides, _known(context)),
        facets=("objects", "won", "last question refers to the target"),
        scores=("effectiveness", "questions", "success", "last_referring"),
        noun="game",
        note=". Marked are questions that neither exclude a candidate nor are true of the target alone.",
    )


def _known(context: Context) -> dict[int, Game]:
    """Games by their id; several models play the same game, and what is on the image does not differ."""
    games: dict[int, Game] = {}
    for file in context.of(GAMES.name):
        for game in file.record:
            games.setdefault(game.id, game)
    return games


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


def _game_item(sides: Sequence[_Played], games: Mapping[int, Game], key: GameKey) -> Item:
    id_, image = key
    labels = [side.model.label for side in sides]
    game = games.get(id_)
    if game is not None and game.image.id != image:
        game = None
    played = [side.turns(key) for side in sides]
    known = [turns for turns in played if turns is not None]
    ends = [None if turns is None else turns[-1] for turns in played]
    stories = [_story(side.model, turns, game) for side, turns in zip(sides, played, strict=True) if turns is not None]
    return Item(
        name=f"game {id_}" if image is None else f"game {id_}, image {image}",
        facets=(
            str(known[0][-1]["objects"]),
            by_whom(labels, [end is not None and end["status"] == "success" for end in ends]),
            by_whom(labels, [end is not None and bool(end["referring"]) for end in ends]),
        ),
        scores=tuple(
            tuple(_number(end, name) for end in ends) for name in ("effectiveness", "questions", "success", "referring")
        ),
        text=" ".join(str(row["question"]) for turns in known for row in turns if row["question"] is not None),
        blocks=(*([] if game is None else _about(game)), *stories),
        image=image,
        outputs=tuple("" if end is None else _outcome(end) for end in ends),
        ids={"game_id": id_, "image_id": image},
    )


def _about(game: Game) -> list[Block]:
    objects = {candidate.id: f"{candidate.category} {candidate.id}" for candidate in game.objects}
    boxes = tuple((*thing.bbox, objects[thing.id], thing.id == game.target_id) for thing in game.objects)
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
    named = {} if game is None else {candidate.id: f"{candidate.category} {candidate.id}" for candidate in game.objects}
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
