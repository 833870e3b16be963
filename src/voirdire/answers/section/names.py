"""The measures of similarity: how a reader knows them, which way is better, and which stand for all."""

import re
from collections.abc import Iterable

from voirdire.section.content import Model

__all__ = ["base_names", "better_mark", "bounded_names", "ks_of", "leading", "on_one_scale", "readable"]

_NUMBERED = {"cider": "CIDEr", "bleu": "BLEU"}
_WORDS = {"meteor": "METEOR", "rouge_l": "ROUGE-L", "l2": "L2 distance", "cosine": "cosine"}
_AT = re.compile(r"@(\d+)$")
LEADING = ("meteor", "cider4", "cosine", "l2", "rouge_l", "bleu1")


def base_names(models: Iterable[Model]) -> list[str]:
    """The measures of any of the runs over all generations of a round, without spreads and k."""
    names = (name for model in models for name in model.run.measures)
    return [name for name in dict.fromkeys(names) if "@" not in name and ":" not in name.rpartition("]")[2]]


def bounded_names(models: Iterable[Model]) -> list[str]:
    """The measures whose bounds any of the runs has."""
    names = (name for model in models for name in model.run.measures)
    return list(dict.fromkeys(name.removesuffix("[gamma]") for name in names if name.endswith("[gamma]")))


def ks_of(model: Model) -> list[int]:
    """The numbers of generations a round at which a run looks; none where a round has one."""
    found = (_AT.search(name) for name in model.run.measures)
    return sorted({int(match[1]) for match in found if match})


def leading(names: Iterable[str], most: int) -> list[str]:
    """The measures that stand for all where there is no room for all: one of each family, best known first."""
    given = list(names)
    first = [next((name for name in given if name.partition("[")[0] == one), None) for one in LEADING]
    chosen = [name for name in first if name is not None]
    return (chosen or given)[:most]


def readable(name: str) -> str:
    """`CIDEr-4`, `cosine (minilm)`."""
    family, _, encoder = name.partition("[")
    if family[:-1] in _NUMBERED:
        return f"{_NUMBERED[family[:-1]]}-{family[-1]}"
    said = _WORDS.get(family, family)
    return f"{said} ({encoder.removesuffix(']')})" if encoder else said


def better_mark(name: str) -> str:
    """An arrow to where it is better."""
    return "↓" if name.startswith("l2") else "↑"


def on_one_scale(names: Iterable[str]) -> list[str]:
    """Those that lie between 0 and 1, so that one axis shows them all."""
    return [name for name in names if not name.startswith("l2")]
