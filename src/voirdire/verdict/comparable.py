"""May two runs be compared? Only figures that were made in the same way of the same data say something of the models.

Everything in a signature matters but these, which are said and allowed:
    seed                       of resamples, which moves p and intervals a little, and of trainings: the test compares
                               the probes that were trained, and does not see the luck of their training
    data.coco, data.originals  lists of objects that games were joined with; the games themselves are checked
    options.oracle             where both are tables: each model's questions need a table of their own
The version of Voir Dire matters: two versions may count differently, and scoring again takes little time. A model's own
outputs are in no signature.
"""

from voirdire.errors import UsageError
from voirdire.runs import Difference, Run, differences

__all__ = ["check_comparable"]

ALLOWED = ("seed", "data.coco", "data.originals")
ORACLE, TABLE = "options.oracle", "table "


def check_comparable(labels: tuple[str, str], first: Run, second: Run) -> list[str]:
    """Refuse two runs that differ in what matters, naming each difference; say in which other things they differ."""
    if first.title != second.title:
        raise UsageError(
            f"{labels[0]} is a run of `{first.title}` and {labels[1]} one of `{second.title}`; only runs of the same "
            "part can be compared"
        )
    found = differences(first.signature, second.signature)
    if wrong := [difference for difference in found if not _allowed(difference)]:
        named = "; ".join(map(str, wrong))
        raise UsageError(f"{labels[0]} and {labels[1]} cannot be compared, since their signatures differ in {named}")
    return [_said(labels, difference) for difference in found]


def _allowed(difference: Difference) -> bool:
    if difference.part == ORACLE:
        return all(str(oracle).startswith(TABLE) for oracle in (difference.first, difference.second))
    return difference.part in ALLOWED


def _said(labels: tuple[str, str], difference: Difference) -> str:
    if difference.part == ORACLE:
        return (
            f"The oracle of {labels[0]} and that of {labels[1]} are two tables; their figures compare only if the same "
            "oracle filled both."
        )
    return f"{labels[0]} and {labels[1]} differ in {difference}."
