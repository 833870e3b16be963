"""Is the dataset's own evaluation fit for its purpose? Quirks of the annotation, tight candidates, ranks of the truth.

    no_full_relevance   share of annotated rounds in which no candidate has relevance 1
    irrelevant_gt       share of annotated rounds whose ground truth has relevance 0
    cluster_mean, cluster_std, cluster_size
                        of the correlations C of the ground truth with the other candidates, those in the top cluster,
                        C ≥ max C − std C (ddof 1), and the ground truth's own, which is 1, unless it is left out
                        (`without_truth`); means over rounds (dense-visdial, §3.2.1)
    gt_rank[r]          share of rounds in which a model ranks the ground truth r-th; from 11 on by tens (Figure 2)

The items hold the exact rank of every round. A cluster of one, which only one without the truth can be, has no
standard deviation. Intervals are over images.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca
from voirdire.answers.cca.projection import AnswerSpace, cca_space, encoder_space
from voirdire.answers.clusters import top_cluster
from voirdire.answers.exam import EXAM, AuditOptions
from voirdire.answers.rank import candidates_option, ranking_of, ranks_of_truth
from voirdire.answers.rounds import NumberedRounds, check_none, check_options, find_rounds, rounds_of
from voirdire.answers.views import rank_bins, rank_share
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import present
from voirdire.formats.option_numbers import Dense, Ranks, Scores
from voirdire.formats.visdial import VisDial
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure, mean
from voirdire.options import SampleOptions
from voirdire.progress import UNSEEN, Progress, Stages
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[np.generic]]

BLOCK = 128
LEAST = 3  # Candidates: two beside the ground truth have a standard deviation.


QUIRKS = (
    Measure(
        Key("no_full_relevance"),
        lambda highest_relevance: (highest_relevance < 1).astype(np.float64),
        mean,
        "lower",
        label="no candidate fully relevant",
        description="share of annotated rounds in which no candidate is fully relevant",
        citation="dense-visdial, §3.2.1",
        share=True,
    ),
    Measure(
        Key("irrelevant_gt"),
        lambda gt_relevance: (gt_relevance == 0).astype(np.float64),
        mean,
        "lower",
        label="ground truth irrelevant",
        description="share of annotated rounds whose ground truth is irrelevant",
        citation="dense-visdial, §3.2.1",
        leads=1,
        share=True,
    ),
)
CLUSTERS = tuple(
    Measure.averaged(name, "neither", label=label, description=text, citation="dense-visdial, §3.2.1")
    for name, label, text in (
        ("cluster_mean", "top cluster: correlation", "correlation of the ground truth with its top cluster"),
        ("cluster_std", "its spread", "spread of the correlations in the top cluster"),
        ("cluster_size", "its size", "candidates in the top cluster"),
    )
)
MEASURES = (*QUIRKS, *CLUSTERS, rank_share(1, 1))


def check_audit(given: Mapping[str, object], options: AuditOptions) -> None:
    """Refuse a call with dialogues alone."""
    if not {"dense", "ranks", "scores", "cca", "space"} & given.keys() and options.encoder is None:
        raise UsageError("nothing to look at: give `dense`, `ranks` or `scores`, `cca` or `encoder`")


def audit(
    visdial: VisDial,
    dense: Dense | None = None,
    ranks: Ranks | None = None,
    scores: Scores | None = None,
    cca: Cca | None = None,
    options: AuditOptions | None = None,
    space: AnswerSpace | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Every figure that the given files allow; at least one beside the dialogues is needed, or an encoder.

    space  where candidates are compared, in place of the CCA and of the encoder that the options name
    """
    options = options or AuditOptions()
    check_audit(present(dense=dense, ranks=ranks, scores=scores, cca=cca, space=space), options)
    drawn = draw(visdial.image_ids, options)
    visdial, dense = drawn.of(visdial), dense if dense is None else drawn.of(dense)
    ranking = ranking_of(ranks, scores)
    ranking = ranking if ranking is None else drawn.of(ranking)
    if space is None and (cca is not None or options.encoder is not None):
        space = cca_space(cca, options.encoder) if cca is not None else encoder_space(options.encoder or "")
    asked = np.flatnonzero((visdial.options[:, 0] >= 0) & (visdial.gt_index >= 0))
    if not len(asked):
        found = "no round with candidates and a ground truth, as in the test split"
        raise InputError("dialogues", [Problem("", "", found, "dialogues of train or val")])
    ids = rounds_of(visdial, asked)
    truth = visdial.gt_index[asked].astype(np.int64)
    columns: Columns = {"image_id": ids.image_ids, "round": ids.rounds}
    measures: list[Measure] = []
    data, outputs = {"visdial": visdial.fingerprint}, {}
    if dense is not None:
        data["dense"] = dense.fingerprint
        check_options("dense annotations (`dense`)", dense.relevance.shape[1], visdial.options.shape[1])
        columns |= _quirks(ids, truth, dense)
        measures += QUIRKS
    if space is not None:
        data |= space.data
        if visdial.options.shape[1] < LEAST:
            found = f"{visdial.options.shape[1]} candidates per round"
            raise InputError("dialogues", [Problem("", "", found, f"at least {LEAST}, of which some form a cluster")])
        correlations = _correlations(visdial, asked, space, stages("answers audit", "texts"))
        figures = top_clusters(correlations, truth, not options.without_truth)
        columns |= {measure.name: values for measure, values in zip(CLUSTERS, figures, strict=True)}
        measures += CLUSTERS
    if ranking is not None:
        outputs["ranks" if isinstance(ranking, Ranks) else "scores"] = ranking.fingerprint
        columns["rank"] = _ranks(ids, visdial, ranking)
        measures += [rank_share(low, high) for low, high in rank_bins(visdial.options.shape[1])]
    # A missing value is NaN so far, and null in the items.
    items = pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))
    cluster = {"cluster": "without truth" if options.without_truth else "with truth"} if space else {}
    run = EXAM.run(
        "audit",
        options,
        items,
        estimate(items, measures, seed=options.seed, clusters="image_id"),
        data,
        outputs=outputs,
        changing=cluster | candidates_option(visdial),
        encoder=space.name if space is not None else None,
    )
    return drawn.sign(run)


