"""The views of this exam's runs: their items are rounds, clustered by image; and further figures for the report.

Between two models the mean of every measure is compared, not its spread over rounds; one measure of every family also
by round. The report's figures are made of the items, as all figures are: slices by round, the distribution of the
truth's ranks, and

    valid = 1/T · Σ_t [the first answer of round t is a member of its reference set, case and spacing aside]

Rounds are sliced by their number and by three facts of the data, which are the same for every model:

    question_type  by the first rule that fits the question's words:
                   count     how many, how much, what number
                   colour    what or which colour
                   yes/no    begins with a form of be, do, have or a modal verb, or with any
                   what, where, who, when, why, which, how    by its question word, wherever it stands
                   other
    pronoun        whether a word of the question refers to something before it: it, they, he, she, …
    length         the median number of words of the round's valid answers
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import RankAnswersOptions, ScoreAnswersOptions
from voirdire.formats.round_files import OPTIONS
from voirdire.lazy import pl
from voirdire.metrics.diversity import DIVERSITY
from voirdire.metrics.measure import Key, Measure, mean, ratio
from voirdire.metrics.ranks import MR, MRR, NDCG, RECALLS
from voirdire.metrics.text_metric import TEXT_METRICS
from voirdire.runs import Estimate, Run, estimate
from voirdire.runs.estimate import Measures
from voirdire.runs.view import ASKED, Role, View, with_missing_as_wrong
from voirdire.stats.aggregate import FloatArray
from voirdire.text.tokens import folded

KS = (1, 5, 10, 15)
UNIT, NOUN, CLUSTERS = ("image_id", "round"), "round", "image_id"
HEADLINES = ("cider4", "bleu4", "meteor", "rouge_l", "l2")
WORDS = {"length": "length of the valid answers"}

_AUXILIARY = (
    "is|isn't|are|aren't|was|were|am|be|do|does|doesn't|don't|did|has|have|had|"
    "can|could|will|would|should|may|might|must"
)
_TYPES = (
    ("count", r"\bhow (?:many|much)\b|\bwhat number\b"),
    ("colour", r"\b(?:what|which)(?:'s| is| are)?(?: the)? (?:\w+ )?colou?rs?\b"),
    ("yes/no", rf"^(?:(?:and|but|or|so|ok|okay)\b[ ,]*)?(?:{_AUXILIARY}|any)\b"),
    *((word, rf"\b{word}\b") for word in ("what", "where", "who", "when", "why", "which", "how")),
)
_PRONOUN = (
    r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|one|ones|either|both)\b"
)
_LENGTHS = ((2, "1 to 2 words"), (4, "3 to 4 words"))
_LONGER = "5 or more words"

RANK_MEASURES = (
    MR,
    replace(MRR, leads=1),
    RECALLS[0].named("recall", label="R", description="share of rounds whose true answer is among the first k"),
    replace(NDCG, leads=2),
)


def _pair(sentences: FloatArray, texts: FloatArray) -> FloatArray:
    return np.column_stack([sentences, texts])


SENTENCES = Measure(
    Key("sentences"),
    _pair,
    ratio,
    "neither",
    of=("sentences", "generations"),
    label="answers that are sentences",
    description="share of the generations that are sentences, by the rule of short answers",
    citation="voirdire",
    share=True,
)
USUAL = SENTENCES.named(
    "usual_sentences",
    of=("usual_sentences", "usual_texts"),
    label="valid answers that are sentences",
    description="share of the valid answers that are sentences, by the same rule",
)
SHARES = (SENTENCES, USUAL)


def by_short_answers(key: Key) -> Key:
    """The key of the same figure by the short answers inside generations."""
    return key if key.variant or key.measure in _SHARES else key.as_variant("extracted")


_SHARES = frozenset(measure.key.measure for measure in SHARES)


def text_measures() -> tuple[Measure, ...]:
    """All measures of texts against reference sets: those of `answers bounds`."""
    return TEXT_METRICS.measures(TEXT_METRICS.names(), ["an encoder"])


def score_measures() -> tuple[Measure, ...]:
    """All measures of `answers score`: where rounds have several answers, their diversity too."""
    return (*text_measures(), *DIVERSITY, *SHARES)


def depths(most: int) -> list[int]:
    """The k at which several generations per round are scored: the paper's, as far as they go, and all of them."""
    return sorted({*(k for k in KS if k <= most), most}) if most > 1 else []


