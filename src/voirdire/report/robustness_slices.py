"""A run's figures by type of answer and of question, which it has no measures for: from its items, with intervals."""

from collections.abc import Mapping
from dataclasses import replace

from voirdire.report.content import Model
from voirdire.report.robustness_names import NEAREST, column, conditions_of, kinds_of
from voirdire.runs import Estimate, estimate
from voirdire.verdict.views import views_of

__all__ = ["ANSWERS", "DROP", "QUESTIONS", "Slices", "slices_of"]

DROP = f"drop:{NEAREST}"
ANSWERS, QUESTIONS = "answer_type", "question_type"

Slices = Mapping[tuple[str, str, str], Estimate]
"""By measure, facet and type: `("drop:partition1", "answer_type", "number")`."""


def slices_of(model: Model) -> Slices:
    """What tables and findings show of a run of `robustness score`, all from one set of resamples."""
    (view,) = views_of(model.run)
    measures = {measure.name: measure for measure in view.measures}
    by_answer = [DROP, *(column("accuracy", condition) for condition in conditions_of([model]))]
    wanted = [(name, ANSWERS, kind) for kind in kinds_of([model]) for name in by_answer]
    wanted += [(name, QUESTIONS, kind) for kind in sorted(set(view.items[QUESTIONS])) for name in ("accuracy", DROP)]
    sliced = [replace(measures[one[0]], name=" ".join(one), where=one[1:]) for one in wanted]
    found = estimate(view.items, sliced, seed=model.run.signature.seed or 0, clusters=view.clusters)
    return dict(zip(wanted, found.values(), strict=True))
