"""Does a model keep track of what is true and of what is shared? A probe is trained on its states and scored.

One probe answers one task; `all` asks all tasks of the role, each with real states and with both controls, and tests
the first against the others:

    permutation_p[TFxPS, random]   approximate permutation test of accuracy@5, 1,000 shuffles, two-sided; the
                                   predictions of whole dialogues are swapped, since those of a dialogue go together;
                                   `…:points` swaps those of single points, as the paper does

Measures are those of `measures`, here and in the folder above; with `all` the headline ones, with the task, and the
control if there is one, in brackets. With several seeds a figure is that of all their predictions together, and `…:std`
is the standard deviation over the seeds. (scorekeeping, §5, §6.)
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.engine import Engine, Here
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import present
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.states import States
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.options import SampleOptions
from voirdire.progress import UNSEEN, Progress, Stages
from voirdire.runs import Estimate, Run, versions
from voirdire.runs.estimate import Measures
from voirdire.runs.limit import draw
from voirdire.runs.view import Coverage, cover
from voirdire.scorekeeping.exam import EXAM, ProbeOptions, ProbeTraining
from voirdire.scorekeeping.measures import TURN, asked_figures, headline, of_task
from voirdire.scorekeeping.points import ScoreTask, task_named, tasks_of
from voirdire.scorekeeping.probe.experiments import TEST, VALID, Experiment, ProbeRunner, ProbeSteps, fingerprints
from voirdire.scorekeeping.probe.measures import (
    PERMUTATION_P,
    TYPES_IN_TRAIN,
    WORDS,
    WORDS_IN_TRAIN,
    headline_figures,
    points_key,
    probe_figures,
    valid_figures,
)
from voirdire.scorekeeping.probe.sample import CONTROLS, Control, check_balanced, count_unbalanced
from voirdire.scorekeeping.probe.splits import SCORED_ON_VALID, ProbeData, split_data
from voirdire.scorekeeping.propositions.selection import balance
from voirdire.stats import Paired, paired_permutation
from voirdire.text.encoders import Encoder
from voirdire.text.encoders import encoder as find_encoder

SHUFFLES = 1000
NAMED = 5
"""Dialogues that a warning names."""


def experiments_of(options: ProbeOptions) -> list[Experiment]:
    """The probes, in order; those of one kind with their seeds together."""
    tasks = tasks_of(options.role) if options.all else [task_named(options.task, options.role)]
    controls: tuple[Control, ...] = CONTROLS if options.all else (options.control or "",)
    seeds = range(options.seed, options.seed + options.seeds)
    return [Experiment(task, control, seed) for task in tasks for control in controls for seed in seeds]


def check_probe(given: Mapping[str, object], options: ProbeOptions) -> None:
    """Refuse a task that cannot be asked, and parts of the data that are not whole."""
    experiments_of(options)
    for name in ("valid", "test"):
        whole, dialogues = {f"{name}_propositions", f"{name}_states"}, f"{name}_dialogues"
        if len(whole & given.keys()) == 1:
            raise UsageError(f"`{name}_propositions` and `{name}_states` belong together; one of them is missing")
        if dialogues in given and not whole & given.keys():
            raise UsageError(f"`{dialogues}` are for `{name}_propositions` and `{name}_states`, which are missing")


def probe_states(
    propositions: PropositionSet,
    states: States,
    valid_propositions: PropositionSet | None = None,
    valid_states: States | None = None,
    test_propositions: PropositionSet | None = None,
    test_states: States | None = None,
    options: ProbeOptions | None = None,
    *,
    dialogues: Dialogues | None = None,
    valid_dialogues: Dialogues | None = None,
    test_dialogues: Dialogues | None = None,
    encoder: Encoder | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Train the probes and score them on the points of test (see `split_data` for what is done where it is not given).

    dialogues, valid_dialogues, test_dialogues
             for the number of turns of each dialogue, where the propositions do not have it
    encoder  makes the propositions' embeddings, where it is not to be made by its name
    engine   where the probes are trained, side by side
    work     a folder in which the trainings keep their states, so that a run that was killed goes on
    stages   receives the accuracy of each probe, and before that on the validation points after each epoch
    """
    options = options or ProbeOptions()
    given = present(
        valid_propositions=valid_propositions,
        valid_states=valid_states,
        valid_dialogues=valid_dialogues,
        test_propositions=test_propositions,
        test_states=test_states,
        test_dialogues=test_dialogues,
    )
    check_probe(given, options)
    encoder = encoder or find_encoder(options.encoder)
    train = ProbeData.of("train", propositions, states, dialogues, options)
    valid = _data_of("valid", valid_propositions, valid_states, valid_dialogues, options)
    test = _data_of("test", test_propositions, test_states, test_dialogues, options)
    parts = split_data(train, valid, test, options.seed)
    if options.balance:
        parts = replace(parts, train=_balanced(parts.train, options.seed))
    drawn = draw(parts.test.dialogues, options, "dialogue")
    runner = ProbeRunner(parts, encoder, options.standardise, stages("embed", "sentences"), drawn)
    experiments = experiments_of(options)
    for task in dict.fromkeys(experiment.task for experiment in experiments):
        runner.check_classes(task)
    files = {f"fingerprint of {role}": value for role, value in fingerprints(parts).items()}
    about = {"split": parts.split, "seed of the parts": options.seed, "balance": options.balance}
    identity = {**about, "encoder": encoder.signature, **files}
    steps = ProbeSteps(options.training, identity, work)
    runs = []
    trained = _trained(runner, experiments, steps, engine or Here(), stages)
    for experiment, pair in zip(experiments, trained, strict=True):
        stages.say(runner.summary(experiment, pair[0]))
        runs.append(pair)
    stages.note("")
    frames, chosen = ([pair[at] for pair in runs] for at in (0, 1))
    return drawn.sign(_run(runner, experiments, frames, chosen, options, encoder))


