"""What measures need before they run."""

import contextlib
from collections.abc import Collection

from voirdire.cli.progress import stage

__all__ = ["INDEX", "prepare_measures"]

INDEX = "index for METEOR, made once"


def prepare_measures(families: Collection[str]) -> None:
    """What measures need only once and what takes long: METEOR's index."""
    from voirdire.metrics.meteor import prepare

    if "meteor" in families:
        with contextlib.ExitStack() as shown:
            prepare(stage(shown, INDEX, "steps"))
