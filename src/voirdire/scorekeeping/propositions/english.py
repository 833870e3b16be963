"""As much English as the rules need: number and articles of nouns, forms of verbs, words put together again.

The word lists of the rules are in `lexicon.txt` beside this module.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voirdire.text.tagging import Token


def word_list(name: str) -> frozenset[str]:
    """The words of one list."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = re.sub("#.*", "", Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8"))
    _, *parts = re.split(r"^(\w+):$", text, flags=re.MULTILINE)
    return {name: frozenset(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}


_PLURALS = word_list("plural")
_SINGULARS = word_list("singular")

# What is not counted, so that it takes no article. The list is of what people see in photographs.
_MASS = word_list("mass")
_VOWEL = re.compile(r"(?!(?:uni|use|usu|ut[ei]|eu|one\b|once|u\b|ufo))[aeiou]|hour|honest|8|11\b|18\b|mp3|x-ray|suv\b")


def is_plural(noun: str) -> bool:
    """Whether a noun is plural by its form; of a hyphenated one the last part counts."""
    noun = noun.lower().rsplit("-", 1)[-1]
    if noun in _PLURALS:
        return True
    return (
        noun.endswith("s") and len(noun) > 2 and noun not in _SINGULARS and not noun.endswith(("ss", "us", "is", "'s"))
    )


def is_mass(noun: str) -> bool:
    """Whether a noun is commonly not counted."""
    return noun.lower() in _MASS


def article(phrase: str) -> str:
    """`a` or `an`, as the phrase begins."""
    return "an" if _VOWEL.match(phrase.lower()) else "a"


def with_article(phrase: str, noun: str) -> str:
    """A phrase with its indefinite article, if its noun takes one."""
    return phrase if is_plural(noun) or is_mass(noun) else f"{article(phrase)} {phrase}"


def third_person(verb: str) -> str:
    """The form after `he`: wears, watches, flies, has."""
    if verb in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


_APART = re.compile(r" (?='s\b|n't\b|'re\b|'ve\b|'ll\b|'(?: |$)|[,.:;!?%)])")


def join(words: Sequence[str]) -> str:
    """Tokens as text: what the treebank parts is put together again."""
    return _APART.sub("", " ".join(words)).replace("( ", "(").replace("can not", "cannot")


def listed(words: Sequence[str], last: str = "and") -> str:
    """`red`, `red and blue`, `red, white and blue`."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def sentence(text: str) -> str:
    """A text as a proposition: one space between words, a full stop at its end."""
    return " ".join(text.split()).rstrip(" .,;:!?") + "."


_WORDS = {
    **dict.fromkeys(("is", "are", "was", "were", "'s", "'re", "isn't"), "B"),
    **dict.fromkeys(("do", "does", "did"), "O"),
    **dict.fromkeys(("have", "has", "had"), "H"),
    **dict.fromkeys(("what", "how", "where", "who", "which", "why", "when", "whose"), "W"),
    **dict.fromkeys(("a", "an", "the", "any", "some", "no", "another", "each", "every", "all", "both", "either"), "D"),
    **dict.fromkeys(("his", "her", "their", "its", "my", "your", "our"), "D"),
    **dict.fromkeys(("it", "he", "she", "they", "them", "him", "you", "i", "we", "us", "me"), "R"),
    **dict.fromkeys(("anyone", "anything", "anybody", "someone", "something", "somebody"), "R"),
    **dict.fromkeys(("everyone", "everything", "everybody"), "R"),
    **dict.fromkeys(("and", "or", "nor"), "C"),
    **dict.fromkeys(("not", "n't"), "n"),
    **dict.fromkeys(("other", "same", "else", "many", "several", "visible", "asleep", "awake", "alone", "alive"), "J"),
    **dict.fromkeys(("between", "through", "on", "in", "at", "near", "inside", "under", "behind", "with", "of"), "P"),
    **dict.fromkeys(("from", "by", "around"), "P"),
    **dict.fromkeys(("next", "outside", "beside", "above", "below", "against", "over", "like"), "P"),
    **dict.fromkeys(("look", "looks", "seem", "seems", "appear", "appears"), "L"),
    **dict.fromkeys(("lot", "lots", "plenty"), "N"),
    "there": "T", "to": "t",
    "also": "A", "very": "A", "really": "A", "pretty": "A", "too": "A", "still": "A", "just": "A", "only": "A",
}  # fmt: skip
_TAGS = {
    "NOUN": "N", "PROPN": "N", "ADJ": "J", "NUM": "#", "ADV": "A", "ADP": "P", "DET": "D", "PRON": "R", "CCONJ": "C",
    "SCONJ": "X", "PUNCT": ".", "INTJ": "I", "PART": "t", "AUX": "M", "VERB": "V",
}  # fmt: skip
# Participles that do not end in -ed.
_PARTICIPLES = word_list("participle")
# Words that taggers take for nouns or adverbs where they end a question: is the sky blue, is her hair long.
_LAST = word_list("colour") | word_list("adjective")

_MODIFIERS = r"(?:A?[J#E]|JCJ)*"
NP = rf"(?:D{_MODIFIERS}G?N+(?:S{_MODIFIERS}G?N+)?|{_MODIFIERS}N+(?:S{_MODIFIERS}N+)?)"
"""A noun phrase without what may follow its noun."""

# Nouns of many: they go with either verb.
_MANY = word_list("collective")
_ARTICLES = frozenset({"a", "an", "the", "any", "some"})
# Words after which a phrase says how many: it is denied as a whole.
_AMOUNTS = word_list("amount")
_COLOURS = word_list("colour")
# What only denials and questions can end with.
_TRAILING = frozenset({"anywhere", "either", "yet", ",", "there", "also", "clearly"})
# Codes of words that no noun phrase has before its noun.
_NO_PART = "RWXPMBOVtnT.LI"
# Of these there is one, so that they keep their `the`.
_UNIQUE = frozenset({"sky", "sun", "ground", "moon", "horizon", "background", "foreground", "rest", "same"})
_UNCHANGED = frozenset({"sheep", "fish", "deer", "aircraft", "moose", "bison", "salmon", "shrimp", "trout", "squid"})


def codes(tokens: Sequence[Token]) -> str:
    """One letter per word."""
    return "".join(_code(tokens, place) for place in range(len(tokens)))


def _code(tokens: Sequence[Token], place: int) -> str:
    token = tokens[place]
    word = token.text.lower()
    if word in ("'s", "'"):
        return "S" if place and _follows_noun(tokens, place) else "B"
    if word == "can" and place and tokens[place - 1].pos in ("NOUN", "DET", "ADJ"):
        return "N"
    if word in ("this", "that", "these", "those"):
        return "D" if token.pos == "DET" else "R"
    if word in _LAST and place and _code(tokens, 0) in "BO" and _ends(tokens, place):
        return "J"
    if word in _WORDS:
        return _WORDS[word]
    if token.pos == "VERB" or (token.pos == "ADJ" and word in _PARTICIPLES):
        if word.endswith("ing"):
            return "G"
        return "E" if word.endswith("ed") or word in _PARTICIPLES else "V"
    if word.isdigit():
        return "#"
    if token.pos == "ADV" and word.endswith("y") and 1 < place == len(tokens) - 1 and _code(tokens, 0) == "B":
        # What ends a question about a thing is no adverb: are the goats woolly.
        return "J" if _code(tokens, place - 1) == "N" else "A"
    return _TAGS.get(token.pos, "X")


def _ends(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word can be what a question asks of its subject: its last one, or one of two with `or` in between."""
    before, after = tokens[place - 1], tokens[place + 1 : place + 2]
    if after and after[0].text != "or":
        return False
    return before.text == "or" or _code(tokens, place - 1) in "NLA"


def _follows_noun(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place - 1].pos in ("NOUN", "PROPN", "ADJ", "PRON", "VERB") and tokens[place - 1].text not in (
        "what",
        "it",
    )


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What a pattern found: the words of each of its named parts, in the case of the text."""

    parts: dict[str, tuple[str, ...]]
    codes: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return join(self.parts[name])

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a part; none where it is not there."""
        return self.parts[name]


def find(pattern: str, tokens: Sequence[Token]) -> PatternMatch | None:
    """The parts of a sentence that has this order of words from its first to its last, or None."""
    letters = codes(tokens)
    match = _compiled(pattern).fullmatch(letters)
    if match is None:
        return None
    words = [token.text for token in tokens]
    spans = {name: match.span(name) for name in match.re.groupindex}
    return PatternMatch(
        {name: tuple(words[start:end]) if start >= 0 else () for name, (start, end) in spans.items()},
        {name: letters[start:end] if start >= 0 else "" for name, (start, end) in spans.items()},
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def head_of(words: Sequence[str], letters: str) -> str:
    """The noun that a phrase is about: the last before what follows it, or the last word where it has none.

    Of `a lot of cars` it is the cars.
    """
    words = list(words)
    match = re.match(r"[^N]*N*(?:S[^N]*N+)?", letters)
    core = match.group() if match else letters
    if match and words[match.end() - 1 : match.end() + 1] in (["lot", "of"], ["lots", "of"], ["couple", "of"]):
        return head_of(words[match.end() + 1 :], letters[match.end() + 1 :])
    if not core:
        return words[-1]
    # Of `horses grazing` it is the horses, also where the tagger takes both for nouns.
    nouns = words[len(core.rstrip("N")) : len(core)]
    if nouns and nouns[-1].endswith("ing"):
        return next(filter(is_plural, nouns), nouns[-1])
    return words[len(core) - 1]


def agreeing(verb: str, words: Sequence[str], letters: str) -> str:
    """The verb of a question in the number of its subject, which coreference may have put in a pronoun's place."""
    head = head_of(words, letters)
    if head in _MANY or "C" in letters:
        return verb
    which, many = {"is": 0, "are": 0, "was": 1, "were": 1, "does": 2, "do": 2}.get(verb, -1), is_plural(head)
    return verb if which < 0 else (("is", "was", "does"), ("are", "were", "do"))[many][which]


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A phrase that names a thing.

    determiner  its article, where it has one that may be exchanged
    text        the rest
    head        its noun
    fixed       whether it stays as it is in every sentence: possessives, amounts, `the top of the hill`
    """

    determiner: str
    text: str
    head: str
    fixed: bool

    @property
    def plural(self) -> bool:
        return is_plural(self.head) and (self.fixed or self.determiner not in ("a", "an"))

    @property
    def unclear(self) -> bool:
        """Whether its form leaves the number open."""
        return self.head in _UNCHANGED or " and " in self.text

    def seen(self) -> str:
        """As something that is there: `a fridge`, `people`."""
        if self.fixed or (not self.determiner and not self.unclear):
            return self.text
        if self.unclear and self.determiner not in ("a", "an"):
            return self.text
        if self.determiner in ("a", "an"):
            return f"{article(self.text)} {self.text}"
        return with_article(self.text, self.head)

    def unseen(self) -> str:
        """As something that is not there, after a negated verb: `any fridge`."""
        return self.text if self.fixed else f"any {self.text}"

    def absent(self) -> str:
        """As the subject of `there is`, denied: `no fridge`, `not many people`."""
        return f"not {self.text}" if self.fixed else f"no {self.text}"


def noun_phrase(tokens: Sequence[Token]) -> NounPhrase | None:
    """The phrase as a thing, or None where it does not begin as one."""
    if not tokens:
        return None
    words, letters = [token.text for token in tokens], codes(tokens)
    while words[-1] in _TRAILING and len(words) > 1:
        words, letters = words[:-1], letters[:-1]
    determiner = words[0] if words[0] in _ARTICLES else ""
    rest, shape = (words[1:], letters[1:]) if determiner else (words, letters)
    if _is_noun(rest, shape, determiner):
        shape = "N" + shape[1:]
    if not rest or "N" not in shape or "or" in rest or shape[0] in _NO_PART or rest[0] in ("of", "idea"):
        return None
    before_noun = shape[: shape.index("N")]
    if any(letter in _NO_PART for letter in before_noun) and rest[0] != "more":
        return None
    head = head_of(rest, shape)
    owner = "S" in shape.partition("P")[0]
    amount = rest[0] in _AMOUNTS or shape[0] == "#" or rest[:2] in (["lot", "of"], ["couple", "of"])
    parted = determiner == "the" and ("of" in rest or head in _UNIQUE)
    own = letters[0] == "D" and not determiner
    if owner or amount or parted or own:
        return NounPhrase(determiner, join(words), head, True)
    return NounPhrase(determiner, join(rest), head, False)


def _is_noun(words: Sequence[str], letters: str, determiner: str) -> bool:
    """Whether the first word is a noun, whatever its tag: `writing on the wall`, `any leaves in it`, `a human`."""
    if not words or letters[0] not in "GJV":
        return False
    alone = re.match("[JV](?:[PS]|$)", letters) and (letters[0] == "J" or letters[1:2] == "S" or is_plural(words[0]))
    return is_mass(words[0]) or bool(determiner and alone and words[0] not in _COLOURS)


def definite(words: Sequence[str], letters: str) -> str:
    """A subject as it stands at the head of a statement: with `the` where it has no word of that kind."""
    text = join(words)
    named = letters[:1] in ("D", "R", "#") or text.startswith(("there", "that "))
    return text if named else f"the {text}"
