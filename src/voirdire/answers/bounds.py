"""What can be reached: a valid answer itself as the generation, scored against the reference sets.

    a_gt    the ground truth of a round as its only generation
    gamma   each member of the set in turn as the generation, scored against the whole set

Both are slices of every measure: `cider4[gamma]` is the mean over rounds of the round's mean (μ), `cider4[gamma]:std`
its spread over rounds (σ), `cider4[gamma]:best` the mean over rounds of the best member (γ; for L2 the nearest one). A
member is part of the set that it is compared with, and stays as it is spelt (dense-visdial, §5.1 and appendix C).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from voirdire.answers.rounds import ByRound, frame
from voirdire.answers.similarity import sign, warn_of_sets
from voirdire.answers.statistics import OWN, measure_texts, measures_of
from voirdire.formats.references import References
from voirdire.metrics.measure import Measure, std
from voirdire.metrics.text_metric import FAMILIES
from voirdire.reports import Report, silent
from voirdire.runs import Run, estimate
from voirdire.text.encoders import Encoder

__all__ = ["BoundOptions", "score_bounds"]

TRUTH, MEMBERS = "a_gt", "gamma"


@dataclass(frozen=True)
class BoundOptions:
    """families of measures, and where CIDEr's frequencies come from, as for scores; seed: of the resamples."""

    families: tuple[str, ...] = FAMILIES
    idf: str = OWN
    seed: int = 0


def score_bounds(
    references: References,
    options: BoundOptions | None = None,
    encoders: Sequence[Encoder] = (),
    report: Report = silent,
) -> Run:
    """The rows A_gt and Γ of every measure for these reference sets."""
    options = options or BoundOptions()
    count = len(references)
    members = np.repeat(np.arange(count), np.diff(references.first))
    texts = [*references.gt_answers, *references.texts]
    sets = np.concatenate([np.arange(count), members])
    made = measure_texts(texts, sets, references, options.families, options.idf, encoders, report)
    columns: dict[str, npt.NDArray[np.generic]] = {
        "image_id": np.tile(references.image_ids, 2),
        "round": np.tile(references.rounds, 2),
        "bound": np.repeat([TRUTH, MEMBERS], count),
    }
    # A round's truth is one item, its members together another one.
    items_of = np.concatenate([np.arange(count), members + count])
    measures: list[Measure] = []
    for measure in measures_of(options.families, [one.name for one in encoders]):
        rounds = ByRound(items_of, made.columns[measure.name], 2 * count)
        columns[measure.name] = rounds.mean()
        columns[f"{measure.name}:best"] = rounds.best(measure.better == "lower")
        for bound in (TRUTH, MEMBERS):
            one = measure.slice("bound", bound)
            measures += [one, one.variant(":std", aggregate=std(), better="neither")]
            if bound == MEMBERS:
                measures.append(one.variant(":best", of=(f"{measure.name}:best",)))
    items = frame(columns)
    return Run(
        exam="answers",
        part="bounds",
        options={**asdict(options), "families": list(options.families), "encoders": [one.name for one in encoders]},
        items=items,
        measures=estimate(items, measures, seed=options.seed, clusters="image_id"),
        signature=sign(references, options.families, options.idf, False, encoders, made.data, options.seed),
        fingerprints={"references": references.fingerprint} | made.data,
        warnings=tuple(warn_of_sets(references)),
    )
