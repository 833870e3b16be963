"""A whole session: steps, runs, report. What is done is not done again, and one model's fault does not stop another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from voirdire.atomic import write_atomic
from voirdire.errors import OutputError, UsageError
from voirdire.formats.files import open_source
from voirdire.locks import lock_folder
from voirdire.report.pictures import check_pictures
from voirdire.session.config import Config
from voirdire.session.config_text import config_text
from voirdire.session.doing import Fault, Told, carry_out, unheard
from voirdire.session.keys import explained
from voirdire.session.page import bare, report_step
from voirdire.session.planning import Schedule, schedule
from voirdire.session.steps import Step
from voirdire.session.world import world_session
from voirdire.session.yaml_text import read_yaml

__all__ = ["Held", "hold", "hold_world"]

CONFIG = "exam.yaml"
REPORT = "report.html"
LOCK = ".lock"


@dataclass(frozen=True)
class Held:
    """What became of a session.

    report   where the report is; None where no run could be made, or it could not be written
    runs     the folders of the runs that are there
    skipped  what was not done, and why
    faults   what could not be done
    """

    report: Path | None
    runs: tuple[Path, ...]
    skipped: tuple[str, ...]
    faults: tuple[Fault, ...]


def hold(
    config: Config,
    out: str | Path | None = None,
    workers: int = 1,
    told: Told = unheard,
    before: Sequence[Step] = (),
) -> Held:
    """Hold all exams of a config for all of its models, and write the report.

    out     in place of the config's `output`
    told    told what becomes of each step
    before  steps that make the files which the config names
    """
    place = out if out is not None else config.output
    if place is None:
        raise UsageError("the config has no `output`; name a folder with -o")
    folder = Path(place)
    if config.data.images is not None:
        try:
            check_pictures(config.data.images)
        except UsageError as error:
            raise UsageError(f"{config.places.at('data.images')}: {error}") from None
    plan = schedule(config, folder)
    try:
        # Of two sessions in one folder each would take what the other is writing for what a killed one left.
        lock = lock_folder(folder, LOCK)
    except OSError as error:
        raise OutputError(str(folder), error.strerror or str(error)) from None
    with lock:
        return _held(config, plan, folder, workers, told, before)


def _held(config: Config, plan: Schedule, folder: Path, workers: int, told: Told, before: Sequence[Step]) -> Held:
    faults = carry_out((*before, *plan.steps), workers, told)
    failed = {fault.step.place for fault in faults}
    runs = [step for step in plan.runs if step.place not in failed]
    report, wrong = _reported(report_step(config, runs, folder / REPORT), told) if runs else (None, [])
    told_by_key = tuple(explained(fault, config) for fault in (*faults, *wrong))
    return Held(report, tuple(step.place for step in runs), plan.skipped, told_by_key)


def _reported(report: Step, told: Told) -> tuple[Path | None, list[Fault]]:
    """Write the report; where it is, and what went wrong."""
    wrong = carry_out([report], told=told)
    if not wrong:
        return report.place, []
    # Runs that are there are shown in any case, if only without the texts and pictures around them.
    again = carry_out([bare(report)], told=told)
    return None if again else report.place, [*wrong, *again]


def hold_world(world: str | Path, out: str | Path, workers: int = 1, told: Told = unheard) -> Held:
    """Let the witnesses of a world speak and examine them; `OUT/exam.yaml` is then the config of what was done."""
    folder = Path(out)
    before, config = world_session(Path(world), folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / CONFIG
    write_atomic(path, config_text(config, folder).encode())
    places = read_yaml(open_source(path)).places
    return hold(msgspec.structs.replace(config, places=places), folder, workers, told, before)
