"""People as the oracle: a question of a game, its picture, an object in a box, and yes, no or n/a.

Questions are drawn from all games; people are asked about the target, of which the answer is recorded, or about every
object of some games, as the exam asks its oracle (effective-questions, §4.3). What most people say is the answer of
`people`; of answers that were given as often as another, the first of yes, no and n/a counts, as for any oracle.

An attention check asks what the box settles: whether the object is what it is, or something that is nowhere in its
image.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.files import write_lines
from voirdire.formats.guesswhat import ANSWERS, Game, GameObject
from voirdire.formats.oracle_answers import OracleAnswers, QuestionAnswers, write_oracle_answers
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.questions.exam import ANSWERED_FILE, OBJECTS_FILE, StudyQuestionsOptions
from voirdire.questions.games import GamesFile, ObjectLists, with_lists
from voirdire.study.design import NO, YES, Judged, StudyTask, checks_among

PEOPLE = "people"


def draw_questions(
    games: GamesFile,
    coco: ObjectLists | None = None,
    originals: ObjectLists | None = None,
    options: StudyQuestionsOptions | None = None,
    pictured: Collection[int] | None = None,
) -> list[StudyTask]:
    """Questions about targets, or about all objects of some games, then the attention checks."""
    options = options or StudyQuestionsOptions()
    rng = np.random.default_rng(options.seed)
    played: list[Game] = []
    for game in with_lists(games, coco, originals).games:
        if isinstance(game, TwentyQuestionsGame):
            raise UsageError("`games`: 20 questions are about no picture; people judge GuessWhat?! games")
        if game.qas and (pictured is None or game.image.id in pictured):
            played.append(game)
    if not played:
        raise InputError("games", [Problem("", "qas", "no question in any game", "one, and a picture of its image")])
    if options.about == "objects":
        pairs = _whole_games([played[place] for place in rng.permutation(len(played)).tolist()], options)
    else:
        every = [(game, place, game.target) for game in played for place in range(len(game.qas))]
        wanted = options.number(len(every))
        pairs = [every[place] for place in rng.permutation(len(every))[:wanted].tolist()]
    tasks = [_task(game, thing, game.qas[place].question, _key(game, place, thing)) for game, place, thing in pairs]
    return tasks + _checks(played, checks_among(len(tasks), options.checks), rng)


def _whole_games(games: Sequence[Game], options: StudyQuestionsOptions) -> list[tuple[Game, int, GameObject]]:
    """All questions about all objects, of as many games as stay within the number of tasks; of at least one."""
    drawn: list[tuple[Game, int, GameObject]] = []
    wanted = options.number(sum(len(game.qas) * len(game.objects) for game in games))
    for game in games:
        more = [(game, place, thing) for place in range(len(game.qas)) for thing in game.objects]
        if drawn and len(drawn) + len(more) > wanted:
            break
        drawn += more
    return drawn


def _task(game: Game, thing: GameObject, question: str, key: dict[str, Any], truth: tuple[str, ...] = ()) -> StudyTask:
    x, y, wide, high = thing.bbox
    width, height = game.image.width, game.image.height
    box = (x / width, y / height, wide / width, high / height)
    return StudyTask("yes-no-na", question, game.image.id, box=box, key=key, truth=truth)


def _key(game: Game, place: int, thing: GameObject) -> dict[str, Any]:
    asked = game.qas[place]
    return {
        "game": game.id,
        "place": place,
        "id": asked.id,
        "object": thing.id,
        "recorded": asked.answer if thing.id == game.target_id else None,
    }


def _checks(games: Sequence[Game], count: int, rng: np.random.Generator) -> list[StudyTask]:
    """Checks of different objects, now true, now false; fewer where there are not so many objects."""
    every = sorted({thing.category for game in games for thing in game.objects})
    objects = {(game.image.id, thing.id): (game, thing) for game in games for thing in game.objects}
    places = list(objects.values())
    checks: list[StudyTask] = []
    for place in rng.permutation(len(places)).tolist():
        game, thing = places[place]
        present = {other.category for other in game.objects}
        absent = [category for category in every if category not in present]
        true = len(checks) % 2 == 0 or not absent
        what = thing.category if true else absent[int(rng.integers(len(absent)))]
        if len(checks) == count:
            break
        article = "an" if what[:1].lower() in "aeiou" else "a"
        checks.append(_task(game, thing, f"is it {article} {what}?", {}, (YES if true else NO,)))
    return checks


def gather_answers(judged: Sequence[Judged], folder: Path) -> Sequence[str]:
    """Write what most people say: of targets beside what was recorded, and of all objects where these were asked."""
    counts_of: dict[tuple[int, int, int], Counter[str]] = {}
    keys: dict[tuple[int, int, int], dict[str, Any]] = {}
    for judgement in judged:
        point = (judgement.task.key["game"], judgement.task.key["place"], judgement.task.key["object"])
        keys[point] = judgement.task.key
        counts_of.setdefault(point, Counter())[judgement.answers[0]] += 1
    ties, most = 0, {}
    for point, counts in counts_of.items():
        first = [name for name in ANSWERS if counts[name] == max(counts.values())]
        ties += len(first) > 1
        most[point] = first[0]
    targets = sorted(point for point, key in keys.items() if key["recorded"] is not None)
    ids = [keys[point]["id"] for point in targets]
    if None in ids or len(set(ids)) < len(ids):
        ids = list(range(len(targets)))
    places = {name: place for place, name in enumerate(ANSWERS)}
    record = OracleAnswers(
        np.array([game for game, *_ in targets], np.int64),
        np.array([place for _, place, _ in targets], np.int64),
        np.array(ids, np.int64),
        np.array([places[keys[point]["recorded"]] for point in targets], np.int8),
        (PEOPLE,),
        np.array([[places[most[point]]] for point in targets], np.int8).reshape(len(targets), 1),
    )
    write_oracle_answers(record, folder / ANSWERED_FILE)
    if len(targets) < len(most):
        rows: dict[tuple[int, int], dict[int, Any]] = {}
        for (game, place, object_), answer in sorted(most.items()):
            rows.setdefault((game, place), {})[object_] = answer
        write_lines((QuestionAnswers(*at, row) for at, row in rows.items()), folder / OBJECTS_FILE)
    if not ties:
        return ()
    return (f"People were divided on {counted(ties, 'question')}; each took the first of yes, no, n/a.",)
