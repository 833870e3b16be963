"""How wide the networks' layers are: one frozen class per network, whose defaults are the published sizes.

Numbers of words and classes, and the width of the features, are the data's and not here. Networks of other sizes with
other numbers of glimpses, layers or terms are made by other values.
"""

from dataclasses import dataclass

from voirdire.options import Options, option

_WIDEST, _MOST = 16_384, 64


def _width(default: int, help: str) -> int:
    """An option that is a number of numbers."""
    return int_option(default, help, _WIDEST)


def int_option(default: int, help: str, most: int) -> int:
    """A whole number from 1."""
    value: int = option(default, help, least=1, most=most)
    return value


def _share(default: float, help: str) -> float:
    """A share of numbers that training drops."""
    value: float = option(default, help, least=0, most=0.95)
    return value


@dataclass(frozen=True)
class Sizes(Options):
    """What all networks have."""

    dropout: float = _share(0.5, "Share of the numbers that training drops wherever the authors drop some.")


@dataclass(frozen=True)
class LqiSizes(Sizes):
    """Of LQI, and of the same network without a picture."""

    embedding: int = _width(200, "Numbers per word.")
    hidden: int = _width(512, "Numbers of an LSTM layer.")
    layers: int = int_option(2, "LSTM layers.", _MOST)
    common: int = _width(1024, "Numbers of the product of question and picture.")


@dataclass(frozen=True)
class HieCoAttSizes(Sizes):
    """Of hierarchical co-attention."""

    hidden: int = _width(512, "Numbers per word, place and level.")
    layers: int = int_option(2, "LSTM layers of the question level.", _MOST)
    last: int = _width(1024, "Numbers before the classes.")


@dataclass(frozen=True)
class GruSizes(Sizes):
    """Of a network whose questions are read by a GRU of the size of Skip-thoughts'."""

    embedding: int = _width(620, "Numbers per word.")
    question: int = _width(2400, "Numbers per question.")
    gru_dropout: float = _share(0.25, "Share of the numbers that training drops before each of the GRU's six matrices.")


@dataclass(frozen=True)
class MutanSizes(GruSizes):
    """Of MUTAN on one vector per picture."""

    from_picture: int = _width(360, "Numbers of the picture's projection.")
    from_question: int = _width(360, "Numbers of the question's projection.")
    fused: int = _width(360, "Numbers of the fusion.")
    rank: int = int_option(10, "Terms of the fusion, R.", _MOST)


@dataclass(frozen=True)
class MutanAttSizes(GruSizes):
    """Of MUTAN with attention."""

    glimpses: int = int_option(2, "Weighted sums of the places.", _MOST)
    att_picture: int = _width(310, "Numbers of a place's projection, for the attention.")
    att_question: int = _width(310, "Numbers of the question's projection, for the attention.")
    att_fused: int = _width(510, "Numbers of the attention's fusion.")
    att_rank: int = int_option(5, "Terms of the attention's fusion.", _MOST)
    per_glimpse: int = _width(310, "Numbers of a glimpse's projection.")
    from_question: int = _width(310, "Numbers of the question's projection.")
    fused: int = _width(510, "Numbers of the fusion.")
    rank: int = int_option(5, "Terms of the fusion.", _MOST)


@dataclass(frozen=True)
class MlbSizes(GruSizes):
    """Of MLB on one vector per picture."""

    common: int = _width(1200, "Numbers of the product.")


@dataclass(frozen=True)
class MlbAttSizes(GruSizes):
    """Of MLB with attention; Cadene's has four glimpses, its authors' two."""

    glimpses: int = int_option(4, "Weighted sums of the places.", _MOST)
    attention: int = _width(1200, "Numbers of the attention's product.")
    common: int = _width(1200, "Numbers of the product, per glimpse.")