def with_facets(items: "pl.DataFrame") -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """The items with the facets that their texts allow as columns, and the names of these: older runs have no texts."""
    columns: dict[str, pl.Expr] = {}
    if "question" in items.columns:
        asked = pl.col("question").str.to_lowercase().str.strip_chars()
        kind = pl.lit("other")
        for name, pattern in reversed(_TYPES):
            kind = pl.when(asked.str.contains(pattern)).then(pl.lit(name)).otherwise(kind)
        known = asked.is_not_null()
        columns["question_type"] = pl.when(known).then(kind)
        pronoun = pl.when(asked.str.contains(_PRONOUN)).then(pl.lit("with a pronoun")).otherwise(pl.lit("without one"))
        columns["pronoun"] = pl.when(known).then(pronoun)
    if "references" in items.columns:
        words = pl.col("references").list.eval(pl.element().str.count_matches(r"\S+")).list.median()
        size = pl.lit(_LONGER)
        for most, name in reversed(_LENGTHS):
            size = pl.when(words <= most).then(pl.lit(name)).otherwise(size)
        columns["length"] = pl.when(words.is_not_null()).then(size)
    return items.with_columns(**columns), tuple(columns)


def score_views(items: "pl.DataFrame", options: ScoreAnswersOptions) -> tuple[View, ...]:
    """Of `answers score`: each measure, at each k, with its spread over rounds, its best, its spread inside rounds."""
    measures: list[Measure] = []
    roles: dict[Key, Role] = {}
    most = items["generations"].max()
    ks = depths(most if isinstance(most, int) else 0)
    for measure in measured(items):
        if measure.key.measure in HEADLINES:
            roles[measure.key] = "headline"
        # Of one answer per round there is no diversity; none of it has a best.
        at = [measure.at(k, of=(str(key),)) for k in ks if str(key := measure.key.at(k)) in items.columns]
        for at_k in (measure, *at):
            spread = at_k.spread()
            measures += [at_k, spread]
            roles[spread.key] = "aside"
            extracted = at_k.key.as_variant("extracted")
            if str(extracted) in items.columns:
                measures.append(at_k.variant("extracted", of=(str(extracted),)))
                roles[extracted] = "aside"
            best = str(at_k.key.as_variant("best"))
            if at_k is measure or best not in items.columns:
                continue
            measures.append(at_k.variant("best", of=(best,)))
            if options.within:
                within = at_k.variant("within", of=(str(at_k.key.as_variant("within")),), better="neither")
                measures.append(within)
                roles[within.key] = "aside"
    measures += (shares := [measure for measure in SHARES if set(measure.of) <= set(items.columns)])
    roles |= dict.fromkeys((measure.key for measure in shares), "aside")
    sliced, facets = with_facets(items)
    view = View(sliced, tuple(measures), UNIT, NOUN, CLUSTERS, roles, (*facets, "round"), words=WORDS)
    # A missing answer has similarity 0; its distance is undefined, so distances have no such figure.
    wrong = {measure.name: 0.0 for measure in measured(items) if measure.better == "higher"}
    return (view, *with_missing_as_wrong(view, items["generations"] == items["empty"], wrong))


def measured(items: "pl.DataFrame") -> list[Measure]:
    """The measures over all generations of a round that the items have columns of, each encoder's its own."""
    known = {measure.key.measure: measure for measure in (*text_measures(), *DIVERSITY)}
    keys = [Key.parse(column) for column in items.columns]
    return [
        replace(known[key.measure], key=key, of=(str(key),))
        for key in keys
        if key.measure in known and key.k is None and not key.variant
    ]


