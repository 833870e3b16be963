"""The works that a report's figures rest on, Voir Dire itself among them, from `citations.bib`.

An exam names its papers by key, and a measure the work that defined it, so that what was used is cited and nothing
else: METEOR where METEOR was measured, the encoder where one was at work. An exam may bring a bibliography of its own.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from voirdire.exam import exam_named, exams, measures_of
from voirdire.runs import Run

_BY_ENCODER = {"minilm": "sentence-bert", "fasttext": "fasttext", "skipthoughts": "skip-thoughts", "bert": "bert"}
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
    own = (place.partition(":") for exam in exams() if (place := exam.bibliography))
    places = [("voirdire.report", "citations.bib"), *((package, name) for package, _, name in own)]
    text = "\n".join((files(package) / name).read_text(encoding="utf-8") for package, name in places)
    return {
        found["key"]: Citation(found["key"], found[0], dict(_FIELD.findall(found["fields"])))
        for found in _ENTRY.finditer(text)
    }


def cited(runs: Iterable[Run], keys: Iterable[str] = (), compared: bool = False) -> list[Citation]:
    """The works that runs rest on and those named, in the file's order."""
    wanted = {*keys, "voirdire", "bootstrap", *(("permutation", "holm") if compared else ())}
    for run in runs:
        about = measures_of(run)
        wanted |= {*exam_named(run.exam).papers}
        wanted |= {work for key in run.measures if (one := about.get(key.measure)) and (work := one.work)}
        encoder = run.signature.encoder or ""
        wanted |= {key for name, key in _BY_ENCODER.items() if re.search(rf"(?<![a-z]){name}", encoder)}
    known = citations()
    if unknown := wanted - set(known):
        raise ValueError(f"keys: {sorted(unknown)}; may be among {', '.join(known)}")
    return [citation for key, citation in known.items() if key in wanted]


def bibtex(cited: Iterable[Citation]) -> str:
    """The entries, one after the other."""
    return "\n\n".join(citation.entry for citation in cited)
