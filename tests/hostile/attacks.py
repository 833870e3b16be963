"""Attacks on a call: one thing that is wrong, drawn by a seed and a number, and what the command may do about it.

mutated   a file that it reads is mutated, or is one of another format
odd       in the place of a file is something else, or its name is odd
option    an option has an extreme value
output    what it shall write to is in use, is no file, or cannot be
tampered  what an interrupted call left to go on from, a run or the cache is damaged
disk      files can only grow so far, or nothing can be printed
around    another encoding of the terminal, another environment

A call that is attacked may work (0) or say in a line that names a file or an option what is wrong (2). Anything else is
a fault: another exit code, a traceback, a signal, no end, a file that is not whole, something hidden that is left.
"""

import dataclasses
import json
import os
import random
import re
import shlex
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import format_cases
import verbs
from forked import CPU, Done, Limits, call
from mutation import mutate

from voirdire.escaping import visible

__all__ = ["KINDS", "Result", "attack"]

KINDS = {"mutated": 40, "odd": 10, "option": 20, "output": 6, "tampered": 10, "disk": 10, "around": 4}
"""The attacks, and how often each is drawn."""
INTERRUPTED = (1, 2, 4, 7)
"""After how many files an interrupted call was killed."""
PATIENT = 3
"""How much more time a call gets at its second try: what it compiled at the first is kept."""
CUT = 300
"""Characters of a name that must be told, however long it is."""

NUMBERS = (
    "nan", "inf", "-inf", "-1", "0", "1", "2", "3", "0.5", "1e-300", "1e308", str(10**6), str(10**9), str(2**31),
    str(2**63), str(2**64), str(10**30), str(-(10**30)), "0x10", "1_000", "٣", "1e3", "+1", "",
)  # fmt: skip
TEXTS = (
    "", " ", "x", "0", "-1", "x" * 5000, "\x1b[31mred", "a\nb", "\udcff", "é\u202e\U0001f600", "..", "/proc", "None",
    "true", "[]", "{}", "%s", "`x`", "-", ":", "lasso:", "st:/nowhere", "bert:/dev/null", "glove:/dev/null",
    "npz:", "words:/", "fasttext:nowhere", "static:x", "minilm:x", "file:", "visdial:/nowhere", "scenes:", "table:-",
    "model:/dev/null", "spacy:x", "hanta:x", "rules:x", "0,1,,2", "1,2,x", "processes:0", "processes:x", "clean",
    "control9",
)  # fmt: skip
ENVIRONMENTS: tuple[dict[str, str | None], ...] = (
    {"COLUMNS": "0"}, {"COLUMNS": "-5"}, {"COLUMNS": "x"}, {"COLUMNS": "1"}, {"TERM": "dumb"}, {"TERM": None},
    {"VOIRDIRE_CACHE": "/dev/null"}, {"VOIRDIRE_CACHE": "/proc/nowhere"}, {"VOIRDIRE_CACHE": ""},
    {"VOIRDIRE_CACHE": "x" * 300}, {"VOIRDIRE_CACHE_LIMIT": "-1"}, {"VOIRDIRE_CACHE_LIMIT": "0"},
    {"VOIRDIRE_CACHE_LIMIT": "9" * 30}, {"HOME": None, "VOIRDIRE_CACHE": None},
    {"HOME": "/nowhere", "VOIRDIRE_CACHE": None},
    {"TMPDIR": "/nowhere"}, {"LC_ALL": "C"}, {"TZ": "nowhere"}, {"FORCE_COLOR": "1"}, {"NO_COLOR": "1"},
)  # fmt: skip
MANY = re.compile(r"--(workers|engine)")
"""Options of which a large value would start as many processes."""


