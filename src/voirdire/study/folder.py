"""A study's folder: its tasks, its pictures, its texts; written whole, sealed, and checked when it is opened.

    study.json    which exam and part, its options, how many people per task
    tasks.jsonl   the tasks, one per line, attention checks among them, with what the exam needs to read judgements
    pictures/     the study's own pictures, made small, named by the SHA-256 of their bytes
    texts.txt     the texts of the page; it may be edited
    seal.txt      the SHA-256 of all files but texts.txt, as `sha256sum -c` reads it
    judged.sqlite3  the judgements; made when the first person is invited or the page is served

The same files, options and seed make the same bytes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from voirdire._version import __version__
from voirdire.atomic import atomic_folder, check_above
from voirdire.bounded import Undecodable, decode
from voirdire.call import Call
from voirdire.errors import InputError, OutputError, Problem, UsageError, shorten, shorten_text
from voirdire.exam import Part, Study, load, studied
from voirdire.formats.files import check_file, reading_once
from voirdire.progress import UNSEEN, Stages
from voirdire.study.design import StudyOptions, StudyTask
from voirdire.study.judge_page import read_texts, written_texts

__all__ = ["DATABASE", "TEXTS", "OpenedStudy", "make_study", "open_study"]

ABOUT, TASKS, PICTURES, TEXTS, SEAL = "study.json", "tasks.jsonl", "pictures", "texts.txt", "seal.txt"
DATABASE = "judged.sqlite3"
FORMAT = 1
PNG = b"\x89PNG"
LONGEST = 1024
"""Pixels of a picture's longer side."""
_AGAIN = "Make the study anew, or bring the folder back as it was made."


class AboutStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `study.json`; `data` are the files that it was drawn from, role to SHA-256."""

    format: int
    version: str
    exam: str
    part: str
    judges: int
    per_judge: int | None
    minutes: float
    seed: int
    options: dict[str, Any]
    data: dict[str, str]


@dataclass(frozen=True, eq=False)
class OpenedStudy:
    """A study whose folder is as it was made.

    seal      the SHA-256 of its seal, which identifies the study
    pictures  the paths of its pictures, by name
    """

    folder: Path
    about: AboutStudy
    tasks: tuple[StudyTask, ...]
    pictures: Mapping[str, Path]
    seal: str

    @property
    def database(self) -> Path:
        """Where judgements are kept."""
        return self.folder / DATABASE

    def declared(self) -> tuple[Part, Study]:
        """The part that it is a study of, and its declaration."""
        _, part = studied(self.about.exam)
        assert part.study is not None
        return part, part.study

    def texts(self) -> Mapping[str, str]:
        """The texts of its page, as they are now."""
        return read_texts(self.folder / TEXTS, self.tasks[0].way)


def make_study(
    exam: str,
    given: Mapping[str, Any],
    options: StudyOptions,
    output: str | Path,
    *,
    images: str | None = None,
    language: str = "en",
    stages: Stages = UNSEEN,
) -> OpenedStudy:
    """Draw tasks for people from the files given for the study's inputs, and write the study's folder.

    images    a folder or a zip of pictures; without it tasks have none
    language  en, de, or a file of texts
    """
    declared, part = studied(exam)
    study = part.study
    assert study is not None
    out = Path(output)
    if not str(output):
        raise UsageError("`output` must name a folder, got an empty name")
    if out.exists() or out.is_symlink():
        raise OutputError(str(out), "something is in place already; name a new folder")
    check_above(out)
    call = Call(study, given, options)
    call.check()
    if not any(study_input.files(given.get(study_input.name)) for study_input in study.inputs):
        names = " or ".join(f"`{study_input.name}`" for study_input in study.inputs)
        raise UsageError(f"give what tasks are drawn from: {names}")
    if options.pictured and images is None:
        raise UsageError("`pictured` draws from images that have a picture; `images` says where these are")
    # Serving a study needs none of what finds and reads pictures.
    from voirdire.formats.picture_files import find_pictures

    pictured = set(find_pictures([images])) if options.pictured and images is not None else None
    with reading_once():
        records = call.read(stages)
        tasks = load(study.function)(**records, options=options, pictured=pictured)
    texts = written_texts(language, study.texts, tasks[0].way)
    data = {name: sha256 for name, record in records.items() if (sha256 := getattr(record, "fingerprint", ""))}
    about = AboutStudy(
        *(FORMAT, __version__, declared.name, part.name),
        *(options.judges, options.per_judge, options.minutes, options.seed),
        *(options.plain(), data),
    )
    with atomic_folder(out, replace=False) as folder:
        _write(folder, about, tasks, images, texts, stages)
    return open_study(out)


def _write(
    folder: Path, about: AboutStudy, tasks: Sequence[StudyTask], images: str | None, texts: str, stages: Stages
) -> None:
    (folder / PICTURES).mkdir()
    tasks = _with_pictures(folder / PICTURES, tasks, images, stages)
    lines = b"".join(msgspec.json.encode(task) + b"\n" for task in tasks)
    (folder / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")
    (folder / TASKS).write_bytes(lines)
    (folder / TEXTS).write_text(texts, encoding="utf-8")
    sealed = [ABOUT, TASKS, *sorted(f"{PICTURES}/{path.name}" for path in (folder / PICTURES).iterdir())]
    (folder / SEAL).write_text("".join(f"{_digest(folder / name)}  {name}\n" for name in sealed))


def _with_pictures(folder: Path, tasks: Sequence[StudyTask], images: str | None, stages: Stages) -> list[StudyTask]:
    """The tasks with the names of their pictures, which are written to the folder."""
    wanted = {task.image for task in tasks if task.image is not None}
    if images is None or not wanted:
        return list(tasks)
    from voirdire.formats.picture_files import bare_picture
    from voirdire.live.pictures import Pictures

    pictures = Pictures([Path(images)], wanted, LONGEST)
    names: dict[int, str] = {}
    progress = stages("pictures", "pictures")
    for number, image in enumerate(sorted(wanted)):
        progress(number, len(wanted))
        # Whoever judges gets the picture, and nothing that its camera wrote into it: its place, its owner.
        data = bare_picture(pictures.data(image))
        ending = "png" if data.startswith(PNG) else "jpg"
        names[image] = f"{hashlib.sha256(data).hexdigest()[:32]}.{ending}"
        (folder / names[image]).write_bytes(data)
    progress(len(wanted), len(wanted))
    return [task if task.image is None else msgspec.structs.replace(task, picture=names[task.image]) for task in tasks]


def _digest(path: Path) -> str:
    check_file(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_study(folder: str | Path) -> OpenedStudy:
    """A study's folder, checked against its seal."""
    place = Path(folder)
    if not str(folder):
        raise UsageError("`study` must name a folder, got an empty name")
    try:
        sealed, found = (place / SEAL).is_file(), "a folder without seal.txt" if place.is_dir() else "no such folder"
    except (OSError, ValueError):  # A name that is too long, or no name at all.
        sealed, found = False, "no such folder"
    if not sealed:
        raise UsageError(
            f"{shorten_text(str(folder), 400)}: found {found}, expected a study; `voirdire study make` makes one"
        )
    pictures = _check_seal(place)
    about = _decoded(place / ABOUT, AboutStudy)
    if about.format != FORMAT:
        problem = Problem("", "format", str(about.format), str(FORMAT), f"It was made by version {about.version}.")
        raise InputError(str(place / ABOUT), [problem])
    lines = (place / TASKS).read_bytes().splitlines()
    tasks = tuple(_decoded(place / TASKS, StudyTask, line, number) for number, line in enumerate(lines, 1))
    if not tasks:
        raise InputError(str(place / TASKS), [Problem("", "", "no task", "at least one", _AGAIN)])
    for number, task in enumerate(tasks, 1):
        if task.picture and task.picture not in pictures:
            problem = Problem(f"line {number}", "picture", task.picture, "a picture of the seal", _AGAIN)
            raise InputError(str(place / TASKS), [problem])
    return OpenedStudy(place, about, tasks, pictures, _digest(place / SEAL))


