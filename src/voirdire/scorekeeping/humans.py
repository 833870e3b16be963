"""How well do people keep score? Judges say of a proposition whether it is true and whether it is shared.

    accuracy = 1/N · Σ_i 1/|J_i| · Σ_{j ∈ J_i} [judge j gives point i its gold class]

J_i  the judges of point i: a proposition of a dialogue at a turn. Where all judges judge all points this is the mean of
     the judges' accuracies.
A judge chooses one of four classes (`tfxps`); from that choice follow `tf` (true or false), `ps` (private or shared)
and `pxtsfs` (private; true and shared; false and shared). `fleiss_kappa` is their agreement on the four classes; it has
no interval. Intervals are over dialogues.

A run of `scorekeeping probe` can be scored on the same points: `tfxps[RUN]` where its task is TFxPS, and so on. A point
of the run is the judges' where dialogue, turn, gold class and the proposition's words are the same; case, spaces and
the final full stop make no difference. Where nothing else distinguishes two propositions of a dialogue, their index
does.

For a study points are drawn as in the paper: some dialogues, of each one proposition, and a turn up to which the
dialogue is shown (scorekeeping, Figure 7 and Table 3: 100 points, three people each). People say whether a sentence is
true, and whether it has been said; the two answers together are one of the four classes of TFxPS. Only sentences are
drawn whose words are once in their dialogue. An attention check is a sentence of what has just been said, in another
dialogue, which so is shared, and true or false as it was answered; as many are true as false.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.judgements import Judgements, write_judgements
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Estimate, Run, estimate
from voirdire.runs.estimate import Measures
from voirdire.runs.limit import draw
from voirdire.runs.view import View
from voirdire.scorekeeping.exam import EXAM, PEOPLE_FILE, JudgedPropositionsOptions, StudyPointsOptions
from voirdire.scorekeeping.measures import predictions
from voirdire.scorekeeping.points import TASKS
from voirdire.stats import fleiss_kappa, kappa_interval
from voirdire.study.design import NO, YES, Judged, Line, StudyTask

_ASKED = {
    "TFxPS": "true or false, and private or shared",
    "TF": "true or false",
    "PS": "private or shared",
    "PxTSFS": "private, true and shared, or false and shared",
}
"""What judges are asked, by the probe's task that asks the same."""


def judged_measure(task: str) -> Measure:
    """The accuracy of judges, or of a probe on their points, on what a task of the probe asks."""
    return Measure.averaged(
        task.lower(),
        "higher",
        label=task,
        description=f"share of points that are right: {_ASKED[task]}",
        citation="scorekeeping, Table 3",
        leads=int(task == "TFxPS"),
        share=True,
    )


JUDGED = tuple(map(judged_measure, TASKS))
FLEISS_KAPPA = Measure.figure(
    "fleiss_kappa",
    "higher",
    label="κ",
    description="agreement of the judges on the four classes beyond chance, Fleiss' κ",
    citation="scorekeeping, Table 3",
)
MEASURES = (*JUDGED, FLEISS_KAPPA)
"""All measures that a run of `scorekeeping humans` may have."""


def judged_runs(measures: Iterable[Key]) -> list[str]:
    """The runs that were scored on the judges' points."""
    return list(dict.fromkeys(name for key in measures for name in key.slice))


def score_judges(
    judgements: Judgements,
    runs: Mapping[str, Run] | Iterable[tuple[str, Run]] = (),
    options: JudgedPropositionsOptions | None = None,
    *,
    stages: Stages = UNSEEN,
) -> Run:
    """Accuracy and agreement of judges, and the accuracy of a probe's runs, each by its name, on the same points."""
    options, runs = options or JudgedPropositionsOptions(), dict(runs)
    points = _points(judgements, options.excluded)
    drawn = draw(points["dialogue"].to_numpy(), options, "dialogue")
    points = points.filter(drawn.keeps(points["dialogue"].to_numpy()))
    warnings: list[str] = []
    models: list[Measure] = []
    for name, run in runs.items():
        for joined in join_run(points, name, run, options.common):
            measure = judged_measure(joined.task)
            models.append(replace(measure, key=measure.key.on(name), of=()))
            points = points.with_columns(joined.right.alias(models[-1].name))
    if models and options.common:
        shared = points.drop_nulls([measure.name for measure in models])
        if not shared.height:
            raise UsageError("`common`: no point of the judges is in all of the runs")
        if shared.height < points.height:
            left = points.height - shared.height
            warnings.append(f"{left} of {points.height} points are not in all of the runs and are left out.")
        points = shared
    items = points.drop("classes")
    people, probes = (estimate(items, some, seed=options.seed, clusters="dialogue") for some in (JUDGED, models))
    kappa, unequal = _agreement(points["classes"].to_list(), points["dialogue"].to_numpy(), options.seed)
    data = {"judgements": judgements.fingerprint}
    read = {f"{name}: {role}": value for name, run in runs.items() for role, value in run.fingerprints.items()}
    run = EXAM.run(
        "humans",
        options,
        items,
        Measures({**people, FLEISS_KAPPA.key: kappa, **probes}),
        data,
        outputs=read,
        changing={"common": options.common, "exclude": ",".join(map(str, sorted(options.excluded)))},
        warnings=(*warnings, *unequal),
    )
    return drawn.sign(run)


