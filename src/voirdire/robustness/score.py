"""Does a model's accuracy hold when basic questions are added? From its answers to the clean and the noisy questions.

    accuracy:partitionP   mean official VQA accuracy on partition P, in percent
    drop:partitionP       = accuracy − accuracy:partitionP over the questions that have both
    r_score:partitionP    see `metrics.r_score`; `r_score` is that of partition 1, as published
    trend_p               Page's test that accuracy falls from the first partition to the last
    …_normalised          the same figures by the short answer in each text, see `text.short_answers`

The same questions are asked every time, so drops and R_scores are paired: an interval draws whole images, and with a
question its clean and its noisy answer. The rows of the trend test are questions: if a ranking had no order, a
question's partitions could change places by chance, whatever its image, so the rows are independent then. A question
that a partition does not reach is no row. (vqa-robustness, §4.)

Where only two accuracies are known, as from a paper's table, there are no items, so no interval.

Whose order of basic questions makes sense? One model's accuracy by partition under several rankers, side by side:

    accuracy[R]:partitionP   mean official VQA accuracy on partition P of ranker R, in percent
    trend_p[R]               Page's test that it falls from the first partition to the last, questions as rows
    trend_p[R]:holm          the same, corrected for as many tests as there are rankers

All these figures are over the same questions: those that every partition of every ranker has (vqa-robustness, Figures 6
and 9). A ranker orders by noise if accuracy falls; one without a trend has not put the disturbing questions last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted, short
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.formats.vqa_results import VqaResults, read_vqa_results
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.metrics.r_score import r_score
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.accuracy import Judge, Verdict, limit_images, question_items, warnings_of, with_texts
from voirdire.robustness.exam import EXAM, NOISY, PARTITIONS, RobustnessOptions, RScoreOptions, TrendOptions
from voirdire.robustness.noise_identity import NoiseIdentity, dataset_of, noise_of
from voirdire.robustness.views import (
    ABOVE,
    ABOVE_NORMALISED,
    ACCURACY,
    ANSWER,
    ANSWER_TYPES,
    COMMONEST,
    CONTROL,
    CUT,
    DROP,
    NEAREST,
    NORMALISED,
    QUESTION_TYPE,
    R_SCORE,
    SENTENCES,
    TREND_P,
    at_bottom,
    changed_answers,
    conditions_in,
    partition,
    score_views,
)
from voirdire.runs import Run
from voirdire.runs.estimate import Estimate, Measures, estimate
from voirdire.runs.view import estimate_views
from voirdire.stats import holm, page_trend
from voirdire.tables import aligned, text_table
from voirdire.text.short_answers import RULE

ORDERED = 3
"""The fewest partitions of which a trend is asked."""


def score_robustness(
    annotations: VqaAnnotations,
    clean: VqaResults,
    noisy: Sequence[VqaResults],
    control: VqaResults | None = None,
    options: RobustnessOptions | None = None,
    stages: Stages = UNSEEN,
    questions: Sequence[VqaQuestions] = (),
) -> Run:
    """Score a model's answers to the clean questions and to partitions 1, 2, … of the noisy ones.

    control    answers to the questions with random ones of the pool added
    questions  what was asked, as `robustness perturb` wrote it; each file names its noise, which the run records
    """
    options = options or RobustnessOptions()
    if not 1 <= len(noisy) <= PARTITIONS:
        raise UsageError(f"`noisy` must be 1 to {PARTITIONS} files of answers, partition 1 first, got {len(noisy)}")
    drawn, annotations, of_images = limit_images(annotations, options, clean.question_ids)
    clean, noisy, questions = of_images(clean), [*map(of_images, noisy)], [*map(of_images, questions)]
    judge, progress = Judge(annotations, options), stages("judge", "steps")
    conditions = {partition(number): results for number, results in enumerate(noisy, start=1)}
    if control is not None:
        conditions[CONTROL] = of_images(control)
    noise = noise_of(questions, {"": clean, **conditions}, options.common)
    options = replace(options, dataset=dataset_of(options, noise))
    steps = len(conditions) + 2
    before = judge.judge(clean, "clean results")
    progress(1, steps)
    judged: dict[str, Verdict] = {}
    for name, results in conditions.items():
        judged[name] = judge.judge(results, f"results of {name}", counts=False)
        progress(1 + len(judged), steps)
    kept, answered = np.arange(len(annotations)), np.flatnonzero(before.rows >= 0)
    for name, verdict in judged.items():
        if not (verdict.rows[answered] >= 0).any():
            missing = "no question in common with the clean results"
            raise InputError(f"results of {name}", [Problem("", "question_id", missing, "the same questions")])
    accuracies = {ACCURACY.key.under(name): verdict.official for name, verdict in judged.items()}
    texts = {ANSWER.under(name): (conditions[name], judged[name]) for name in judged}
    shortened = {NORMALISED.key: before.normalised}
    shortened |= {NORMALISED.key.under(name): verdict.normalised for name, verdict in judged.items()}
    facts = {SENTENCES.key: before.sentences, COMMONEST.key: judge.commonest()}
    facts |= {SENTENCES.key.under(name): verdict.sentences for name, verdict in judged.items()}
    items = question_items(annotations, kept, {ACCURACY.key: before.official, **accuracies, **shortened, **facts})
    items = with_texts(items, annotations, kept, {ANSWER: (clean, before), **texts})
    items = _with_cuts(items, noise)
    figures = estimate_views(score_views(items, options), seed=options.seed)
    progress(steps, steps)
    tested, warnings = trend(items, [key for key in accuracies if key.condition != CONTROL])
    asked = {f"questions.{number}": file.fingerprint for number, file in enumerate(questions, start=1)}
    outputs = {"clean": clean.fingerprint} | {name: results.fingerprint for name, results in conditions.items()}
    run = EXAM.run(
        "score",
        options,
        items,
        figures | ({TREND_P.key: tested} if tested else {}),
        {"annotations": annotations.fingerprint},
        outputs=asked | outputs,
        changing={
            "accuracy": "official",
            "normalised": RULE,
            "dataset": options.dataset,
            "noise": noise.signed,
            "t": options.t,
            "m": options.m,
        },
        warnings=(
            *warnings_of([before, *judged.values()]),
            *noise.warnings,
            *warnings,
            *_warn_of_ignored_noise(items),
            *_warn_of_nothing_to_lose(figures),
        ),
        coverage=before.coverage,
    )
    return drawn.sign(run)


def _with_cuts(items: "pl.DataFrame", noise: NoiseIdentity) -> "pl.DataFrame":
    """The items with a column per condition, where it is known: whether the question was cut there."""
    answered = {condition: pl.col(str(ACCURACY.key.under(condition))).is_not_null() for condition in noise.cut}
    return items.with_columns(
        pl.when(answered[condition])
        .then(pl.col("question_id").is_in(pl.Series(ids).implode()))
        .alias(str(CUT.key.under(condition)))
        for condition, ids in noise.cut.items()
    )


def trend(items: "pl.DataFrame", columns: Sequence[Key]) -> tuple[Estimate | None, list[str]]:
    """p of a fall over the columns in their order, and its number of rows; None where there are too few columns."""
    if len(columns) < ORDERED:
        return None, []
    whole = items.select([str(key) for key in columns]).drop_nulls()
    tested = page_trend(whole.to_numpy(), "falling") if whole.height else None
    warnings = []
    if whole.height < items.height:
        warnings.append(
            f"{items.height - whole.height:,} of {items.height:,} questions are not in every partition; the trend is "
            "tested on the others."
        )
    return Estimate(tested.p if tested else None, None, None, whole.height), warnings


def _warn_of_ignored_noise(items: "pl.DataFrame") -> list[str]:
    """R_score does not show how good a model is; where noise hardly changes an answer, warn."""
    changes = changed_answers(items)
    if changes is None:
        return []
    changed, shared = changes
    accuracy = float(items[str(ACCURACY.key.under(NEAREST))].drop_nulls().to_numpy().mean())
    return [
        f"{shared - changed:,} of {shared:,} answers are the same with partition 1 as without. A model that ignores "
        "what is added has a high R_score, however bad it is; read it beside its accuracy under noise, "
        f"{accuracy:.2f} %."
    ]


def _warn_of_nothing_to_lose(figures: Measures) -> list[str]:
    """Where clean answers are no better than the commonest ones, official and by short answers, warn of the costs."""
    official, by_short = (
        at_bottom(figures, accuracy.key, above.key)
        for accuracy, above in ((ACCURACY, ABOVE), (NORMALISED, ABOVE_NORMALISED))
    )
    if not official:
        return []
    only = "" if by_short else " By short answers it is: read `r_score_normalised` and `drop_normalised`."
    return [f"R_score and drop say nothing of this model: {official}.{only}"]


def score_accuracies(options: RScoreOptions, stages: Stages = UNSEEN) -> Run:
    """The accuracies in percent, the drop from one to the other, and the R_score."""
    clean, noisy = float(options.clean), float(options.noisy)
    figures = {
        ACCURACY.key: clean,
        ACCURACY.key.under("noisy"): noisy,
        DROP.key: clean - noisy,
        R_SCORE.key: float(r_score(clean, noisy, options.t, options.m)),
    }
    measures = Measures({key: Estimate(value, None, None, None) for key, value in figures.items()})
    items = pl.DataFrame({"clean": [clean], "noisy": [noisy]})
    return EXAM.run("r-score", options, items, measures, {}, changing={"t": options.t, "m": options.m})


def score_table(run: Run) -> str:
    """Both tables, and where the rest is."""
    plain = Measures({key: figure for key, figure in run.measures.items() if not _is_typed(key)})
    table, _, foot = text_table(run, plain).rpartition("\n")
    kinds = counted(run.items[QUESTION_TYPE].n_unique(), "question type")
    rest = f"{kinds}: their accuracies in every condition are in the JSON and in the folder of the run."
    return "\n\n".join([table.rstrip(), "\n".join(_by_type(run)), rest, foot])


def _is_typed(key: Key) -> bool:
    """Whether a figure stands in the second table, or in none."""
    if key.measure == CUT.key.measure:
        return True
    return bool(key.slice) and (bool(key.condition) or key.slice[0] not in ANSWER_TYPES)


def _by_type(run: Run) -> list[str]:
    kinds = [kind for kind in reversed(ANSWER_TYPES) if ACCURACY.key.on(kind) in run.measures]
    cut = bool(run.measures.of(CUT.key.measure))
    rows = []
    for condition in ("", *conditions_in(run.measures)):
        whole = ACCURACY.key.under(condition)
        figures = [short(run.measures.figure(key).value, 2) for key in (*(whole.on(kind) for kind in kinds), whole)]
        share = run.measures.figure(CUT.key.under(condition)).value
        rows.append([condition or "clean", *figures, *([short(share and 100 * share, 2)] if cut else [])])
    return aligned(["accuracy (%)", *kinds, "all", *(["cut (%)"] if cut else [])], rows)


def compare_ranker_files(
    annotations: VqaAnnotations,
    ranking: Sequence[str],
    clean: VqaResults | None = None,
    options: TrendOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Compare rankers by the files of one model's answers; see `compare_rankers`.

    ranking  of each ranker NAME=FILES: with {} for 1 to 7, or files in order with commas between them
    """
    files: dict[str, list[str]] = {}
    for given in ranking:
        name, _, paths = given.partition("=")
        if not (name and paths):
            raise UsageError(f"`ranking` must be a name and files, as in lasso=said/lasso_{{}}.json, got {given!r}")
        if name in files:
            raise UsageError(f"`ranking` must name each ranker once, got {name!r} twice")
        files[name] = NOISY.files(paths.split(","))
    every = [(name, path) for name, some in files.items() for path in some]
    rankings: dict[str, list[VqaResults]] = {name: [] for name in files}
    progress = stages("read", "files")
    for done, (name, path) in enumerate(every):
        progress(done, len(every))
        rankings[name].append(read_vqa_results(path))
    progress(len(every), len(every))
    return compare_rankers(annotations, rankings, clean, options, stages)


