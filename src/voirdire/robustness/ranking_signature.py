"""What a ranking depends on, told and compared as of any other run."""

from collections.abc import Mapping
from typing import Any

from voirdire.runs import Signature, differences

__all__ = ["as_signature", "unlike"]

# Parts that are hashes.
HASHES = ("main", "pool", "encoder_hash", "data")


def as_signature(about: Mapping[str, Any]) -> Signature:
    """The signature of a ranking from what its file says of itself; the version is empty where that says nothing."""
    rest = dict(about)
    return Signature(
        version=rest.pop("version", ""),
        data={name: rest.pop(name) for name in HASHES if name in rest},
        tokeniser=rest.pop("tokeniser", None),
        encoder=rest.pop("encoder", None),
        options=rest,
    )


def unlike(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """In what two rankings differ, for a message; empty where they do not. Of hashes the beginnings are shown."""
    found = differences(as_signature(first), as_signature(second))
    return "; ".join(str(one).removeprefix("data.").removeprefix("options.") for one in found)
