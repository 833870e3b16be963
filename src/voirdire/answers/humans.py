"""People judge reference sets: which of a set's answers do they keep as valid?

    selected     = 1/T · Σ_t 1/(J_t |C_t|) · Σ_j Σ_{a ∈ C_t} [judge j keeps a]
    selected_any = 1/T · Σ_t 1/|C_t| · |{ a ∈ C_t : at least one judge keeps a }|

C_t, J_t  the set of task t (one round's set by one method) and the number of its judges (dense-visdial, Table 2)
`:var` is the variance of a task's share over tasks (ddof 1); the paper prints it times 100, as it prints the share.
Each method has its own figures: `selected[H]`, `selected[S]`. Agreement is over single answers: Krippendorff's α, and
Fleiss' κ where every answer has the same number of judges; both have intervals over images, as all figures have.

In a study, judges see a question with its picture and take out the answers that cannot be right. Sets are drawn
without replacement, H from the rounds that people annotated, Σ from these or from the whole split (dense-visdial, §4
and Appendix D: 1,680 and 5,040 sets, five people each). The answers of a set are listed once each, in random order.

An attention check is a set of its own with one answer more, taken from a question about another image: that one must
go, and the ground truth must stay. So that it is clearly wrong, a yes/no question gets the answer of a question that
has other words and is no yes/no question; any other question gets a yes or a no. What could answer any question, such
as "can't tell", is never taken.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import EXAM, SELECTIONS_FILE, JudgedAnswersOptions, StudyAnswersOptions
from voirdire.errors import UsageError
from voirdire.formats.references import References
from voirdire.formats.selections import Selections, write_selections
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Estimate, Run
from voirdire.runs.limit import draw
from voirdire.runs.view import Role, View, estimate_views
from voirdire.stats import Aggregate, alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha, std
from voirdire.stats.aggregate import FloatArray
from voirdire.study.design import NO, YES, Judged, StudyTask

HUMAN, AUTOMATIC = "H", "S"
_ASKS = "is are was were do does did can could has have had will would should any isn't aren't"
POLAR = frozenset(re.findall(r"\S+", _ASKS))
YES_OR_NO = re.compile(r"(yes|no|yeah|yep|nope|yea)\b", re.IGNORECASE)
# What could answer any question.
EVASIVE = re.compile(
    r"n't|\b(cannot|not|tell|know|sure|see|seen|visible|maybe|probably|think|looks?|unknown|it|0)\b", re.IGNORECASE
)
# Words that questions about different things may share.
_SMALL = "a an the it he she they you of in on at to and or there what how many who where"
SMALL = POLAR | frozenset(re.findall(r"\S+", _SMALL))
TRIES = 2_000
"""Answers about other images that are tried for an attention check."""

_STD = std(1)
VARIANCE = Aggregate("variance (ddof 1)", 1, _STD.columns, lambda sums: _STD.value(sums) ** 2)
SELECTED = Measure.averaged(
    "selected",
    "higher",
    label="kept",
    description="share of a set that a judge keeps",
    citation="dense-visdial, Table 2",
    leads=1,
    share=True,
)
SELECTED_ANY = SELECTED.named(
    "selected_any",
    of=("selected_any",),
    label="kept by at least one judge",
    description="share of a set that at least one judge keeps",
    leads=0,
)
ALPHA = Measure.figure(
    "alpha", "higher", label="Krippendorff's α", description="agreement of the judges over single answers"
)
KAPPA = Measure.figure(
    "kappa",
    "higher",
    label="Fleiss' κ",
    description="agreement of the judges over single answers that have as many judges each",
)
MEASURES = (SELECTED, SELECTED_ANY, ALPHA, KAPPA)


def judge_sets(judgements: Selections, options: JudgedAnswersOptions | None = None, stages: Stages = UNSEEN) -> Run:
    """The share that judges keep of each method's reference sets, and how far they agree."""
    options = options or JudgedAnswersOptions()
    drawn = draw(judgements.image_ids, options)
    judgements = drawn.of(judgements)
    table = pl.DataFrame(
        {
            "image_id": judgements.image_ids,
            "round_id": judgements.round_ids,
            "set": list(judgements.sets),
            "judge": list(judgements.judges),
            "candidate": list(judgements.candidates),
            "selected": judgements.selected,
        }
    )
    task = ["image_id", "round_id", "set"]
    answers = table.group_by([*task, "candidate"], maintain_order=True).agg(
        pl.col("selected").mean().alias("share"), pl.col("selected").any().alias("any"), pl.col("selected")
    )
    items = answers.group_by(task, maintain_order=True).agg(
        pl.len().alias("size"),
        pl.col("selected").list.len().first().alias("judges"),
        pl.col("share").mean().alias("selected"),
        pl.col("any").mean().alias("selected_any"),
    )
    figures = estimate_views(judged_views(items, options), seed=options.seed)
    warnings = []
    for name in sorted(set(judgements.sets)):
        of_set = answers.filter(pl.col("set") == name)
        judged = of_set["selected"].to_list()
        agreed = _agreement(judged, of_set["image_id"].to_numpy(), options.seed)
        figures |= dict(zip((ALPHA.key.on(name), KAPPA.key.on(name)), agreed, strict=True))
        counts = sorted(set(map(len, judged)))
        if counts[0] == 1:
            warnings.append(f"set {name}: some answers have one judge only, so they say nothing on agreement.")
        if len(counts) > 1:
            warnings.append(f"set {name}: {counts[0]} to {counts[-1]} judges per answer, so there is no Fleiss' κ.")
    data = {"judgements": judgements.fingerprint}
    return drawn.sign(EXAM.run("humans", options, items, figures, data, warnings=warnings))


