"""A dialogue in which pronouns are replaced by what they stand for.

    caption   a woman walks a small dog
    round     does it bark, no it does not   ->   does the small dog bark, no the small dog does not

The dialogue is read as one text, the caption and then "question? answer." in order. A pronoun of a question or an
answer gives way to the first mention of its cluster, if that has at most 5 words: `its` and its like become `the small
dog's`, an indefinite article or another word that cannot follow `the` goes, and `the` comes in front unless the mention
starts with `the`, `this` or a possessive. Where the tokens of a text cannot be found again in it, the whole dialogue
stays as it was.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voirdire.text.coreference import Pieces, Resolver, TokenSpan, antecedents
from voirdire.text.tagging import Tagger
from voirdire.text.tokens import treebank, untreebank

LONGEST = 5
"""The most words of a mention that is put in a pronoun's place: longer ones are mostly half a caption."""

POSSESSIVES = frozenset({"its", "his", "her", "hers", "their", "theirs"})
_DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})
_GOES = frozenset({"a", "an", "another", "any", "each", "every", "no", "some", "that", "these", "those"})
_STAYS_FIRST = frozenset({"the", "this", "my", "your", "our"}) | POSSESSIVES
# The treebank writes a double quote as one of these.
_QUOTES = {"``": '"', "''": '"'}
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A dialogue after coreference.

    caption   as it was
    rounds    a question and an answer each, with the same marks at their ends as before
    replaced  how many pronouns of questions and answers gave way
    failed    whether a text could not be taken apart and put together again, so that all of it stayed as it was
    """

    caption: str
    rounds: tuple[tuple[str, str], ...]
    replaced: int
    failed: bool = False


def rewrite(caption: str, rounds: Iterable[tuple[str, str]], tagger: Tagger, resolver: Resolver) -> Rewritten:
    """The dialogue with its pronouns replaced, as far as the resolver knows what they stand for."""
    before = tuple((question, answer) for question, answer in rounds)
    texts = [caption, *(text for pair in before for text in pair)]
    pieces = [_piece(text, "?" if place % 2 else ".") for place, text in enumerate(texts)]
    mentions = antecedents(pieces, resolver.resolve(pieces, tagger))
    after, replaced = list(texts), 0
    places: dict[int, list[tuple[int, int]] | None] = {}
    # From the end, so that places before a replaced pronoun stay right.
    for pronoun, mention in reversed(mentions.items()):
        if mention is None or pronoun.piece == 0 or mention.end - mention.start > LONGEST:
            continue
        if not _stands_alone(pronoun, pieces, tagger):
            continue
        if pronoun.piece not in places:
            places[pronoun.piece] = _places(texts[pronoun.piece], pieces[pronoun.piece])
        spans = places[pronoun.piece]
        if spans is None:
            return Rewritten(caption, before, 0, failed=True)
        start, end = spans[pronoun.start]
        text = after[pronoun.piece]
        after[pronoun.piece] = text[:start] + entity(mention, pronoun, pieces) + text[end:]
        replaced += 1
    return Rewritten(caption, tuple(zip(after[1::2], after[2::2], strict=True)), replaced)


def entity(mention: TokenSpan, pronoun: TokenSpan, pieces: Pieces) -> str:
    """What stands in the pronoun's place: the mention as a definite phrase, possessive where the pronoun is so.

    `her` always counts as possessive, as in the paper.
    """
    words = mention.tokens(pieces)
    if len(words) > 1 and words[0].lower() in _GOES:
        words = words[1:]
    # Of `a, young girl` a mark is left where its article was.
    while len(words) > 1 and not words[0][0].isalnum():
        words = words[1:]
    if words[0].lower() not in _STAYS_FIRST:
        words = ["the", *words]
    text = untreebank(words)
    (word,) = pronoun.tokens(pieces)
    if word.lower() not in POSSESSIVES:
        return text
    plural = word.lower() in ("their", "theirs") and text.endswith("s")
    return text + ("'" if plural else "'s")


def _stands_alone(pronoun: TokenSpan, pieces: Pieces, tagger: Tagger) -> bool:
    """Whether a demonstrative is a pronoun, not the determiner of `that dog` nor the `that` of a clause."""
    tokens = pieces[pronoun.piece]
    if tokens[pronoun.start].lower() not in _DEMONSTRATIVES:
        return True
    return tagger.tag(tokens)[pronoun.start].pos not in ("DET", "SCONJ")


@lru_cache(maxsize=100_000)
def _piece(text: str, end: str) -> tuple[str, ...]:
    """The tokens of a text, closed by its mark unless it has one."""
    tokens = treebank(text)
    closed = tokens and re.fullmatch(r"[.?!]+", tokens[-1])
    return tuple(tokens) if closed else (*tokens, end)


def _places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where each token stands in the text, or None where one does not; a mark that we added stands at the end."""
    places, at = [], 0
    for token in tokens:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        written = token if text.startswith(token, at) else _QUOTES.get(token, token)
        if text.startswith(written, at):
            places.append((at, at + len(written)))
            at += len(written)
        elif at == len(text):
            places.append((at, at))
        else:
            return None
    return places
