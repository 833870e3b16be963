"""Numbers in sentences."""

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 image`, `2,000 images`; the plural of a noun that takes more than an s is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
