"""Are the outputs of two versions the same? Compares two folders that the same calls wrote, file by file.

    python tests/same_outputs.py BEFORE AFTER [--moved OLD=NEW …]

A run is the same where its items are (column by column, bit by bit), its measures (value, low, high, n) and what its
signature says of data, tokeniser, encoder and seed; when it was made and by which versions does not count. Of a page
every figure is compared with its run and measure, of JSON every value, of any other file the bytes. Version 1 of runs
wrote `l2[minilm]@5` for what is `l2@5[minilm]` now; its names are read so. Prints what differs and a count, and exits
with 1 where anything does.
"""

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

OLD = re.compile(r"(?P<base>[^@\[\]:]+)(?P<slice>\[.*\])@(?P<k>\d+)(?P<rest>.*)")
RUN, ITEMS = "run.json", "items.parquet"
IGNORED = (".made_of.json", ".lock", "lock")


def now(name: str) -> str:
    """A measure's or a column's name as this version writes it."""
    found = OLD.fullmatch(name := name.replace("][", ", "))
    return f"{found['base']}@{found['k']}{found['slice']}{found['rest']}" if found else name


def same_run(before: Path, after: Path) -> list[str]:
    """What differs between two runs."""
    first, second = (json.loads((folder / RUN).read_bytes()) for folder in (before, after))
    said = []
    ours = {now(name): figure for name, figure in first["measures"].items()}
    theirs = {now(name): figure for name, figure in second["measures"].items()}
    for name in ours.keys() ^ theirs.keys():
        said.append(f"measure {name} only in {'the first' if name in ours else 'the second'}")
    said += [
        f"{name}: {ours[name]} and {theirs[name]}" for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]
    ]
    if list(map(now, first["order"])) != list(map(now, second["order"])) and not said:
        said.append("measures in another order")
    for part in ("data", "references", "tokeniser", "encoder", "seed"):
        if first["signature"].get(part) != second["signature"].get(part):
            said.append(f"signature {part}: {first['signature'].get(part)} and {second['signature'].get(part)}")
    if first["warnings"] != second["warnings"]:
        said.append(f"warnings: {first['warnings']} and {second['warnings']}")
    return said + same_items(*(pl.read_parquet(folder / ITEMS) for folder in (before, after)))


def same_items(before: pl.DataFrame, after: pl.DataFrame) -> list[str]:
    """What differs between two tables of items."""
    before, after = (table.rename({name: now(name) for name in table.columns}) for table in (before, after))
    said = [f"column {name} only in one" for name in set(before.columns) ^ set(after.columns)]
    if before.height != after.height:
        return [*said, f"{before.height} and {after.height} items"]
    for name in before.columns:
        if name in after.columns and not before[name].equals(after[name], check_dtypes=True, null_equal=True):
            said.append(f"column {name} differs")
    return said


def figures(page: str) -> Counter[tuple[str, str, str]]:
    """Every figure of a page with its run and measure."""
    found: Counter[tuple[str, str, str]] = Counter()
    for tag in re.findall(r"<[^>]*data-value=[^>]*>", page):
        parts = dict(re.findall(r'data-(run|measure|value)="([^"]*)"', tag))
        found[parts.get("run", ""), now(parts.get("measure", "")), parts["value"]] += 1
    return found


def same_values(before: Any, after: Any, at: str = "") -> list[str]:
    """What differs between two JSON values, with the way to it."""
    if isinstance(before, dict) and isinstance(after, dict):
        ours, theirs = ({now(name): value for name, value in one.items()} for one in (before, after))
        said = [f"{at}.{name} only in one" for name in sorted(ours.keys() ^ theirs.keys())]
        both = [name for name in ours if name in theirs]
        return said + [line for name in both for line in same_values(ours[name], theirs[name], f"{at}.{name}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [line for number, (one, other) in pairs for line in same_values(one, other, f"{at}[{number}]")]
    if isinstance(before, str) and isinstance(after, str):
        before, after = now(before), now(after)
    # By their texts: 1 and 1.0 are not the same, NaN and NaN are.
    return [] if repr(before) == repr(after) else [f"{at or 'value'}: {str(before)[:90]} and {str(after)[:90]}"]


def same_json(before: Path, after: Path) -> list[str] | None:
    """What differs between two files of JSON; None where one of them is not JSON."""
    try:
        first, second = (json.loads(path.read_bytes()) for path in (before, after))
    except ValueError:
        return None
    return same_values(first, second)


def same_file(before: Path, after: Path) -> list[str]:
    """What differs between two files."""
    if before.suffix == ".html" and "data-value" in (text := before.read_text(encoding="utf-8")):
        ours, theirs = figures(text), figures(after.read_text(encoding="utf-8"))
        gone, new = ours - theirs, theirs - ours
        return [f"figure {one} {'gone' if one in gone else 'new'}" for one in [*gone, *new]][:20]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (before, after)]
    if digests[0] == digests[1]:
        return []
    said = same_json(before, after) if before.suffix == ".json" else None
    return ["other bytes"] if said is None else said


def outputs(folder: Path) -> dict[str, Path]:
    """Runs by their folders and all other files, by their paths below the folder."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or path.name.endswith(IGNORED) or path.is_symlink():
            continue
        if path.name in (RUN, ITEMS) and all((path.parent / one).is_file() for one in (RUN, ITEMS)):
            found[f"{inside.parent.as_posix()}/"] = path.parent
        else:
            found[inside.as_posix()] = path
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--moved", action="append", default=[], metavar="OLD=NEW", help="a file that has another name now"
    )
    parser.add_argument("--leave", action="append", default=[], metavar="ENDING", help="files that are not compared")
    given = parser.parse_args()
    moved = dict(pair.split("=", 1) for pair in given.moved)
    before = {moved.get(name, name): path for name, path in outputs(given.before).items()}
    after: dict[str, Any] = outputs(given.after)
    counts: Counter[str] = Counter()
    for name in sorted(before.keys() | after.keys()):
        if name.endswith(tuple(given.leave)) and given.leave:
            continue
        if name not in before or name not in after:
            counts["only in one"] += 1
            print(f"{name}: only in {'the first' if name in before else 'the second'}")
            continue
        said = (same_run if name.endswith("/") else same_file)(before[name], after[name])
        counts["runs" if name.endswith("/") else "files"] += 1
        counts["different"] += bool(said)
        for line in said[:10]:
            print(f"{name}: {line}")
    seen = f"{counts['runs']} runs, {counts['files']} files"
    print(f"{seen}: {counts['different']} differ, {counts['only in one']} only in one")
    return int(bool(counts["different"] or counts["only in one"]))


if __name__ == "__main__":
    sys.exit(main())
