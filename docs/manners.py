"""Fill the table of docs/live.md: what the exams say of witnesses that differ in their manners alone.

    python docs/manners.py [--scenes 120] [--seed 7] [--work FOLDER]

It makes a world and puts every exam to witnesses without a flaw and with the flaw that the exam is to find, in every
manner. A row is a manner; for each exam it has the leading figures of the witness without a flaw, and p of its
difference from the flawed witness in the same manner (paired permutation). A figure that is more than 2 points from
that without a manner is set in bold, and so is a p that is not below 0.01. What is in the work folder already is not
made again; all of it takes some minutes of one processor.
"""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import voirdire
from voirdire.errors import InputError
from voirdire.exam.short_answers import by_short_answers
from voirdire.metrics.key import Key
from voirdire.runs import Run
from voirdire.session.config import Config
from voirdire.session.session import run_session
from voirdire.world.build import build_world
from voirdire.world.witness_session import world_data
from voirdire.world.witnesses.manners import MANNERS

PAGE = Path(__file__).with_name("live.md")
POINTS, ALPHA = 2.0, 0.01
EXEMPT = frozenset({"yes", "foreign"})
"""Manners that change what is said: of these nothing is demanded."""
ROOM = 256
"""Tokens for a witness that thinks aloud, as `--thinking` gives them."""


@dataclass(frozen=True)
class Test:
    """One exam on a pair of witnesses.

    sound, flawed  the witnesses without and with the flaw that it is to find
    figures        the keys of the leading figures, by their heads in the table, with the factor that makes points
    found_by       the key whose difference shows the flaw
    options        of the interview
    """

    sound: str
    flawed: str
    figures: Mapping[str, tuple[str, float]]
    found_by: str
    options: Mapping[str, Any]


TESTS: dict[str, Test] = {
    "answers": Test("truthful", "forgetful", {"METEOR": ("meteor", 100), "ROUGE-L": ("rouge_l", 100)}, "meteor", {}),
    "robustness": Test(
        "truthful",
        "distractible",
        {"accuracy": ("accuracy", 1), "under noise": ("accuracy:partition1", 1), "R_score": ("r_score", 100)},
        "drop:partition1",
        {},
    ),
    "questions": Test(
        "keen",
        "repetitive",
        {"task success": ("task_success", 100), "effective": ("effectiveness", 100)},
        "effectiveness",
        {"oracle": "witness:truth", "guesser": "witness:consistent", "may_stop": True},
    ),
    "scorekeeping": Test(
        "scorekeeper",
        "amnesic",
        {"TFxPS": ("accuracy@5[TFxPS]", 100), "PxTSFS": ("accuracy@5[PxTSFS]", 100)},
        "accuracy[TFxPS]",
        {"turns": "5", "pairs": 4},
    ),
}


def ask(world: Path, work: Path, manner: str, scenes: str, exams: Sequence[str] = tuple(TESTS)) -> None:
    """Put exams to both witnesses of each in a manner; without one where it is empty."""
    steps, data, _ = world_data(world, work, exams)
    options = {name: dict(TESTS[name].options) for name in exams}
    if "questions" in exams:
        # Whoever plays along has the manner, too.
        for seat in ("oracle", "guesser"):
            options["questions"][seat] = named(options["questions"][seat], manner)
    witnesses = dict.fromkeys(name for exam in exams for name in (TESTS[exam].sound, TESTS[exam].flawed))
    live = {
        named(name, manner): {"model": named(f"witness:{name}", manner), "scenes": scenes}
        | ({"thinking": ROOM} if manner == "thinks" else {})
        for name in witnesses
    }
    config = Config(
        {name: {} for name in live}, {name: data[name] for name in exams}, options, None, str(work), live=live
    )
    session = run_session(config, work, before=steps)
    for fault in session.faults:
        print(fault.message, file=sys.stderr)
        if manner not in EXEMPT:
            sys.exit(1)


def named(witness: str, manner: str) -> str:
    """A witness with a manner, as a model is named."""
    return f"{witness}+{manner}" if manner else witness


@dataclass(frozen=True)
class Result:
    """What an exam says of a manner.

    points  the leading figures of the witness without a flaw, in points; None where nothing that it said could be read
    p       of its difference from the flawed one
    """

    points: tuple[float | None, ...]
    p: float | None = None


