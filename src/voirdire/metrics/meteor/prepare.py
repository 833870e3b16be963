"""METEOR's index made ahead of its first use, for callers who want to show how far that is."""

from voirdire.progress import Progress, silent

__all__ = ["prepare"]


def prepare(report: Progress = silent) -> None:
    """Make and keep the index, telling (done, total) on the way; where it is kept already, nothing is told."""
    from voirdire.metrics.meteor.index import installed_index

    installed_index(report)
