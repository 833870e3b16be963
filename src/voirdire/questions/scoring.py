"""What did the questions of guessing games contribute? From games and an oracle's answers about every object.

    questions             mean number of questions a game
    task_success          see `metrics.task_success`, also for success_if_referring and success_if_not
    effectiveness         see `metrics.effectiveness`, also for _success, _failure, _micro, last_effective and @turn
    referring             see `metrics.referring`, also for referring_other and last_referring
    target_dropped        share of games in which the recorded answers exclude the target (with `recorded` only)
    incomplete            share of games that were given up; these are in the items, but in no other measure

So effectiveness = task_success · effectiveness_success + (1 − task_success) · effectiveness_failure, where every game
has a question and an outcome. Items are questions; a game's own figures stand in the row of its last question, and a
game without a question has one row whose turn is null. Intervals draw whole images, since several games may be played
on one; games of 20 questions, which have no image, are drawn one by one. (effective-questions, §3.2 and §4.2.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.questions.dialogues import Dialogue, cut, dialogues
from voirdire.questions.views import score_views
from voirdire.reports import Report, silent
from voirdire.runs import Run, Signature
from voirdire.runs.view import estimate_views

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CARRIED", "QuestionsOptions", "Whose", "score_questions"]

Whose = Literal["oracle", "recorded"]

CARRIED = "carried by the games"
"""The oracle of games that hold an answer for every candidate."""

STEPS = 2


@dataclass(frozen=True)
class QuestionsOptions:
    """How games are scored; the defaults are the paper's.

    answers        whose answer about the target a candidate must share to stay: the oracle's, or the dialogue's own
    max_questions  score the first questions only; the outcome stays that of the whole game
    seed           of the resamples
    """

    answers: Whose = "oracle"
    max_questions: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.answers not in get_args(Whose):
            raise UsageError(f"--answers {self.answers!r}; it may be {' or '.join(get_args(Whose))}")
        if self.max_questions is not None and self.max_questions < 1:
            raise UsageError(f"--max-questions {self.max_questions}; it must be at least 1")


def score_questions(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame],
    answers: Sequence[ObjectAnswers] | None = None,
    options: QuestionsOptions | None = None,
    *,
    oracle: str = "",
    data: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
    report: Report = silent,
) -> Run:
    """Score the questions of games.

    answers   what an oracle says of every object, one record a game; None for 20 questions, which carry their answers
    oracle    the oracle's `identity`, for the signature
    data      files that the games were joined with: role to SHA-256
    warnings  what the oracle had to say of the games
    report    told before the reference sets, after them, and after the intervals
    """
    options = options or QuestionsOptions()
    short: Sequence[Any] = cut(games, options.max_questions)
    asked = dialogues(short, answers)
    if not asked:
        raise ValueError("games: there is none; at least one is needed")
    recorded = options.answers == "recorded"
    report(0, STEPS)
    items = _items(asked, recorded)
    report(1, STEPS)
    views = score_views(items, asdict(options))
    figures = estimate_views(views, seed=options.seed)
    report(STEPS, STEPS)
    data = dict(data or {})
    fingerprint = getattr(games, "fingerprint", "")
    return Run(
        exam="questions",
        part="score",
        options=asdict(options),
        items=items,
        measures=figures,
        signature=Signature(
            version=__version__,
            data=data,
            seed=options.seed,
            options={
                "oracle": CARRIED if answers is None else oracle,
                "answers": options.answers,
                "clusters": views[0].clusters,
                **({} if options.max_questions is None else {"max_questions": options.max_questions}),
            },
        ),
        fingerprints=data | ({"games": fingerprint} if fingerprint else {}),
        warnings=(*warnings, *_warnings(asked, items, recorded, sum(map(_contrary, short)))),
    )


def _items(asked: Sequence[Dialogue], recorded: bool) -> "pl.DataFrame":
    import polars as pl

    names = pl.String if isinstance(asked[0].objects[0], str) else pl.Int64
    schema: dict[str, Any] = {
        "game_id": pl.Int64,
        "image_id": pl.Int64,
        "turn": pl.Int64,
        "last": pl.Boolean,
        "question": pl.String,
        "answer": pl.String,
        "oracle_answer": pl.String,
        "objects": pl.Int64,
        "distractors": pl.Int64,
        "effective": pl.Boolean,
        "referring": pl.Boolean,
        "referring_other": pl.Boolean,
        "refers_to": names,
        "target_left": pl.Boolean,
        "status": pl.String,
        "questions": pl.Int64,
        "success": pl.Boolean,
        "effectiveness": pl.Float64,
    }
    rows = [row for dialogue in asked for row in _rows(dialogue, recorded)]
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=schema)


def _rows(dialogue: Dialogue, recorded: bool) -> list[dict[str, Any]]:
    turns = dialogue.turns(recorded)
    game: dict[str, Any] = {
        "game_id": dialogue.game_id,
        "image_id": dialogue.image_id,
        "objects": len(dialogue.objects),
        "status": dialogue.status,
    }
    rows = []
    for place, turn in enumerate(turns):
        to_target = turn.refers_to == dialogue.target
        row = game | {
            "turn": place + 1,
            "last": place + 1 == len(turns),
            "question": dialogue.questions[place],
            "answer": None if dialogue.recorded is None else ANSWERS[dialogue.recorded[place]],
            "oracle_answer": ANSWERS[dialogue.answers[place, dialogue.target]],
            "distractors": turn.distractors,
            "effective": turn.effective,
            "referring": to_target,
            "referring_other": turn.refers_to is not None and not to_target,
            "refers_to": None if turn.refers_to is None else dialogue.objects[turn.refers_to],
            "target_left": turn.target_left,
        }
        rows.append(row)
    if not rows:
        rows.append(dict(game))
    outcome = {"success": True, "failure": False}
    rows[-1]["questions"] = len(turns)
    rows[-1]["success"] = None if dialogue.status is None else outcome.get(dialogue.status)
    if turns:
        rows[-1]["effectiveness"] = sum(turn.effective for turn in turns) / len(turns)
    return rows


def _contrary(game: Game | TwentyQuestionsGame) -> bool:
    """Whether a game says that it was won, and its guess that it was lost, or the other way round."""
    if isinstance(game, TwentyQuestionsGame) or game.guess_object_id is None:
        return False
    return game.status == ("failure" if game.guess_object_id == game.target_id else "success")


def _warnings(asked: Sequence[Dialogue], items: "pl.DataFrame", recorded: bool, contrary: int) -> list[str]:
    found = []

    def count(what: str, number: int, consequence: str) -> None:
        if number:
            found.append(f"{number:,} of {len(asked):,} games {what}; {consequence}.")

    given_up = sum(one.status == "incomplete" for one in asked)
    count("were given up (incomplete)", given_up, "they are in the items and in `incomplete`, but in no other measure")
    unknown = sum(one.status is None for one in asked)
    rest = "task success is that of the others" if unknown < len(asked) else "so there is no task success"
    count("do not say how they ended", unknown, rest)
    count("have a guess that contradicts their status", contrary, "the status counts")
    silent = sum(not one.questions for one in asked)
    count("have no question", silent, "they have no effectiveness and no last question")
    alone = sum(len(one.objects) == 1 for one in asked)
    count("have one object", alone, "no question can be effective there")
    if recorded:
        dropped = items.filter(items["last"] & ~items["target_left"]).height
        count("have recorded answers that exclude the target", dropped, "see `target_dropped`")
    if ties := sum(one.ties for one in asked):
        found.append(f"The oracle had {counted(ties, 'tie')} between answers; each took the first of yes, no, n/a.")
    return found
