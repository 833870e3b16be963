"""What is asked about: the share of questions of each type, and how far two lexicons agree about it.

    object, color, …, other, order   share of the questions that are of this type; a question may be of several
    agreement                        share of the questions that both lexicons give the same set of types
    agreement[color]                 share that both put in this type, or both leave out of it
    agreement[color]:kappa           κ = (p_o − p_e) / (1 − p_e), p_o that share, p_e the same by chance

Two lexicons nearly always agree on a rare type by chance; κ is the agreement beyond chance, and is undefined where
neither lexicon, or both always, finds the type. Intervals draw whole games. (effective-questions, Table 2.)

Questions come from a file of any layout that has some:

guesswhat, game_logs                      games of people and of models, with and without objects
twenty_questions, twenty_questions_text   games of 20 questions
history_questions, oracle_qa              questions alone, with and without the game that they are from

The types of a question, and which words make it one of a type: every type whose keyword it holds, else `other`.

    kinds(q) = ∪ { types of w : w a token of q }

"Is it the white one on the left?" is of `color` and of `location`. Location is said by words of place and by numbers. A
question that holds an ordinal ("the third from the left") is of `order` beside `location`. (effective-questions, §4.3.)

Our own lexicon is `lexicon.tsv` beside this file, in the layout of any other list of words and types: COCO's categories
and supercategories with their plurals and the words that people use for them, other things that people name in
pictures, colours, shapes, sizes, materials and textures, words of place and order, and verbs. Words are single tokens
in lower case. A word that names a thing and what things are made of (glass, paper) is listed as the thing; "made"
tells the question about the material.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.record import entries
from voirdire.formats.small_formats import WordTypes, parse_word_types, read_word_types
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure, of_means
from voirdire.progress import UNSEEN, Progress, Stages
from voirdire.questions.exam import EXAM, KindsOptions
from voirdire.questions.games import BARE, GamesFile
from voirdire.runs import Run
from voirdire.runs.limit import Drawn, Limit, draw
from voirdire.runs.view import Role, View, estimate_views
from voirdire.stats.aggregate import FloatArray

ATTRIBUTES = ("color", "shape", "size", "texture", "location", "action")
KINDS = ("object", *ATTRIBUTES, "other")
"""The eight types of Table 2; `order` is beside them."""

ORDER = "order"

_ORDINALS = frozenset(
    (
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last"),
        *("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"),
    )
)

_KIND_OF = {
    "object": "object",
    "super-category": "object",
    "color": "color",
    "shape": "shape",
    "size": "size",
    "texture": "texture",
    "spatial": "location",
    "number": "location",
    "action": "action",
    "activity": "action",
}
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Lexicon:
    """Words and the types of question that each is a sign of.

    name         what a signature calls it
    kinds        a token to its types
    fingerprint  of the file
    warnings     what of the file has no effect
    """

    name: str
    kinds: Mapping[str, frozenset[str]]
    fingerprint: str
    warnings: tuple[str, ...] = ()


def tokens(text: str) -> list[str]:
    """The runs of letters and digits, in lower case."""
    return _TOKEN.findall(text.lower())


@cache
def own_lexicon() -> Lexicon:
    """Ours."""
    file = files("voirdire.questions") / "lexicon.tsv"
    return make_lexicon(parse_word_types(Source(file.name, file.read_bytes())), "ours")


def read_lexicon(path: str) -> Lexicon:
    """Another list of words and types."""
    return make_lexicon(read_word_types(path), "given")


def make_lexicon(record: WordTypes, name: str) -> Lexicon:
    """The lexicon of a list; entries of several tokens never match, which is a warning."""
    kinds: dict[str, frozenset[str]] = {}
    several = []
    for word, types in record.by_word.items():
        parts = tokens(word)
        if len(parts) == 1:
            kinds[parts[0]] = kinds.get(parts[0], frozenset()) | {_KIND_OF[type_] for type_ in types}
        else:
            several.append(word)
    warnings = []
    if several:
        some = ", ".join(several[:3]) + (", …" if len(several) > 3 else "")
        count = counted(len(several), "keyword")
        warnings.append(f"{count} of several words without effect ({some}): a keyword is a single word.")
    return Lexicon(name, MappingProxyType(kinds), record.fingerprint, tuple(warnings))


def kinds_of(question: str, lexicon: Lexicon | None = None, exclusive_object: bool = False) -> frozenset[str]:
    """The types of a question, and `order` where an ordinal makes it one of location.

    lexicon           ours, unless another one is given
    exclusive_object  `object` only where no attribute's keyword is there
    """
    lexicon = lexicon or own_lexicon()
    types: set[str] = set()
    for token in tokens(question):
        kinds = lexicon.kinds.get(token)
        if kinds is not None:
            types |= kinds
            if token in _ORDINALS and "location" in kinds:
                types.add(ORDER)
    if exclusive_object and not types.isdisjoint(ATTRIBUTES):
        types.discard("object")
    return frozenset(types or {"other"})


@dataclass(frozen=True)
class QuestionTexts:
    """Questions in the order of the file, with the game of each and its turn, from 1.

    game_ids   a game has its id in the file, or its number there, from 1, where it has none
    image_ids  None where a file does not say them
    games      how many games there are, also without a question
    mute       the games without a question, each with its image
    """

    game_ids: tuple[int, ...]
    image_ids: tuple[int | None, ...]
    turns: tuple[int, ...]
    questions: tuple[str, ...]
    games: int
    fingerprint: str = ""
    mute: tuple[tuple[int, int | None], ...] = ()

    def __len__(self) -> int:
        return len(self.questions)

    def limited(self, options: Limit) -> "tuple[QuestionTexts, Drawn]":
        """The questions about the images that a limit takes, or of the games, where images are not known."""
        images = (*self.image_ids, *(image for _, image in self.mute))
        known = [image for image in images if image is not None]
        of_games = len(known) < len(images)
        ids = [*self.game_ids, *(game for game, _ in self.mute)] if of_games else known
        drawn = draw(ids, options, "game" if of_games else "image")
        if not drawn.partial:
            return self, drawn
        keeps = drawn.keeps(ids)
        rows = np.flatnonzero(keeps[: len(self)])
        mute = entries(self.mute, np.flatnonzero(keeps[len(self) :]))
        games = entries(self.game_ids, rows)
        some = replace(
            self,
            game_ids=games,
            image_ids=entries(self.image_ids, rows),
            turns=entries(self.turns, rows),
            questions=entries(self.questions, rows),
            games=len(set(games)) + len(mute),
            mute=mute,
        )
        return some, drawn


Row = tuple[int, int | None, Sequence[str]]
"""A game's id, its image's, and its questions."""


def texts_of(games: GamesFile) -> QuestionTexts:
    """The questions of a file."""
    format_, record = games.format, games.record
    if format_ == BARE:
        # Without their objects they are no games that can be read; the strict reading says of which.
        layout = detect(record)
        format_, record = layout.name, layout.parse(record)
    rows = list(_ROWS[format_](record))
    asked = [(game, image, turn, text) for game, image, texts in rows for turn, text in enumerate(texts, start=1)]
    ids, images, turns, questions = zip(*asked, strict=True) if asked else ((), (), (), ())
    mute = tuple((game, image) for game, image, texts in rows if not texts)
    return QuestionTexts(ids, images, turns, questions, len(rows), games.fingerprint, mute)


def _of_games(record: Any) -> Iterator[Row]:
    texts: dict[int, list[str]] = {}
    for game, question in zip(record.game_ids.tolist(), record.questions, strict=True):
        texts.setdefault(game, []).append(question)
    for game, questions in texts.items():
        yield game, None, questions


_ROWS: dict[str, Callable[[Any], Iterable[Row]]] = {
    "guesswhat": lambda record: ((game.id, game.image.id, [qa.question for qa in game.qas]) for game in record),
    "game_logs": lambda record: (
        (number if game.index is None else game.index, game.image_id, [qa.question for qa in game.qas])
        for number, game in enumerate(record, start=1)
    ),
    "twenty_questions": lambda record: ((game.id, None, game.questions) for game in record),
    "twenty_questions_text": lambda record: ((game.id, None, [asked for asked, _ in game.turns]) for game in record),
    "history_questions": _of_games,
    "oracle_qa": lambda record: ((number, None, [row.question]) for number, row in enumerate(record, start=1)),
}


def by_against(kind: str) -> str:
    """The column of a type by another lexicon: `color:against`."""
    return str(Key(kind).under("against"))


def _both(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    first, second = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return np.column_stack([first, second, first * second])


def _observed(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    return 1 - ours - theirs + 2 * both


def _kappa(ours: FloatArray, theirs: FloatArray, both: FloatArray) -> FloatArray:
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return (_observed(ours, theirs, both) - chance) / (1 - chance)


SHARES = tuple(
    Measure.averaged(
        kind,
        "neither",
        description=f"share of questions of the type {kind}",
        citation="effective-questions, Table 2",
        share=True,
    )
    for kind in (*KINDS, ORDER)
)
AGREEMENT = Measure.averaged(
    "agreement",
    "higher",
    description="share of questions to which both lexicons give the same set of types",
    share=True,
)
KINDS_MEASURES = (*SHARES, AGREEMENT)


def kinds_views(items: "pl.DataFrame", options: KindsOptions) -> tuple[View]:
    """Of `questions kinds`: the share of every type and, where there is a second lexicon, the agreement about it."""
    agreements: list[Measure] = []
    if AGREEMENT.name in items.columns:
        agreements = [AGREEMENT, *(measure for kind in KINDS for measure in _agreement(kind))]
    roles: dict[Key, Role] = {measure.key: "aside" for measure in agreements}
    return (
        View(items, (*SHARES, *agreements), ("game_id",), "game", "game_id", roles, given=("image_id",), did="played"),
    )


def _agreement(kind: str) -> tuple[Measure, Measure]:
    of = (kind, by_against(kind))
    share = Measure(AGREEMENT.key.on(kind), _both, of_means(_observed, 3, "agreement"), "higher", of=of)
    return share, share.variant("kappa", aggregate=of_means(_kappa, 3, "kappa"))


def score_kinds(
    games: GamesFile | QuestionTexts,
    keywords: Lexicon | None = None,
    against: Lexicon | None = None,
    options: KindsOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """The types of all questions by a lexicon (ours), and their agreement with those by another one."""
    texts = texts_of(games) if isinstance(games, GamesFile) else games
    lexicon, options = keywords or own_lexicon(), options or KindsOptions()
    texts, drawn = texts.limited(options)
    given = {"lexicon": lexicon} | ({"against": against} if against else {})
    progress = stages("sort", "steps")
    items = _items(texts, lexicon, against, options.exclusive_object, progress)
    figures = estimate_views(kinds_views(items, options), seed=options.seed)
    progress(len(given) + 1, len(given) + 1)
    lists = {role: words.fingerprint for role, words in given.items()}
    warnings = [warning for words in given.values() for warning in words.warnings]
    if mute := texts.games - len(set(texts.game_ids)):
        warnings.append(f"{counted(mute, 'game')} without a question.")
    run = EXAM.run(
        "kinds",
        options,
        items,
        figures,
        lists,
        outputs={"games": texts.fingerprint},
        changing={"lexicon": lexicon.name, "exclusive_object": options.exclusive_object, "clusters": "game_id"},
        warnings=warnings,
    )
    return drawn.sign(run)


def _items(
    texts: QuestionTexts, lexicon: Lexicon, against: Lexicon | None, exclusive: bool, progress: Progress
) -> "pl.DataFrame":
    """One row per question; one column per type and lexicon."""
    columns: dict[str, Any] = {
        "game_id": pl.Series(texts.game_ids, dtype=pl.Int64),
        "image_id": pl.Series(texts.image_ids, dtype=pl.Int64),
        "turn": pl.Series(texts.turns, dtype=pl.Int32),
        "question": pl.Series(texts.questions, dtype=pl.String),
    }
    distinct = dict.fromkeys(texts.questions)
    sets: list[list[frozenset[str]]] = []
    lexicons = [lexicon, *([against] if against else [])]
    for used in lexicons:
        progress(len(sets), len(lexicons) + 1)
        kinds = {text: kinds_of(text, used, exclusive) for text in distinct}
        types = [kinds[text] for text in texts.questions]
        for kind in (*KINDS, ORDER):
            column = by_against(kind) if sets else kind
            columns[column] = pl.Series([kind in each for each in types], dtype=pl.Boolean)
        sets.append(types)
    if against:
        pairs = zip(*sets, strict=True)
        columns[AGREEMENT.name] = pl.Series([a - {ORDER} == b - {ORDER} for a, b in pairs], dtype=pl.Boolean)
    return pl.DataFrame(columns)
