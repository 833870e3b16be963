"""From dialogues to their propositions: words to leave out, coreference, rules, filters, draws, in this order."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from voirdire.engine import Engine, Here, shards
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.progress import Progress, silent
from voirdire.runs.limit import Drawn, draw
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.propositions.attributes import MEDIA
from voirdire.scorekeeping.propositions.deriving import derive
from voirdire.scorekeeping.propositions.existence import CAPTION, caption_pairs
from voirdire.scorekeeping.propositions.rewriting import rewrite
from voirdire.scorekeeping.propositions.rule import Pair, RuleOutcome, normal, read_exchange
from voirdire.scorekeeping.propositions.selection import (
    LeftOutWords,
    balance,
    caption_draws,
    profane_words,
    why_dropped,
)
from voirdire.scorekeeping.propositions.wording import Wording, worded
from voirdire.text.coreference import Resolver
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.tagging import Tagger
from voirdire.text.tagging import tagger as find_tagger

USED = "used"
DIALOGUES = 64
"""Dialogues that a worker is given at once."""


@dataclass(frozen=True, eq=False)
class MadePropositions:
    """Propositions, and what became of the dialogues and rounds that they were made from.

    rounds    what became of rounds: `used`, or why not
    left_out  dialogues left out, by the word
    replaced  pronouns that gave way in the dialogues that stayed
    failed    dialogues whose text could not be rewritten
    read      how many dialogues were read
    drawn     the images that a limit took of those of the file; None where nothing was asked for
    """

    propositions: PropositionSet
    rounds: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    failed: int = 0
    read: int = 0
    drawn: Drawn | None = None


@dataclass(frozen=True)
class _Derived:
    """What one dialogue yields: caption's pairs, rounds' pairs with their turn and rule, and what became of rounds."""

    captions: tuple[Pair, ...]
    rounds: tuple[tuple[int, str, Pair], ...]
    fates: tuple[str, ...]
    replaced: int
    failed: bool


_Read = _Derived | str | int | None
"""Of a dialogue: what it yields, the word that it is left out for, or, where it is not kept, its caption's pairs."""


def make_propositions(
    dialogues: Dialogues,
    tagger: Tagger,
    resolver: Resolver,
    options: PropositionOptions | None = None,
    source: str = "",
    progress: Progress = silent,
    words: LeftOutWords | None = None,
    engine: Engine | None = None,
) -> MadePropositions:
    """The propositions of all dialogues that yield any.

    source  where the dialogues are from
    words   those for which a dialogue is left out; profane ones where they are not given
    engine  where rounds are read; workers make tagger and resolver by the names that the options have
    """
    options = options or PropositionOptions()
    words = words or profane_words()
    images = [dialogue.image_id for dialogue in dialogues]
    drawn = draw(images, options)
    keeps = drawn.keeps(images).tolist()
    derived: dict[int, _Derived] = {}
    beside: dict[int, int] = {}
    left_out: Counter[str] = Counter()
    engine = engine or Here()
    alone = isinstance(engine, Here)
    prepare = partial(_reading, words, options, tagger if alone else None, resolver if alone else None)
    spans = shards(len(dialogues), DIALOGUES)
    items = ([(dialogues[place], keeps[place]) for place in range(*span)] for span in spans)
    progress(0, len(dialogues))
    with engine.map(prepare, items) as outcomes:
        for span, read in zip(spans, outcomes, strict=True):
            for place, outcome in enumerate(read, span.start):
                if isinstance(outcome, _Derived):
                    derived[place] = outcome
                elif isinstance(outcome, str):
                    left_out[outcome] += 1
                elif outcome is not None:
                    beside[place] = outcome
            progress(span.stop, len(dialogues))
    turns = {place: len(dialogues[place].rounds) + 1 for place in derived}
    records = _drawn(derived, beside, options)
    propositions = PropositionSet(dialogues.split, source, records, notes=dialogues.notes, turns=turns)
    if options.balance:
        propositions = balance(propositions, options.seed)
    return MadePropositions(
        propositions,
        Counter(fate for dialogue in derived.values() for fate in dialogue.fates),
        left_out,
        sum(dialogue.replaced for dialogue in derived.values()),
        sum(dialogue.failed for dialogue in derived.values()),
        sum(keeps),
        drawn,
    )


