"""A verb that takes no flag twice, unless it is one that may be given again.

Of a flag that is given twice, parsers take the last without a word: of two files one would be scored, and nobody told.
"""

from collections import Counter
from typing import Any

from typer.core import TyperCommand, TyperOption

from voirdire.errors import UsageError

__all__ = ["Once"]


class Once(TyperCommand):
    """The command of every verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Count the flags before they are read; what cannot be parsed is left to the reading to say."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for one, times in Counter(given).items():
                if times > 1 and isinstance(one, TyperOption) and not (one.multiple or one.is_flag):
                    raise UsageError(f"{one.opts[0]} must be given once, got {times}")
        return super().parse_args(ctx, args)
