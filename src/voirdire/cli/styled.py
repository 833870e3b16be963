"""Lines with colour and weight for a person at a terminal; the same lines without where nobody looks at one.

A line is made of pieces, each a text and a style ("bold green"; empty for none). Styles are left out where the output
is no terminal, where `NO_COLOR` is set, and where the terminal knows none. What a colour says the text must say, too.
"""

import os
import sys
from collections.abc import Sequence

from voirdire.cli.output import say
from voirdire.escaping import visible

Line = Sequence[tuple[str, str]]


def is_colourful(err: bool = False) -> bool:
    """Whether the output, or stderr, is a terminal that may be given colours."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def unstyled(line: Line) -> str:
    """The text of a line."""
    return "".join(text for text, _ in line)


def print_styled(lines: Sequence[Line]) -> None:
    """Print lines, in colours where they can be seen."""
    if not is_colourful():
        say("\n".join(map(unstyled, lines)))
        return
    from rich.text import Text

    from voirdire.cli.output import plain_console

    console = plain_console()
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)), soft_wrap=True)
