"""Of a file of no known format: which known one is nearest, what it lacks, and what would make it one.

    nearest = the format with the largest share of its keys there, of all keys of both:  |A ∩ B| / |A ∪ B|

Where the records have what a layout of a model's outputs is made of, under whatever names, that layout is nearest.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path

from voirdire.conversion.convert import choose_paths, listed
from voirdire.conversion.layouts import PLAIN, layout_of
from voirdire.conversion.request import TARGETS, Target
from voirdire.conversion.rows import RawRecords, read_rows
from voirdire.errors import InputError
from voirdire.formats.catalogue import Format, formats
from voirdire.formats.files import Source

ENOUGH = 0.3
"""From what share of common keys on a format is called near."""


def suggest(source: Source) -> str:
    """A sentence or two for somebody whose file is not known; empty where nothing can be said."""
    try:
        rows = read_rows(source)
    except InputError:
        return ""
    keys = rows.keys()
    made = _makeable(rows)
    if made is not None:
        return _say_how(source, rows, *made)
    near = max((one for one in formats() if one.fields), key=lambda one: _share(one.fields, keys), default=None)
    if near is None or _share(near.fields, keys) < ENOUGH:
        return ""
    missing = [name for name in near.fields if name not in keys]
    return f"Nearest is {_called(near)}, {_lack(missing)}. docs/formats.md has its layout."


def _makeable(rows: RawRecords) -> tuple[Target, dict[str, str], list[str]] | None:
    """The layout of a model's outputs that can be made, from what, and what is still to be said in the call."""
    layout = layout_of(rows.keys())
    best = None
    for target in (TARGETS["ranks"], TARGETS["scores"], TARGETS["generations"], TARGETS["vqa_results"]):
        paths = choose_paths(rows, layout, target, {})
        if target.role not in paths:
            continue
        named = {"image_id", "round_id"} <= set(paths) if target.rounds else "question_id" in paths
        if named:
            return target, paths, []
        if "question" in paths and not target.rounds:
            best = target, paths, ["question_id"]
    return best


def _say_how(source: Source, rows: RawRecords, target: Target, paths: dict[str, str], unnamed: Sequence[str]) -> str:
    format_ = next(one for one in formats() if one.name == target.name)
    keys = rows.keys()
    missing = [name for name in format_.fields if name not in keys]
    layout = layout_of(keys)
    what = "" if layout is PLAIN else f"It seems to be {layout.title}. "
    said = f"{what}Nearest is {_called(format_)}, {_lack(missing)}."
    call = call_to_convert(source, target.name, *(["--against", "QUESTIONS"] if unnamed else []))
    taken = [f"{role} from {path}" for role, path in paths.items() if role in (target.role, *format_.fields)]
    of_dialogues = "; or --to generations --against DIALOGUES if they are of dialogues" if unnamed else ""
    how = f" ({', '.join(taken)}{', question ids by image and question' if unnamed else ''})"
    return f"{said} To make one{how}: {call}{of_dialogues}"


def call_to_convert(source: Source, to: str, *more: str) -> str:
    """The call that makes one of a file, as a user would type it."""
    out = f"{Path(source.name).name.partition('.')[0] or 'out'}.{to}.json" if source.name != "-" else "OUT"
    return shlex.join(["voirdire", "convert", source.name, "--to", to, *more, "-o", out])


def _called(format_: Format) -> str:
    return f"{format_.title} ({format_.name})"


def _lack(missing: Sequence[str]) -> str:
    return f"of which it lacks {listed(missing)}" if missing else "whose keys it has, but not as they should be"


def _share(fields: Sequence[str], keys: Sequence[str]) -> float:
    return len({*fields} & {*keys}) / len({*fields} | {*keys})
