"""What the figures of this exam's runs are made of: questions, drawn by image; and the measures that it has.

    accuracy:partitionP   mean official VQA accuracy on partition P, in percent
    drop:partitionP       = accuracy − accuracy:partitionP over the questions that have both (vqa-robustness, eq. 7)
    r_score:partitionP    see `metrics.r_score`; `r_score` is that of partition 1, as published
    trend_p               Page's test that accuracy falls from the first partition to the last
    cut:partitionP        share of the questions that were cut at the most words that a model is given
    …_normalised          the same by the short answer in each text (`text.short_answers`)
    sentences             share of the answers that are sentences, by the same rule
    commonest             accuracy of the commonest answer to each type of question
    above_commonest       = accuracy − commonest

Accuracies are also by the type of the answer and of the question, in every condition. Between two models the
accuracies, the drops and the R_scores are compared; accuracy and the drop under the nearest questions also by both
types. The normalised accuracy is compared, too, where it is another than the official one.

Some figures cannot rank models. What noise costs says nothing of a model that has nothing to lose: one whose accuracy
without noise is not above that of the commonest answer to each type of question, by the 95 % interval of the
difference. Nor of one that gives the same answers with noise as without: it is robust, or does not read what is added.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from voirdire.exam import views_of
from voirdire.figures import short
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure, identity, mean, of_means
from voirdire.metrics.r_score import both, r_score_measure
from voirdire.metrics.vqa_accuracy import VQA_ACCURACY
from voirdire.robustness.exam import PARTITIONS, AccuracyOptions, RobustnessOptions
from voirdire.runs import Run
from voirdire.runs.estimate import Measures, estimate
from voirdire.runs.view import Role, View, with_missing_as_wrong

ANSWER_TYPES = ("yes/no", "number", "other")
ANSWER_TYPE, QUESTION_TYPE = FACETS = ("answer_type", "question_type")
UNIT, NOUN, CLUSTERS = ("question_id",), "question", "image_id"
CONTROL = "control"
"""The condition in which random questions of the pool were added."""

ACCURACY = replace(VQA_ACCURACY, leads=1, description="accuracy, official VQA definition")
DROP = Measure(
    key=Key("drop"),
    statistic=both,
    # Of the two means and not of the differences: the resampled sums are then those of R_score, made once.
    aggregate=of_means(np.subtract, 2, "drop"),
    better="lower",
    unit="points",
    of=("accuracy", "noisy"),
    description="points lost when three related questions are added",
    citation="vqa-robustness, eq. 7",
    leads=2,
)
NORMALISED = ACCURACY.named(
    "accuracy_normalised",
    of=("accuracy_normalised",),
    label="accuracy of the short answers",
    description="official accuracy of the short answer inside each text, for models that answer in sentences",
)
R_SCORE = replace(r_score_measure("accuracy", "noisy"), leads=3)
TREND_P = Measure.figure(
    "trend_p",
    "neither",
    "p",
    label="p of a fall over partitions",
    description="Page's test that accuracy falls from the first partition to the last",
    citation="page-trend",
)
CUT = Measure(
    Key("cut"),
    identity,
    mean,
    "neither",
    label="questions cut",
    description="share of the noisy questions that were cut",
    citation="vqa-robustness",
)
BY_EQ6 = ACCURACY.variant("eq6", of=("accuracy:eq6",), citation="vqa-robustness, eq. 6")

_SHORT = {"description": "the same by the short answer inside each text"}
DROP_NORMALISED = DROP.named("drop_normalised", label="drop of the short answers", **_SHORT)
R_SCORE_NORMALISED = R_SCORE.named("r_score_normalised", label="R_score of the short answers", **_SHORT)

SENTENCES = Measure(
    Key("sentences"),
    identity,
    mean,
    "neither",
    label="answers that are sentences",
    description="share of the answers that are sentences, by the rule of short answers",
    citation="voirdire",
    share=True,
)
COMMONEST = ACCURACY.named(
    "commonest",
    of=("commonest",),
    better="neither",
    label="accuracy of the commonest answers",
    description="official accuracy of answering each question as people most often answer its type of question",
)
ABOVE = Measure(
    Key("above_commonest"),
    both,
    of_means(np.subtract, 2, "above_commonest"),
    "higher",
    "points",
    of=("accuracy", "commonest"),
    label="accuracy above the commonest answers",
    description="accuracy minus that of answering as people most often answer the type of question",
    citation="vqa",
)
ABOVE_NORMALISED = ABOVE.named(
    "above_commonest_normalised",
    of=("accuracy_normalised", "commonest"),
    label="accuracy of the short answers above the commonest",
    **_SHORT,
)

SCORE_MEASURES = (
    *(ACCURACY, DROP, R_SCORE, TREND_P, CUT, NORMALISED, DROP_NORMALISED, R_SCORE_NORMALISED),
    *(SENTENCES, COMMONEST, ABOVE, ABOVE_NORMALISED),
)
ACCURACY_MEASURES = (ACCURACY, NORMALISED, SENTENCES, COMMONEST, ABOVE, ABOVE_NORMALISED)
TREND_MEASURES = (ACCURACY, TREND_P)


BY_SHORT_ANSWERS = {measure.key.measure: f"{measure.key.measure}_normalised" for measure in (ACCURACY, DROP, R_SCORE)}


def by_short_answers(key: Key) -> Key:
    """The key of the same figure by the short answers inside texts; the key itself where there is none."""
    return key if key.variant else replace(key, measure=BY_SHORT_ANSWERS.get(key.measure, key.measure))


def partition(number: int) -> str:
    """The condition in which the questions of a partition were added, 1 for the nearest."""
    return f"partition{number}"


NEAREST = partition(1)
"""The questions most like the main one: R_score is that of this partition."""


def conditions_in(keys: Iterable[Key]) -> list[str]:
    """The noisy conditions of accuracies: partitions in their order, then the random questions."""
    present = {key.condition for key in keys if key.measure == ACCURACY.key.measure and not key.slice}
    order = [*(partition(number) for number in range(1, PARTITIONS + 1)), CONTROL]
    return [condition for condition in order if condition in present]


def score_views(items: "pl.DataFrame", options: RobustnessOptions) -> tuple[View, ...]:
    """Of `robustness score`: accuracy as it is and in every condition, its drop and what is kept of it, then by type.

    The first view has all questions, each further one those of a question type.
    """
    conditions = conditions_in(map(Key.parse, items.columns))
    clean = ACCURACY.name

    def under(measure: Measure, condition: str) -> Measure:
        return measure.under(condition, of=(clean, ACCURACY.under(condition).name))

    score = r_score_measure(clean, ACCURACY.under(NEAREST).name, options.t, options.m)
    by_type = [ACCURACY.slice(ANSWER_TYPE, kind) for kind in _answer_types(items)]
    noisy = [ACCURACY.under(name, of=(ACCURACY.under(name).name,)) for name in conditions]
    noisy_by_type = [measure.slice(ANSWER_TYPE, kind) for measure in noisy for kind in _answer_types(items)]
    cut = [CUT.under(name, of=(column,)) for name in conditions if (column := CUT.under(name).name) in items.columns]
    short, of_short = _short_measures(items, conditions, options)
    measures = (
        ACCURACY,
        *by_type,
        *noisy,
        *(under(DROP, name) for name in conditions),
        score,
        *(under(score, name) for name in conditions if name != CONTROL),
        *noisy_by_type,
        *cut,
        *short,
        *(facts := _facts(items, conditions)),
    )
    roles: dict[Key, Role] = (
        _compared(by_type) | of_short | {ACCURACY.key: "headline", DROP.key.under(NEAREST): "headline"}
    )
    roles |= dict.fromkeys((measure.key for measure in (*noisy_by_type, *cut, *facts)), "aside")
    whole = View(items, measures, UNIT, NOUN, CLUSTERS, roles, FACETS, FACETS)
    return (whole, *_of_all_asked(whole), *_by_question_type(items, (ACCURACY, *noisy)))


def accuracy_views(items: "pl.DataFrame", options: AccuracyOptions) -> tuple[View, ...]:
    """Of `robustness accuracy`: both definitions over all questions and by answer type, then by question type."""
    definitions = (ACCURACY, BY_EQ6, *(measure for measure in [NORMALISED] if measure.name in items.columns))
    by_type = [measure.slice(ANSWER_TYPE, kind) for kind in _answer_types(items) for measure in definitions]
    facts = _facts(items, ())
    roles: dict[Key, Role] = _compared(by_type) | _aside_if_same(items) | {ACCURACY.key: "headline"}
    roles |= dict.fromkeys((measure.key for measure in facts), "aside")
    whole = View(items, (*definitions, *by_type, *facts), UNIT, NOUN, CLUSTERS, roles, FACETS, FACETS)
    return (whole, *_of_all_asked(whole), *_by_question_type(items, (ACCURACY, BY_EQ6)))


def _facts(items: "pl.DataFrame", conditions: Sequence[str]) -> list[Measure]:
    """What says whether other figures mean something, as far as the items have its columns."""
    texts = [SENTENCES, *(SENTENCES.under(name, of=(SENTENCES.under(name).name,)) for name in conditions)]
    return [
        measure for measure in (*texts, COMMONEST, ABOVE, ABOVE_NORMALISED) if set(measure.of) <= set(items.columns)
    ]


def _of_all_asked(view: View) -> tuple[View, ...]:
    """Accuracy on the clean questions with missing answers as wrong, where any is missing."""
    wrong = {name: 0.0 for name in (ACCURACY.name, NORMALISED.name) if name in view.items.columns}
    return with_missing_as_wrong(view, view.items[ACCURACY.name].is_null(), wrong)


def _by_question_type(items: "pl.DataFrame", measures: Sequence[Measure]) -> Iterator[View]:
    """A view per question type, of the images that have a question of this type."""
    for kind in sorted(set(items[QUESTION_TYPE])):
        (name,) = question_type_key(kind).slice
        some = items.filter(pl.col(QUESTION_TYPE) == kind).with_columns(pl.lit(name).alias(QUESTION_TYPE))
        slices = tuple(measure.slice(QUESTION_TYPE, name) for measure in measures)
        # Two runs are compared on all images at once, so these are cut from the first view by facet.
        yield View(some, slices, UNIT, NOUN, CLUSTERS, dict.fromkeys((measure.key for measure in slices), "aside"))


def question_type_key(kind: str) -> Key:
    """The key of accuracy by question type; one may be called as an answer type is, in files that are not official."""
    return ACCURACY.key.on(f"question type {kind}" if kind in ANSWER_TYPES else kind)


def drops_by_type(run: Run, facet: str) -> Measures:
    """The drop under the nearest questions by type of answer or of question, which a run of `robustness score` has no
    measures for. The images that have a question of the type are drawn."""
    view, *_ = views_of(run)
    (drop,) = (measure for measure in view.measures if measure.key == DROP.key.under(NEAREST))
    drops = Measures()
    for (kind,), items in view.items.group_by(facet, maintain_order=True):
        figures = estimate(items, [drop], seed=run.signature.seed or 0, clusters=view.clusters)
        drops |= {key.on(str(kind)): figure for key, figure in figures.items()}
    return drops


def _answer_types(items: "pl.DataFrame") -> list[str]:
    present = set(items[ANSWER_TYPE])
    return [kind for kind in ANSWER_TYPES if kind in present]


def _compared(slices: Sequence[Measure]) -> dict[Key, Role]:
    """One of the definitions is enough to compare by type."""
    official = ACCURACY.key.measure
    return {
        measure.key: "slice" if measure.key.measure == official and not measure.key.variant else "aside"
        for measure in slices
    }


def _short_measures(
    items: "pl.DataFrame", conditions: Sequence[str], options: RobustnessOptions
) -> tuple[list[Measure], dict[Key, Role]]:
    """The normalised figures of `robustness score` and their roles; a run of an earlier version has none."""
    if NORMALISED.name not in items.columns:
        return [], {}
    clean = NORMALISED.name
    noisy = {name: NORMALISED.under(name).name for name in conditions}
    score = replace(
        r_score_measure(clean, NORMALISED.under(NEAREST).name, options.t, options.m),
        key=R_SCORE_NORMALISED.key,
        label=R_SCORE_NORMALISED.label,
        description=R_SCORE_NORMALISED.description,
    )
    aside = [
        *(NORMALISED.under(name, of=(column,)) for name, column in noisy.items()),
        *(DROP_NORMALISED.under(name, of=(clean, noisy[name])) for name in (NEAREST, CONTROL) if name in noisy),
        score,
    ]
    roles: dict[Key, Role] = {measure.key: "aside" for measure in aside}
    return [NORMALISED, *aside], roles | _aside_if_same(items)


def _aside_if_same(items: "pl.DataFrame") -> dict[Key, Role]:
    """Where the rule changed no accuracy, there is nothing to compare that the official figure does not say."""
    if NORMALISED.name not in items.columns:
        return {}
    same = items[NORMALISED.name].eq_missing(items[ACCURACY.name]).all()
    return {NORMALISED.key: "aside"} if same else {}


ANSWER = Key("answer")
COSTS = (
    (ACCURACY, ABOVE, (DROP, R_SCORE)),
    (NORMALISED, ABOVE_NORMALISED, (DROP_NORMALISED, R_SCORE_NORMALISED)),
)
"""An accuracy, how far it is above the commonest answers', and what noise costs of it."""


