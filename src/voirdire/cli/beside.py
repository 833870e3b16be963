"""Text beside a margin, wrapped so that the margin stays clear."""

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_beside"]

NARROWEST = 20


def print_beside(console: "Console", margin: str, text: str, style: str = "") -> None:
    """Print `margin`, then `text` to the right of it, on as many lines as the console's width asks for."""
    width = max(NARROWEST, console.width - len(margin))
    for line in textwrap.wrap(text, width, break_on_hyphens=False) or [""]:
        console.print(f"{margin}{line}", style=style, soft_wrap=True)
        margin = " " * len(margin)
