"""Games as they are examined: read from any layout, and given lists of objects where they came without.

    target by its id          the object of this id
    target by its category and the centre of its box (pixels, y from the bottom)
                              the object of this category whose centre is nearest, at most a pixel away

Lists come from COCO's instances, or from original games on the same images. COCO's crowds are no candidates: such a box
stands for many objects at once. Games on images that the lists do not have are left out and counted.
"""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Sample, detect, look
from voirdire.formats.coco import CocoInstances, GameImage, read_coco
from voirdire.formats.files import Source, open_source
from voirdire.formats.game_logs import FORMAT as LOGS
from voirdire.formats.game_logs import GameLog
from voirdire.formats.guesswhat import FORMAT as GAMES
from voirdire.formats.guesswhat import Game, GameObject, parse_games, read_games
from voirdire.formats.record import Rows
from voirdire.formats.small_formats import HISTORY_QUESTIONS, ORACLE_QA
from voirdire.formats.strict import UNREADABLE, Problems, refuse_repeated_keys
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.formats.twenty_questions import TEXT as TWENTY_TEXT
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.progress import UNSEEN, Stages
from voirdire.runs.limit import Drawn, Limit, draw

NEAR = 1.0
"""Pixels by which the centre of a box may be off: published boxes are rounded."""

BARE = "guesswhat without objects"
"""The format's name for games in a released layout that lack their lists of objects."""

NO_OBJECTS = re.compile(rb'"objects"\s*:\s*(?:\[\s*\]|\{\s*\})')
JOIN = "Join them: give `coco`, COCO's instances file, or `originals`, the original games."
KNOWN = "GuessWhat?! games, logs of such games, or 20 questions (guesswhat, game_logs, twenty_questions)"
ALL = (GAMES, LOGS, TWENTY, TWENTY_TEXT, HISTORY_QUESTIONS, ORACLE_QA)


@dataclass(frozen=True, eq=False)
class GamesFile:
    """What a file of games, or of questions alone, holds.

    name    what messages call it
    format  the name of its format, or `BARE`
    record  what was read; of `BARE` games the source itself, since the strict reading needs their lists
    """

    name: str
    format: str
    record: Any
    fingerprint: str


@dataclass(frozen=True)
class Played:
    """Games that can be examined.

    data      the files that they were joined with, role to SHA-256
    warnings  what is to be said of the join
    left_out  games on images that the joined file does not have
    """

    games: Rows[Game] | Rows[TwentyQuestionsGame]
    data: Mapping[str, str] = field(default_factory=dict)
    name: str = "games"
    warnings: tuple[str, ...] = ()
    left_out: int = 0


def read_games_file(path: str) -> GamesFile:
    """Read games of either released layout, logs, 20 questions, or questions alone."""
    source = open_source(path)
    sample = look(source)
    if not LOGS.matches(sample) and _lacks_objects(source, sample):
        return GamesFile(source.name, BARE, source, source.fingerprint)
    format_ = detect(source)
    if format_.name not in {format_.name for format_ in ALL}:
        expected = f"games or their questions ({', '.join(format_.name for format_ in ALL)})"
        raise source.fail("", "", f"{format_.title} ({format_.name})", expected)
    return GamesFile(source.name, format_.name, format_.parse(source), source.fingerprint)


def _lacks_objects(source: Source, sample: Sample) -> bool:
    """Whether the games are of a released layout but for the list of objects of one or more of them."""
    if sample.kind not in ("lines", "object") or "qas" not in sample.keys or not sample.keys & {"image", "picture_id"}:
        return False
    # A line that was cut short is no game without objects; the strict reading says what it is.
    lines = (line for line in io.BytesIO(source.data) if line.rstrip().endswith(b"}"))
    return NO_OBJECTS.search(source.data) is not None or any(b'"objects"' not in line for line in lines)


@dataclass(frozen=True)
class ObjectLists:
    """Lists of objects by the image's id; `title` is what messages call them, `fingerprint` that of their file."""

    title: str
    images: Mapping[int, tuple[GameImage, tuple[GameObject, ...]]]
    fingerprint: str = ""

    def categories(self) -> frozenset[str]:
        """All names of categories."""
        return frozenset(candidate.category for _, objects in self.images.values() for candidate in objects)


def read_coco_lists(path: str) -> ObjectLists:
    """The lists of a file of COCO's instances."""
    return coco_lists(read_coco(path))


def read_original_lists(path: str) -> ObjectLists:
    """The lists of a file of original games."""
    return original_lists(read_games(path))


