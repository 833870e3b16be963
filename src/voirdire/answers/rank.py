"""How high does a model rank the true answer, and in what order the relevant ones? The dataset's own evaluation.

Every round that has candidates asks for a ranking, or where the model ranks only rounds of the dense annotations, which
NDCG is taken over, every one of these. Where a ranking is missing, `mrr:asked` puts the truth last. Rounds without
ground truth (the whole test split) are no case for the measures of its rank. Intervals are over images.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import EXAM, RankAnswersOptions
from voirdire.answers.rounds import check_options, find_rounds, listed, match_rounds, rounds_of
from voirdire.answers.views import rank_views
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import present
from voirdire.formats.option_numbers import Dense, Ranks, Scores
from voirdire.formats.round_files import OPTIONS
from voirdire.formats.visdial import VisDial
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.metrics.ranks import Cutoff, all_ranks, gains, true_ranks
from voirdire.options import SampleOptions
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.runs.limit import Drawn, draw
from voirdire.runs.view import ASKED, Coverage, estimate_views

MORE = "Take more images (`limit`)."
RANK_ASKED, NDCG_ASKED = (str(Key(name, variant=ASKED)) for name in ("rank", "ndcg"))


def rank_answers(
    visdial: VisDial,
    ranks: Ranks | None = None,
    scores: Scores | None = None,
    dense: Dense | None = None,
    options: RankAnswersOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Mean rank, reciprocal rank, recall at 1, 5, 10 and, with dense annotations, NDCG of a model's rankings."""
    options = options or RankAnswersOptions()
    check_rank(present(ranks=ranks, scores=scores), options)
    ranking = ranking_of(ranks, scores)
    assert ranking is not None
    drawn = draw(visdial.image_ids, options, covered=ranking.image_ids)
    ranked = ranks_of_truth(visdial, ranking, dense, options, drawn)
    dense = dense if dense is None else drawn.of(dense)
    ranking = drawn.of(ranking)
    if dense is not None and drawn.partial and not len(dense):
        nothing = f"no annotation in {drawn}"
        raise InputError("dense annotations (`dense`)", [Problem("", "", nothing, "at least one", MORE)])
    image_ids, rounds, rank, missing = ranked.image_ids, ranked.rounds, ranked.rank, ranked.places < 0
    if dense is None and not (rank > 0).any():
        none = "no ground truth (`gt_index`) in any round, as in the test split"
        hint = "Give its dense annotations: with these alone, NDCG is all that can be said."
        raise InputError("dialogues", [Problem("", "", none, "dialogues of train or val", hint)])
    warnings = [*ranked.warnings, *_warn_of_truth(image_ids[~missing], rounds[~missing], rank[~missing])]
    columns: dict[str, npt.NDArray[np.generic] | list[str]] = {
        "image_id": image_ids,
        "round": rounds,
        "question": [visdial.question_text(row) for row in ranked.asked.tolist()],
        "rank": rank,
    }
    if missing.any():
        columns[RANK_ASKED] = np.where(missing & ranked.has_truth, visdial.options.shape[1], rank)
    if dense is not None:
        columns["ndcg"], asked, more = _ndcg(ranked, ranking, dense, options.cutoff)
        warnings += more
        if missing.any():
            columns[NDCG_ASKED] = asked
    items = pl.DataFrame(columns).with_columns(pl.selectors.starts_with("rank").replace(0, None))
    items = items.with_columns(pl.selectors.float().fill_nan(None))
    role = "ranks" if isinstance(ranking, Ranks) else "scores"
    data = {"visdial": visdial.fingerprint} | ({"dense": dense.fingerprint} if dense is not None else {})
    cutoff = {"cutoff": options.cutoff} if dense is not None else {}
    run = EXAM.run(
        "rank",
        options,
        items,
        estimate_views(rank_views(items, options), seed=options.seed),
        data,
        outputs={role: ranking.fingerprint},
        changing={"ties": "worst", **cutoff, **candidates_option(visdial)},
        warnings=warnings,
        coverage=ranked.coverage,
    )
    return drawn.sign(run)


def check_rank(given: Mapping[str, object], options: RankAnswersOptions) -> None:
    """Refuse a call without a ranking, or with two."""
    if ("ranks" in given) == ("scores" in given):
        raise UsageError("give either `ranks` or `scores`")


def ranking_of(ranks: Ranks | None, scores: Scores | None) -> Ranks | Scores | None:
    """Whichever of the two is given."""
    if ranks is not None and scores is not None:
        raise UsageError("give either `ranks` or `scores`")
    return scores if ranks is None else ranks


def candidates_option(visdial: VisDial) -> dict[str, int]:
    """The number of candidates of a round, for signatures: nothing where it is VisDial's number."""
    width = visdial.options.shape[1]
    return {} if width == OPTIONS else {"candidates": width}


