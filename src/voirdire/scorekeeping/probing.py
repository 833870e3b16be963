"""Does a model keep track of what is true and of what is shared? A probe is trained on its states and scored.

One probe answers one task; `every` asks all tasks of the role, each with real states and with both controls, and tests
the first against the others:

    permutation_p[TFxPS, random]   approximate permutation test of accuracy@5, 1,000 shuffles, two-sided; the
                                   predictions of whole dialogues are swapped, since those of a dialogue go together

Measures are those of `probe_measures`; with `every` the headline ones, with the task, and the control if there is one,
in brackets. With several seeds a figure is that of all their predictions together, and `…:std` is the standard
deviation over the seeds. (scorekeeping, §5, §6.)
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.words import counted
from voirdire.reports import Report, silent
from voirdire.runs import Estimate, Run, Signature, versions
from voirdire.scorekeeping.leaks import check_balanced, count_unbalanced
from voirdire.scorekeeping.probe.material import Material, part
from voirdire.scorekeeping.probe.options import ProbeTraining
from voirdire.scorekeeping.probe.sample import CONTROLS, Control, check_control
from voirdire.scorekeeping.probe.tasks import Role, Task, task_named, tasks_of
from voirdire.scorekeeping.probe_items import Experiment
from voirdire.scorekeeping.probe_measures import TURN, headline, headline_figures, probe_figures
from voirdire.scorekeeping.probe_names import of_task
from voirdire.scorekeeping.probe_stand import TEST, Stand, Told, fingerprints
from voirdire.scorekeeping.propositions.selection import balance
from voirdire.stats import Paired, paired_permutation
from voirdire.text.encoders import Encoder

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ProbeOptions", "Told", "compare_items", "probe_states", "unheard"]

SHUFFLES = 1000
WORDS = "words_"


def unheard(experiment: Experiment, name: str, value: float) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class ProbeOptions:
    """Which probes, and how they are trained; the defaults are the paper's.

    task         what is asked, where not everything is
    role         whose states: A, the answerer's, or Q, the questioner's
    control      what takes the place of the training states: nothing, random or null
    every        all tasks of the role, with and without controls
    seeds        so many probes of each kind, with `seed`, `seed` + 1, …
    standardise  give each number of the states and of the embeddings mean 0 and standard deviation 1
    balance      learn from as many true as false propositions of every sentence, as the published training set has
    seed         of the parts, the controls, the training and the resamples
    """

    task: str = "TFxPS"
    role: Role = "A"
    control: Control = ""
    every: bool = False
    seeds: int = 1
    standardise: bool = False
    balance: bool = False
    seed: int = 0
    training: ProbeTraining = field(default_factory=ProbeTraining)

    def __post_init__(self) -> None:
        # PS can be asked of everybody.
        task_named("PS" if self.every else self.task, self.role)
        check_control(self.control)
        if self.every and self.control:
            raise UsageError("--all has both controls; --control is for one")
        if self.seeds < 1:
            raise UsageError(f"--seeds {self.seeds}; it must be at least 1")

    def experiments(self) -> list[Experiment]:
        """The probes, in order; those of one kind with their seeds together."""
        tasks = tasks_of(self.role) if self.every else [task_named(self.task, self.role)]
        controls = CONTROLS if self.every else (self.control,)
        seeds = range(self.seed, self.seed + self.seeds)
        return [Experiment(task, control, seed) for task in tasks for control in controls for seed in seeds]


def probe_states(
    train: Material,
    encoder: Encoder,
    options: ProbeOptions | None = None,
    *,
    valid: Material | None = None,
    test: Material | None = None,
    checkpoints: Path | None = None,
    embedding: Report = silent,
    report: Report = silent,
    told: Told = unheard,
) -> Run:
    """Train the probes and score them on the points of `test` (see `part` for what is done where it is not given).

    encoder      makes the propositions' embeddings
    checkpoints  a folder in which the trainings keep their states, so that a run that was killed goes on
    embedding    told how many distinct sentences are embedded
    report       told points, over all epochs of all probes
    told         told the accuracy of each probe, and before that on the validation points after each epoch
    """
    options = options or ProbeOptions()
    parts = part(train, valid, test, options.seed)
    if options.balance:
        parts = replace(parts, train=_balanced(parts.train, options.seed))
    stand = Stand(parts, encoder, options.standardise, embedding)
    experiments = options.experiments()
    for task in dict.fromkeys(one.task for one in experiments):
        stand.check_classes(task)
    files = {f"fingerprint of {role}": value for role, value in fingerprints(parts).items()}
    about = {"split": parts.split, "seed of the parts": options.seed, "balance": options.balance}
    identity = {**about, "encoder": encoder.signature, **files}
    frames = []
    for number, one in enumerate(experiments):
        told_all = _shifted(report, number, len(experiments))
        frames.append(stand.run(one, options.training, identity, checkpoints, told_all, told))
    return _run(stand, experiments, frames, options, encoder)


def _balanced(train: Material, seed: int) -> Material:
    """The training propositions, as many true as false of every sentence."""
    left = balance(train.propositions, seed).dialogues
    if not left:
        found, hint = "no sentence that is both true and false", "Without --balance all propositions are learnt from."
        raise InputError(train.called[0], [Problem("", "", found, "sentences of which some uses are each", hint)])
    kept = replace(train, propositions=replace(train.propositions, dialogues=left))
    check_balanced(kept.propositions, train.called[0])
    return kept


def _shifted(report: Report, before: int, probes: int) -> Report:
    """A report of all probes from that of one, which comes after so many others."""
    return lambda done, total: report(before * total + done, probes * total)


def _run(
    stand: Stand,
    experiments: list[Experiment],
    frames: "list[pl.DataFrame]",
    options: ProbeOptions,
    encoder: Encoder,
) -> Run:
    import polars as pl

    measures: dict[str, Estimate] = {}
    for task, control, some in _kinds(experiments, frames):
        items = pl.concat(some)
        found = (headline_figures if options.every else probe_figures)(items, task, options.seed)
        spread = _spread(some, task, options.seed)
        for name, figure in {**found, **spread}.items():
            # What the words give is the same for all controls.
            if not (options.every and control and name.startswith(WORDS)):
                measures[of_task(name, task.name, control) if options.every else name] = figure
    if options.every:
        measures |= _tests(experiments, frames, options.seed)
    files = fingerprints(stand.parts)
    data = {role: value for role, value in files.items() if role.endswith("propositions")}
    changing = {name: value for name, value in asdict(options).items() if name not in ("training", "seed")}
    return Run(
        exam="scorekeeping",
        part="probe",
        options=asdict(options) | {"split": stand.parts.split},
        items=pl.concat(frames),
        measures=measures,
        signature=Signature(
            version=__version__,
            data=data,
            encoder=f"{encoder.name}:{encoder.signature[:12]}",
            seed=options.seed,
            options={**changing, **_unusual(options.training), "split": stand.parts.split, "clusters": "dialogue"},
        ),
        fingerprints=files,
        versions=versions(("torch", "numba", "scikit-learn")),
        warnings=tuple(dict.fromkeys(_warnings(stand, options))),
    )


def _unusual(training: ProbeTraining) -> dict[str, Any]:
    """What differs from the paper's training; the seed stands elsewhere."""
    usual = asdict(ProbeTraining())
    return {name: value for name, value in asdict(training).items() if value != usual[name] and name != "seed"}


