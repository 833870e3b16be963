"""Words of a text as METEOR 1.5 sees them with `-norm`, and what it compares of a word: its number and its stem.

    marks apart, points by the rule of abbreviations, lower case, parted at white space

A point that ends a word stays with it after a listed abbreviation and before a word in lower case, goes where the word
holds further points and a letter, and stands apart else; runs of points stand apart as one word.
Rules run one after the other and a character that one match took is not seen by the next of the same rule, so that the
second comma of `a,b,c` stays: figures depend on that, since each such word matches nothing.

    key(w) = Σ_i u_i · 31^(n − 1 − i)  mod 2³², as a signed number

u_0 … u_{n−1}  the UTF-16 units of w
Two words with one key count as one word there, so they do here; no two of 150,000 English words have one key.

Stems are by the Porter2 algorithm. snowballstemmer's releases 2.x give the jar's stem for every one of 175,787 words
tried; 3.0 changed the algorithm (`evening` and `even` no longer share a stem, `geologist` and `geology` do), so that
its stems are refused.
"""

import re
from array import array
from collections.abc import Mapping
from functools import cache
from typing import Any

from voirdire.errors import UsageError

# The letters, as ranges: Latin to U+017E, Cyrillic and its extensions, phonetic signs.
ALPHA = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
WHITE = " \\t\\n\\x0b\\f\\r"
# Stands for one point of a run while single points are dealt with; no text that was decoded holds it.
HIDDEN = "\udfff"
# Spaces beyond ASCII: words of their own while points are dealt with, nothing afterwards.
WIDE = " \xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

PLAIN = re.compile("[0-9A-Za-z \\t\\n\\f\\r]*")
# Most answers hold no marks, or `it's`, `no, yes` and marks at the end only: what the rules make of them is plain.
WORD = "[A-Za-z0-9]+(?:(?<=[A-Za-z])'[A-Za-z]+)?"
SIMPLE = re.compile(f"{WORD}(?:,? +{WORD})*[?!]*")
SIMPLE_WORDS = re.compile("'?[a-z0-9]+|[,?!]")
POINTS = re.compile(r"\.\.+")
OTHER = re.compile(f"([^0-9{ALPHA}{WHITE}{HIDDEN}.'`,‘’-])")
# By the marks without which a rule has nothing to do; rules of quotes and dashes make marks that later ones part.
RULES = tuple(
    (marks, re.compile(pattern), replacement)
    for marks, pattern, replacement in (
        (",", "([^0-9]),([^0-9])", r"\1 , \2"),
        (",", "([0-9]),([^0-9])", r"\1 , \2"),
        (",", "([^0-9]),([0-9])", r"\1 , \2"),
        ("`‘’", "[`‘’]", "'"),
        ("“”'", "[“”]|''", ' " '),
        ("–-", "–|--", "-"),
        ("-", f"([0-9{ALPHA}.])-([0-9{ALPHA}])", r"\1 \2"),
        ("'", f"([^{ALPHA}])'([^{ALPHA}])", r"\1 ' \2"),
        ("'", f"([^0-9{ALPHA}])'([{ALPHA}])", r"\1 ' \2"),
        ("'", f"([{ALPHA}])'([^{ALPHA}])", r"\1 ' \2"),
        ("'", f"([{ALPHA}])'([{ALPHA}])", r"\1 '\2"),
        ("'", "([0-9])'(s)", r"\1 '\2"),
    )
)
FINISH = str.maketrans({HIDDEN: ".", **dict.fromkeys(WIDE, " ")})
CONTROLS = "".join(map(chr, range(33)))
LETTER = re.compile(f"[{ALPHA}]")
BREAKS = re.compile("[ \\t\\n\\r\\f]+")

# What a list of abbreviations says of one: its point never ends a sentence, or does not before a number.
ALWAYS, BEFORE_NUMBER = 1, 2


def words_of(text: str, abbreviations: Mapping[str, int]) -> list[str]:
    """The words of one text; `abbreviations` says of each, without its point, ALWAYS or BEFORE_NUMBER."""
    if PLAIN.fullmatch(text):
        return text.lower().split()
    if SIMPLE.fullmatch(text):
        return SIMPLE_WORDS.findall(text.lower())
    return _by_rules(text, abbreviations)


def _by_rules(text: str, abbreviations: Mapping[str, int]) -> list[str]:
    text = POINTS.sub(lambda run: f" {HIDDEN * len(run[0])} ", f" {text} ")
    text = OTHER.sub(r" \1 ", text)
    for marks, pattern, replacement in RULES:
        if any(mark in text for mark in marks):
            text = pattern.sub(replacement, text)
    words = _split(text)
    if "." in text:
        words = _part_points(words, abbreviations)
    return _split(" ".join(words).translate(FINISH).strip(CONTROLS).lower())


def _split(text: str) -> list[str]:
    return [word for word in BREAKS.split(text) if word]


def _part_points(words: list[str], abbreviations: Mapping[str, int]) -> list[str]:
    """Decide on the point at each word's end."""
    parted: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        base = word[:-1]
        if not base or word[-1] != ".":
            parted.append(word)
            continue
        kind = abbreviations.get(base)
        if "." in base and LETTER.search(base):
            parted.append(word.replace(".", ""))
        elif kind == ALWAYS or "a" <= following[:1] <= "z" or (kind == BEFORE_NUMBER and "0" <= following[:1] <= "9"):
            parted.append(word)
        else:
            parted += [base, "."]
    return parted


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    text: str = _stemmer().stemWord(word)
    return text


@cache
def _stemmer() -> Any:
    # By its module: the package's own factory takes a compiled stemmer of any release where one is installed.
    from snowballstemmer.english_stemmer import EnglishStemmer

    stemmer = EnglishStemmer()
    if stemmer.stemWord("evening") != "even":
        raise UsageError('METEOR needs the stemmer of an earlier release: pip install "snowballstemmer>=2.2,<3"')
    return stemmer


def word_key(word: str) -> int:
    """The key of a word."""
    key = 0
    for unit in array("H", word.encode("utf-16", "surrogatepass")[2:]):
        key = (31 * key + unit) & 0xFFFFFFFF
    return key - (key >> 31 << 32)