def rank_views(items: "pl.DataFrame", options: RankAnswersOptions) -> tuple[View]:
    """Of `answers rank`: the measures of the truth's rank where there is a truth, and NDCG where it was annotated."""
    measures = [MR, MRR, *RECALLS] if items["rank"].null_count() < items.height else []
    if "ndcg" in items.columns:
        measures.append(NDCG)
    roles: dict[Key, Role] = {MRR.key: "headline", NDCG.key: "headline"}
    for measure in list(measures):
        asked = measure.variant(ASKED, of=tuple(str(Key(name, variant=ASKED)) for name in measure.of))
        if set(asked.of) <= set(items.columns):
            measures.append(asked)
            roles[asked.key] = "aside"
    sliced, facets = with_facets(items)
    return (View(sliced, tuple(measures), UNIT, NOUN, CLUSTERS, roles, (*facets, "round"), words=WORDS),)


def by_round(run: Run, key: Key) -> dict[int, Estimate]:
    """One of the measures of `answers score` in each round; nothing where the items have no column of it."""
    measure = next((measure for measure in measured(run.items) if measure.key == key), None)
    if measure is None:
        return {}
    rounds = run.items["round"].unique().sort().to_list()
    figures = _estimated(run, *(measure.slice("round", number) for number in rounds))
    return dict(zip(rounds, figures.values(), strict=True))


def rank_bins(candidates: int = OPTIONS) -> list[tuple[int, int]]:
    """Ranks that are taken together: the first ten alone, from 11 on by tens."""
    alone = [(rank, rank) for rank in range(1, min(candidates, 10) + 1)]
    return alone + [(low, min(low + 9, candidates)) for low in range(11, candidates + 1, 10)]


def candidates_of(run: Run) -> int:
    """How many candidates a round of `answers rank` or `answers audit` has: 100 unless the run's signature says so."""
    return int(run.signature.options.get("candidates", OPTIONS))


def rank_share(low: int, high: int) -> Measure:
    """`gt_rank[low-high]`: the share of rounds whose true answer is ranked there."""

    def statistic(rank: npt.NDArray[np.int64]) -> FloatArray:
        return ((rank >= low) & (rank <= high)).astype(np.float64)

    return Measure(
        Key("gt_rank", slice=(str(low) if low == high else f"{low}-{high}",)),
        statistic,
        mean,
        "neither",
        label="share at rank",
        description="share of rounds whose true answer is ranked there",
        citation="dense-visdial, Figure 2",
        share=True,
    )


def rank_shares(run: Run) -> dict[tuple[int, int], Estimate]:
    """How often the true answer is ranked first, second, …, from 11 on by tens; nothing where no round has its rank."""
    items = run.items
    if "rank" not in items.columns or items["rank"].null_count() == items.height:
        return {}
    bins = rank_bins(candidates_of(run))
    return dict(zip(bins, _estimated(run, *(rank_share(*ends) for ends in bins)).values(), strict=True))


def valid_share(run: Run) -> Estimate | None:
    """The share of rounds whose first answer is a member of the reference set; None where the items have no texts."""
    items = run.items
    if not {"answers", "references"} <= set(items.columns):
        return None
    valid = [
        folded(answers[0]) in map(folded, references) if answers else None
        for answers, references in zip(items["answers"].to_list(), items["references"].to_list(), strict=True)
    ]
    column = np.ma.masked_array([bool(answer) for answer in valid], [answer is None for answer in valid])
    measure = Measure.averaged("valid", "higher")
    images = items[CLUSTERS].to_numpy()
    return estimate({"valid": column}, [measure], seed=run.signature.seed or 0, clusters=images)[measure.key]


def first_answers(run: Run) -> Counter[str]:
    """How often each first answer was given, case and spacing aside; none where the items have no texts."""
    if "answers" not in run.items.columns:
        return Counter()
    return Counter(folded(answers[0]) for answers in run.items["answers"].to_list() if answers)


def _estimated(run: Run, *measures: Measure) -> Measures:
    return estimate(run.items, measures, seed=run.signature.seed or 0, clusters=CLUSTERS)
