"""Games as they are examined, read from any layout, and joined with lists of objects where they came without."""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.catalogue import Sample, detect, look
from voirdire.formats.coco import read_coco
from voirdire.formats.files import Source, open_source
from voirdire.formats.game_logs import FORMAT as LOGS
from voirdire.formats.game_logs import parse_game_logs
from voirdire.formats.guesswhat import FORMAT as GAMES
from voirdire.formats.guesswhat import Game, parse_games, read_games
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.formats.twenty_questions import TwentyQuestionsGame, parse_twenty_questions
from voirdire.questions.joining import Lists, coco_lists, join_logs, original_lists, put_objects

__all__ = ["Played", "lacks_lists", "read_played"]

NO_OBJECTS = re.compile(rb'"objects"\s*:\s*(?:\[\s*\]|\{\s*\})')
JOIN = "Join them with --coco INSTANCES, COCO's instances file, or with --originals GAMES, the original games."
KNOWN = "GuessWhat?! games, logs of such games, or 20 questions (guesswhat, game_logs, twenty_questions)"


@dataclass(frozen=True)
class Played:
    """Games that can be examined; `data` are the files that they were joined with, role to SHA-256."""

    games: Rows[Game] | Rows[TwentyQuestionsGame]
    data: Mapping[str, str] = field(default_factory=dict)


def read_played(path: str, coco: str | None = None, originals: str | None = None) -> Played:
    """Read games of either released layout, of 20 questions, or logs, which need one of two files to join with."""
    if coco is not None and originals is not None:
        raise UsageError("--coco and --originals exclude each other: one of them gives the lists of objects")
    source = open_source(path)
    sample = look(source)
    if _to_be_joined(source, sample):
        if coco is None and originals is None:
            problem = Problem("", "objects", "games without lists of objects", "the objects of every image", JOIN)
            raise InputError(source.name, [problem])
        lists = original_lists(read_games(originals)) if originals is not None else coco_lists(read_coco(coco or ""))
        role = "coco" if originals is None else "originals"
        return Played(_joined(source, sample, lists), {role: lists.fingerprint})
    if coco is not None or originals is not None:
        raise UsageError(f"{path}: --coco and --originals are for games without lists of objects, and these have them")
    if TWENTY.matches(sample):
        return Played(parse_twenty_questions(source))
    if GAMES.matches(sample):
        return Played(parse_games(source))
    found = detect(source)
    raise source.fail("", "", f"{found.title} ({found.name})", KNOWN)


def lacks_lists(path: str) -> bool:
    """Whether the games came without lists of objects, so that `read_played` has to join them."""
    source = open_source(path)
    return _to_be_joined(source, look(source))


def _to_be_joined(source: Source, sample: Sample) -> bool:
    return LOGS.matches(sample) or _lacks_objects(source, sample)


def _lacks_objects(source: Source, sample: Sample) -> bool:
    """Whether the games are of a released layout but for the list of objects of one or more of them."""
    if sample.kind not in ("lines", "object") or "qas" not in sample.keys or not sample.keys & {"image", "picture_id"}:
        return False
    # A line that was cut short is no game without objects; the strict reading says what it is.
    lines = (line for line in io.BytesIO(source.data) if line.rstrip().endswith(b"}"))
    return NO_OBJECTS.search(source.data) is not None or any(b'"objects"' not in line for line in lines)


def _joined(source: Source, sample: Sample, lists: Lists) -> Rows[Game]:
    if LOGS.matches(sample):
        logs = parse_game_logs(source)
        return Rows(join_logs(logs, lists, source.name), logs.fingerprint, logs.notes)
    return replace(parse_games(put_objects(source, lists)), fingerprint=source.fingerprint)
