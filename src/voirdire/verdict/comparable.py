"""May two runs be compared? Only figures that were made in the same way of the same data say something of the models.

Everything in a signature matters but the seed, which is said and allowed: that of resamples moves p and intervals a
little, and of trainings the test compares those that were made and does not see their luck. So is a limit: the units
that both have are compared; and so are the words in which live models were asked. What else a part of an exam allows,
it declares, and also what may be unknown of a run: that is said, and no reason to refuse. The version of Voir Dire
matters: two versions may count differently, and scoring again takes little time. A model's own outputs are in no
signature.
"""

from collections.abc import Mapping

from voirdire.errors import UsageError
from voirdire.exam import Differ, part_of
from voirdire.runs import Difference, Run, differences

SEED, LIMIT, ASKED = "seed", "options.limit", "options.asked"


def check_comparable(labels: tuple[str, str], first: Run, second: Run) -> list[str]:
    """Refuse two runs that differ in what matters, naming each difference; say in which other things they differ."""
    if first.title != second.title:
        raise UsageError(
            f"{labels[0]} is a run of `{first.title}` and {labels[1]} one of `{second.title}`; only runs of the same "
            "part can be compared"
        )
    may = part_of(first).differ
    unknown = [name for name, one in may.items() if one.unknown and _is_unknown(name, one, first, second)]
    found = [
        difference
        for difference in differences(first.signature, second.signature)
        if not any(difference.part == name or difference.part.startswith(f"{name}.") for name in unknown)
    ]
    if wrong := [difference for difference in found if not _allowed(difference, may)]:
        named = "; ".join(map(str, wrong))
        raise UsageError(f"{labels[0]} and {labels[1]} cannot be compared, since their signatures differ in {named}")
    limits = [
        f"{label} is {f'limited to {run.limit}' if run.limit else 'not limited'}"
        for label, run in zip(labels, (first, second), strict=True)
    ]
    return [
        *(may[name].says.format(*labels) for name in unknown),
        *([f"{'; '.join(limits)}: only what both have is compared."] if any(map(_of_limit, found)) else []),
        *(
            _said(labels, difference, may)
            for difference in found
            if not _of_limit(difference) and not _from_files(difference)
        ),
    ]


def _of_limit(difference: Difference) -> bool:
    """Whether it is one of how much of the data was taken: the images that both have are compared."""
    return difference.part.startswith(f"{LIMIT}.")


def _of_asking(difference: Difference) -> bool:
    """Whether it is one of how models were asked live: it is said, since other words are other figures."""
    return difference.part.startswith(f"{ASKED}.")


def _from_files(difference: Difference) -> bool:
    """Whether one of the models brought files, of which nobody says how it was asked."""
    return _of_asking(difference) and None in (difference.first, difference.second)


def _is_unknown(name: str, may: Differ, *runs: Run) -> bool:
    return any(run.signature.flat().get(name) == may.unknown for run in runs)


def _allowed(difference: Difference, may: Mapping[str, Differ]) -> bool:
    if difference.part == SEED or _of_limit(difference) or _of_asking(difference):
        return True
    allowed = may.get(difference.part)
    return (
        allowed is not None
        and not allowed.unknown
        and all(str(one).startswith(allowed.kind) for one in (difference.first, difference.second) if allowed.kind)
    )


def _said(labels: tuple[str, str], difference: Difference, may: Mapping[str, Differ]) -> str:
    if difference.part in may and may[difference.part].says:
        return may[difference.part].says.format(*labels)
    return f"{labels[0]} and {labels[1]} differ in {difference}."
