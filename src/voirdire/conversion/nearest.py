"""For a file of unknown format: which known one is nearest, what the file lacks, and how to convert it.

    nearest = the format with the largest share of common keys:  |A ∩ B| / |A ∪ B|

Where the records have what a layout of a model's outputs is made of, under whatever names, that layout is nearest.
"""

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from voirdire.conversion.convert import listed
from voirdire.conversion.layouts import PLAIN, TARGETS, Target, choose_paths, layout_of
from voirdire.conversion.rows import RawRecords, read_rows
from voirdire.errors import InputError
from voirdire.formats.catalogue import Format, formats, named_format
from voirdire.formats.files import Source

ENOUGH = 0.3
"""The share of common keys from which on a format is called near."""


def suggest(source: Source) -> str:
    """A sentence or two for somebody whose file is of unknown format; empty where nothing is near."""
    try:
        rows = read_rows(source)
    except InputError:
        return ""
    keys = set(rows.keys())
    if (conversion := _possible_conversion(rows)) is not None:
        return _explain(source, rows, *conversion)

    def share(format_: Format) -> float:
        return len(keys & {*format_.fields}) / len(keys | {*format_.fields})

    near = max((format_ for format_ in formats() if format_.fields), key=share, default=None)
    if near is None or share(near) < ENOUGH:
        return ""
    return f"{_nearest(near, keys)} docs/formats.md has its layout."


def _possible_conversion(rows: RawRecords) -> tuple[Target, dict[str, str], list[str]] | None:
    """The layout of a model's outputs that the records can become, from which paths, and what the call has to add."""
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


def _explain(source: Source, rows: RawRecords, target: Target, paths: dict[str, str], unnamed: Sequence[str]) -> str:
    format_, keys = named_format(target.name), rows.keys()
    layout = layout_of(keys)
    guess = "" if layout is PLAIN else f"It seems to be {layout.title}. "
    call = call_to_convert(source, target.name, *(["--against", "QUESTIONS"] if unnamed else []))
    taken = [f"{role} from {path}" for role, path in paths.items() if role in (target.role, *format_.fields)]
    of_dialogues = "; or --to generations --against DIALOGUES if they are of dialogues" if unnamed else ""
    how = f" ({', '.join(taken)}{', question ids by image and question' if unnamed else ''})"
    return f"{guess}{_nearest(format_, keys)} To make one{how}: {call}{of_dialogues}"


def call_to_convert(source: Source, to: str, *more: str) -> str:
    """The command that converts a file, as a user would type it."""
    out = f"{Path(source.name).name.partition('.')[0] or 'out'}.{to}.json" if source.name != "-" else "OUT"
    return shlex.join(["voirdire", "convert", source.name, "--to", to, *more, "-o", out])


def _nearest(format_: Format, keys: Collection[str]) -> str:
    missing = [name for name in format_.fields if name not in keys]
    lacks = f"of which it lacks {listed(missing)}" if missing else "whose keys it has, but not as they should be"
    return f"Nearest is {format_.title} ({format_.name}), {lacks}."
