"""The works that a report's figures rest on, Voir Dire itself among them, from `citations.bib`.

A section names them by key. `cited` adds those that a run's measures and its signature tell of, so that what was used
is cited and nothing else: METEOR where METEOR was measured, the encoder where one was at work.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from voirdire.runs import Run

__all__ = ["EXAM_PAPERS", "Citation", "bibtex", "citations", "cited"]

EXAM_PAPERS: Mapping[str, tuple[str, ...]] = {
    "answers": ("dense-visdial", "visdial"),
    "robustness": ("vqa-robustness", "vqa"),
    "questions": ("effective-questions", "guesswhat"),
    "scorekeeping": ("scorekeeping", "visdial"),
}

_BY_MEASURE = {"cider": "cider", "bleu": "bleu", "meteor": "meteor", "rouge": "rouge", "trend": "page-trend"}
_BY_ENCODER = {"minilm": "sentence-bert", "fasttext": "fasttext", "bert": "bert"}
_ENTRY = re.compile(r"^@\w+\{(?P<key>[\w-]+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Citation:
    """A work: its key, its entry as it stands in the file, and the entry's fields."""

    key: str
    entry: str
    fields: Mapping[str, str]

    @property
    def short(self) -> str:
        """As it stands in a text: `Vedantam et al. 2015`."""
        people = [name.partition(",")[0].strip("{}") for name in self.fields["author"].split(" and ")]
        named = f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
        return f"{named} {self.fields['year']}"


@cache
def citations() -> dict[str, Citation]:
    """All works that are known, by key, in the file's order."""
    text = (files("voirdire.report") / "citations.bib").read_text(encoding="utf-8")
    return {
        found["key"]: Citation(found["key"], found[0], dict(_FIELD.findall(found["fields"])))
        for found in _ENTRY.finditer(text)
    }


def cited(runs: Iterable[Run], keys: Iterable[str] = (), compared: bool = False) -> list[Citation]:
    """The works that runs rest on and those named, in the file's order."""
    wanted = {*keys, "voirdire", "bootstrap", *(("permutation", "holm") if compared else ())}
    for run in runs:
        wanted |= {*EXAM_PAPERS.get(run.exam, ())}
        wanted |= {key for name, key in _BY_MEASURE.items() if any(each.startswith(name) for each in run.measures)}
        encoder = run.signature.encoder or ""
        wanted |= {key for name, key in _BY_ENCODER.items() if re.search(rf"(?<![a-z]){name}", encoder)}
    known = citations()
    if unknown := wanted - set(known):
        raise ValueError(f"keys: {sorted(unknown)}; may be among {', '.join(known)}")
    return [citation for key, citation in known.items() if key in wanted]


def bibtex(cited: Iterable[Citation]) -> str:
    """The entries, one after the other."""
    return "\n\n".join(citation.entry for citation in cited)