def judged_views(items: "pl.DataFrame", options: JudgedPropositionsOptions) -> tuple[View, ...]:
    """What people get right, point by point; models on the same points have runs of their own."""
    return (View(items, JUDGED, ("split", "dialogue", "turn", "index"), "point", "dialogue"),)


def _points(judgements: Judgements, exclude: Sequence[int]) -> "pl.DataFrame":
    """One row per point: its gold labels, the share of judges who are right on each task, and their classes."""
    if not len(judgements):
        raise UsageError("`judgements`: the table has the names of its columns and no judgement")
    known = set(judgements.dialogues.tolist())
    if unknown := sorted(set(exclude) - known):
        some = ", ".join(map(str, sorted(known)[:5]))
        raise UsageError(f"`exclude`: no judgement is of dialogue {', '.join(map(str, unknown))}; there are {some}, …")
    true, true_gold = judgements.true, judgements.true_gold
    shared, shared_gold = judgements.shared, judgements.shared_gold
    tf, ps = true == true_gold, shared == shared_gold
    table = pl.DataFrame(
        {
            "split": list(judgements.splits),
            "dialogue": judgements.dialogues,
            "turn": judgements.turns,
            "index": judgements.indices,
            "proposition": list(judgements.propositions),
            "rule": list(judgements.rules),
            "turn_shared": judgements.turns_shared,
            "true": true_gold,
            "shared": shared_gold,
            "classes": 2 * true.astype(int) + shared,
            "tfxps": tf & ps,
            "tf": tf,
            "ps": ps,
            # What is private is one class.
            "pxtsfs": ps & (tf | ~shared_gold),
        }
    )
    kept = table.filter(~pl.col("dialogue").is_in(list(exclude)))
    if not kept.height:
        raise UsageError("`exclude`: no judgement is left")
    tasks = [measure.name for measure in JUDGED]
    fixed = [name for name in kept.columns if name not in ("classes", *tasks)]
    return kept.group_by(fixed, maintain_order=True).agg(
        pl.len().alias("judges"), pl.col("classes"), *(pl.col(task).mean() for task in tasks)
    )


def _agreement(classes: list[list[int]], dialogues: npt.NDArray[np.int64], seed: int) -> tuple[Estimate, list[str]]:
    """κ over the points, where each has the same number of judges."""
    counts = sorted({len(given) for given in classes})
    if len(counts) > 1:
        warning = f"{counts[0]} to {counts[-1]} judges per point, so there is no Fleiss' κ."
        return Estimate(None, None, None, len(classes)), [warning]
    return Estimate.within(fleiss_kappa(classes), kappa_interval(classes, seed, dialogues), len(classes)), []


@dataclass(frozen=True, eq=False)
class Joined:
    """For one task of a run: the share of its seeds that are right, per judged point; null where it has none."""

    task: str
    right: "pl.Series"


def join_run(points: "pl.DataFrame", name: str, run: Run, common: bool = False) -> list[Joined]:
    """How a run does on judged points, task by task; controls are left aside.

    points  one row per point: dialogue, turn, index, proposition, true, shared
    common  whether points that the run lacks are null; otherwise they are errors
    """
    every = predictions(run, name)
    if not (every["control"] == "").any():
        raise UsageError(f"{name}: a run of controls alone; people are compared with a probe of real states")
    asked = ("dialogue", "turn", "index", "task", "gold", "predicted")
    items = every.filter(pl.col("control") == "").select(*asked, _words().alias("words"))
    judged = points.select("dialogue", "turn", pl.col("index").alias("judged"), _words().alias("words"))
    judged = judged.with_row_index("point")
    joined = []
    for task in every["task"].unique(maintain_order=True).to_list():
        gold = TASKS[task].label(points["true"].to_numpy(), points["shared"].to_numpy())
        keyed = judged.with_columns(pl.Series("gold", [TASKS[task].classes[place] for place in gold.tolist()]))
        predicted = (
            keyed.join(items.filter(pl.col("task") == task), on=["dialogue", "turn", "words", "gold"])
            .with_columns((pl.col("index") != pl.col("judged")).alias("other"))
            .filter(pl.col("other") == pl.col("other").min().over("point"))
            .group_by("point")
            .agg((pl.col("gold") == pl.col("predicted")).mean().alias("right"))
        )
        right = judged.join(predicted, on="point", how="left", maintain_order="left")["right"]
        if right.null_count() and not common:
            raise _lacking(name, points.filter(right.is_null()))
        joined.append(Joined(task, right))
    return joined


def _words() -> "pl.Expr":
    return pl.col("proposition").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars(" .")