def _quirks(ids: NumberedRounds, truth: Int64, dense: Dense) -> Columns:
    """Of each annotated round the highest relevance and that of the ground truth; NaN elsewhere."""
    rows = find_rounds(dense, ids)
    expected = "annotations of rounds that have candidates and a ground truth"
    check_none("dense annotations (`dense`)", dense, np.flatnonzero(rows < 0), "another round", expected)
    highest, own = np.full((2, len(truth)), np.nan)
    highest[rows] = dense.relevance.max(axis=1)
    own[rows] = dense.relevance[np.arange(len(dense)), truth[rows]]
    return {"highest_relevance": highest, "gt_relevance": own}


def _ranks(ids: NumberedRounds, visdial: VisDial, ranking: Ranks | Scores) -> Int64:
    """The rank of the ground truth in each round."""
    ranked = ranks_of_truth(visdial, ranking, options=SampleOptions(strict=True))
    return ranked.rank[find_rounds(ids, ranked)]


def _correlations(visdial: VisDial, asked: npt.NDArray[np.intp], space: AnswerSpace, progress: Progress) -> Float64:
    """Of each round: the correlation of the ground truth with each of the candidates."""
    options = visdial.options[asked]
    used, places = np.unique(options, return_inverse=True)
    places = places.reshape(options.shape)
    own = np.take_along_axis(places, visdial.gt_index[asked].astype(np.intp)[:, None], axis=1)[:, 0]
    vectors = space.rows([visdial.answers[place] for place in used.tolist()], progress)
    out = np.empty(options.shape)
    for start in range(0, len(out), BLOCK):
        block = slice(start, start + BLOCK)
        out[block] = np.einsum("ijk,ik->ij", vectors[places[block]], vectors[own[block]])
    return out


def top_clusters(correlations: Float64, truth: Int64, with_truth: bool = True) -> tuple[Float64, Float64, Int64]:
    """Mean, standard deviation (ddof 1, NaN for one) and size of each row's top cluster.

    The cluster is one of the other candidates; the ground truth, of correlation 1 with itself, joins it or does not.
    """
    others = np.arange(correlations.shape[1]) != truth[:, None]
    top = np.full(correlations.shape, with_truth)
    top[others] = top_cluster(correlations[others].reshape(len(correlations), -1), "S").ravel()
    sizes = top.sum(axis=1)
    means = np.where(top, correlations, 0.0).sum(axis=1) / sizes
    squares = np.where(top, (correlations - means[:, None]) ** 2, 0.0).sum(axis=1)
    spreads = np.sqrt(np.divide(squares, sizes - 1, out=np.full(len(sizes), np.nan), where=sizes > 1))
    return means, spreads, sizes