def judged_views(items: "pl.DataFrame", options: JudgedAnswersOptions) -> tuple[View, ...]:
    """The shares kept of each method's sets, and their variances."""
    measures = [
        measure
        for name in sorted(items["set"].unique().to_list())
        for sliced in (SELECTED.slice("set", name), SELECTED_ANY.slice("set", name))
        for measure in (sliced, sliced.variant("var", aggregate=VARIANCE, better="neither"))
    ]
    roles: dict[Key, Role] = {measure.key: "aside" for measure in measures if measure.key.variant}
    return (View(items, tuple(measures), ("image_id", "round_id", "set"), "set", "image_id", roles),)


def _agreement(judged: Sequence[Sequence[bool]], images: npt.NDArray[np.int64], seed: int) -> tuple[Estimate, Estimate]:
    """α and κ of answers, each with its judgements and its image; neither depends on who judged."""
    padded: FloatArray = np.full((len(judged), max(map(len, judged))), np.nan)
    for row, kept in zip(padded, judged, strict=True):
        row[: len(kept)] = kept
    n = int(((~np.isnan(padded)).sum(axis=1) >= 2).sum())
    kappa = fleiss_kappa(padded) if not np.isnan(padded).any() else None
    alpha = krippendorff_alpha(padded)
    return (
        Estimate.within(alpha, alpha_interval(padded, seed, images), n),
        Estimate.within(kappa, kappa_interval(padded, seed, images), n),
    )


