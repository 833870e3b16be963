"""From files to a run: what a verb and a whole session both do."""

from voirdire.questions.asking import ask
from voirdire.questions.correction import corrected, read_confusion
from voirdire.questions.kind_shares import KindOptions, score_kinds
from voirdire.questions.lexicon import read_lexicon
from voirdire.questions.reading import read_played
from voirdire.questions.scoring import QuestionsOptions, score_questions
from voirdire.questions.texts import read_texts
from voirdire.progress import Progress, silent
from voirdire.runs import Run

__all__ = ["kinds_files", "score_files"]


def score_files(
    games: str,
    oracle: str | None = None,
    coco: str | None = None,
    originals: str | None = None,
    options: QuestionsOptions | None = None,
    confusion: str | None = None,
    *,
    reading: Progress = silent,
    asking: Progress = silent,
    scoring: Progress = silent,
    correcting: Progress = silent,
) -> Run:
    """Games and an oracle, by its name; see `score_questions`.

    coco, originals  what games without lists of objects are joined with, see `read_played`
    confusion        a run of the oracle's accuracy, to correct for its errors
    """
    options = options or QuestionsOptions()
    known = None if confusion is None else read_confusion(confusion)
    reading(0, 1)
    played = read_played(games, coco, originals)
    reading(1, 1)
    asked = ask(played.games, oracle, options.max_questions, asking)
    run = score_questions(
        asked.games,
        asked.answers,
        options,
        oracle=asked.oracle,
        data=played.data,
        warnings=asked.warnings,
        report=scoring,
    )
    return run if known is None else corrected(run, asked, known, correcting)


def kinds_files(
    games: str,
    keywords: str | None = None,
    against: str | None = None,
    options: KindOptions | None = None,
    *,
    reading: Progress = silent,
    report: Progress = silent,
) -> Run:
    """What the questions of games are about, by our list of words or by those of files; see `score_kinds`."""
    ours, theirs = (None if path is None else read_lexicon(path) for path in (keywords, against))
    reading(0, 1)
    texts = read_texts(games)
    reading(1, 1)
    return score_kinds(texts, ours, theirs, options, report=report)
