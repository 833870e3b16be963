"""Mutate files of every format, and attack every verb, many times; print what became of it.

fuzz.py                                        10,000 mutations per format, 5,000 attacks on verbs
fuzz.py --only formats --count 500             the formats alone; a format's name for one of them
fuzz.py --only studies --count 2000            the judgements of a study alone: SQLite files
fuzz.py --only replies --count 2000            what a live model's server sends back
fuzz.py --only verbs --count 500 --seed 7      the verbs alone
fuzz.py --only verbs --case 1234 --seed 7      one case again, with all that it says

Exits with 1 where there was a fault; each fault comes with the words that repeat it.
"""

import argparse
import contextlib
import faulthandler
import itertools
import json
import os
import resource
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import format_cases

MUTATIONS, ATTACKS, STORES = 10_000, 5_000, 2_000
HANG = 60
"""Seconds after which the reading of one file counts as a hang."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="formats, studies, journals, replies, verbs, or a format")
    parser.add_argument("--count", type=int, help="how many mutations per format, or attacks on verbs")
    parser.add_argument("--case", type=int, help="one case, by its number")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes, for verbs")
    parser.add_argument("--material", type=Path, help="where the material of the verbs is, or is to be made and kept")
    parser.add_argument("--verb", default="", help='attack this verb alone: "answers score"')
    parser.add_argument("--attack", default="", help="attack in this way alone: mutated, odd, option, …")
    parser.add_argument("--serve", action="store_true", help="take numbers of attacks on standard input, for tests")
    parser.add_argument("--hold", type=Path, help="attack nothing: put a run of every part into this folder, for tests")
    given = parser.parse_args()
    if given.hold:
        return _hold(given.hold, given.material)
    if given.serve:
        return _serve(given.seed, given.material)
    numbers = range(given.case, given.case + 1) if given.case is not None else None
    faults = 0
    for name in ("studies", "journals"):
        if given.only in ("", name):
            faults += _mutants(name, numbers or range(given.first, given.first + (given.count or STORES)), given.seed)
    if given.only in ("", "replies"):
        faults += _replies(numbers or range(given.first, given.first + (given.count or STORES)), given.seed)
    if given.only not in ("verbs", "studies", "journals", "replies"):
        names = [given.only] if given.only not in ("", "formats") else sorted(format_cases.cases())
        faults += _formats(names, numbers or range(given.first, given.first + (given.count or MUTATIONS)), given.seed)
    if given.only in ("", "verbs"):
        faults += _verbs(
            numbers or range(given.first, given.first + (given.count or ATTACKS)),
            given.seed,
            given.workers,
            given.material,
            {"verb": given.verb, "kind": given.attack},
        )
    return 1 if faults else 0


def _formats(names: Iterable[str], numbers: range, seed: int) -> int:
    print(f"{'format':24}{'mutants':>10}{'fine':>10}{'error':>10}{'fault':>10}{'seconds':>10}")
    broken: dict[str, str] = {}
    for name in names:
        started, found = time.process_time(), Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            faulthandler.dump_traceback_later(HANG, exit=True)
            for number, outcome, mutant in format_cases.run(name, numbers, seed, Path(folder)):
                faulthandler.dump_traceback_later(HANG, exit=True)
                found[outcome.kind] += 1
                if outcome.kind == "fault":
                    again = f"python tests/hostile/fuzz.py --only {name} --case {number} --seed {seed}"
                    key = f"{name}: {outcome.detail}".replace(folder, "")
                    broken.setdefault(key[:200], f"{key}\n    {again}\n    {mutant[:600]!r}")
            faulthandler.cancel_dump_traceback_later()
        counts = "".join(f"{found[kind]:>10,}" for kind in ("fine", "error", "fault"))
        print(f"{name:24}{sum(found.values()):>10,}{counts}{time.process_time() - started:>10.1f}", flush=True)
    print("\n".join(broken.values()))
    return len(broken)


def _mutants(name: str, numbers: range, seed: int) -> int:
    """Stores of judgements, or journals of interviews."""
    import journal_mutants
    import store_mutants

    module = {"studies": store_mutants, "journals": journal_mutants}[name]
    counts, faults, started = Counter[str](), 0, time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        faulthandler.dump_traceback_later(HANG, exit=True)
        for number, change, outcome in module.run(numbers, seed, Path(folder)):
            faulthandler.dump_traceback_later(HANG, exit=True)
            counts[outcome.kind] += 1
            if outcome.kind == "fault":
                faults += 1
                again = f"python tests/hostile/fuzz.py --only {name} --case {number} --seed {seed}"
                print(f"{change}: {outcome.detail}\n    {again}", flush=True)
        faulthandler.cancel_dump_traceback_later()
    kinds = ", ".join(f"{counts[kind]:,} {kind}" for kind in ("fine", "error", "fault"))
    print(f"{name}: {counts.total():,} mutants, {kinds}; {time.process_time() - started:.1f} s")
    return faults


def _replies(numbers: range, seed: int) -> int:
    import replies

    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        ends, faults = replies.fuzz(numbers, seed, Path(folder))
    for line in faults:
        number = line.partition(":")[0]
        print(f"{line}\n    python tests/hostile/fuzz.py --only replies --case {number} --seed {seed}", flush=True)
    counts = ", ".join(f"{count:,} {end}" for end, count in ends.most_common())
    print(f"replies: {len(numbers):,} mutants, {counts}, {len(faults)} fault; {time.process_time() - started:.1f} s")
    return len(faults)


def _verbs(numbers: range, seed: int, workers: int, material: Path | None, alone: dict[str, str]) -> int:
    import attacks

    started = time.monotonic()
    outcomes = ("fine", "refused", "long", "fault")
    by: dict[str, dict[str, Counter[str]]] = {"verb": defaultdict(Counter), "attack": defaultdict(Counter)}
    seconds, faults = 0.0, 0
    with _material(material) as folder:
        for number, one in _attacked(numbers, seed, min(workers, len(numbers)), folder, alone):
            by["verb"][one["verb"]][one["outcome"]] += 1
            by["attack"][one["kind"]][one["outcome"]] += 1
            seconds += one["seconds"]
            if one["outcome"] == "fault" or len(numbers) == 1:
                faults += one["outcome"] == "fault"
                print(f"{one['outcome']}: {one['verb']}, {one['told'][:700]}\n    {one['detail']}")
                kept = "".join(
                    f" --{name} {shlex.quote(value)}"
                    for name, value in zip(("verb", "attack"), alone.values(), strict=True)
                    if value
                )
                print(f"    python tests/hostile/fuzz.py --only verbs --case {number} --seed {seed}{kept}", flush=True)
    for title, rows in by.items():
        print(f"{title:28}{'cases':>8}" + "".join(f"{outcome:>8}" for outcome in outcomes))
        for name, found in sorted(rows.items()):
            print(f"{name:28}{sum(found.values()):>8,}" + "".join(f"{found[outcome]:>8,}" for outcome in outcomes))
    total = sum(sum(found.values()) for found in by["attack"].values())
    assert set(by["attack"]) <= set(attacks.KINDS)
    print(f"{total:,} attacks, {faults:,} faults; {seconds:,.0f} s of processor, {time.monotonic() - started:,.0f} s")
    return faults


@contextlib.contextmanager
def _material(folder: Path | None) -> Iterator[Path]:
    """The folder of the material, made if need be; in a folder that goes where none is given."""
    from filelock import FileLock
    from forked import import_all
    from verbs import make_material

    import_all()
    with tempfile.TemporaryDirectory() as own:
        folder = folder or Path(own) / "material"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            # What is written last tells that it is all there.
            if not (folder / "facts.json").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make_material(folder)
        yield folder


def _attacked(
    numbers: range, seed: int, workers: int, material: Path, alone: dict[str, str]
) -> Iterator[tuple[int, dict]]:
    """The results, from processes that take every `workers`-th number each."""
    pipes = []
    for worker in range(workers):
        reading, writing = os.pipe()
        if not os.fork():
            os.close(reading)
            _work(itertools.islice(numbers, worker, None, workers), seed, material, alone, writing)
        os.close(writing)
        pipes.append(reading)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(os.fdopen(pipe)) for pipe in pipes]
        for lines in itertools.zip_longest(*files):
            yield from (json.loads(line) for line in lines if line is not None)
    if any(os.wait()[1] for _ in range(workers)):
        raise RuntimeError("a process that carries out attacks has failed, see above")


def _work(numbers: Iterable[int], seed: int, material: Path, alone: dict[str, str], writing: int) -> None:
    """In a process of its own, which ends here."""
    try:
        with os.fdopen(writing, "w") as file:
            for number in numbers:
                file.write(json.dumps([number, _one(number, seed, material, **alone)]) + "\n")
                file.flush()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _one(number: int, seed: int, material: Path, verb: str = "", kind: str = "") -> dict:
    import attacks

    with tempfile.TemporaryDirectory() as folder:
        try:
            return asdict(attacks.attack(number, seed, material, Path(folder) / "case", verb, kind))
        finally:
            # What a case made unreadable is readable again for the one who cleans up.
            for path in Path(folder).rglob("*"):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o755)


def _hold(folder: Path, material: Path) -> int:
    from verbs import hold_parts

    with _material(material) as there:
        hold_parts(there, folder)
    return 0


def _serve(seed: int, material: Path) -> int:
    """A line with a number comes, a line with its result goes."""
    with _material(material) as folder:
        for line in sys.stdin:
            print(json.dumps(_one(int(line), seed, folder)), flush=True)
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
