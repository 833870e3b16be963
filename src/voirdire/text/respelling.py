"""Texts taken apart into tokens and put together again, as published generations were: the steps by name.

nltk-3.4   `word_tokenize` and the detokeniser of NLTK 3.4, by rules of our own: the step of dense-visdial's figures
nltk       the same of the installed NLTK's treebank tokeniser, which leaves fewer blanks behind

Both mend blanks around punctuation ("yes , it is" becomes "yes, it is") and join what is one word to them ("can not"
becomes "cannot"). NLTK 3.4 put less together again than it had taken apart. Only where another word follows does it

    join `n't`, `'s` … to the word before        "no, it isn't" becomes "no, it is n't"
    join a comma or colon to the word before     "yes," becomes "yes ,", and before a digit "yes, 2" becomes "yes , 2"

and it never joins an opening quotation mark as it was ('a "stop" sign' becomes 'a``stop"sign'), a typographic
apostrophe ("don’t" becomes "don ’ t"), or a sign of currency at the beginning ("$1" becomes "$ 1").

It parts sentences first, by a model that was trained on newspapers (Punkt). A few rules of ours stand in for it: a
sentence ends with ? or !, or with a full stop that belongs to no abbreviation, no row of dots, and to no number or
initial before a word in lower case. Then the full stop is a token, and remains one: "it is. a cat" becomes
"it is . a cat".

Most answers are plain words and come back as they were; these are recognised and not taken apart.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from voirdire.text.tokens import treebank, untreebank

Step = Literal["nltk-3.4", "nltk"]
Rules = tuple[tuple[str, str], ...]

# Endings that are tokens of their own: those that are written in one case only, and those in any.
_LONG_ENDING = r"'(?:ll|LL|re|RE|ve|VE)|n't|N'T"
_SHORT_ENDING = r"'[sSmMdD]?"

_TAKE_APART: Rules = (
    # Rows of blanks are long in no answer, and would be slow to go back over.
    ("  +", " "),
    # Opening marks of quotation, then single quotes before a word of one letter; `` is the treebank's opening mark.
    (r"([«“‘„]|`+)", r" \1 "),
    (r'\A"', "``"),
    ("``", " `` "),
    (r"""(?<=[ (\[{<])(?:"|'')""", " `` "),
    (r"(?i)'(?!re|ve|ll|[mtsd])(?=\w\b)", "' "),
    # The last full stop, with what closes behind it; commas and colons where no digit follows; other signs.
    (r"""(?<=[^.])\.([\])}>"'»”’ ]*)\s*\Z""", r" . \1 "),
    (r"([:,])(\D|\Z)", r" \1 \2"),
    (r"\.\.\.|[;@#$%&?!]", r" \g<0> "),
    (r"(?<=[^'])' ", " ' "),
    (r"[\[\](){}<>]|--", r" \g<0> "),
    # A blank at either end, so that the last word has one behind it, too.
    (r"\A|\Z", " "),
    # Closing marks, then endings of words.
    (r"[»”’]", r" \g<0> "),
    ('"', " '' "),
    (r"(\S)''", r"\1 '' "),
    (rf"(?<=[^' ])({_SHORT_ENDING}) ", r" \1 "),
    (rf"(?<=[^' ])({_LONG_ENDING}) ", r" \1 "),
    # Two words in one.
    (
        r"(?i)\b(can(?=not)|d(?='ye)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|mor(?='n))(not|'ye|me|na|ta|'n)\b",
        r" \1 \2 ",
    ),
    (r"(?i)\b(wan)(na)\s", r" \1 \2 "),
    (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
)

_PUT_TOGETHER: Rules = (
    (r"(?i) ('t) (is|was)\b", r"\1\2"),
    (
        r"(?i)\b(can(?= not)|d(?= 'ye)|gim(?= me)|gon(?= na)|got(?= ta)|lem(?= me)|mor(?= 'n)) (not|'ye|me|na|ta|'n)\b",
        r"\1\2",
    ),
    (r"(?i)\b(wan) (na) ", r"\1\2"),
    (rf"([^' ]) ({_LONG_ENDING}) ", r"\1\2 "),
    (rf"([^' ]) ({_SHORT_ENDING}) ", r"\1\2 "),
    (r"(\S)''", r"\1'' "),
    (" '' ", '"'),
    (r"\A +| +\Z", ""),
    (" -- ", "--"),
    (r" ([\[({<]) ", r" \1"),
    (r" ([\])}>]) ", r"\1 "),
    (r"([\])}>]) ([:;,.])", r"\1\2"),
    (r"([^']) ' ", r"\1' "),
    (r" ([?!])", r"\1"),
    (r"""([^.]) (\.[\])}>"']*) *\Z""", r"\1\2"),
    (r" ([#$]) ", r" \1"),
    (r" ([;%]) ", r"\1 "),
    (r" \.\.\. ", "..."),
    (r" ([:,]) (\D)", r"\1 \2"),
    (r"([ (\[{<]) ``", r'\1"'),
    (r" `` ", "``"),
    # A backslash more: what the program of that time wrote.
    (r"\A``", r"\\" + '"'),
)

# The last stop of what has no blank inside, then a blank or a mark; what closes before a blank goes with it.
_STOP = re.compile(r"""(?<!\S)(\S*)[.?!](?=[?!"');:@*}\](\[{]|\s+(?=\S))""")
_CLOSES = re.compile(r"""[])}"']+(?=\s|\Z)""")
_BREAKS = re.compile(r"""\A'+|[?!");:@*}\](\[{,]""")
_NUMBER_OR_INITIAL = re.compile(r"-?[.,]?\d[\d,.-]*|[^\W\d_]")
_ABBREVIATIONS = frozenset(
    """
    adm ave bros co col corp dr ft gen inc jr lt ltd maj mr mrs ms ok prof rep sen sr st vs yr
    jan feb aug sep sept oct nov dec tues wed fri a.m p.m ph.d d.c l.a n.y u.k u.n u.s u.s.a
    c d e f g h k l m n p r s t v w
    """.split()  # noqa: SIM905
)


def _ends_sentence(before: str, stop: str, follows: str) -> bool:
    """Whether a stop ends a sentence: what stands before it up to a blank, and all that follows."""
    word = _BREAKS.split(before)[-1].lower()
    if stop != ".":
        return True
    if word in _ABBREVIATIONS or word.endswith("."):
        return False
    sign = follows.lstrip()[0]
    goes_on = sign.islower() or sign in ";:,.!?" or (word.isalpha() and sign.isalpha())
    return not (goes_on and _NUMBER_OR_INITIAL.fullmatch(word))


def _sentences(text: str) -> list[str]:
    """The sentences of a text, as far as rules tell."""
    sentences, start = [], 0
    for match in _STOP.finditer(text):
        end = match.end()
        if _ends_sentence(match[1], text[end - 1], text[end:]):
            closing = _CLOSES.match(text, end)
            end = closing.end() if closing else end
            sentences.append(text[start:end].strip())
            start = end
    return [*sentences, text[start:].strip()]


@cache
def _compiled(rules: Rules) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in rules]


def _apply(rules: Rules, text: str) -> str:
    for pattern, replacement in _compiled(rules):
        text = pattern.sub(replacement, text)
    return text


def nltk_3_4(text: str) -> str:
    """The text as NLTK 3.4 takes it apart and puts it together again."""
    tokens = [token for sentence in _sentences(text) for token in _apply(_TAKE_APART, sentence).split()]
    return _apply(_PUT_TOGETHER, " ".join(tokens)).strip()


PLAIN_ANSWER = re.compile(r"(?:[A-Za-z]+(?:n't|'(?:s|m|d|re|ve|ll))?,? )*[A-Za-z]+", re.ASCII)
"""Words parted by single spaces, commas before these, and the usual contractions in all words but the last."""

JOINED = re.compile(r"\b(?:can ?not|gim ?me|gon ?na|got ?ta|lem ?me|wan ?na)\b", re.ASCII | re.IGNORECASE)
"""Pairs of words that the rules take for one, or the other way round."""


def respell(texts: Iterable[str], step: Step = "nltk-3.4") -> list[str]:
    """Every text respelt, each distinct one once."""
    texts = list(texts)
    respelt = dict.fromkeys(texts, "")
    for text in respelt:
        plain = PLAIN_ANSWER.fullmatch(text) is not None and JOINED.search(text) is None
        respelt[text] = text if plain else nltk_3_4(text) if step == "nltk-3.4" else untreebank(treebank(text))
    return [respelt[text] for text in texts]


def describe_step(step: Step) -> str:
    """The step with the version whose rules it follows, for signatures."""
    from importlib.metadata import version

    return f"NLTK {'3.4' if step == 'nltk-3.4' else version('nltk')} and back"
