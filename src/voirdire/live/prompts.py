"""Prompt templates: the words in which a chat model is asked, from a file with a version, and messages made of them.

A file may name one of ours as its `base`, and then has only what it words in another way. Every `NAME.toml` of the
folder `templates` is one of ours, by its name.

A dialogue is given as real turns: each question is the user's, each answer the assistant's. A model that judges a
dialogue is none of its speakers, and gets it as a text. The picture and the description of the scene stand before the
first question. Objects are given by category and box, in per cent of the picture, or by category alone where their
boxes are drawn onto it. In a game without a picture the candidates are words, which stand before the first question.

A scene of a made-up world is put into words for models that see no pictures. Every thing is described with all that is
known of it, in the order of the file, so that nothing that a question may be about is left out:

    The picture shows: an airport, indoors, by day. It has 2 things:
    1. yellow suitcase of plastic, medium, at the bottom right
    2. girl, reading, wearing yellow dress and black hat, large, in the middle, holding number 1
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from voirdire.errors import InputError, Problem
from voirdire.formats.files import check_file
from voirdire.formats.scenes import Scene, Thing
from voirdire.live.model import (
    LABELS,
    AnswerTask,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    PointTask,
    RankTask,
    Task,
)
from voirdire.live.settings import DEFAULT_TEMPLATE

FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "answer": {"system": (), "caption": ("caption",), "user": ("question",)},
    "alone": {"system": (), "user": ("question",)},
    "noisy": {"system": (), "user": ("question",)},
    "ask": {"system": (), "user": ("left",), "stop": ()},
    "guess": {"system": (), "user": ("things",), "drawn": ("things",)},
    "point": {"system": (), "user": ("thing", "question"), "drawn": ("thing", "question")},
    "ask_words": {"system": (), "list": ("things",), "user": ("left",), "stop": ()},
    "point_word": {"system": (), "user": ("thing", "question")},
    "judge": {
        "system": (),
        "dialogue": ("caption", "rounds"),
        "truth": ("sentence",),
        "score": ("sentence", "choices", "labels"),
        "sharing": ("sentence",),
        **dict.fromkeys(LABELS, ()),
    },
}
"""The texts of a template by task, and what each must have a place for."""
OR_ELSE: dict[str, tuple[str, ...]] = {"noisy.user": ("main", "added")}
"""What some of them may have places for instead: the joined questions, or the main one and those that were added."""
EITHER = ("score", "sharing")
"""Of these two questions about a sentence a template may lack one."""

BEGIN = "Let us begin."
"""What the other player says before the first question."""
SILENCE = "nothing yet"
"""The text of a dialogue without rounds."""
Message = dict[str, Any]
Rounds = tuple[tuple[str, str], ...]
_KINDS: dict[type, str] = {
    AnswerTask: "answer",
    RankTask: "answer",
    AskTask: "ask",
    GuessTask: "guess",
    PointTask: "point",
}
_PLACE = re.compile(r"\{(\w+)\}")
PERSON = {
    ("male", "child"): "boy",
    ("female", "child"): "girl",
    ("male", ""): "man",
    ("female", ""): "woman",
}
ROWS, COLUMNS = ("top", "", "bottom"), ("left", "", "right")


@dataclass(frozen=True)
class Template:
    """The words of all tasks; `identity` is its name, its version and the start of its hash."""

    identity: str
    words: dict[str, dict[str, str]]

    @property
    def name(self) -> str:
        """Its name, without version and hash."""
        return self.identity.rpartition(":")[0].rpartition("-")[0]

    def messages(self, task: Task, picture: str = "") -> list[Message]:
        """What a chat model is sent; `picture` is a URL of what it is shown, empty where it is shown nothing."""
        kind, last = _table(task)
        words, rounds, places = self.words[kind], getattr(task, "rounds", ()), _places(task)
        final = _filled(words[last], places | self._choices(task))
        if isinstance(task, AskTask) and task.may_stop:
            final = f"{final} {words['stop']}"
        if isinstance(task, JudgeTask):
            rounds, final = (), f"{self.dialogue_text(task)}\n{final}"
        # In a game the questions are the model's own, in a dialogue the answers are.
        turns = _game(rounds, final) if isinstance(task, AskTask | GuessTask) else _dialogue(rounds, final)
        listed = _filled(words["list"], places) if "list" in words else ""
        _open(turns, [text for text in (task.seen.told, self._caption(task), listed) if text], picture)
        return [{"role": "system", "content": words["system"]}, *turns] if words["system"] else turns

    def dialogue_text(self, task: JudgeTask) -> str:
        """The dialogue so far as a text, for a model that judges it."""
        rounds = "\n".join(f"Q: {question}\nA: {answer}" for question, answer in task.rounds)
        return _filled(self.words["judge"]["dialogue"], {"caption": task.caption, "rounds": rounds or SILENCE})

    def question_text(self, task: JudgeTask | PointTask) -> str:
        """The question alone, for a model that gets the rest in another way."""
        kind, last = _table(task)
        return _filled(self.words[kind][last], _places(task) | self._choices(task))

    @property
    def asks_score(self) -> bool:
        """Whether a sentence is asked about with one question for its score, not with two yes/no questions."""
        return not self.words["judge"]["sharing"]

    def labels(self, task: JudgeTask) -> dict[str, str]:
        """The labels of a score in their order, with what each means."""
        return {label: self.words["judge"][label] for label in task.labels}

    def _choices(self, task: Task) -> dict[str, str]:
        if not isinstance(task, JudgeTask) or not task.labels:
            return {}
        choices = "\n".join(f"- {label}: {meaning}" for label, meaning in self.labels(task).items())
        return {"choices": choices, "labels": f"{', '.join(task.labels[:-1])} or {task.labels[-1]}"}

    def _caption(self, task: Task) -> str:
        caption = "" if isinstance(task, JudgeTask) else getattr(task, "caption", "")
        return _filled(self.words["answer"]["caption"], {"caption": caption}) if caption else ""


def _table(task: Task) -> tuple[str, str]:
    """The table of a template for a task, and its text that comes last."""
    match task:
        case AnswerTask() if task.added:
            return "noisy", "user"
        case AnswerTask() | RankTask() if not (task.caption or task.rounds):
            return "alone", "user"
        case JudgeTask():
            return "judge", task.about
        case AskTask() if task.things and isinstance(task.things[0], str):
            return "ask_words", "user"
        case PointTask() if isinstance(task.thing, str):
            return "point_word", "user"
        case PointTask() | GuessTask() if task.seen.marks:
            return _KINDS[type(task)], "drawn"
    return _KINDS[type(task)], "user"


def _dialogue(rounds: Rounds, final: str) -> list[Message]:
    """Turns of which the answers are the model's own."""
    turns = []
    for question, answer in rounds:
        turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return [*turns, {"role": "user", "content": final}]


