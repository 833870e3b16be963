"""A run's figures by type of answer and of question, which it has no measures for: from its items, with intervals."""

from collections.abc import Mapping

from voirdire.section.content import Model
from voirdire.robustness.section.names import NEAREST, column, conditions_of
from voirdire.runs import Estimate, estimate
from voirdire.verdict.views import views_of

__all__ = ["ANSWERS", "DROP", "QUESTIONS", "Slices", "slices_of"]

DROP = f"drop:{NEAREST}"
ANSWERS, QUESTIONS = "answer_type", "question_type"

Slices = Mapping[tuple[str, str, str], Estimate]
"""By measure, facet and type: `("drop:partition1", "answer_type", "number")`."""


def slices_of(model: Model) -> Slices:
    """What tables and findings show of a run of `robustness score`; the images that have such a question are drawn."""
    (view,) = views_of(model.run)
    measures = {measure.name: measure for measure in view.measures}
    by_answer = [DROP, *(column("accuracy", condition) for condition in conditions_of([model]))]
    found: dict[tuple[str, str, str], Estimate] = {}
    for facet, names in ((ANSWERS, by_answer), (QUESTIONS, ["accuracy", DROP])):
        for (kind,), items in view.items.group_by(facet, maintain_order=True):
            some = [measures[name] for name in names]
            figures = estimate(items, some, seed=model.run.signature.seed or 0, clusters=view.clusters)
            found |= {(name, facet, str(kind)): figures[name] for name in names}
    return found