@dataclasses.dataclass
class Attack:
    """A call with one thing wrong.

    words     of the call
    told      what was done to it, in words
    names     one of which the message must have: of files and options
    steps     what has to be done before
    limits    of its process
    outputs   what it writes, or was to write
    patient   whether a call that takes long does as it was told: it was asked for very much
    """

    verb: str
    kind: str
    words: list[str]
    told: str = ""
    names: list[str] = dataclasses.field(default_factory=list)
    steps: list[Callable[[], Any]] = dataclasses.field(default_factory=list)
    limits: Limits = Limits()  # noqa: RUF009
    outputs: list[Path] = dataclasses.field(default_factory=list)
    patient: bool = False


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of an attack: "fine", "refused", "long" or "fault", and how."""

    verb: str
    kind: str
    outcome: str
    told: str
    detail: str
    seconds: float


def attack(number: int, seed: int, material: Path, folder: Path, verb: str = "", kind: str = "") -> Result:
    """Carry out the attack of this number in an empty folder; the same seed and number are the same attack."""
    names = list(verbs.CALLS)
    verb = verb or names[number % len(names)]
    kinds = [one for one in KINDS if one != "tampered" or _tampers(verb)]
    kind = kind or random.Random(f"{seed} kind {number}").choices(kinds, [KINDS[one] for one in kinds])[0]
    made, done = _carry_out(verb, kind, random.Random(f"{seed} plan {number}"), material, folder)
    if done.signal == "SIGXCPU" and not made.patient:
        shutil.rmtree(folder)
        made, done = _carry_out(verb, kind, random.Random(f"{seed} plan {number}"), material, folder, PATIENT)
    outcome, detail = _judge(made, done, material, folder)
    return Result(verb, kind, outcome, f"voirdire {shlex.join(made.words)} # {made.told}", detail, done.seconds)


def _carry_out(
    verb: str, kind: str, rng: random.Random, material: Path, folder: Path, times: int = 1
) -> tuple[Attack, Done]:
    here = folder / "here"
    here.mkdir(parents=True)
    made = Attack(verb, kind, [*verb.split(), *verbs.words_of(verbs.CALLS[verb], material)])
    made.limits = Limits(environment={"VOIRDIRE_CACHE": str(material / "cache")})
    _ATTACKS[kind](made, rng, material, here)
    for place, word in enumerate(made.words):
        if word.startswith(">"):
            made.outputs.append(here / word[1:])
            word = str(here / word[1:])
        made.words[place] = word.replace("@", f"{material}/")
    limits = dataclasses.replace(made.limits, cpu=made.limits.cpu * times)

    def before() -> None:
        for step in made.steps:
            step()

    return made, call(made.words, here, limits, before, lambda code: _look(made, code, here))


def _tampers(verb: str) -> bool:
    return verb in verbs.RESUMED or verb == "cache" or bool(_kept(verbs.CALLS[verb].split()))


def _inputs(words: list[str]) -> list[int]:
    """The places of words that name files of the material."""
    return [place for place, word in enumerate(words) if "@" in word]


def _kept(words: list[str]) -> list[int]:
    """The places of words that name what earlier calls kept: runs and models."""
    return [place for place in _inputs(words) if re.search(r"@runs/|@cca|@oracle", words[place])]


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def _mutated(made: Attack, rng: random.Random, material: Path, here: Path, places: list[int] | None = None) -> None:
    places = _inputs(made.words) if places is None else places
    if not places:
        _option(made, rng, material, here)
        return
    place = rng.choice(places)
    prefix, _, name = made.words[place].partition("@")
    source, target = material / name, here / "in" / Path(name).name
    made.words[place] = f"{prefix}{target}"
    if source.is_dir():
        made.steps.append(lambda: shutil.copytree(source, target))
        files = sorted(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
        where = target
    else:
        # A file may have others beside it, and a name with {} stands for several.
        pattern = source.name.replace("{}", "[0-9]") if "{}" in name else f"{source.stem}.*"
        found = sorted(source.parent.glob(pattern))
        where = target.parent
        made.steps.append(lambda: where.mkdir(parents=True))
        made.steps += [lambda one=one: _copy(one, where / one.name) for one in found]
        below = [one for each in found for one in ([each] if each.is_file() else sorted(each.rglob("*")))]
        files = [one.relative_to(source.parent).as_posix() for one in below if one.is_file()]
    chosen = where / rng.choice(files)
    state = rng.getrandbits(64)
    made.told = f"mutated: {chosen.relative_to(here)}"
    if rng.random() < 0.05:
        made.told = f"removed: {chosen.relative_to(here)}"
        made.steps.append(chosen.unlink)
        return
    made.steps.append(lambda: _mutate(chosen, random.Random(state)))


def _mutate(path: Path, rng: random.Random) -> None:
    path.write_bytes(mutate(path.read_bytes(), rng, format_cases.strangers))


def _odd(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    places = _inputs(made.words)
    if not places:
        _option(made, rng, material, here)
        return
    place = rng.choice(places)
    prefix, _, name = made.words[place].partition("@")
    source, target = material / name.replace("{}", "1"), here / "in" / f"odd{Path(name).suffix}"
    made.steps.append(target.parent.mkdir)
    copy = shutil.copytree if source.is_dir() else shutil.copy
    names = (
        "a b.json",
        "a'b\".json",
        "é\U0001f600.json",
        "a\nb\x1b[31m.json",
        "\udcff.json",
        "-x.json",
        "~.json",
        "{}.json",
        "[a].json",
    )
    kinds: dict[str, Callable[[], Any]] = {
        "missing": lambda: None,
        "empty folder": target.mkdir,
        "pipe": lambda: os.mkfifo(target),
        "socket": lambda: socket.socket(socket.AF_UNIX).bind(os.path.relpath(target, here)),
        "loop": lambda: target.symlink_to(target),
        "broken link": lambda: target.symlink_to(here / "nowhere"),
        "link": lambda: target.symlink_to(source),
        "under a file": lambda: None,
        "device": lambda: None,
        "endless device": lambda: None,
        "standard input": lambda: None,
        "no name": lambda: None,
        "long name": lambda: None,
        "odd name": lambda: copy(source, target),
    }
    kind = rng.choice(list(kinds))
    if kind == "odd name":
        target = target.with_name(rng.choice(names))
    made.told = f"odd: {kind}"
    made.steps.append(kinds[kind])
    given = {
        "device": "/dev/null",
        "endless device": "/dev/zero",
        "standard input": "-",
        "no name": "",
        "long name": "x" * rng.choice((300, 5000)),
        "under a file": str(source / "x") if source.is_file() else str(target / "x"),
    }
    made.words[place] = f"{prefix}{given.get(kind, target)}"
    made.names = [made.words[place - 1], *([given[kind]] if given.get(kind) else [])]


def _option(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    params = verbs.options_of(made.verb)
    if not params:
        made.told = "option: none"
        return
    param = rng.choice(params)
    flag = max(param.opts, key=len)
    made.names = [flag]
    if param.is_flag:
        made.words.append(flag)
        made.told = f"option: {flag}"
        return
    value = rng.choice(NUMBERS if rng.random() < 0.6 else TEXTS)
    if MANY.match(flag) and value.strip("+-_").isdigit() and len(value) > 1:
        value = "0"
    replaced = not param.multiple or rng.random() < 0.5
    while replaced and any(word in param.opts for word in made.words):
        place = next(place for place, word in enumerate(made.words) if word in param.opts)
        del made.words[place : place + 2]
    made.words.append(f"{flag}={value}")
    # A value may be a file's name, which stands first, and an option may be called without its dashes.
    made.names += [flag.removeprefix("--"), f"voirdire: {value}:", f"voirdire: {value.partition(':')[2]}:"]
    made.names += [*re.findall(r"^[a-z]{2,}(?=:)", value)]
    made.told = f"option: {flag}={value[:40]}"
    if value.isdigit() and int(value) > 1000:
        made.patient, made.limits = True, dataclasses.replace(made.limits, cpu=6)


def _output(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    places = [place for place, word in enumerate(made.words) if word.startswith(">")]
    if not places:
        _option(made, rng, material, here)
        return
    place = rng.choice(places)
    name = made.words[place][1:]
    target = here / name
    kinds: dict[str, tuple[str, Callable[[], Any]]] = {
        "a file": (str(target), lambda: target.write_bytes(b"before")),
        "a folder": (str(target), target.mkdir),
        "a full folder": (str(target), lambda: (target.mkdir(), (target / "x").write_bytes(b"before"))),
        "under a file": (f"{target}.file/{name}", lambda: (here / f"{name}.file").write_bytes(b"before")),
        "new folders": (str(here / "new" / "er" / name), lambda: None),
        "a device": ("/dev/full", lambda: None),
        "a broken link": (str(target), lambda: target.symlink_to(here / "nowhere" / "x")),
        "a loop": (str(target), lambda: target.symlink_to(target)),
        "a pipe": (str(target), lambda: os.mkfifo(target)),
        "no folder to write to": (f"/proc/{name}", lambda: None),
        "a long name": (str(here / ("x" * 300 + name)), lambda: None),
        "an odd name": (str(here / f"a\nb\x1b[31m\udcff{name}"), lambda: None),
        "no name": ("", lambda: None),
        "standard output": ("-", lambda: None),
    }
    kind = rng.choice(list(kinds))
    made.words[place], step = kinds[kind]
    made.steps.append(step)
    made.told = f"output: {kind}"
    made.names = [made.words[place], made.words[place - 1]]
    if rng.random() < 0.3 and any("--overwrite" in parameter.opts for parameter in verbs.commands()[made.verb].params):
        made.words.append("--overwrite")


def _tampered(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    kept = _kept(made.words)
    if made.verb == "cache":
        cache = here / "cache"
        shutil.copytree(material / "cache", cache)
        made.limits = dataclasses.replace(made.limits, environment={"VOIRDIRE_CACHE": str(cache)})
        _tamper(made, rng, cache)
    elif made.verb in verbs.RESUMED and (not kept or rng.random() < 0.7):
        shutil.rmtree(here)
        shutil.copytree(_interrupted(made.verb, rng.choice(INTERRUPTED), material), here, symlinks=True)
        _tamper(made, rng, here)
    else:
        _mutated(made, rng, material, here, kept)


def _tamper(made: Attack, rng: random.Random, folder: Path) -> None:
    """Damage, remove or exchange one of the files below a folder."""
    files = sorted(one for one in folder.rglob("*") if one.is_file() and one.name != "lock")
    if not files:
        made.told = "tampered: nothing there"
        return
    path, other = rng.choice(files), rng.choice(files)
    state = rng.getrandbits(64)
    kind = rng.choice(("mutated", "mutated", "removed", "exchanged", "folder"))
    made.told = f"tampered: {path.relative_to(folder)} {kind}"
    made.names.append(path.name)
    steps: dict[str, Callable[[], Any]] = {
        "mutated": lambda: _mutate(path, random.Random(state)),
        "removed": path.unlink,
        "exchanged": lambda: path.write_bytes(other.read_bytes()),
        "folder": lambda: (path.unlink(), path.mkdir()),
    }
    made.steps.append(steps[kind])


def _interrupted(verb: str, count: int, material: Path) -> Path:
    """A folder as a call leaves it that is killed when so many files were put in their places; made once."""
    folder = material / "interrupted" / f"{verb.replace(' ', '-')}-{count}"
    if not folder.exists():
        own = folder.with_name(f"{folder.name}.{os.getpid()}")
        own.mkdir(parents=True)
        words = [*verb.split(), *verbs.words_of(verbs.CALLS[verb], material)]
        words = [word.replace("@", f"{material}/").replace(">", f"{own}/") for word in words]
        environment = {"VOIRDIRE_CACHE": str(material / "cache")}
        call(words, own, Limits(environment=environment, stop_after=count, cpu=CPU * PATIENT))
        try:
            own.rename(folder)
        except OSError:
            shutil.rmtree(own)
    return folder


def _disk(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    size = rng.choice((0, 1, 100, 512, 1000, 4096, 10_000, 65_536, None))
    made.limits = dataclasses.replace(made.limits, file_size=size, full=size is None)
    made.told = "disk: nothing can be printed" if size is None else f"disk: no file beyond {size} bytes"


def _around(made: Attack, rng: random.Random, material: Path, here: Path) -> None:
    if rng.random() < 0.4:
        made.limits = dataclasses.replace(made.limits, encoding=rng.choice(("cp1252", "ascii", "latin-1", "cp437")))
        made.told = f"around: {made.limits.encoding}"
        return
    changed = rng.choice(ENVIRONMENTS)
    made.limits = dataclasses.replace(made.limits, environment={**made.limits.environment, **changed})
    made.names = list(changed)
    made.told = f"around: {changed}"


_ATTACKS: dict[str, Callable[[Attack, random.Random, Path, Path], None]] = {
    "mutated": _mutated,
    "odd": _odd,
    "option": _option,
    "output": _output,
    "tampered": _tampered,
    "disk": _disk,
    "around": _around,
}


def _look(made: Attack, code: int, here: Path) -> list[str]:
    """What is wrong with what the call left, seen by its own process when it has ended."""
    found = [
        f"left behind: {one.relative_to(here)}"
        for one in here.rglob(".*")
        if re.search(r"\.(partial|old|gone)(\.|$)", one.name)
    ]
    for path in made.outputs:
        if path.exists():
            try:
                _check_whole(path)
            except Exception as error:
                found.append(f"not whole: {path.name}: {type(error).__name__}: {error}")
        elif not code and made.kind not in ("output", "option"):
            found.append(f"not written: {path.name}")
    return found


def _check_whole(path: Path) -> None:
    """Raise where a file, or one below a folder, is not what its name says."""
    if path.is_dir():
        for one in path.rglob("*"):
            if one.is_file() and not one.is_symlink():
                _check_whole(one)
        return
    data = path.read_bytes()
    match path.suffix:
        case ".json":
            _strict(data)
        case ".jsonl":
            for line in data.splitlines():
                _strict(line)
        case ".csv" | ".md" | ".tsv" | ".yaml":
            assert data.decode()
        case ".parquet":
            import polars as pl

            pl.read_parquet(data)
        case ".npz":
            import numpy as np

            with np.load(path) as arrays:
                assert all(arrays[name].dtype for name in arrays.files)
        case ".h5":
            import h5py

            with h5py.File(path) as file:
                assert list(file)
        case ".html" | ".svg" as kind:
            assert data.rstrip().endswith(f"</{kind[1:]}>".encode()), "no end"


def _strict(data: bytes | str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(data, parse_constant=refuse)


def _judge(made: Attack, done: Done, material: Path, folder: Path) -> tuple[str, str]:
    """What became of the call, and how."""
    if made.patient and done.signal == "SIGXCPU":
        return "long", ""
    if done.signal:
        return "fault", f"ended by {done.signal} after {done.seconds:.0f} s: {_tail(done.err)}"
    if "Traceback (most recent call last)" in done.err:
        return "fault", f"a traceback: {_tail(done.err)}"
    if "panicked at" in done.err:
        return "fault", f"a panic: {_tail(done.err)}"
    if done.code not in (0, 2):
        return "fault", f"exit code {done.code}: {_tail(done.err)} {chr(32).join(done.found)[-600:]}"
    if done.found:
        return "fault", f"exit code {done.code}, {'; '.join(done.found)[:600]}"
    if done.code == 0:
        if "--json" in made.words and not made.limits.full:
            try:
                _strict(done.out)
            except ValueError as error:
                return "fault", f"what is printed is no JSON: {error}: {_tail(done.out)}"
        return "fine", ""
    said = _squeezed(done.err + (done.out if made.verb in ("validate", "doctor") else ""))
    flags = [word for word in made.words if word.startswith("--")]
    names = [
        *made.names,
        *map(visible, made.names),
        *(repr(name)[1:-1] for name in made.names),
        *flags,
        str(material),
        str(folder),
        "standard output",
        "an empty name",
        *(output.name for output in made.outputs),
    ]
    # A very long name is cut short where it is told.
    if not any(_squeezed(name)[:CUT] in said for name in names if _squeezed(name)):
        return "fault", f"names no file and no option: {_tail(done.err)}"
    return "refused", ""


def _squeezed(text: str) -> str:
    """The text without the line breaks and frames that a terminal needs."""
    return re.sub(r"[\s│╭╮╰╯─]", "", text.encode("utf-8", "backslashreplace").decode())


def _tail(text: str) -> str:
    return text.strip()[-500:]