def result(work: Path, exam: str, manner: str) -> Result:
    """What the runs of a manner say, by short answers where there are such figures."""
    test = TESTS[exam]
    names = [named(witness, manner) for witness in (test.sound, test.flawed)]
    try:
        sound, flawed = (read_run(work, exam, name) for name in names)
    except InputError:
        return Result((None,) * len(test.figures))
    points: list[float | None] = []
    for name, unit in test.figures.values():
        figure = sound.measures.figure(by_short_answers(Key.parse(name), sound)).value
        points.append(None if figure is None else unit * figure)
    (compared,) = voirdire.compare_runs(names, [sound, flawed], slices=False, short=True)
    key = by_short_answers(Key.parse(test.found_by), sound)
    (found,) = (one for one in compared.measures if one.measure.key == key)
    return Result(tuple(points), found.p)


def read_run(work: Path, exam: str, name: str) -> Run:
    """The run of a model; that of scorekeeping is one of judgements."""
    return voirdire.read_run(work / "runs" / name / {"scorekeeping": "scorekeeping-judge"}.get(exam, exam))


def near(value: float | None, plain: float | None) -> bool:
    """Whether a figure is that without a manner, within 2 points."""
    return value is not None and plain is not None and abs(value - plain) <= POINTS


def show(value: float | None) -> str:
    """A figure for readers."""
    return "–" if value is None else f"{value:.1f}"


def failures(results: Mapping[str, Mapping[str, Result]]) -> list[str]:
    """What the demand is not met by: manner, exam and figure."""
    lines = []
    for manner, by_exam in results.items():
        for exam, one in by_exam.items():
            plain = results[""][exam]
            for head, value, should in zip(TESTS[exam].figures, one.points, plain.points, strict=True):
                if not near(value, should) and manner not in EXEMPT:
                    lines.append(f"{manner}: {exam}, {head} is {show(value)}, without a manner {show(should)}")
            if (one.p is None or one.p >= ALPHA) and manner not in EXEMPT:
                lines.append(f"{manner}: {exam}, p of {TESTS[exam].flawed} is {one.p}")
    return lines


def table(results: Mapping[str, Mapping[str, Result]]) -> str:
    """The table of the page."""
    exams = list(results[""])
    head = ["manner"]
    for exam in exams:
        head += [f"{exam}: {name}" for name in TESTS[exam].figures]
        head.append(f"`{TESTS[exam].flawed}`, p")
    rows = [head, ["---"] * len(head)]
    for manner, by_exam in results.items():
        row = [f"`+{manner}`" if manner else "none"]
        for exam in exams:
            one, plain = by_exam[exam], results[""][exam]
            row += [
                _marked(show(value), near(value, should))
                for value, should in zip(one.points, plain.points, strict=True)
            ]
            p = "–" if one.p is None else f"{one.p:.4f}" if one.p >= 0.0001 else "< 0.0001"
            row.append(_marked(p, one.p is not None and one.p < ALPHA))
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _marked(text: str, good: bool) -> str:
    return text if good else f"**{text}**"


def measure(
    scenes: int, seed: int, work: Path, manners: Sequence[str] = tuple(MANNERS), exams: Sequence[str] = tuple(TESTS)
) -> dict[str, dict[str, Result]]:
    """What the exams say of each manner, the first of which is none."""
    world = work / "world"
    build_world(world, scenes, seed)
    results: dict[str, dict[str, Result]] = {}
    for manner in ("", *manners):
        ask(world, work, manner, str(world / "scenes.jsonl"), exams)
        results[manner] = {exam: result(work, exam, manner) for exam in exams}
        print(manner or "no manner", results[manner], file=sys.stderr)
    return results


def main() -> int:
    """Fill the page's table; 1 where the demand is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=120, help="of the world, of which a fifth is asked about")
    parser.add_argument("--seed", type=int, default=7, help="of the world")
    parser.add_argument("--work", type=Path, default=Path("build/manners"), help="where world and runs are kept")
    given = parser.parse_args()
    results = measure(given.scenes, given.seed, given.work)
    place = re.compile(r"(<!-- manners -->\n).*?(<!-- end -->)", re.DOTALL)
    page, found = place.subn(lambda match: f"{match[1]}\n{table(results)}\n\n{match[2]}", PAGE.read_text())
    if found != 1:
        sys.exit(f"{PAGE.name} has {found} places for the table, expected one")
    PAGE.write_text(page)
    lines = failures(results)
    print("\n".join(lines), file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
