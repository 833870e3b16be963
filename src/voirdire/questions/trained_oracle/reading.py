"""Files of games as examples; of each file only what training needs is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from voirdire.errors import InputError, Problem
from voirdire.formats.features import Features
from voirdire.formats.guesswhat import read_games
from voirdire.figures import counted
from voirdire.progress import Progress, silent
from voirdire.questions.trained_oracle.examples import Collector, Examples

__all__ = ["Read", "read_examples"]


@dataclass(frozen=True, eq=False)
class Read:
    """Examples, and the files that they came from: role to SHA-256."""

    examples: Examples
    data: dict[str, str]


def read_examples(paths: Sequence[str], crops: Features | None = None, report: Progress = silent) -> Read:
    """The examples of all files; none in all of them is an error."""
    collector = Collector()
    data: dict[str, str] = {}
    for number, path in enumerate(paths, start=1):
        report(number - 1, len(paths))
        games = read_games(path)
        collector.add(games, path)
        data["games" if number == 1 else f"games {number}"] = games.fingerprint
    examples = collector.examples(crops)
    if not len(examples):
        found = f"no question in a game that was won, in {counted(examples.unused, 'game')}"
        hint = "Only games whose status is success are learnt from."
        raise InputError(", ".join(paths), [Problem("", "", found, "at least one", hint)])
    report(len(paths), len(paths))
    return Read(examples, data)
