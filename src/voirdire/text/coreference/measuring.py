"""How good a resolver is, on dialogues with gold coreference.

    precision = right / resolved        recall = right / (pronouns that stand for a phrase)

A pronoun counts if the gold file speaks of it: `he she it they` and their other forms, not `this` or `that`. It is
resolved where the resolver gives it an antecedent, the first mention of its cluster, since that is what is put in its
place. The antecedent is right where it is one of the gold phrases that the pronoun stands for, or lies inside one, or
one lies inside it; it is exact where the two are the same tokens. An antecedent for a pronoun that stands for nothing,
or for something that no phrase names, is wrong.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from voirdire.formats.vispro import VisproDialogue
from voirdire.text.coreference import Resolver, antecedents
from voirdire.text.tagging import Tagger


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


def gold_pieces(dialogue: VisproDialogue) -> list[list[str]]:
    """The pieces of a gold dialogue: its sentences, one per speaker's turn."""
    return [list(sentence) for sentence in dialogue.sentences]


def measure(dialogues: Iterable[VisproDialogue], tagger: Tagger, resolver: Resolver) -> dict[str, Resolution]:
    """The counts over all pronouns, under `all`, and by pronoun."""
    counts: dict[str, Counter[str]] = {"all": Counter()}
    for dialogue in dialogues:
        pieces = gold_pieces(dialogue)
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece))
        found = {
            starts[pronoun.piece] + pronoun.start: mention
            for pronoun, mention in antecedents(pieces, resolver.resolve(pieces, tagger)).items()
        }
        tokens = dialogue.tokens()
        for gold in dialogue.pronoun_info:
            place = gold.current_pronoun[0]
            said = counts.setdefault(tokens[place].lower(), Counter())
            mention = found.get(place)
            outcome = Counter(
                {"pronouns": 1, "referring": int(bool(gold.correct_NPs)), "resolved": mention is not None}
            )
            if mention is not None:
                span = (starts[mention.piece] + mention.start, starts[mention.piece] + mention.end - 1)
                outcome["right"] = int(any(_nested(span, phrase) for phrase in gold.correct_NPs))
                outcome["exact"] = int(span in gold.correct_NPs)
            said.update(outcome)
            counts["all"].update(outcome)
    fields = ("pronouns", "referring", "resolved", "right", "exact")
    return {name: Resolution(*(int(count[field]) for field in fields)) for name, count in counts.items()}


def _nested(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return (one[0] <= other[0] and other[1] <= one[1]) or (other[0] <= one[0] and one[1] <= other[1])