def _data_of(
    name: str,
    propositions: PropositionSet | None,
    states: States | None,
    dialogues: Dialogues | None,
    options: ProbeOptions,
) -> ProbeData | None:
    """What a part other than train is made of, where it is given."""
    if propositions is None or states is None:
        return None
    return ProbeData.of(name, propositions, states, dialogues, options)


def _balanced(train: ProbeData, seed: int) -> ProbeData:
    """The training propositions, as many true as false of every sentence."""
    left = balance(train.propositions, seed).dialogues
    if not left:
        hint = "Without `balance` all propositions are learnt from."
        found = "no sentence that is both true and false"
        raise InputError(train.called[0], [Problem("", "", found, "sentences of which some uses are each", hint)])
    kept = replace(train, propositions=replace(train.propositions, dialogues=left))
    check_balanced(kept.propositions, train.called[0])
    return kept


def _trained(
    runner: ProbeRunner, experiments: list[Experiment], steps: ProbeSteps, engine: Engine, stages: Stages
) -> "Iterator[tuple[pl.DataFrame, pl.DataFrame]]":
    """What each probe predicts: one after the other here, or side by side on an engine."""
    if isinstance(engine, Here) or len(experiments) == 1:
        training = stages("train", "points")
        for number, experiment in enumerate(experiments):
            progress = _shifted(training, number, len(experiments))
            yield runner.run(experiment, steps.options(experiment.seed), steps.identity, steps.work, progress, stages)
        return
    trained = stages("train", "probes")
    trained(0, len(experiments))
    if steps.work is not None:
        steps.work.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=steps.work) as folder,
        engine.map(runner.worker(Path(folder), steps), experiments) as results,
    ):
        for number, pair in enumerate(results, 1):
            trained(number, len(experiments))
            yield pair


def _shifted(progress: Progress, before: int, probes: int) -> Progress:
    """The progress of one probe, which comes after so many others, as that of all of them."""
    return lambda done, total: progress(before * total + done, probes * total)