def _reading(
    words: LeftOutWords, options: PropositionOptions, tagger: Tagger | None, resolver: Resolver | None
) -> "Callable[[Sequence[tuple[Dialogue, bool]]], list[_Read]]":
    """In a worker: from dialogues, and whether each is kept, to what is read of them."""
    reads, resolves = tagger or find_tagger(options.tagger), resolver or find_resolver(options.resolver)

    def read(dialogue: Dialogue, kept: bool) -> _Read:
        if not kept:
            # Captions are drawn one after the other over the whole file, so those of other images are counted.
            counts = 0 < options.captions < 1 and not words.first(_texts(dialogue))
            return len(_captions(dialogue, reads, options.wording)) if counts else None
        return words.first(_texts(dialogue)) or _derive(dialogue, reads, resolves, options)

    return lambda some: [read(*pair) for pair in some]


def _texts(dialogue: Dialogue) -> Iterator[str]:
    yield dialogue.caption
    for question, answer in dialogue.rounds:
        yield question
        yield answer


def _derive(dialogue: Dialogue, tagger: Tagger, resolver: Resolver, options: PropositionOptions) -> _Derived:
    # Of the seed and the image alone, so that neither workers nor a limit change it.
    drawn = random.Random(f"{options.seed} {dialogue.image_id}")
    after = rewrite(dialogue.caption, dialogue.rounds, tagger, resolver)
    pairs: list[tuple[int, str, Pair]] = []
    fates: list[str] = []
    for number, ((question, answer), (resolved, _)) in enumerate(zip(dialogue.rounds, after.rounds, strict=True), 1):
        exchange = read_exchange(question, answer, tagger, resolved, options.colours, drawn.choice(MEDIA))
        outcome = derive(exchange, options.wording)
        fates.append(_fate(outcome))
        if outcome.pair is not None and outcome.rule is not None and fates[-1] == USED:
            pairs.append((number, outcome.rule, outcome.pair))
    return _Derived(
        _captions(dialogue, tagger, options.wording), tuple(pairs), tuple(fates), after.replaced, after.failed
    )


def _captions(dialogue: Dialogue, tagger: Tagger, wording: Wording) -> tuple[Pair, ...]:
    """The pairs that a caption yields."""
    pairs = caption_pairs(tagger.tag(normal(dialogue.caption)))
    return tuple(worded(pair, wording, tagger) for pair in pairs if not why_dropped(pair))


def _fate(outcome: RuleOutcome) -> str:
    """What becomes of a round, without the words that differ from round to round."""
    if outcome.pair is None:
        return outcome.reason if outcome.rule is None else "the rule yields nothing"
    return "a pronoun without its thing" if "pronoun" in outcome.dropped else outcome.dropped or USED


def _drawn(
    derived: dict[int, _Derived], beside: dict[int, int], options: PropositionOptions
) -> dict[int, tuple[Proposition, ...]]:
    """The records of all dialogues, captions first, after the draw of captions.

    beside  how many pairs the captions of other dialogues of the file have
    """
    total = sum(len(dialogue.captions) for dialogue in derived.values()) + sum(beside.values())
    draws = iter(caption_draws(options.captions, options.seed, total))
    kept: dict[int, tuple[Proposition, ...]] = {}
    for place in sorted((*derived, *beside)):
        if place in beside:
            for _ in range(beside[place]):
                next(draws)
            continue
        dialogue = derived[place]
        pairs = [(0, CAPTION, pair) for pair in dialogue.captions if next(draws)] + list(dialogue.rounds)
        records = tuple(record for number, name, pair in pairs for record in _records(number, name, pair))
        if records:
            kept[place] = records
    return kept


def _records(number: int, name: str, pair: Pair) -> tuple[Proposition, Proposition]:
    return (
        Proposition(pair.entailment, 1, number, name, pair.qa_fact),
        Proposition(pair.contradiction, 0, number, name, pair.qa_fact),
    )