def coco_lists(coco: CocoInstances) -> ObjectLists:
    """The instances of every image, crowds left out."""
    names = {category.id: category.name for category in coco.categories}
    objects: dict[int, list[GameObject]] = defaultdict(list)
    columns = (coco.ids, coco.image_ids, coco.category_ids, coco.areas, coco.boxes, coco.crowd)
    for id_, image, category, area, box, crowd in zip(*(column.tolist() for column in columns), strict=True):
        if not crowd:
            objects[image].append(GameObject(id_, names[category], category, area, tuple(box)))
    images = {image.id: (image, tuple(objects[image.id])) for image in coco.images}
    return ObjectLists("COCO's instances", images, coco.fingerprint)


def original_lists(games: Rows[Game]) -> ObjectLists:
    """The candidates of every image, from games that have them: all that any game on the image lists."""
    images: dict[int, GameImage] = {}
    objects: dict[int, dict[int, GameObject]] = defaultdict(dict)
    for game in games:
        images[game.image.id] = game.image
        objects[game.image.id] |= {candidate.id: candidate for candidate in game.objects}
    lists = {id_: (image, tuple(objects[id_].values())) for id_, image in images.items()}
    return ObjectLists("the original games", lists, games.fingerprint)


def join_logs(logs: Iterable[GameLog], lists: ObjectLists, name: str = "games") -> tuple[Game, ...]:
    """Logged games with their candidates; `name` is what errors call the logs.

    A game's id is its index, or its place in the file, from 1, where it has none. Games on images that the lists do not
    have are left out; that all of them are is an error.
    """
    problems, unknown = Problems(name), Problems(name)
    categories = lists.categories()
    games = []
    for number, log in enumerate(logs, start=1):
        id_ = number if log.index is None else log.index
        where = f"game {id_}"
        known = lists.images.get(log.image_id)
        if known is None:
            unknown.add(where, "image_id", f"{log.image_id}, which {lists.title} do not have", "an image of theirs")
            continue
        image, objects = known
        target = _target(where, log, image, objects, categories, problems)
        if target is None:
            continue
        if log.guess_id is not None and log.guess_id not in {candidate.id for candidate in objects}:
            stranger = f"{log.guess_id}, which is none of the {counted(len(objects), 'object')} of image {image.id}"
            problems.add(where, "guess_id", stranger, "one of them")
        games.append(Game(id_, image, objects, target, log.qas, log.status, log.guess_id))
    problems.check()
    if not games:
        unknown.check()
    return tuple(games)


def _target(
    where: str,
    log: GameLog,
    image: GameImage,
    objects: tuple[GameObject, ...],
    categories: frozenset[str],
    problems: Problems,
) -> int | None:
    """The id of the target; None, which is noted, where it is not among the objects."""
    if log.target_id is not None:
        if log.target_id in {candidate.id for candidate in objects}:
            return log.target_id
        stranger = f"{log.target_id}, which is none of the {counted(len(objects), 'object')} of image {image.id}"
        problems.add(where, "target_id", stranger, "one of them")
        return None
    if log.target_category not in categories:
        problems.add(where, "target_category", shorten(log.target_category), "a category of the joined file")
        return None
    x, y = log.target_center or (0.0, 0.0)
    near = []
    for candidate in objects:
        if candidate.category == log.target_category:
            left, top, width, height = candidate.bbox
            near.append((max(abs(left + width / 2 - x), abs(image.height - top - height / 2 - y)), candidate.id))
    distance, id_ = min(near, default=(NEAR + 1, 0))
    if distance > NEAR:
        stranger = f"{[x, y]}, where image {image.id} has no {log.target_category}"
        problems.add(where, "target_center_xy_ybottom", stranger, "the centre of one, y from the bottom")
        return None
    return id_


def _put_objects(source: Source, lists: ObjectLists) -> tuple[Source, int]:
    """Games of a released layout that lack their `objects`, with those of their images; and how many are left out.

    Lines that are no game stay as they are for the strict reading to name.
    """
    problems, unknown = Problems(source.name), Problems(source.name)
    lines = enumerate(source.data.splitlines(), start=1)
    joined = [_with_objects(f"line {number}", line, lists, problems, unknown) for number, line in lines]
    problems.check()
    if not any(line.strip() for line in joined):
        unknown.check()
    # An empty line stands for what is left out, so that messages count lines as the file does.
    return Source(source.name, b"\n".join(joined)), unknown.total


