"""Replies that are no answers, counted by kind, from the texts alone.

    empty                nothing but blanks
    a refusal            in words, by the rule of `live.reading`
    in another script    most of its letters are of another script than most letters of people's answers
    in another language  two words of one of the languages of `WORDS`, or its yes or no, and fewer that are English
    cut                  at least twelve words, a capital letter in front, and no mark at the end

A reply is of the first kind that fits. Of a language in English letters only what has words that bind others is told
apart: "blanco" alone is not.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from voirdire.figures import counted
from voirdire.live.reading import declines

EMPTY, REFUSAL, SCRIPT, LANGUAGE, CUT = "empty", "refusals", "in another script", "in another language", "cut"
MANY = 0.02
"""The share of a model's replies above which a kind is worth a line."""
LONG = 12
"""The fewest words of a reply that is cut."""
SAMPLED = 5_000
"""How many of people's answers say which script is usual."""

ENGLISH = frozenset("the a an is are was of in on and with it there this that to not yes".split())  # noqa: SIM905
WORDS = tuple(
    frozenset(words.split())
    for words in (
        "el la los las un una es está son del en y con hay que no",
        "le la les un une est sont du des et dans il avec sur",
        "der die das ein eine ist sind und im mit auf es",
        "um uma é são do da dos em com não os as",
        "il lo gli un una è sono di del nel con che",
        "het een de is zijn van op met en",
    )
)
YES_OR_NO = frozenset({"sí", "oui", "non", "ja", "nein", "sim", "não", "sì"})
_WORD = re.compile(r"[^\W\d_]+")
_ENDS = (".", "!", "?", '"', "”", ")", ":", "…", "。", "！", "？")


def odd_replies(label: str, replies: Iterable[str], people: Iterable[str]) -> list[str]:
    """A line on a model of whose replies more than one in fifty is no answer; `people` have right ones."""
    counts = Counter(replies)
    total, odd = counts.total(), Counter[str]()
    sample = list(islice(people, SAMPLED))
    usual = _script(" ".join(sample))
    # Where people themselves answer in another language, that is none here.
    english = sum(map(_is_foreign, sample)) <= MANY * len(sample)
    for text, count in counts.items():
        odd[_kind(text, usual, english)] += count
    many = [(kind, odd[kind]) for kind in (EMPTY, REFUSAL, SCRIPT, LANGUAGE, CUT) if odd[kind] > MANY * total]
    if not many:
        return []
    kinds = ", ".join(f"{count:,} ({100 * count / total:.1f} %) {kind}" for kind, count in many)
    return [f"Of {counted(total, 'reply', 'replies')} of {label}: {kinds}."]


def _kind(text: str, usual: str, english: bool) -> str:
    """The kind of a reply; empty for an answer."""
    if not text.strip():
        return EMPTY
    if declines(text):
        return REFUSAL
    if usual and (script := _script(text)) and script != usual:
        return SCRIPT
    if english and _is_foreign(text):
        return LANGUAGE
    stripped = text.strip()
    is_cut = stripped[0].isupper() and len(stripped.split()) >= LONG and not stripped.endswith(_ENDS)
    return CUT if is_cut else ""


def _script(text: str) -> str:
    """The script of most of the letters: `LATIN`, `CJK`; empty where there are none."""
    scripts = Counter(unicodedata.name(letter, "?").partition(" ")[0] for letter in text if letter.isalpha())
    return scripts.most_common(1)[0][0] if scripts else ""


def _is_foreign(text: str) -> bool:
    words = set(_WORD.findall(text.lower()))
    english = len(words & ENGLISH)
    most = max(len(words & some) for some in WORDS)
    return most > max(1, english) or (bool(words & YES_OR_NO) and not english)