def _run(
    runner: ProbeRunner,
    experiments: list[Experiment],
    frames: "list[pl.DataFrame]",
    chosen: "list[pl.DataFrame]",
    options: ProbeOptions,
    encoder: Encoder,
) -> Run:
    measures: dict[Key, Estimate] = {}
    stateless = runner.stateless()
    for task, control, some in _kinds(experiments, frames):
        items = pl.concat(some)
        figures = (headline_figures if options.all else probe_figures)(items, task, options.seed)
        if stateless is not None and not control:
            # With several seeds each point is there once for each.
            figures |= asked_figures(items, pl.concat([stateless] * len(some)), options.seed)
        for key, figure in (figures | _spread(some, task, options.seed)).items():
            # What the words give is the same for all controls.
            if not (options.all and control and key.measure == WORDS.key.measure):
                measures[of_task(key, task.name, control) if options.all else key] = figure
    for task, control, some in _kinds(experiments, chosen):
        for key, figure in valid_figures(pl.concat(some), options.seed).items():
            measures[of_task(key, task.name, control) if options.all else key] = figure
    if options.all:
        measures |= _tests(experiments, frames, options.seed)
    measures |= _overlap(runner)
    coverage, partial_warnings = _covered(runner, options)
    files = fingerprints(runner.parts)
    return EXAM.run(
        "probe",
        options,
        pl.concat(frames),
        Measures(measures),
        {role: value for role, value in files.items() if role.endswith("propositions")},
        outputs=files,
        changing={**_changing(options), "split": runner.parts.split, "clusters": "dialogue"},
        encoder=f"{encoder.name}:{encoder.signature[:12]}",
        warnings=(*partial_warnings, *dict.fromkeys(_warnings(runner, options))),
        versions=versions(("torch", "numba", "scikit-learn")),
        coverage=coverage,
    )


def _covered(runner: ProbeRunner, options: ProbeOptions) -> tuple[Coverage, tuple[str, ...]]:
    """Of how many dialogues there are states, and a line that says so where that is not all."""
    parts = runner.parts
    every = [parts.train, parts.valid, *([] if parts.split == SCORED_ON_VALID else [parts.test])]
    missing = sorted(dialogue for data in every for dialogue in data.stateless)
    return cover(
        "dialogue",
        ("propositions", "states"),
        sum(len(data.dialogues) for data in every),
        missing,
        [],
        lambda dialogue: f"dialogue {dialogue} (from 0)",
        strict=options.strict,
        hint="They may be of another split, or of a part of this one.",
        of_model=runner.stateless() is not None,
    )


def _changing(options: ProbeOptions) -> dict[str, Any]:
    """What is asked, and what differs from the paper's training; encoder, seed and coverage are elsewhere."""
    usual = ProbeTraining().plain()
    elsewhere = {"encoder", "seed", *(field.name for field in fields(SampleOptions))}
    settings = {name: value for name, value in options.plain().items() if name not in elsewhere}
    kept = {name: value for name, value in settings.items() if name not in usual or value != usual[name]}
    return {**kept, "control": options.control or ""}


def _overlap(runner: ProbeRunner) -> dict[Key, Estimate]:
    """How much of what is chosen by and scored on was learnt from."""
    estimates: dict[Key, Estimate] = {}
    for at, part_ in ((VALID, runner.parts.valid), (TEST, runner.parts.test)):
        types, sentences, share, words = runner.overlap(at)
        estimates[TYPES_IN_TRAIN.key.on(part_.name)] = Estimate(types, None, None, sentences)
        estimates[WORDS_IN_TRAIN.key.on(part_.name)] = Estimate(share, None, None, words)
    return estimates


def _kinds(
    experiments: list[Experiment], frames: "list[pl.DataFrame]"
) -> "Iterator[tuple[ScoreTask, Control, list[pl.DataFrame]]]":
    """The items of each kind of probe, seed by seed."""
    kinds: dict[tuple[str, Control], tuple[ScoreTask, list[pl.DataFrame]]] = {}
    for experiment, frame in zip(experiments, frames, strict=True):
        kinds.setdefault((experiment.task.name, experiment.control), (experiment.task, []))[1].append(frame)
    for (_, control), (task, some) in kinds.items():
        yield task, control, some