def _game(rounds: Rounds, final: str) -> list[Message]:
    """Turns of which the questions are the model's own."""
    turns: list[Message] = [{"role": "user", "content": BEGIN}] if rounds else []
    for place, (question, answer) in enumerate(rounds, 1):
        content = f"{answer}\n{final}" if place == len(rounds) else answer
        turns += [{"role": "assistant", "content": question}, {"role": "user", "content": content}]
    return turns or [{"role": "user", "content": final}]


def _open(messages: list[Message], texts: list[str], picture: str) -> None:
    """Put what is shown before the first words of the user."""
    first = messages[0]
    text = "\n".join([*texts, first["content"]])
    shown = [{"type": "image_url", "image_url": {"url": picture}}] if picture else []
    first["content"] = [*shown, {"type": "text", "text": text}] if shown else text


def _places(task: Task) -> dict[str, Any]:
    """What stands in the places of a template's texts."""
    match task:
        case AskTask():
            return {"left": task.left, "things": ", ".join(thing for thing in task.things if isinstance(thing, str))}
        case GuessTask():
            drawn = bool(task.seen.marks)
            things = (f"{number}. {_thing(thing, drawn)}" for number, thing in enumerate(task.listed(), 1))
            return {"things": "\n".join(things)}
        case PointTask():
            return {"thing": _thing(task.thing, bool(task.seen.marks)), "question": task.question}
        case JudgeTask():
            return {"sentence": task.sentence}
        case AnswerTask() if task.added:
            return {"question": task.question, "main": task.main, "added": " ".join(task.added)}
    return {"question": task.question}


def _filled(text: str, places: Mapping[str, Any]) -> str:
    """A text with its places filled, once: what stands in one is not looked into."""
    return _PLACE.sub(lambda match: str(places[match[1]]), text)


def _thing(thing: BoxedObject | str, drawn: bool) -> str:
    if isinstance(thing, str) or drawn:
        return thing if isinstance(thing, str) else thing.category
    x, y, width, height = (round(100 * number) for number in thing.box)
    return f"{thing.category}, from {x} % to {x + width} % of the width and from {y} % to {y + height} % of the height"


