"""From files of games to the file of an oracle that was trained on them."""

from collections.abc import Sequence

from voirdire.exam import Outcome
from voirdire.formats.features import read_features
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import TrainOracleOptions
from voirdire.questions.trained_oracle.file import TrainingOptions, write_oracle
from voirdire.questions.trained_oracle.progress import checkpoint_path
from voirdire.questions.trained_oracle.reading import read_examples
from voirdire.questions.trained_oracle.training import train_oracle as fit

__all__ = ["train_oracle"]


def train_oracle(
    games: Sequence[str],
    valid: str | None = None,
    crops: str | None = None,
    options: TrainOracleOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str,
) -> Outcome:
    """Train an oracle on the games of files and write it; its state is kept beside `output` until then."""
    options = options or TrainOracleOptions()
    features = None if crops is None else read_features(crops, "object")
    learnt = read_examples(games, features, stages("read", "files"))
    held = None if valid is None else read_examples([valid], features)
    data = learnt.data | ({} if held is None else {"valid": held.data["games"]})
    made = fit(
        learnt.examples,
        None if held is None else held.examples,
        TrainingOptions(**options.plain()),
        data=data | ({} if features is None else {"crops": features.fingerprint}),
        checkpoint=checkpoint_path(output),
        report=stages("train", "questions"),
    )
    write_oracle(made, output)
    checkpoint_path(output).unlink(missing_ok=True)
    lines = []
    for number, epoch in enumerate(made.history, start=1):
        after = "" if epoch.valid_error is None else f", {epoch.valid_error:.4f} on validation games"
        lines.append(f"epoch {number}: error {epoch.error:.4f}{after}{' (kept)' if number == made.epoch else ''}")
    lines.append(f"learnt from {made.examples:,} questions, {len(made.words):,} words: {output}")
    return Outcome(tuple(lines))
