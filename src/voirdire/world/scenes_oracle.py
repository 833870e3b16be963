"""`scenes:FILE`: an oracle that knows the scene, and so is never wrong.

A question that is not in the world's language gets n/a for every object; `warnings` says how many did.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.catalogue import read_file
from voirdire.formats.files import Source
from voirdire.formats.guesswhat import ANSWERS, Answer, Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import FORMAT, Scene, Thing, parse_scenes
from voirdire.progress import Progress, silent
from voirdire.world.meaning import Meaning
from voirdire.world.truth import about
from voirdire.world.understand import understand
from voirdire.world.world_folder import check_whole, check_words

CODES = {answer: code for code, answer in enumerate(ANSWERS)}
EVERY = 100
"""Games between two reports."""


def true_answer(question: str, scene: Scene, thing: Thing) -> Answer:
    """The true answer about one thing: yes, no or n/a, which a question that cannot be read gets, too."""
    return _answer(understand(question), scene, thing)


def _answer(meaning: Meaning | None, scene: Scene, thing: Thing) -> Answer:
    return "n/a" if meaning is None else about(meaning, scene, thing)


def check_scenes(games: Sequence[Game], scenes: Mapping[int, Scene], source: str) -> None:
    """Refuse games whose image or objects are not in the scenes; `source` is what an error calls the games."""
    problems = []
    for game in games:
        scene = scenes.get(game.image.id)
        if scene is None:
            stranger, expected = f"{game.image.id}, which has no scene", "a scene for it"
            problems.append(Problem(f"game {game.id}", "image.id", stranger, expected))
        elif unknown := sorted({object_.id for object_ in game.objects} - {thing.id for thing in scene.things}):
            stranger = f"objects that the scene does not have: {', '.join(map(str, unknown[:5]))}"
            problems.append(Problem(f"game {game.id}", "objects", stranger, f"things of the scene {scene.id}"))
    if problems:
        raise InputError(source, problems)


class ScenesOracle:
    """Answers from the scenes. A question is understood once, however many games ask it.

    warnings  of the last call: which questions it could not read
    """

    def __init__(self, scenes: Mapping[int, Scene], name: str = "scenes", identity: str = "scenes") -> None:
        self.name = name
        self.identity = identity
        self.warnings: tuple[str, ...] = ()
        self._scenes = scenes

    def answer(self, games: Sequence[Game], report: Progress = silent) -> list[ObjectAnswers]:
        """The true answers for these games."""
        check_scenes(games, self._scenes, f"the games, beside {self.name}")
        meanings = {text: understand(text) for text in {qa.question for game in games for qa in game.qas}}
        records = []
        for number, game in enumerate(games, start=1):
            scene = self._scenes[game.image.id]
            things = {thing.id: thing for thing in scene.things}
            rows = [
                [CODES[_answer(meanings[qa.question], scene, things[object_.id])] for object_ in game.objects]
                for qa in game.qas
            ]
            codes = np.array(rows, dtype=np.int8).reshape(len(game.qas), len(game.objects))
            records.append(ObjectAnswers(game.id, codes))
            if number % EVERY == 0 or number == len(games):
                report(number, len(games))
        self.warnings = _warn([qa.question for game in games for qa in game.qas if meanings[qa.question] is None])
        return records


def _warn(unread: Sequence[str]) -> tuple[str, ...]:
    if not unread:
        return ()
    are = counted(len(unread), "question is", "questions are")
    has = "has" if len(unread) == 1 else "have"
    return (f"{are} not in the world's language and {has} the answer n/a for every object, as {unread[0]!r}.",)


def make_scenes_oracle(argument: str | None) -> ScenesOracle:
    """The oracle of a world's file of scenes."""
    if not argument:
        raise UsageError(
            "`oracle` scenes: needs a world's file of scenes after its name, as in scenes:world/scenes.jsonl"
        )
    check_whole(Path(argument).parent)
    scenes, fingerprint = read_file(argument, FORMAT, _with_fingerprint)
    check_words(scenes, argument)
    return ScenesOracle({scene.id: scene for scene in scenes}, f"scenes:{argument}", f"scenes {fingerprint}")


def _with_fingerprint(source: Source) -> tuple[list[Scene], str]:
    return parse_scenes(source), source.fingerprint
