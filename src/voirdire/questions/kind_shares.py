"""What is asked about: the share of questions of each type, and how far two lexicons agree about it.

    object, color, …, other, order   share of the questions that are of this type; a question may be of several
    agreement                        share of the questions that both lexicons give the same set of types
    agreement[color]                 share that both put in this type, or both leave out of it
    agreement[color]:kappa           κ = (p_o − p_e) / (1 − p_e), p_o that share, p_e the same by chance

A type that is rare is agreed about by chance nearly always; κ tells how much better the agreement is, and is undefined
where neither lexicon, or both always, finds the type. Intervals draw whole games. (effective-questions, Table 2.)
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from voirdire._version import __version__
from voirdire.figures import counted
from voirdire.questions.kinds import KINDS, ORDER, kinds_of
from voirdire.questions.lexicon import Lexicon, own_lexicon
from voirdire.questions.texts import QuestionTexts
from voirdire.questions.views import AGAINST, kinds_views
from voirdire.reports import Report, silent
from voirdire.runs import Run, Signature
from voirdire.runs.view import estimate_views

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KindOptions", "score_kinds"]


@dataclass(frozen=True)
class KindOptions:
    """exclusive_object: count `object` only where no attribute's keyword is there; seed: of the resamples."""

    exclusive_object: bool = False
    seed: int = 0


def score_kinds(
    texts: QuestionTexts,
    lexicon: Lexicon | None = None,
    against: Lexicon | None = None,
    options: KindOptions | None = None,
    *,
    report: Report = silent,
) -> Run:
    """The types of all questions by a lexicon (ours), and their agreement with those by another one.

    report  told after each lexicon, and after the intervals
    """
    lexicon, options = lexicon or own_lexicon(), options or KindOptions()
    given = {"": lexicon} | ({AGAINST: against} if against else {})
    items = _items(texts, given, options.exclusive_object, report)
    figures = estimate_views(kinds_views(items, asdict(options)), seed=options.seed)
    report(len(given) + 1, len(given) + 1)
    lists = {suffix.strip(":") or "lexicon": one.fingerprint for suffix, one in given.items()}
    warnings = [warning for one in given.values() for warning in one.warnings]
    if mute := texts.games - len(set(texts.game_ids)):
        warnings.append(f"{counted(mute, 'game')} without a question.")
    return Run(
        exam="questions",
        part="kinds",
        options=asdict(options),
        items=items,
        measures=figures,
        signature=Signature(
            version=__version__,
            data=lists,
            seed=options.seed,
            options={"lexicon": lexicon.name, "exclusive_object": options.exclusive_object, "clusters": "game_id"},
        ),
        fingerprints={"games": texts.fingerprint} | lists,
        warnings=tuple(warnings),
    )


def _items(texts: QuestionTexts, lexicons: dict[str, Lexicon], exclusive: bool, report: Report) -> "pl.DataFrame":
    """One row a question; a column a type and lexicon."""
    import polars as pl

    columns: dict[str, Any] = {
        "game_id": pl.Series(texts.game_ids, dtype=pl.Int64),
        "image_id": pl.Series(texts.image_ids, dtype=pl.Int64),
        "turn": pl.Series(texts.turns, dtype=pl.Int32),
        "question": pl.Series(texts.questions, dtype=pl.String),
    }
    distinct = dict.fromkeys(texts.questions)
    sets: dict[str, list[frozenset[str]]] = {}
    for suffix, lexicon in lexicons.items():
        report(len(sets), len(lexicons) + 1)
        kinds = {text: kinds_of(text, lexicon, exclusive) for text in distinct}
        sets[suffix] = [kinds[text] for text in texts.questions]
        for kind in (*KINDS, ORDER):
            columns[f"{kind}{suffix}"] = pl.Series([kind in found for found in sets[suffix]], dtype=pl.Boolean)
    if AGAINST in sets:
        pairs = zip(sets[""], sets[AGAINST], strict=True)
        columns["agreement"] = pl.Series([a - {ORDER} == b - {ORDER} for a, b in pairs], dtype=pl.Boolean)
    return pl.DataFrame(columns)
