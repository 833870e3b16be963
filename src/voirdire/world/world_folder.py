"""A world's folder: which world it is for, whether that is complete, and where its scenes are.

A world takes an empty folder, or goes on in one that it began itself. While a world is being made, its folder has a
marker that says which world it will be; `world.json` takes the marker's place when all files are there. So two worlds
never mix, other files are never replaced, and whoever finds the marker knows that the world is not complete.
"""

import contextlib
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from voirdire.atomic import sweep, unwritten, write_atomic
from voirdire.errors import OutputError, UsageError, shorten
from voirdire.formats.scenes import Garment, Scene, Thing, read_scenes
from voirdire.formats.strict import Problems
from voirdire.world import inventory, words

MANIFEST = "world.json"
MARKER = ".world.unfinished"
SCENES = "scenes.jsonl"


class Identity(msgspec.Struct, frozen=True):
    """What decides every byte of a world."""

    version: str
    seed: int
    scenes: int
    text_only: bool

    def __str__(self) -> str:
        kind = "text alone, " if self.text_only else ""
        return f"a world of {self.scenes} scenes ({kind}seed {self.seed}, version {self.version})"


@contextlib.contextmanager
def claimed(folder: Path, identity: Identity) -> Iterator[None]:
    """Reserve `folder` for the world `identity` while the block runs; the marker goes when the block ends well."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(str(folder), "it is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()):
        _check(folder, identity)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten(folder, error) from error
    for swept in (folder, folder / "pictures"):
        sweep(swept)
    write_atomic(folder / MARKER, msgspec.json.encode(identity))
    (folder / MANIFEST).unlink(missing_ok=True)
    yield
    (folder / MARKER).unlink()


def _check(folder: Path, identity: Identity) -> None:
    for name in (MANIFEST, MARKER):
        try:
            claimed_by = msgspec.json.decode((folder / name).read_bytes(), type=Identity)
        except (OSError, msgspec.MsgspecError):
            continue
        if claimed_by == identity:
            return
        raise UsageError(f"{folder} holds {claimed_by}; {identity} needs a folder of its own")
    raise UsageError(f"{folder} holds files that are of no world; name an empty or a new folder")


def check_whole(folder: Path) -> None:
    """Refuse a folder in which a world was begun and not finished."""
    if (folder / MARKER).exists():
        raise UsageError(f"the world in {folder} was not finished; make it again with the same options")


def seek_scenes(path: str) -> str | None:
    """The scenes.jsonl beside a file, or in the nearest folder above it that has one; None where none has."""
    folder = Path.cwd() if path == "-" else Path(path).absolute().parent
    return next((str(place / SCENES) for place in (folder, *folder.parents) if (place / SCENES).is_file()), None)


def find_scenes(path: str) -> str:
    """The same; UsageError where there is none."""
    scenes = seek_scenes(path)
    if scenes is None:
        raise UsageError(f"there is no {SCENES} beside {path} or in a folder above it; name it with `scenes`")
    return scenes


def scenes_by_id(path: str) -> dict[int, Scene]:
    """The scenes of a world that is complete."""
    check_whole(Path(path).parent)
    scenes = read_scenes(path)
    check_words(scenes, path)
    return {scene.id: scene for scene in scenes}


_WORDS_OF_SCENES: dict[str, Container[str]] = {
    "setting": words.PLACES,
    "weather": words.WEATHER_WORDS,
    "time": words.TIMES,
}
_WORDS_OF_THINGS: dict[str, Container[str]] = {
    "category": inventory.BY_NAME,
    "size": words.SIZES,
    "colour": words.COLOURS,
    "material": words.MATERIALS,
    "action": words.ACTIONS,
    "gender": words.GENDERS,
    "age": {"child", *words.AGES},
}
_WORDS_OF_GARMENTS: dict[str, Container[str]] = {"kind": words.GARMENT_WORDS, "colour": words.COLOURS}
_ALWAYS = frozenset({"setting", "time", "category", "size", "kind"})
"""What no scene, thing or garment is without."""


def check_words(scenes: Iterable[Scene], source: str) -> None:
    """Refuse scenes with a word that the world has no meaning for, such as a colour that nobody can ask about."""
    problems = Problems(source)

    def check(record: Scene | Thing | Garment, known: Mapping[str, Container[str]], where: str, path: str) -> None:
        for field, listed in known.items():
            word = getattr(record, field)
            parts = word.split("+") if field == "colour" else [word]
            if (word or field in _ALWAYS) and not all(part in listed for part in parts):
                problems.add(where, path + field, shorten(word), f"a {field} of the made-up world")

    for scene in scenes:
        where = f"scene {scene.id}"
        check(scene, _WORDS_OF_SCENES, where, "")
        for index, thing in enumerate(scene.things):
            check(thing, _WORDS_OF_THINGS, where, f"things[{index}].")
            for place, garment in enumerate(thing.wears):
                check(garment, _WORDS_OF_GARMENTS, where, f"things[{index}].wears[{place}].")
    problems.check()