def caveats(run: Run) -> Mapping[Key, str]:
    """Each figure that cannot rank the model, with the reason."""
    unread = unaffected(run)
    reasons: dict[Key, str] = {}
    for accuracy, above, costs in COSTS:
        if reason := ", and ".join(filter(None, (at_bottom(run.measures, accuracy.key, above.key), unread))):
            names = {cost.key.measure for cost in costs}
            reasons |= {key: reason for key in run.measures if key.measure in names and not key.slice}
    return reasons


def at_bottom(figures: Measures, accuracy: Key, above: Key) -> str:
    """Why a model has nothing to lose; empty where it has, or where a run has no such figures."""
    gain, right = figures.figure(above), figures.figure(accuracy).value
    if gain.value is None or right is None or (gain.low is not None and gain.low > 0):
        return ""
    commonest = f"{short(right - gain.value, 1)} % that the commonest answer to each type of question gets"
    if gain.value > 0:
        return f"its accuracy without noise, {short(right, 1)} %, is not clearly above the {commonest}"
    return f"its accuracy without noise, {short(right, 1)} %, is not above the {commonest}"


def unaffected(run: Run) -> str:
    """Why the cost of noise may mislead: a model that ignores what is added loses nothing."""
    hardly = changed_answers(run.items)
    if hardly is None:
        return ""
    return f"it changes {hardly[0]:,} of {hardly[1]:,} answers: it is robust, or does not read what is added"


def changed_answers(items: "pl.DataFrame") -> tuple[int, int] | None:
    """How many answers are others with the nearest questions added than without, and how many there are in both.

    Only where they are so few, one in a hundred, that the model may ignore what is added; else None.
    """
    clean, noisy = str(ANSWER), str(ANSWER.under(NEAREST))
    if not {clean, noisy} <= set(items.columns):
        return None
    pairs = items.select(clean, noisy).drop_nulls()
    changed = int((pairs[clean] != pairs[noisy]).sum())
    return (changed, pairs.height) if pairs.height and 100 * changed <= pairs.height else None