@dataclass(frozen=True, eq=False)
class RankedRounds:
    """The rounds to be ranked, with a model's rankings.

    asked      their places among all rounds of the dialogues
    has_truth  whether the true answer is known
    rank       of the truth, 0 where it is not known or there is no ranking
    places     row of the ranking, -1 where there is none
    coverage   how many of them are ranked
    warnings   about what is missing or left out
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    asked: npt.NDArray[np.intp]
    has_truth: npt.NDArray[np.bool_]
    rank: npt.NDArray[np.int64]
    places: npt.NDArray[np.intp]
    coverage: Coverage
    warnings: tuple[str, ...]


def ranks_of_truth(
    visdial: VisDial,
    ranking: Ranks | Scores,
    dense: Dense | None = None,
    options: SampleOptions | None = None,
    drawn: Drawn | None = None,
) -> RankedRounds:
    """Every round that has candidates, or the annotated ones where no other is ranked.

    drawn  the images that a limit takes; which rounds are asked is decided over all of them
    """
    asked = np.flatnonzero(visdial.options[:, 0] >= 0)
    if not len(asked):
        raise InputError("dialogues", [Problem("", "", "no candidate answers in any round", "some to rank")])
    numbers = ranking.ranks if isinstance(ranking, Ranks) else ranking.scores
    what = f"rankings (`{'ranks' if isinstance(ranking, Ranks) else 'scores'}`)"
    check_options(what, numbers.shape[1], visdial.options.shape[1])
    warnings: tuple[str, ...] = ()
    if dense is not None and (find_rounds(ranking, dense) >= 0).all():
        some = find_rounds(rounds_of(visdial, asked), dense) >= 0
        if some.any() and not some.all():
            warnings = (f"Only annotated rounds are ranked, so {some.sum():,} of {len(some):,} rounds were asked.",)
            asked = asked[some]
    options = options or SampleOptions()
    if drawn is not None:
        asked = asked[drawn.keeps(rounds_of(visdial, asked).image_ids)]
        ranking = drawn.of(ranking)
        if not len(asked):
            raise InputError("dialogues", [Problem("", "", f"nothing to rank in {drawn}", "some rounds", MORE)])
    ids = rounds_of(visdial, asked)
    places, coverage, uncovered = match_rounds(ids, ranking, "dialogues", what, options)
    truth = visdial.gt_index[asked].astype(np.int64)
    rank = np.zeros(len(asked), dtype=np.int64)
    given = np.flatnonzero((truth >= 0) & (places >= 0))
    if isinstance(ranking, Ranks):
        rank[given] = ranking.ranks[places[given], truth[given]]
    else:
        rank[given] = true_ranks(ranking.scores[places[given]], truth[given])
    return RankedRounds(*ids, asked, truth >= 0, rank, places, coverage, (*warnings, *uncovered))


def _warn_of_truth(
    image_ids: npt.NDArray[np.int64], rounds: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]
) -> list[str]:
    without = np.flatnonzero(rank == 0)
    if not len(without):
        return []
    if len(without) == len(rank):
        return ["The dialogues have no ground truths, so only NDCG is measured."]
    return [f"{listed(image_ids[without], rounds[without])}: no ground truth, so left out of all but NDCG."]


def _ndcg(
    asked: RankedRounds, ranking: Ranks | Scores, dense: Dense, cutoff: Cutoff
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[str]]:
    """One gain per round, NaN where it has no annotation, nothing relevant or no ranking; the same, with 0 where only a
    ranking is missing; and what was left out."""
    numbers = ranking.ranks if isinstance(ranking, Ranks) else ranking.scores
    check_options("dense annotations (`dense`)", dense.relevance.shape[1], numbers.shape[1])
    rows = find_rounds(dense, asked)
    if not (rows >= 0).any():
        hint = "They may be of another split."
        raise InputError(
            "dense annotations (`dense`)", [Problem("", "", "no round of the dialogues", "some of them", hint)]
        )
    warnings = []
    if unknown := int((rows < 0).sum()):
        warnings.append(f"{unknown:,} of {len(rows):,} annotated rounds are not in the dialogues and are left aside.")
    relevant = (dense.relevance > 0).sum(axis=1) > 0
    gain, of_all = np.full((2, len(asked.rounds)), np.nan)
    of_all[rows[(rows >= 0) & relevant]] = 0.0
    ranked = np.flatnonzero((rows >= 0) & (asked.places[rows] >= 0))
    chosen = asked.places[rows[ranked]]
    ranks = ranking.ranks[chosen] if isinstance(ranking, Ranks) else all_ranks(ranking.scores[chosen])
    gain[rows[ranked]] = of_all[rows[ranked]] = gains(ranks, dense.relevance[ranked], cutoff)
    empty = ranked[~relevant[ranked]]
    if len(empty):
        where = listed(dense.image_ids[empty], dense.rounds[empty])
        warnings.append(f"{where}: no relevant candidate, so left out of NDCG.")
    return gain, of_all, warnings
