"""The shipped resolver: a dialogue is read once from left to right, and each pronoun is resolved by rules.

It knows what nouns can be (lexicon), finds noun phrases in tagged pieces (phrases), keeps what was spoken of
(discourse), sets aside an `it` that stands for nothing (empty), and chooses (choosing).
"""

from voirdire.text.coreference.choosing import FORMS, choose
from voirdire.text.coreference.discourse import Discourse, Item, Turn
from voirdire.text.coreference.phrases import phrases
from voirdire.text.coreference.protocol import Cluster, Pieces, Span
from voirdire.text.tagging import Tagger

__all__ = ["RuleResolver"]


class RuleResolver:
    """Resolves `he she it they` and their other forms."""

    name = "rules"
    signature = "rules-1"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        discourse = Discourse()
        for number, piece in enumerate(pieces):
            words = [word.lower() for word in piece]
            # Without the mark at its end, since other readers of a question tag it so and the tagger remembers.
            bare = words[:-1] if words and words[-1] in (".", "?") else words
            _read(discourse, Turn(number, words, phrases(number, tagger.tag(bare))))
        clusters = (tuple(sorted(set(entity.mentions))) for entity in discourse.entities)
        return [cluster for cluster in clusters if len(cluster) > 1]


def _read(discourse: Discourse, turn: Turn) -> None:
    discourse.begin(turn)
    starts = {phrase.span.start: phrase for phrase in turn.phrases}
    for place, word in enumerate(turn.words):
        if word in FORMS:
            entity = choose(discourse, place)
            if entity is not None:
                entity.last = Span(turn.number, place, place + 1)
                entity.mentions.append(entity.last)
                if FORMS[word] in ("he", "she"):
                    entity.gender = FORMS[word]
            turn.items.append(Item(place, word, entity))
        if place in starts:
            turn.items.append(Item(place, word, discourse.link(starts[place]), starts[place]))
        elif word in ("this", "that", "these", "those"):
            turn.items.append(Item(place, word, None))