def _spread(frames: "list[pl.DataFrame]", task: ScoreTask, seed: int) -> dict[Key, Estimate]:
    """The standard deviation of each headline figure over the seeds, where there are several."""
    if len(frames) < 2:
        return {}
    figures = [headline_figures(frame, task, seed) for frame in frames]
    spread = {}
    for measure in headline(task):
        values = [of_seed[measure.key].value for of_seed in figures]
        known = [value for value in values if value is not None]
        value = float(np.std(known, ddof=1)) if len(known) == len(values) else None
        spread[measure.key.as_variant("std")] = Estimate(value, None, None, len(values))
    return spread


def _tests(experiments: list[Experiment], frames: "list[pl.DataFrame]", seed: int) -> dict[Key, Estimate]:
    """Real states against each control."""
    whole = {(task.name, control): pl.concat(some) for task, control, some in _kinds(experiments, frames)}
    estimates: dict[Key, Estimate] = {}
    for (task, control), items in whole.items():
        if control:
            by_dialogue, by_point = (compare_items(whole[task, ""], items, seed, points) for points in (False, True))
            estimates[of_task(PERMUTATION_P.key, task, control)] = Estimate(by_dialogue.p, None, None, by_dialogue.n)
            estimates[points_key(task, control)] = Estimate(by_point.p, None, None, by_point.n)
    return estimates


def compare_items(first: "pl.DataFrame", second: "pl.DataFrame", seed: int = 0, points: bool = False) -> Paired:
    """The approximate permutation test of two probes on the same points: of accuracy@5, or of accuracy where no
    dialogue has a turn 5.

    points  swap single points, not whole dialogues
    """
    ids = ["dialogue", "index", "turn", "gold"]
    if not first.select(ids).equals(second.select(ids)):
        raise UsageError("the two runs are not of the same points, so they cannot be compared point by point")
    here = first["turn"] == TURN if (first["turn"] == TURN).any() else first["turn"] >= 0
    ours, theirs = (items.filter(here)["right"].to_numpy() for items in (first, second))
    clusters = None if points else first.filter(here)["dialogue"].to_numpy()
    return paired_permutation(ours, theirs, seed=seed, clusters=clusters, resamples=SHUFFLES)


def _first(dialogues: tuple[int, ...]) -> str:
    return ", ".join(map(str, dialogues[:NAMED])) + (", …" if len(dialogues) > NAMED else "")


def _warnings(runner: ProbeRunner, options: ProbeOptions) -> list[str]:
    parts = runner.parts
    warnings = [*parts.warnings]
    unequal, sentences = count_unbalanced(parts.train.propositions)
    if unequal:
        warnings.append(
            f"{unequal:,} of {counted(sentences, 'training sentence')} are not as often true as false, so their words "
            "tell something of their truth; `words_accuracy` is what the words alone give."
        )
    for data in (parts.train, parts.valid, parts.test):
        if data.guessed:
            warnings.append(
                f"{data.called[0]}: nothing says how many turns a dialogue has; that is guessed from its states, which "
                f"are taken to be zeros after its end. Give `{data.guessed}`, or make the propositions anew."
            )
        if data.after:
            which = counted(len(data.after), "dialogue")
            warnings.append(
                f"{data.called[1]}: the states of {which} go on after the dialogue's end ({_first(data.after)}, from "
                "0); what follows it is not read."
            )
        if data.ended:
            warnings.append(
                f"{data.ended:,} of {counted(len(data.propositions.dialogues), 'dialogue')} of {data.name} end before "
                f"turn {runner.turns - 1}; they have no points after their end."
            )
    last = int(runner.points[TEST].turn.max())
    if last < TURN:
        warnings.append(f"No scored dialogue has more than {counted(last, 'round')}, so there is no accuracy@{TURN}.")
    for task in dict.fromkeys(experiment.task for experiment in experiments_of(options)):
        if empty := runner.empty_classes(task, TEST):
            warnings.append(f"No scored point of {task.name} is {' or '.join(empty)}.")
    return warnings
