"""From a config to the steps of a session: first what several models share, then each model's exams.

OUT/propositions/train.json          made of dialogues where none are given
OUT/runs/<model>/<exam>              the run of the exam's score, or of its probe
OUT/runs/<model>/<exam>-<part>       further runs: answers-rank, questions-kinds
OUT/runs/references/answers-<part>   runs of the reference sets themselves: bounds, overlap
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voirdire.answers.bounds import BoundOptions
from voirdire.answers.overlap import OverlapOptions
from voirdire.answers.ranking import RankOptions
from voirdire.answers.similarity import ScoreOptions
from voirdire.errors import UsageError
from voirdire.providers import Registry
from voirdire.questions.kind_shares import KindOptions
from voirdire.questions.scoring import QuestionsOptions
from voirdire.robustness.files import partition_files
from voirdire.robustness.scoring import RobustnessOptions
from voirdire.scorekeeping.probe.options import ProbeTraining
from voirdire.scorekeeping.probing import ProbeOptions
from voirdire.scorekeeping.propositions.making import PropositionOptions
from voirdire.session.config import Config, ModelFiles, texts
from voirdire.session.steps import Sources, Step
from voirdire.text.coreference import RESOLVERS
from voirdire.text.encoders import ENCODERS
from voirdire.text.tagging import TAGGERS

__all__ = ["EXAMS", "Schedule", "schedule"]

EXAMS = ("answers", "robustness", "questions", "scorekeeping")
PARTS = ("", "valid_", "test_")
"""What propositions and states are for: to learn from, to choose the epoch by, to score on."""

SETS = "references"
"""Whose runs those are that are no model's but the reference sets' own; a model may have this name, too."""


@dataclass(frozen=True)
class Schedule:
    """All that is to be done.

    steps    each after those that it needs
    runs     those of them that make runs, in the order of the models
    skipped  what is not done, and why
    """

    steps: tuple[Step, ...]
    runs: tuple[Step, ...]
    skipped: tuple[str, ...] = ()


def schedule(config: Config, out: Path) -> Schedule:
    """What a session does. A model that lacks the data for its files is an error, before anything is done."""
    _check_names(config)
    shared, propositions = _propositions(config, out)
    runs: list[Step] = []
    lacking: dict[tuple[str, ...], list[str]] = {}
    for model, files in config.models.items():
        if without := tuple(exam for exam in EXAMS if getattr(files, exam) is None):
            lacking.setdefault(without, []).append(model)
        planned = (
            ("answers", _answers(config, model, files)),
            ("robustness", _robustness(config, model, files)),
            ("questions", _questions(config, model, files)),
            ("scorekeeping", _scorekeeping(config, model, files, propositions)),
        )
        for exam, parts in planned:
            runs += _runs(out, model, exam, parts)
    runs += _runs(out, SETS, "answers", _reference_sets(config))
    if not runs:
        raise UsageError("no model has a file for any exam")
    skipped = tuple(f"{', '.join(models)}: no files for {', '.join(without)}" for without, models in lacking.items())
    return Schedule((*shared, *runs), tuple(runs), skipped)


Planned = Iterator[tuple[str, Sources, dict[str, Any]]]
"""Part of the exam, what it reads, its options."""


def _runs(out: Path, owner: str, exam: str, parts: Planned) -> Iterator[Step]:
    for part, sources, options in parts:
        name = exam if part in ("score", "probe") else f"{exam}-{part}"
        yield Step(owner, f"{exam} {part}", out / "runs" / owner / name, sources, options)


def _answers(config: Config, model: str, files: ModelFiles) -> Planned:
    given, data, chosen = files.answers, config.data.answers, config.options.answers
    if given is None:
        return
    if given.ranks is not None and given.scores is not None:
        raise UsageError(f"{config.places.at(f'models.{model}.answers')}: give either ranks or scores")
    if given.generations is None and given.ranks is None and given.scores is None:
        raise UsageError(f"{config.places.at(f'models.{model}.answers')}: give generations, ranks or scores")
    if given.generations is not None:
        _check(config, f"models.{model}.answers.generations", data.references, "answers.references")
        options = ScoreOptions(chosen.common, chosen.measures, "", not chosen.as_written, chosen.within, chosen.seed)
        yield "score", *_similarity(config, options, generations=given.generations)
    if given.ranks is not None or given.scores is not None:
        key = "scores" if given.ranks is None else "ranks"
        _check(config, f"models.{model}.answers.{key}", data.dialogues, "answers.dialogues")
        sources = _sources(dialogues=data.dialogues, dense=data.dense, ranks=given.ranks, scores=given.scores)
        ranked = asdict(RankOptions(chosen.cutoff, chosen.seed))
        yield "rank", sources, {**ranked, "round_base": chosen.round_base}


def _reference_sets(config: Config) -> Planned:
    """What the sets of valid answers are themselves, where models are examined by them."""
    data, chosen = config.data.answers, config.options.answers
    answering = [files.answers for files in config.models.values() if files.answers is not None]
    if chosen.bounds and any(files.generations for files in answering):
        yield "bounds", *_similarity(config, BoundOptions(chosen.measures, "", chosen.seed))
    if chosen.overlap and answering and data.references and data.dialogues and data.dense:
        sources = _sources(references=data.references, dialogues=data.dialogues, dense=data.dense)
        # People judged some rounds of a dialogue only.
        compared = asdict(OverlapOptions(common=True, seed=chosen.seed))
        yield "overlap", sources, {**compared, "round_base": chosen.round_base}


def _similarity(
    config: Config, options: ScoreOptions | BoundOptions, generations: str | None = None
) -> tuple[Sources, dict[str, Any]]:
    """What is read and heeded to compare texts with reference sets."""
    chosen = config.options.answers
    sources = _sources(generations=generations, references=config.data.answers.references, idf=chosen.idf)
    encoders = chosen.encoders if "distance" in chosen.measures else ()
    # The corpus of CIDEr may be a file, so that it is a source.
    kept = {name: value for name, value in asdict(options).items() if name != "idf"}
    return {**sources, "encoders": encoders}, {**kept, "round_base": chosen.round_base}


def _robustness(config: Config, model: str, files: ModelFiles) -> Planned:
    given, data, chosen = files.robustness, config.data.robustness, config.options.robustness
    if given is None:
        return
    _check(config, f"models.{model}.robustness", data.annotations, "robustness.annotations")
    noisy = partition_files(texts(given.noisy))
    sources = _sources(annotations=data.annotations, clean=given.clean, control=given.control)
    options = RobustnessOptions(chosen.dataset, chosen.t, chosen.m, chosen.common, chosen.seed)
    yield "score", {**sources, "noisy": tuple(noisy)}, asdict(options)


def _questions(config: Config, model: str, files: ModelFiles) -> Planned:
    given, data, chosen = files.questions, config.data.questions, config.options.questions
    if given is None:
        return
    sources = _sources(games=given.games, oracle=data.oracle, coco=data.coco, originals=data.originals)
    yield "score", sources, asdict(QuestionsOptions(chosen.answers, chosen.max_questions, chosen.seed))
    yield "kinds", _sources(games=given.games), asdict(KindOptions(chosen.exclusive_object, chosen.seed))


def _scorekeeping(config: Config, model: str, files: ModelFiles, propositions: Sources) -> Planned:
    given, chosen = files.scorekeeping, config.options.scorekeeping
    if given is None:
        return
    sources = dict(_sources(encoder=chosen.encoder))
    for part in PARTS:
        states = getattr(given, f"{part}states")
        if states is not None:
            found = propositions.get(part)
            wanted = f"scorekeeping.{part}dialogues"
            _check(config, f"models.{model}.scorekeeping.{part}states", found, wanted)
            sources |= {f"{part}states": (states,), f"{part}propositions": found or ()}
    try:
        options = ProbeOptions(
            task=chosen.task,
            role=chosen.role,
            every=chosen.all,
            seeds=chosen.seeds,
            standardise=chosen.standardise,
            balance=chosen.balance,
            seed=chosen.seed,
            training=ProbeTraining(epochs=chosen.epochs, batches=chosen.batches, seed=chosen.seed),
        )
    except UsageError as error:
        raise UsageError(f"{config.places.at('options.scorekeeping.task')}: {error}") from None
    yield "probe", sources, asdict(options)


def _propositions(config: Config, out: Path) -> tuple[list[Step], Sources]:
    """Steps that make propositions of dialogues where none are given, and the propositions of each part."""
    data, chosen = config.data.scorekeeping, config.options.scorekeeping
    options = asdict(PropositionOptions(chosen.captions, seed=chosen.seed))
    probed = [files.scorekeeping for files in config.models.values() if files.scorekeeping is not None]
    steps: list[Step] = []
    found: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        dialogues, given = getattr(data, f"{part}dialogues"), getattr(data, f"{part}propositions")
        if given is not None:
            found[part] = (given,)
        elif dialogues is not None and any(getattr(one, f"{part}states") for one in probed):
            place = out / "propositions" / f"{part.rstrip('_') or 'train'}.json"
            sources = _sources(dialogues=dialogues, tagger=chosen.tagger, resolver=chosen.resolver)
            steps.append(Step("", "scorekeeping propositions", place, sources, options))
            found[part] = (str(place),)
    return steps, found


def _sources(**files: str | None) -> Sources:
    return {role: (path,) for role, path in files.items() if path is not None}


def _check_names(config: Config) -> None:
    answers, scorekeeping = config.options.answers, config.options.scorekeeping
    named: tuple[tuple[str, Registry[Any], str], ...] = (
        *(("answers.encoders", ENCODERS, one) for one in answers.encoders),
        ("scorekeeping.encoder", ENCODERS, scorekeeping.encoder),
        ("scorekeeping.tagger", TAGGERS, scorekeeping.tagger),
        ("scorekeeping.resolver", RESOLVERS, scorekeeping.resolver),
    )
    for key, registry, spec in named:
        try:
            registry.check(spec)
        except UsageError as error:
            raise UsageError(f"{config.places.at(f'options.{key}')}: {error}") from None


def _check(config: Config, key: str, needed: Any, of: str) -> None:
    if needed is None:
        raise UsageError(f"{config.places.at(key)}: needs `data.{of}`, which is not given")
