"""What other tools wrote, as the official layouts: `voirdire convert`, and what `validate` says of an unknown file."""

from voirdire.conversion.convert import convert
from voirdire.conversion.outcome import Conversion
from voirdire.conversion.request import ConvertOptions

__all__ = ["Conversion", "ConvertOptions", "convert"]