def _check_seal(place: Path) -> dict[str, Path]:
    """Refuse a folder that is not as it was made; return its pictures by name."""
    pictures: dict[str, Path] = {}
    names = set()
    try:
        lines = (place / SEAL).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(place / SEAL), [Problem("", "", str(error), "a list of SHA-256s", _AGAIN)]) from None
    for number, line in enumerate(lines, 1):
        digest, _, name = line.partition("  ")
        inside = name.removeprefix(f"{PICTURES}/")
        if name not in (ABOUT, TASKS) and (inside == name or "/" in inside or "\\" in inside or inside.startswith(".")):
            problem = Problem(f"line {number}", "", shorten(name), "a file of the study", _AGAIN)
            raise InputError(str(place / SEAL), [problem])
        try:
            now = _digest(place / name)
        except (OSError, ValueError) as error:
            now = str(getattr(error, "strerror", None) or error)
        if now != digest:
            raise InputError(str(place / name), [Problem("", "SHA-256", now, shorten(digest), _AGAIN)])
        names.add(name)
        if inside != name:
            pictures[inside] = place / name
    if not {ABOUT, TASKS} <= names:
        raise InputError(str(place / SEAL), [Problem("", "", "not all files", f"{ABOUT} and {TASKS}", _AGAIN)])
    return pictures


def _decoded(path: Path, kind: Any, data: bytes | None = None, line: int = 0) -> Any:
    try:
        return decode(path.read_bytes() if data is None else data, kind)
    except Undecodable as error:
        where = f"line {line}" if line else ""
        raise InputError(str(path), [Problem(where, "", error.kind, "what the study was made with", _AGAIN)]) from None
