"""What the runs of the answers exam say, in sentences: how valid, how varied, how highly ranked, how much shared."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure, mean
from voirdire.report.answers_names import base_names, ks_of, leading, readable
from voirdire.report.content import Finding, Model
from voirdire.report.parts import figure_of, short, told
from voirdire.runs import Estimate, estimate

__all__ = ["on_audit", "on_humans", "on_overlap", "on_ranks", "on_similarity", "valid_share"]

_SPACES = re.compile(r"\s+")


def on_similarity(model: Model, bounds: Sequence[Model]) -> list[Finding]:
    """How near the answers are to the valid ones, how many of them are valid ones, and how varied they are."""
    (measure,) = leading(base_names([model]), 1)
    figure = figure_of(model, measure)
    if figure.value is None:
        return [Finding(model.label, "None of its answers has text, so nothing can be said of them.", "bad")]
    text = f"{readable(measure)} of its answers against the valid ones: {told(figure, 3)}"
    reached = next((figure_of(one, f"{measure}[gamma]").value for one in bounds), None)
    if reached:
        text += f"; the valid answers themselves reach {short(reached, 3)}"
    found = [Finding(model.label, f"{text}.")]
    valid = valid_share(model)
    if valid is not None and valid.value is not None:
        found.append(
            Finding(
                model.label,
                f"{told(valid, 1, 100, ' %')} of its first answers are, word for word, among the valid ones.",
            )
        )
    return [*found, *_on_k(model, measure), *_on_variety(model)]


def valid_share(model: Model) -> Estimate | None:
    """The share of rounds whose first answer is a member of the reference set, case and spacing aside."""
    items = model.run.items
    if not {"answers", "references"} <= set(items.columns):
        return None
    held = [
        _plain(answers[0]) in {_plain(one) for one in references} if answers else None
        for answers, references in zip(items["answers"].to_list(), items["references"].to_list(), strict=True)
    ]
    column = np.ma.masked_array([bool(one) for one in held], [one is None for one in held])
    measure = Measure("valid", _as_number, mean, "higher", of=("valid",))
    images = items["image_id"].to_numpy()
    found = estimate({"valid": column}, [measure], seed=model.run.signature.seed or 0, clusters=images)
    return found["valid"]


def _as_number(valid: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return valid.astype(np.float64)


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().casefold()


def _on_k(model: Model, measure: str) -> list[Finding]:
    ks = ks_of(model)
    if not ks:
        return []
    k = ks[-1]
    whole, best = (figure_of(model, f"{measure}@{k}{variant}") for variant in ("", ":best"))
    return [
        Finding(
            model.label,
            f"Of {k} answers a round the best has {readable(measure)} {told(best, 3)}, their mean {told(whole, 3)}.",
        )
    ]


def _on_variety(model: Model) -> list[Finding]:
    items = model.run.items
    found = []
    if empty := int(items["empty"].sum()):
        given = int(items["generations"].sum())
        found.append(Finding(model.label, f"{empty:,} of its {given:,} answers have no text.", "bad"))
    if "answers" in items.columns:
        first = Counter(_plain(answers[0]) for answers in items["answers"].to_list() if answers)
        if first:
            found.append(Finding(model.label, _variety(first)))
    return found


def _variety(first: Counter[str]) -> str:
    (text, count), total = first.most_common(1)[0], first.total()
    if len(first) == 1:
        return f"Its first answer is “{text}” in all {total:,} rounds."
    return (
        f"It uses {len(first):,} different first answers in {total:,} rounds; the commonest, “{text}”, in "
        f"{short(100 * count / total)} % of them."
    )


def on_ranks(model: Model) -> list[Finding]:
    """Where the true answer is ranked, and how well the ranking follows people's relevance."""
    first, tenth, rank = (figure_of(model, name) for name in ("recall@1", "recall@10", "mr"))
    found = []
    if first.value is not None and tenth.value is not None:
        found.append(
            Finding(
                model.label,
                f"It ranks the true answer first in {told(first, 1, 100, ' %')} of the rounds and beyond the tenth "
                f"place in {short(100 * (1 - tenth.value))} %; its mean rank among 100 is {told(rank, 1)}.",
            )
        )
    gain = figure_of(model, "ndcg")
    if gain.value is not None:
        found.append(Finding(model.label, f"By people's relevance its rankings have NDCG {told(gain, 3)}."))
    return found


def on_overlap(model: Model) -> list[Finding]:
    """How much of a set is in the other one."""
    precision, recall = figure_of(model, "precision"), figure_of(model, "recall")
    return [
        Finding(
            model.label,
            f"Of the answers in these sets {told(precision, 1, 1, ' %')} are in the sets that they are judged by, and "
            f"of those {told(recall, 1, 1, ' %')} are found.",
        )
    ]


def on_humans(model: Model) -> list[Finding]:
    """What judges keep of each kind of set."""
    return [
        Finding(
            model.label,
            f"Judges keep {told(figure, 1, 100, ' %')} of the answers in {name.partition('[')[2].removesuffix(']')}.",
        )
        for name, figure in model.run.measures.items()
        if name.startswith("selected[") and name.endswith("]") and figure.value is not None
    ]


def on_audit(model: Model) -> list[Finding]:
    """What is odd about the annotation."""
    odd, full = figure_of(model, "irrelevant_gt"), figure_of(model, "no_full_relevance")
    if odd.value is None or full.value is None:
        return []
    return [
        Finding(
            model.label,
            f"People hold the ground truth to be irrelevant in {told(odd, 1, 100, ' %')} of the annotated rounds; in "
            f"{told(full, 1, 100, ' %')} no candidate is fully relevant.",
        )
    ]
