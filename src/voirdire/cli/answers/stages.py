"""Work in stages: each shows a bar of its own, from the first that it tells."""

import contextlib
from collections.abc import Callable, Collection

from voirdire.cli.progress import show_progress

__all__ = ["prepare_measures", "stage"]


def stage(shown: contextlib.ExitStack, label: str, unit: str) -> Callable[[int, int], None]:
    """A report whose bar appears when it is first told something, in the place of the one before."""
    reports: list[Callable[[int, int], None]] = []

    def report(done: int, total: int) -> None:
        if not reports:
            shown.close()
            reports.append(shown.enter_context(show_progress(label, unit)))
        reports[0](done, total)

    return report


def prepare_measures(families: Collection[str]) -> None:
    """What measures need only once and what takes long: METEOR's index."""
    from voirdire.metrics.meteor import prepare

    if "meteor" in families:
        with contextlib.ExitStack() as shown:
            prepare(stage(shown, "index for METEOR, made once", "steps"))