def _lacking(name: str, points: "pl.DataFrame") -> InputError:
    expected = "each point that was judged, with the same words and gold labels; or `common`"
    problems = [
        Problem(f"dialogue {dialogue}, turn {turn}", "", f"no proposition {text!r}", expected)
        for dialogue, turn, text in points.select("dialogue", "turn", "proposition").iter_rows()
    ]
    return InputError(name, problems)


def draw_points(
    propositions: PropositionSet,
    dialogues: Dialogues,
    options: StudyPointsOptions,
    pictured: Collection[int] | None = None,
) -> list[StudyTask]:
    """Points of different dialogues, then the attention checks."""
    _check_together(propositions, dialogues)
    rng = np.random.default_rng(options.seed)
    usable = {
        place: once
        for place, records in propositions.dialogues.items()
        if (pictured is None or dialogues[place].image_id in pictured) and (once := _once(records))
    }
    if not usable:
        raise UsageError("`propositions`: no dialogue has a sentence to judge; with `pictured`, one that has a picture")
    count, more = options.sizes("tasks", options.tasks, 100, len(usable))
    tasks = []
    for number, place in enumerate(rng.permutation(np.array(list(usable), np.int64))[: count + more].tolist()):
        dialogue, records = dialogues[place], propositions.dialogues[place]
        index = usable[place][int(rng.integers(len(usable[place])))]
        turn = int(rng.integers(len(dialogue.rounds) + 1))
        truth: tuple[str, ...] = ()
        if number >= count:
            wished = [index for index in usable[place] if records[index].a_thinks_true == number % 2] or usable[place]
            index = wished[int(rng.integers(len(wished)))]
            turn = records[index].turn_shared
            truth = (YES if records[index].a_thinks_true else NO, YES)
        key = point_key(propositions.split or "–", place, turn, index, records[index], dialogue)
        text = records[index].proposition
        lines = _spoken(dialogue, turn)
        tasks.append(StudyTask("true-shared", text, dialogue.image_id, lines=lines, key=key, truth=truth))
    return tasks


def _check_together(propositions: PropositionSet, dialogues: Dialogues) -> None:
    """Refuse propositions of dialogues, or of turns, that are not there."""
    problems = []
    for place, records in propositions.dialogues.items():
        turns = len(dialogues[place].rounds) if place < len(dialogues) else -1
        last = max(record.turn_shared for record in records)
        if turns < 0:
            expected = f"places from 0 to {len(dialogues) - 1}"
            problems.append(Problem(f"dialogue {place}", "", "none at this place", expected, "Is it of another split?"))
        elif last > turns:
            found = f"a proposition of turn {last}"
            problems.append(Problem(f"dialogue {place}", "turn_shared", found, f"a turn from 0 to {turns}"))
    if problems:
        raise InputError("propositions", problems)


def _once(records: Sequence[Proposition]) -> list[int]:
    """The places of the propositions whose words no other has."""
    counts = Counter(record.proposition for record in records)
    return [place for place, record in enumerate(records) if counts[record.proposition] == 1]


def _spoken(dialogue: Dialogue, turn: int) -> tuple[Line, ...]:
    """What was said up to a turn."""
    lines: list[Line] = [("caption", dialogue.caption)]
    for question, answer in dialogue.rounds[:turn]:
        lines += [("question", question if question.rstrip().endswith("?") else f"{question}?"), ("answer", answer)]
    return tuple(lines)


def point_key(
    split: str, place: int, turn: int, index: int, proposition: Proposition, dialogue: Dialogue
) -> dict[str, str | int | bool | None]:
    """What a judgement of a point is written with: its names, its labels, and what it was made of."""
    # A caption has no question.
    round_ = dialogue.rounds[proposition.turn_shared - 1] if proposition.turn_shared else ("none", dialogue.caption)
    return {
        "splits": split,
        "dialogues": place,
        "turns": turn,
        "indices": index,
        "true_gold": bool(proposition.a_thinks_true),
        "shared_gold": turn >= proposition.turn_shared,
        "turns_shared": proposition.turn_shared,
        "rules": proposition.rule,
        "kinds": "entailment" if proposition.a_thinks_true else "contradiction",
        "facts": proposition.qa_fact,
        "questions": round_[0],
        "answers": round_[1],
        "propositions": proposition.proposition,
    }


_NUMBERS = ("dialogues", "turns", "indices", "turns_shared")
_FLAGS = ("true", "true_gold", "shared", "shared_gold")


def gather_judgements(judged: Sequence[Judged], folder: Path) -> Sequence[str]:
    """Write the table of judgements: one row per judge and point."""
    rows = []
    for judgement in judged:
        true, shared = (answer == YES for answer in judgement.answers)
        who = {"judges": judgement.judge, "times": judgement.at}
        rows.append({**who, "true": true, "shared": shared, **judgement.task.key})
    columns: dict[str, Any] = {name: tuple(row[name] for row in rows) for name in rows[0]}
    columns |= {name: np.array(columns[name], bool) for name in _FLAGS}
    columns |= {name: np.array(columns[name], np.int64) for name in _NUMBERS}
    record = Judgements(**columns)
    write_judgements(record, folder / PEOPLE_FILE)
    return ()