def draw_sets(
    human: References | None,
    automatic: References | None,
    options: StudyAnswersOptions,
    pictured: Collection[int] | None = None,
) -> list[StudyTask]:
    """Tasks with sets of both kinds, then the attention checks."""
    rng = np.random.default_rng(options.seed)
    rows = {name: _rows(sets, pictured) for name, sets in ((HUMAN, human), (AUTOMATIC, automatic)) if sets is not None}
    files = {HUMAN: human, AUTOMATIC: automatic}
    if options.rounds == "annotated" and human is not None and automatic is not None:
        known = set(zip(human.image_ids.tolist(), human.rounds.tolist(), strict=True))
        pairs = zip(automatic.image_ids.tolist(), automatic.rounds.tolist(), strict=True)
        annotated = [place for place, pair in enumerate(pairs) if pair in known]
        rows[AUTOMATIC] = np.intersect1d(rows[AUTOMATIC], annotated).astype(np.intp)
    sizes = {
        HUMAN: ("human_tasks", options.human_tasks, 1_680),
        AUTOMATIC: ("automatic_tasks", options.automatic_tasks, 5_040),
    }
    tasks: list[StudyTask] = []
    checks: list[StudyTask] = []
    for name, places in rows.items():
        sets = files[name]
        assert sets is not None
        if not len(places):
            raise UsageError(f"no set of {name} to draw: none is of an image with a picture, or of an annotated round")
        count, more = options.sizes(*sizes[name], len(places))
        drawn = rng.permutation(places)[: count + more].tolist()
        tasks += [_task(sets, row, name, rng) for row in drawn[:count]]
        checks += [_check(sets, row, name, rng) for row in drawn[count:]]
    return tasks + checks


def _rows(sets: References, pictured: Collection[int] | None) -> np.ndarray:
    every = np.arange(len(sets), dtype=np.intp)
    return every if pictured is None else every[np.isin(sets.image_ids, list(pictured))]


def _task(sets: References, row: int, name: str, rng: np.random.Generator, foreign: str = "") -> StudyTask:
    answers = list(dict.fromkeys(text.strip() for text in sets.of(row) if text.strip()))
    items = [*answers, foreign] if foreign else answers
    items = [items[place] for place in rng.permutation(len(items)).tolist()]
    image, round_ = int(sets.image_ids[row]), int(sets.rounds[row]) + sets.base
    truth: tuple[str | None, ...] = ()
    if foreign:
        kept = sets.gt_answers[row].strip()
        truth = tuple(NO if text == foreign else YES if text == kept else None for text in items)
    return StudyTask(
        "deselect",
        _asked(sets.questions[row]),
        image,
        items=tuple(items),
        key={"image_id": image, "round_id": round_, "set": name},
        truth=truth,
    )


def _asked(question: str) -> str:
    question = question.strip()
    return question if question.endswith("?") else question + "?"


def _check(sets: References, row: int, name: str, rng: np.random.Generator) -> StudyTask:
    image, known = int(sets.image_ids[row]), {text.strip().lower() for text in sets.of(row)}
    words, polar = _words(sets.questions[row]), _is_polar(sets.questions[row])
    fallback = ""
    for other in rng.integers(len(sets), size=TRIES).tolist():
        answer = sets.gt_answers[other].strip()
        if int(sets.image_ids[other]) == image or answer.lower() in known or not answer or EVASIVE.search(answer):
            continue
        fallback = fallback or answer
        yes_or_no = YES_OR_NO.match(answer) is not None
        if (
            yes_or_no != polar
            and _is_polar(sets.questions[other]) != polar
            and not words & _words(sets.questions[other])
        ):
            return _task(sets, row, name, rng, answer)
    if not fallback:
        raise UsageError("`checks`: no answer about another image could be added to a set; give 0 for no checks")
    return _task(sets, row, name, rng, fallback)


def _is_polar(question: str) -> bool:
    return (question.strip().lower().split() or [""])[0] in POLAR


def _words(question: str) -> set[str]:
    return set(re.findall(r"\w+", question.lower())) - SMALL


def gather_selections(judged: Sequence[Judged], folder: Path) -> Sequence[str]:
    """Write the table of selections: one row per judge and answer."""
    rows = [
        (judgement.task.key, judgement.judge, text, answer == YES)
        for judgement in judged
        for text, answer in zip(judgement.task.items, judgement.answers, strict=True)
    ]
    record = Selections(
        np.array([key["image_id"] for key, *_ in rows], np.int64),
        np.array([key["round_id"] for key, *_ in rows], np.int64),
        tuple(key["set"] for key, *_ in rows),
        tuple(judge for _, judge, *_ in rows),
        tuple(text for _, _, text, _ in rows),
        np.array([kept for *_, kept in rows], np.bool_),
    )
    write_selections(record, folder / SELECTIONS_FILE)
    return ()
