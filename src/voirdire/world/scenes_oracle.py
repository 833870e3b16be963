"""GuessWhat?! games about scenes, and `scenes:FILE`: an oracle that knows the scene, and so is never wrong.

A question that is not in the world's language gets n/a for every object; `warnings` says how many did.

Games are played as people play: mostly sensible questions, true answers, a guess at the end. A question is yes or no
about "it", one of the things that are still in question. A player of this kind takes the better of two questions that
come to mind, and stops when one thing is left or after eight questions. The guess is right where one thing is left, but
for a slip now and then.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.catalogue import read_file
from voirdire.formats.coco import GameImage
from voirdire.formats.files import Source
from voirdire.formats.guesswhat import ANSWERS, Answer, Game, GameObject, Qa, Status
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import FORMAT, Scene, Thing, parse_scenes
from voirdire.progress import Progress, silent
from voirdire.world.grammar import say
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.reference import refer
from voirdire.world.scene import centre
from voirdire.world.truth import about, is_noun, person_noun
from voirdire.world.understand import understand
from voirdire.world.words import KINDS, ORDINALS
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


MOST_QUESTIONS = 8
SLIP, GIVEN_UP = 0.06, 0.04
_SIDES = ("left", "left", "left", "right", "right", "right", "middle", "foreground", "background", "top", "bottom")


def game_objects(scene: Scene) -> tuple[GameObject, ...]:
    """The things of a scene as a game's candidates."""
    return tuple(
        GameObject(thing.id, thing.category, thing.category_id, round(thing.bbox[2] * thing.bbox[3], 2), thing.bbox)
        for thing in scene.things
    )


def make_game(scene: Scene, rng: Random) -> Game:
    """One game about a scene, with a target drawn at random."""
    target = rng.choice(scene.things)
    left = list(scene.things)
    qas: list[Qa] = []
    asked: set[Meaning] = set()
    while len(left) > 1 and len(qas) < MOST_QUESTIONS:
        meaning, verdicts = _better_of_two(scene, left, asked, rng)
        asked.add(meaning)
        answer = about(meaning, scene, target)
        left = [thing for thing, verdict in zip(left, verdicts, strict=True) if verdict == answer]
        qas.append(Qa(say(meaning, rng, "game"), answer, scene.id * 100 + len(qas)))
    status: Status = "success"
    if rng.random() < GIVEN_UP:
        status = "incomplete"
    elif rng.random() < SLIP or rng.random() * len(left) > 1:
        status = "failure"
    image = GameImage(scene.id, scene.width, scene.height, scene.file_name)
    return Game(scene.id, image, game_objects(scene), target.id, tuple(qas), status)


def _better_of_two(scene: Scene, left: list[Thing], asked: set[Meaning], rng: Random) -> tuple[Meaning, list[Answer]]:
    """Of two questions the one whose commonest answer leaves the fewest things; with the answer for each of them."""
    best: tuple[Meaning, list[Answer]] | None = None
    fewest = 2 * len(left) + 1
    for _ in range(2):
        meaning = guess_question(scene, left, rng)
        verdicts = [about(meaning, scene, thing) for thing in left]
        repeated = len(left) if meaning in asked else 0
        most = max(verdicts.count(verdict) for verdict in ("yes", "no", "n/a")) + repeated
        if most < fewest:
            best, fewest = (meaning, verdicts), most
    if best is None:
        raise ValueError("`left` must hold at least one thing, got none")
    return best


def guess_question(scene: Scene, left: list[Thing], rng: Random) -> Meaning:
    """A question as a player asks who has `left` in mind; about one of these things, but the answer may be no."""
    thing = rng.choice(left)
    draw = rng.random()
    if draw < 0.3:
        return Meaning("is_a", IT, to=Ref(noun=thing.category))
    if draw < 0.42:
        above = BY_NAME[thing.category].supercategory
        if above in KINDS:
            return Meaning("is_kind", IT, above)
        return Meaning("is_a", IT, to=Ref(noun=above if above in ("animal", "vehicle", "person") else thing.category))
    if draw < 0.66:
        return Meaning("is_side", IT, rng.choice(_SIDES))
    return _detail(thing, scene, rng) or Meaning("is_side", IT, rng.choice(_SIDES))


def _detail(thing: Thing, scene: Scene, rng: Random) -> Meaning | None:
    draw = rng.random()
    if draw < 0.3:
        if thing.colour:
            return Meaning("is_colour", IT, thing.colour)
        if thing.wears:
            worn = rng.choice(thing.wears)
            return Meaning("wears", IT, worn.kind, worn.colour if rng.random() < 0.6 else "")
    elif draw < 0.45:
        return Meaning("is_size", IT, rng.choice(("small", "large")))
    elif draw < 0.58 and thing.action:
        return Meaning("is_action", IT, thing.action)
    elif draw < 0.66 and thing.material:
        return Meaning("is_material", IT, thing.material)
    elif draw < 0.7:
        return Meaning("is_shape", IT, "round")
    elif draw < 0.78 and thing.gender:
        if rng.random() < 0.5:
            return Meaning("is_gender", IT, rng.choice(("male", "female")))
        return Meaning("is_a", IT, to=Ref(noun=person_noun(thing)))
    elif draw < 0.82:
        return _order(thing, scene, rng)
    elif draw < 0.94:
        ref = refer(thing, scene, rng, brevity=0.2)
        if ref is not None and ref.relation and ref.other is not None:
            return Meaning("relation", IT, relation=ref.relation, to=ref.other)
    else:
        ref = refer(thing, scene, rng, brevity=0.0)
        return None if ref is None else Meaning("is_the", IT, to=ref)
    return None


def _order(thing: Thing, scene: Scene, rng: Random) -> Meaning | None:
    """Is it the third cup from the left?"""
    side = rng.choice(("left", "right"))
    noun = person_noun(thing)
    row = [other for other in scene.things if is_noun(other, noun)]
    whole = len(row) < 2
    row = list(scene.things) if whole else row
    row.sort(key=lambda other: centre(other)[0], reverse=side == "right")
    number = row.index(thing) + 1
    if number > min(5, len(ORDINALS)):
        return None
    return Meaning("nth", IT, f"{number} {side}", to=None if whole else Ref(noun=noun))
