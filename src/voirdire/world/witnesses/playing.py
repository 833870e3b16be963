"""Games that witnesses play, as a part of an exam: who asks, who answers and who guesses come as its options."""

from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import PlayOptions
from voirdire.questions.oracles import ORACLES, make_oracle
from voirdire.world.witnesses.paths import play_file

__all__ = ["play_games"]

TRUTH = "truth"
TABLE = "table"


def play_games(
    games: str, scenes: str | None = None, *, options: PlayOptions, stages: Stages = UNSEEN, output: str
) -> Outcome:
    """Let a questioner, an oracle and a guesser play the games of a file anew; the new games go to a file."""
    name = options.oracle.partition(":")[0]
    if options.oracle != TRUTH and name not in ORACLES.names():
        known = ", ".join([*(one for one in ORACLES.names() if one != TABLE), TRUTH])
        raise UsageError(f"there is no oracle {options.oracle!r} to play with; there are: {known}")
    if name == TABLE:
        raise UsageError("a table has answers to questions that were asked before; these games ask new ones")
    played = play_file(
        options.questioner,
        games,
        output,
        scenes,
        options.seed,
        options.limit,
        oracle=None if options.oracle == TRUTH else make_oracle(options.oracle),
        guesser=options.guesser,
        report=stages("play", "games"),
    )
    won = sum(game.status == "success" for game in played)
    asked = sum(len(game.qas) for game in played)
    line = (
        f"{options.questioner} asked {asked:,} questions in {len(played):,} games, {options.oracle} answered, "
        f"{options.guesser} found {won:,} targets: {output}"
    )
    return Outcome((line,), {"games": len(played), "won": won, "questions": asked, "path": output})