def compare_rankers(
    annotations: VqaAnnotations,
    rankings: Mapping[str, Sequence[VqaResults]],
    clean: VqaResults | None = None,
    options: TrendOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Compare rankers by one model's answers: for each its name, and the answers to its partitions in order."""
    options = options or TrendOptions()
    if not rankings:
        raise UsageError("`rankings` must have the answers under at least one ranker, got none")
    for name, answers in rankings.items():
        if not ORDERED <= len(answers) <= PARTITIONS:
            raise UsageError(f"ranker {name} must have {ORDERED} to {PARTITIONS} partitions, got {len(answers)}")
    drawn, annotations, of_images = limit_images(annotations, options, next(iter(rankings.values()))[0].question_ids)
    clean = clean if clean is None else of_images(clean)
    rankings = {name: [*map(of_images, answers)] for name, answers in rankings.items()}
    judge, progress = Judge(annotations, options), stages("judge", "steps")
    files = {ACCURACY.key: (clean, "clean results")} if clean is not None else {}
    files |= {
        ACCURACY.key.on(name).under(partition(number)): (results, f"results of {name}, partition {number}")
        for name, answers in rankings.items()
        for number, results in enumerate(answers, start=1)
    }
    judged: dict[Key, Verdict] = {}
    for key, (results, role) in files.items():
        judged[key] = judge.judge(results, role, counts=False)
        progress(len(judged), len(files) + 1)
    whole = np.logical_and.reduce([verdict.rows >= 0 for verdict in judged.values()])
    if not whole.any():
        raise InputError("results", [Problem("", "question_id", "no question that all files have", "some")])
    items = question_items(
        annotations, np.flatnonzero(whole), {key: verdict.official for key, verdict in judged.items()}
    )
    measures = [replace(ACCURACY, key=key, of=(str(key),)) for key in judged]
    figures = estimate(items, measures, seed=options.seed, clusters="image_id")
    progress(len(files) + 1, len(files) + 1)
    tests = {name: trend(items, [key for key in judged if key.slice == (name,)])[0] for name in rankings}
    missing = {key: verdict.rows < 0 for key, verdict in judged.items()}
    lacks = {name: np.logical_or.reduce([missing[key] for key in judged if key.slice == (name,)]) for name in rankings}
    named = ", ".join(f"{name} {int(rows.sum()):,}" for name, rows in lacks.items())
    left_out = (
        f"{int((~whole).sum()):,} of {len(whole):,} questions are not in all files; all rankers are without them. "
        f"Questions that some partition lacks: {named}. Short lists can be filled up when they are ranked."
    )
    run = EXAM.run(
        "rankers",
        options,
        items,
        figures | _trends(tests),
        {"annotations": annotations.fingerprint},
        outputs={str(key): results.fingerprint for key, (results, _) in files.items()},
        changing={"accuracy": "official"},
        warnings=() if whole.all() else (left_out,),
    )
    return drawn.sign(run)


def _trends(tests: Mapping[str, Estimate | None]) -> dict[Key, Estimate]:
    tested = {name: test for name, test in tests.items() if test is not None}
    figures: dict[Key, Estimate] = {}
    for (name, test), corrected in zip(tested.items(), holm([test.value for test in tested.values()]), strict=True):
        figures[TREND_P.key.on(name)] = test
        figures[TREND_P.key.on(name).as_variant("holm")] = Estimate(corrected, None, None, test.n)
    return figures
