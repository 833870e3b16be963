"""What can be reached: a valid answer itself as the generation, scored against the reference sets.

    a_gt    the ground truth of a round as its only generation
    gamma   each member of the set in turn as the generation, scored against the whole set

Both are slices of every measure: `cider4[gamma]` is the mean over rounds of the round's mean (μ), `cider4[gamma]:std`
its spread over rounds (σ), `cider4[gamma]:best` the mean over rounds of the best member (γ; for L2 the nearest one). A
member is part of the set that it is compared with, and stays as it is spelt (dense-visdial, §5.1 and appendix C).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import BoundOptions
from voirdire.answers.rounds import ByRound, frame
from voirdire.answers.score import prepare, sign, warn_of_sets
from voirdire.answers.statistics import measure_texts, measures_of
from voirdire.formats.references import References
from voirdire.metrics.measure import Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw
from voirdire.text.encoders import Encoder

TRUTH, MEMBERS = "a_gt", "gamma"


def score_bounds(
    references: References,
    options: BoundOptions | None = None,
    encoders: Sequence[Encoder] | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """The rows A_gt and Γ of every measure for these reference sets; `encoders` in place of those of the options."""
    options, vectors = prepare(options or BoundOptions(), encoders, stages)
    whole, drawn = references, draw(references.image_ids, options)
    references = drawn.of(references)
    count = len(references)
    members = np.repeat(np.arange(count), np.diff(references.first))
    texts = [*references.gt_answers, *references.texts]
    sets = np.concatenate([np.arange(count), members])
    progress = stages("answers bounds", "texts")
    made = measure_texts(texts, sets, references, options.measures, options.idf, vectors, progress, whole)
    columns: dict[str, npt.NDArray[np.generic]] = {
        "image_id": np.tile(references.image_ids, 2),
        "round": np.tile(references.rounds, 2),
        "bound": np.repeat([TRUTH, MEMBERS], count),
    }
    # A round's truth is one item, its members together another one.
    items_of = np.concatenate([np.arange(count), members + count])
    measures: list[Measure] = []
    for measure in measures_of(options.measures, [one.name for one in vectors]):
        rounds, best = ByRound(items_of, made.columns[measure.name], 2 * count), measure.key.as_variant("best")
        columns[measure.name] = rounds.mean()
        columns[str(best)] = rounds.best(measure.better == "lower")
        for bound in (TRUTH, MEMBERS):
            one = measure.slice("bound", bound)
            measures += [one, one.spread()]
            if bound == MEMBERS:
                measures.append(one.variant("best", of=(str(best),)))
    items = frame(columns)
    run = Run(
        exam="answers",
        part="bounds",
        options=options.plain(),
        items=items,
        measures=estimate(items, measures, seed=options.seed, clusters="image_id"),
        signature=sign(whole, options, False, vectors, made.data),
        fingerprints={"references": references.fingerprint} | made.data,
        warnings=tuple(warn_of_sets(references)),
    )
    return drawn.told(run)