def _kinds(
    experiments: list[Experiment], frames: "list[pl.DataFrame]"
) -> "Iterator[tuple[Task, Control, list[pl.DataFrame]]]":
    """The items of each kind of probe, seed by seed."""
    kinds: dict[tuple[str, Control], tuple[Task, list[pl.DataFrame]]] = {}
    for one, frame in zip(experiments, frames, strict=True):
        kinds.setdefault((one.task.name, one.control), (one.task, []))[1].append(frame)
    for (_, control), (task, some) in kinds.items():
        yield task, control, some


def _spread(frames: "list[pl.DataFrame]", task: Task, seed: int) -> dict[str, Estimate]:
    """The standard deviation of each headline figure over the seeds, where there are several."""
    if len(frames) < 2:
        return {}
    figures = [headline_figures(frame, task, seed) for frame in frames]
    spread = {}
    for measure in headline(task):
        if measure.name.startswith(WORDS):
            continue
        values = [one[measure.name].value for one in figures]
        known = [value for value in values if value is not None]
        value = float(np.std(known, ddof=1)) if len(known) == len(values) else None
        spread[f"{measure.name}:std"] = Estimate(value, None, None, len(values))
    return spread


def _tests(experiments: list[Experiment], frames: "list[pl.DataFrame]", seed: int) -> dict[str, Estimate]:
    """Real states against each control."""
    import polars as pl

    whole = {(task.name, control): pl.concat(some) for task, control, some in _kinds(experiments, frames)}
    found: dict[str, Estimate] = {}
    for (task, control), items in whole.items():
        if control:
            tested = compare_items(whole[task, ""], items, seed)
            found[of_task("permutation_p", task, control)] = Estimate(tested.p, None, None, tested.n)
    return found


def compare_items(first: "pl.DataFrame", second: "pl.DataFrame", seed: int = 0) -> Paired:
    """The approximate permutation test of two probes on the same points: of accuracy@5, or of accuracy where no
    dialogue has a turn 5."""
    ids = ["dialogue", "index", "turn", "gold"]
    if not first.select(ids).equals(second.select(ids)):
        raise UsageError("the two runs are not of the same points, so they cannot be compared point by point")
    here = first["turn"] == TURN if (first["turn"] == TURN).any() else first["turn"] >= 0
    ours, theirs = (items.filter(here)["right"].to_numpy() for items in (first, second))
    clusters = first.filter(here)["dialogue"].to_numpy()
    return paired_permutation(ours, theirs, seed=seed, clusters=clusters, resamples=SHUFFLES)


def _warnings(stand: Stand, options: ProbeOptions) -> list[str]:
    parts = stand.parts
    found = [*parts.warnings]
    unequal, sentences = count_unbalanced(parts.train.propositions)
    if unequal:
        found.append(
            f"{unequal:,} of {counted(sentences, 'training sentence')} are not as often true as false, so their words "
            "tell something of their truth; `words_accuracy` is what the words alone give."
        )
    for one in (parts.train, parts.valid, parts.test):
        if one.ended:
            found.append(
                f"{one.ended:,} of {counted(len(one.propositions.dialogues), 'dialogue')} of {one.name} end before "
                f"turn {stand.turns - 1}; they have no points after their end."
            )
    last = int(stand.points[TEST].turn.max())
    if last < TURN:
        found.append(f"No scored dialogue has more than {counted(last, 'round')}, so there is no accuracy@{TURN}.")
    for task in dict.fromkeys(one.task for one in options.experiments()):
        if empty := stand.empty_classes(task, TEST):
            found.append(f"No scored point of {task.name} is {' or '.join(empty)}.")
    return found