def _with_objects(where: str, line: bytes, lists: ObjectLists, problems: Problems, unknown: Problems) -> bytes:
    try:
        game = msgspec.json.decode(line)
    except UNREADABLE:
        return line
    if not isinstance(game, dict) or game.get("objects"):
        return line
    image = game.get("image")
    field, key = ("image.id", image.get("id")) if isinstance(image, dict) else ("picture_id", game.get("picture_id"))
    if not isinstance(key, int):
        return line
    known = lists.images.get(key)
    if known is None:
        unknown.add(where, field, f"{key}, which {lists.title} do not have", "an image of theirs")
        return b""
    # What is written anew has each key once, whatever the line had.
    refuse_repeated_keys(game, line, where, problems)
    by_id = {str(candidate.id): candidate for candidate in known[1]}
    return msgspec.json.encode(game | {"objects": list(known[1]) if "id" in game else by_id})


def with_lists(
    games: GamesFile | Sequence[Game] | Sequence[TwentyQuestionsGame],
    coco: ObjectLists | None = None,
    originals: ObjectLists | None = None,
    stages: Stages = UNSEEN,
) -> Played:
    """The games of a file, joined with one of two lists where they need it; games that have their objects stay."""
    if not isinstance(games, GamesFile):
        if not games:
            raise UsageError("`games` must hold at least one game, got none")
        rows: Any = games if isinstance(games, Rows) else Rows(tuple(games))
        return Played(rows)
    if games.format != BARE and not len(games.record):
        # Before any message about the lists that it would be joined with.
        raise InputError(games.name, [Problem("", "", "no game: it is empty", "at least one game")])
    if games.format in (LOGS.name, BARE):
        if coco is not None and originals is not None:
            raise UsageError("`coco` and `originals` exclude each other: one of them gives the lists of objects")
        lists = originals if coco is None else coco
        if lists is None:
            problem = Problem("", "objects", "games without lists of objects", "the objects of every image", JOIN)
            raise InputError(games.name, [problem])
        role = "originals" if coco is None else "coco"
        rows, left_out = _joined(games, lists)
        warnings = _of_left_out(left_out, len(rows), lists.title)
        return Played(rows, {role: lists.fingerprint}, games.name, warnings, left_out)
    if games.format not in (GAMES.name, TWENTY.name):
        title = next(format_.title for format_ in ALL if format_.name == games.format)
        raise InputError(games.name, [Problem("", "", f"{title} ({games.format})", KNOWN)])
    if coco is not None or originals is not None:
        stages.say(f"{games.name}: these games have lists of objects; the lists beside them are not used")
    return Played(games.record, name=games.name)


def limited(
    played: Played, options: Limit, askable: Callable[[list[int]], Collection[int]] | None = None
) -> tuple[Played, Drawn]:
    """The games on the images that a limit takes; of 20 questions, which have no image, the games themselves.

    askable  those of the images that the limit may take; any where it is None
    """
    games: Any = played.games
    twenty = any(isinstance(game, TwentyQuestionsGame) for game in games)
    ids = [game.id if twenty else game.image.id for game in games]
    drawn = draw(
        ids, options, "game" if twenty else "image", covered=None if twenty or askable is None else askable(ids)
    )
    if not drawn.partial:
        return played, drawn
    kept = tuple(game for game, keep in zip(games, drawn.keeps(ids).tolist(), strict=True) if keep)
    return replace(played, games=replace(games, rows=kept)), drawn


def _joined(games: GamesFile, lists: ObjectLists) -> tuple[Rows[Game], int]:
    """The games on images that the lists have, and how many are on others."""
    if games.format == LOGS.name:
        logs: Rows[GameLog] = games.record
        joined = join_logs(logs, lists, games.name)
        return Rows(joined, fingerprint=logs.fingerprint, notes=logs.notes), len(logs) - len(joined)
    source: Source = games.record
    whole, left_out = _put_objects(source, lists)
    return replace(parse_games(whole), fingerprint=source.fingerprint), left_out


def _of_left_out(left_out: int, kept: int, title: str) -> tuple[str, ...]:
    if not left_out:
        return ()
    rest = "the other one is" if kept == 1 else f"the other {kept:,} are"
    return (f"{left_out:,} of {left_out + kept:,} games are on images that {title} do not have; {rest} examined.",)


def names(question: str, candidate: str) -> bool:
    """Whether a question names a candidate, as words of its own, in the singular or the plural."""
    stem = candidate[:-1] if len(candidate) > 1 and candidate.endswith("s") else candidate
    return re.search(rf"(?<!\w){re.escape(stem)}(?:e?s)?(?!\w)", question, re.IGNORECASE) is not None


def names_alone(question: str, target: str, candidates: Iterable[str]) -> bool:
    """Whether it names this one and no other; a name within a longer one that is named, too, does not count."""
    named = [word for word in candidates if names(question, word)]
    whole = [word for word in named if not any(word != other and names(other, word) for other in named)]
    return whole == [target]
