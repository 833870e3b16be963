"""Who is `he`? Coreference for the exams that read a dialogue as one text: the protocol, and the resolvers by name.

none   resolves nothing, so that every pronoun stays as it is
rules  reads a dialogue from left to right and resolves each pronoun by rules (default)

A dialogue is given as its *pieces* in order (caption, question, answer, question, …), each a list of Penn-Treebank
tokens. A resolver returns clusters of mentions, spans of tokens that speak of the same thing. `antecedents` reads the
clusters as the exams need them: for each pronoun, the first mention of its cluster. Other packages add resolvers
through the entry-point group `voirdire.resolvers`.

`measure` says how good a resolver is, on dialogues with gold coreference:

    precision = right / resolved        recall = right / (pronouns that stand for a phrase)

A pronoun counts if the gold file speaks of it: `he she it they` and their other forms, not `this` or `that`. It is
resolved where the resolver gives it an antecedent, the first mention of its cluster, since that is what is put in its
place. The antecedent is right where it is one of the gold phrases that the pronoun stands for, or lies inside one, or
one lies inside it; it is exact where the two are the same tokens. An antecedent for a pronoun that stands for nothing,
or for something that no phrase names, is wrong.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from voirdire.errors import UsageError
from voirdire.formats.vispro import VisproDialogue
from voirdire.providers import Registry
from voirdire.text.tagging import Tagger

# Pronouns of the third person, demonstratives and possessives, which can stand for a thing named before.
PRONOUNS = frozenset(
    {"it", "he", "she", "they", "this", "that", "these", "those", "him", "them"}
    | {"its", "his", "her", "hers", "their", "theirs"}
)

Pieces = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, order=True)
class TokenSpan:
    """Tokens start … end - 1 of one piece; spans order as they stand in the text."""

    piece: int
    start: int
    end: int

    def tokens(self, pieces: Pieces) -> list[str]:
        """The span's own tokens."""
        return list(pieces[self.piece][self.start : self.end])


# Two or more mentions of one thing, in the order of the text.
Cluster = tuple[TokenSpan, ...]


class Resolver(Protocol):
    """Finds the mentions of a dialogue that speak of the same thing.

    signature  its name, version and options, for the signatures of figures that depend on it

    A resolver that reads parts of speech has them from the tagger of the call, so that a run has one tagger and its
    memory; others leave it alone.
    """

    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> str: ...
    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]: ...


def check_clusters(pieces: Pieces, clusters: Sequence[Cluster]) -> None:
    """Raise ValueError where clusters cannot be of these pieces: a span outside its piece, out of order, or in two."""
    seen: set[TokenSpan] = set()
    for cluster in clusters:
        if len(cluster) < 2 or list(cluster) != sorted(cluster):
            raise ValueError(f"`clusters` must be two or more mentions each, in the order of the text, got {cluster}")
        for span in cluster:
            inside = 0 <= span.piece < len(pieces) and 0 <= span.start < span.end <= len(pieces[span.piece])
            if not inside:
                raise ValueError(f"`clusters` must lie inside the {len(pieces)} pieces, got {span}")
            if span in seen:
                raise ValueError(f"`clusters` must have each mention once, got {span} twice")
            seen.add(span)


def antecedents(pieces: Pieces, clusters: Sequence[Cluster]) -> dict[TokenSpan, TokenSpan | None]:
    """For each pronoun of the text, in order: the first mention of its cluster, or None.

    A pronoun has None where it is in no cluster, and where its cluster begins with a pronoun, itself or another.
    """
    check_clusters(pieces, clusters)
    first = {span: cluster[0] for cluster in clusters for span in cluster}
    antecedent: dict[TokenSpan, TokenSpan | None] = {}
    for number, piece in enumerate(pieces):
        for place, token in enumerate(piece):
            if token.lower() in PRONOUNS:
                span = TokenSpan(number, place, place + 1)
                start = first.get(span)
                antecedent[span] = None if start is None or _is_pronoun(start, pieces) else start
    return antecedent


def _is_pronoun(span: TokenSpan, pieces: Pieces) -> bool:
    tokens = span.tokens(pieces)
    return len(tokens) == 1 and tokens[0].lower() in PRONOUNS


RESOLVERS: Registry[Resolver] = Registry("resolver", "voirdire.resolvers")


def resolver(spec: str = "rules") -> Resolver:
    """The resolver that `spec` names."""
    return RESOLVERS.make(spec)


class NoResolver:
    """Resolves nothing."""

    name = "none"
    signature = "none"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        return []


@RESOLVERS.register("none")
def _none(argument: str | None) -> NoResolver:
    if argument is not None:
        raise UsageError(f"none takes no argument, got {argument!r}")
    return NoResolver()


@RESOLVERS.register("rules")
def _rules(argument: str | None) -> Resolver:
    from voirdire.text.coreference.rules import RuleResolver

    if argument is not None:
        raise UsageError(f"rules takes no argument, got {argument!r}")
    return RuleResolver()


@dataclass(frozen=True, slots=True)
class Resolution:
    """Counts of pronouns.

    pronouns   that the gold file speaks of
    referring  that stand for a phrase
    resolved   to which the resolver gave an antecedent
    right      whose antecedent is right
    exact      whose antecedent is a gold phrase to the token
    """

    pronouns: int
    referring: int
    resolved: int
    right: int
    exact: int

    @property
    def precision(self) -> float:
        return self.right / self.resolved if self.resolved else float("nan")

    @property
    def recall(self) -> float:
        return self.right / self.referring if self.referring else float("nan")


def measure(dialogues: Iterable[VisproDialogue], tagger: Tagger, resolver: Resolver) -> dict[str, Resolution]:
    """The counts over all pronouns, under `all`, and by pronoun."""
    counts: dict[str, Counter[str]] = {"all": Counter()}
    for dialogue in dialogues:
        pieces = dialogue.sentences  # One per speaker's turn.
        starts = list(accumulate(map(len, pieces), initial=0))
        resolved = {
            starts[pronoun.piece] + pronoun.start: mention
            for pronoun, mention in antecedents(pieces, resolver.resolve(pieces, tagger)).items()
        }
        tokens = dialogue.tokens()
        for gold in dialogue.pronoun_info:
            place = gold.current_pronoun[0]
            mention = resolved.get(place)
            outcome = Counter(
                {"pronouns": 1, "referring": int(bool(gold.correct_NPs)), "resolved": mention is not None}
            )
            if mention is not None:
                span = (starts[mention.piece] + mention.start, starts[mention.piece] + mention.end - 1)
                outcome["right"] = int(any(_nested(span, phrase) for phrase in gold.correct_NPs))
                outcome["exact"] = int(span in gold.correct_NPs)
            for pronoun in ("all", tokens[place].lower()):
                counts.setdefault(pronoun, Counter()).update(outcome)
    fields = ("pronouns", "referring", "resolved", "right", "exact")
    return {name: Resolution(*(int(count[field]) for field in fields)) for name, count in counts.items()}


def _nested(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether one of two spans lies inside the other."""
    start, end = max(first[0], second[0]), min(first[1], second[1])
    return (start, end) in (first, second)
