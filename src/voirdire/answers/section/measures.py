"""The measures of similarity that runs have: which, at which k, what a reader calls them, and which stand for all."""

from collections.abc import Iterable, Sequence

from voirdire.answers.score import MEMBERS
from voirdire.metrics.diversity import DIVERSITY
from voirdire.metrics.key import Key
from voirdire.section.content import Model

VARIED = tuple(measure.key for measure in DIVERSITY)
"""The measures of diversity, which have a table of their own."""


def base_keys(models: Iterable[Model]) -> list[Key]:
    """The measures of similarity of any of the runs over all generations of a round, without spreads and k."""
    keys = dict.fromkeys(key for model in models for key in model.run.measures)
    return [key for key in keys if key.k is None and not key.variant and key not in VARIED]


def bounded_keys(models: Iterable[Model]) -> list[Key]:
    """The measures whose bounds any of the runs has, without the bound."""
    keys = (key for model in models for key in model.run.measures if key.slice[-1:] == (MEMBERS,) and not key.variant)
    return list(dict.fromkeys(Key(key.measure, slice=key.slice[:-1]) for key in keys))


def ks_of(model: Model) -> list[int]:
    """The numbers of generations per round at which a run looks; none where a round has one."""
    return sorted({key.k for key in model.run.measures if key.k is not None})


def leading(models: Sequence[Model], keys: Iterable[Key], most: int) -> list[Key]:
    """The measures that stand for all where there is no room for all: one of each family, best known first."""
    given = list(keys)
    places = {key: models[0].measure(key).leads for key in given}
    first = {place: key for key, place in reversed(places.items()) if place}
    chosen = [first[place] for place in sorted(first)]
    return (chosen or given)[:most]


def readable(model: Model, key: Key) -> str:
    """`CIDEr-4`, `cosine (minilm)`."""
    label = model.measure(key).label
    return f"{label} ({', '.join(key.slice)})" if key.slice else label


def arrow(model: Model, key: Key) -> str:
    """An arrow to where it is better."""
    return {"higher": "↑", "lower": "↓", "neither": ""}[model.measure(key).better]


def column(model: Model, key: Key) -> str:
    """What heads a column or an axis: `CIDEr-4 ↑`."""
    return f"{readable(model, key)} {arrow(model, key)}".rstrip()


def says(model: Model, key: Key) -> str:
    """What the measure is, in a line."""
    measure = model.measure(key)
    return measure.description or measure.label


def on_one_scale(model: Model, keys: Iterable[Key]) -> list[Key]:
    """Those that lie between 0 and 1, so that one axis shows them all."""
    return [key for key in keys if model.measure(key).better != "lower"]
