"""What leads where models answer in sentences: figures by the short answers inside, with the official ones beside.

Official measures of short answers count "The answer is white." as wrong where people wrote "white". Where the answers
of any of the models that are looked at together are sentences, the figures by short answers lead for all of them. The
official figures stay as they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from voirdire.exam.declaration import load
from voirdire.exam.registry import part_of, views_of
from voirdire.figures import name_list
from voirdire.metrics.key import Key

if TYPE_CHECKING:
    from voirdire.runs.estimate import Estimate
    from voirdire.runs.run import Run
    from voirdire.runs.view import Role, View

NAMED = 3
"""Models that a sentence names; more are counted."""


def share_of_sentences(run: "Run") -> "Estimate | None":
    """The share of a run's answers that are sentences, the largest of its conditions; None where it is not known."""
    rule = part_of(run).short_answers
    shares = [figure for figure in run.measures.of(rule.share).values() if figure.value is not None] if rule else []
    return max(shares, key=lambda figure: figure.value or 0.0, default=None)


def is_wordy(run: "Run") -> bool:
    """Whether a run's answers are sentences: a larger share of them than usual, by as much as its part declares."""
    rule, share = part_of(run).short_answers, share_of_sentences(run)
    if rule is None or share is None or share.value is None:
        return False
    usual = run.measures.figure(rule.usual).value if rule.usual else 0.0
    return share.value >= (usual or 0.0) + rule.least


def by_short_answers(key: Key, run: "Run") -> Key:
    """The key of the same figure by short answers, where the run has it; else the key itself."""
    rule = part_of(run).short_answers
    short: Key = key if rule is None else load(rule.key)(key)
    return short if short in run.measures else key


def lead_by_short_answers(runs: Iterable["Run"]) -> bool:
    """Whether the figures by short answers lead these runs: any of them answers in sentences, and all have the figures.

    Not every run has them.
    """
    runs = list(runs)
    return any(map(is_wordy, runs)) and all(share_of_sentences(run) is not None for run in runs)


def why_short_answers(named: Iterable[tuple[str, "Run"]]) -> str:
    """A sentence on whose answers are sentences, for readers of figures that short answers lead."""
    shares = [(label, figure) for label, run in named if is_wordy(run) if (figure := share_of_sentences(run))]
    if not shares:
        return "Figures by short answers lead, with the official ones beside: another model here answers in sentences."
    first, *others = [f"{label} ({100 * (figure.value or 0):.1f} %" for label, figure in shares]
    models = name_list([f"{first} of its answers)", *(f"{other})" for other in others)], NAMED)
    verb = "answers" if len(shares) == 1 else "answer"
    return (
        f"Figures by short answers lead, with the official ones beside: {models} {verb} in sentences, which official "
        "measures count as wrong unless people wrote the same."
    )


def leading_views(run: "Run", short: bool) -> "tuple[View, ...]":
    """The views of a run; with `short`, the figures by short answers have the roles of the official ones.

    The official headlines are then compared beside them.
    """
    views = views_of(run)
    rule = part_of(run).short_answers
    if not short or rule is None:
        return views
    make = load(rule.key)
    return tuple(
        _by_short_answers(view, {measure.key: make(measure.key) for measure in view.measures}) for view in views
    )


def _by_short_answers(view: "View", short_keys: Mapping[Key, Key]) -> "View":
    known = {measure.key: measure for measure in view.measures}
    pairs = {key: short for key, short in short_keys.items() if short != key and short in known}
    # Each before its official figure, as it leads.
    order: dict[Key, None] = {}
    for key in known:
        order |= dict.fromkeys([*([pairs[key]] if key in pairs else []), key])
    roles: dict[Key, Role] = dict(view.roles)
    for key, short in pairs.items():
        role = roles.pop(key, None)
        roles.pop(short, None)
        if role is not None:
            roles[short] = role
        if role in ("slice", "aside"):
            roles[key] = "aside"
    return replace(view, measures=tuple(known[key] for key in order), roles=roles)


def caveats_of(run: "Run") -> Mapping[Key, str]:
    """The figures of a run that cannot rank models, each with the reason."""
    place = part_of(run).caveats
    reasons: Mapping[Key, str] = load(place)(run) if place else {}
    return reasons