def shipped_templates() -> list[str]:
    """The names of the templates that come with us."""
    folder = files("voirdire.live").joinpath("templates")
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def read_template(name: str | Path = DEFAULT_TEMPLATE) -> Template:
    """The template of a file, or one that comes with us by its name."""
    ours = files("voirdire.live").joinpath("templates", f"{name}.toml")
    path = ours if ours.is_file() else Path(name)
    if isinstance(path, Path) and path.exists():
        check_file(path)
    try:
        data = path.read_bytes()
        document = tomllib.loads(data.decode())
    except OSError as error:
        raise _fault(name, f"nothing that can be read ({error.strerror})", "a template") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _fault(name, f"no TOML ({error})", "a template") from None
    except RecursionError:
        raise _fault(name, "TOML that is nested too deeply", "a template") from None
    base = _base(name, document)
    words: dict[str, dict[str, str]] = {}
    for task, texts in FIELDS.items():
        lower = {} if base is None else base.words[task]
        table = document.get(task, None if base is None else {})
        if not isinstance(table, dict):
            raise _fault(name, f"no table [{task}]", "the words of every task")
        words[task] = {
            key: _text(name, f"{task}.{key}", table.get(key, lower.get(key, "")), places)
            for key, places in texts.items()
        }
    if not any(words["judge"][key] for key in EITHER):
        raise _fault(name, "neither judge.score nor judge.sharing", "one of them")
    about = f"{document.get('name', Path(name).stem)}-{document.get('version', 0)}"
    whole = data if base is None else data + base.identity.encode()
    return Template(f"{about}:{hashlib.sha256(whole).hexdigest()[:12]}", words)


def _base(name: str | Path, document: dict[str, Any]) -> Template | None:
    """The template that has the words which a file lacks; None where the file has all of its own."""
    base = document.get("base")
    if base is None:
        return None
    known = [ours for ours in shipped_templates() if ours != str(name)]
    if base not in known:
        raise _fault(name, f"{base!r} at base", f"one of {', '.join(known)}")
    if unknown := [key for key, table in document.items() if isinstance(table, dict) and key not in FIELDS]:
        # A slip in a name would leave the base's words where others are meant.
        raise _fault(name, f"a table [{unknown[0]}]", f"tables among {', '.join(FIELDS)}")
    return read_template(base)


def _text(name: str | Path, field: str, value: Any, places: tuple[str, ...]) -> str:
    if value == "" and field.removeprefix("judge.") in EITHER:
        return ""
    if not isinstance(value, str) or (places and not value):
        raise _fault(name, f"{type(value).__name__} at {field}", "a text")
    present, allowed = set(_PLACE.findall(value)), [places, *([OR_ELSE[field]] if field in OR_ELSE else [])]
    if present not in map(set, allowed):
        expected = ", or ".join(", ".join(f"{{{place}}}" for place in some) or "no place" for some in allowed)
        raise _fault(name, f"the places {', '.join(sorted(present)) or 'none'} at {field}", expected)
    return value


def _fault(name: str | Path, found: str, expected: str) -> InputError:
    return InputError(
        str(name), [Problem("", "", found, expected, "templates/plain.toml of the package is one to start from.")]
    )


def scene_text(scene: Scene) -> str:
    """The description of a scene, one line per thing."""
    where = "indoors" if scene.indoors else "outdoors"
    first = ", ".join(filter(None, (f"The picture shows: {scene.setting}", where, scene.weather, f"by {scene.time}")))
    shades = "" if scene.in_colour else " The picture is black and white."
    number = {thing.id: place for place, thing in enumerate(scene.things, 1)}
    lines = [f"{place}. {_thing_of_scene(thing, scene, number)}" for place, thing in enumerate(scene.things, 1)]
    return "\n".join([f"{first}.{shades} It has {len(lines)} things:", *lines])


def _thing_of_scene(thing: Thing, scene: Scene, number: dict[int, int]) -> str:
    colour = thing.colour.replace("+", " and ")
    age = "child" if thing.age == "child" else ""
    noun = PERSON.get((thing.gender, age), thing.category)
    parts = [" ".join(filter(None, (colour, noun))) + (f" of {thing.material}" if thing.material else "")]
    if thing.age and not age:
        parts.append(thing.age)
    if thing.action:
        parts.append(thing.action)
    if thing.wears:
        parts.append("wearing " + " and ".join(f"{worn.colour} {worn.kind}".strip() for worn in thing.wears))
    parts += [thing.size, _place_in_scene(thing, scene)]
    if thing.on is not None:
        parts.append(f"on number {number[thing.on]}")
    if thing.holds is not None:
        parts.append(f"holding number {number[thing.holds]}")
    return ", ".join(parts)


def _place_in_scene(thing: Thing, scene: Scene) -> str:
    """In which ninth of the picture its middle is."""
    x, y, width, height = thing.bbox
    column = COLUMNS[min(2, int(3 * (x + width / 2) / scene.width))]
    row = ROWS[min(2, int(3 * (y + height / 2) / scene.height))]
    return f"at the {row} {column}".replace("  ", " ").rstrip() if row or column else "in the middle"
