"""Coreference: the protocol, and the resolvers by name.

none   resolves nothing, so that every pronoun stays as it is
"""

from voirdire.errors import UsageError
from voirdire.providers import Registry
from voirdire.text.coreference.protocol import PRONOUNS, Cluster, Pieces, Resolver, Span, antecedents, check_clusters
from voirdire.text.tagging import Tagger

__all__ = [
    "PRONOUNS",
    "RESOLVERS",
    "Cluster",
    "Pieces",
    "Resolver",
    "Span",
    "antecedents",
    "check_clusters",
    "resolver",
]

RESOLVERS: Registry[Resolver] = Registry("resolver", "voirdire.resolvers")


def resolver(spec: str = "rules") -> Resolver:
    """The resolver that `spec` names."""
    return RESOLVERS.make(spec)


class NoResolver:
    """Resolves nothing."""

    name = "none"
    signature = "none"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        return []


@RESOLVERS.register("none")
def _none(argument: str | None) -> NoResolver:
    if argument is not None:
        raise UsageError(f"none takes no argument; got {argument!r}")
    return NoResolver()


@RESOLVERS.register("rules")
def _rules(argument: str | None) -> Resolver:
    from voirdire.text.coreference.rules import RuleResolver

    if argument is not None:
        raise UsageError(f"rules takes no argument; got {argument!r}")
    return RuleResolver()
