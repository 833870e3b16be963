"""The papers' networks that answer questions about pictures, by name: what each is, reads and is trained with.

    scores = join(of_question(words of a question), of_picture(features of a picture))

Nothing heavy is imported until a network is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from voirdire.errors import UsageError, shorten
from voirdire.models import recipes
from voirdire.models.recipes import Recipe
from voirdire.models.sizes import HieCoAttSizes, LqiSizes, MlbAttSizes, MlbSizes, MutanAttSizes, MutanSizes, Sizes

if TYPE_CHECKING:
    from voirdire.models.vqa_network import VqaNetwork

Layout = Literal["none", "global", "grid"]
"""Features of a picture: none, one vector (d), or one per place (places, d): a grid's, row by row, or regions'."""
Preset = Literal["paper", "small"]


@dataclass(frozen=True)
class Architecture:
    """A network that can be made at any size.

    presets  its sizes as published, and in small
    recipes  how it is trained at each of them
    module   where its class is: "module:Class"
    """

    name: str
    title: str
    citation: str
    layout: Layout
    presets: Mapping[Preset, Sizes]
    recipes: Mapping[Preset, Recipe]
    module: str

    @property
    def network(self) -> "type[VqaNetwork]":
        """Its class."""
        module, _, name = self.module.partition(":")
        made: type[VqaNetwork] = getattr(import_module(f"voirdire.models.{module}"), name)
        return made

    def build(self, sizes: Sizes, words: int, classes: int, width: int = 0, seed: int | None = None) -> "VqaNetwork":
        """A network with first weights; `seed` None leaves them as they come.

        words    how many words it knows; they are numbered from 1, and 0 is padding
        classes  how many answers
        width    numbers of a feature vector, 0 for a network that sees none
        """
        if (self.layout == "none") != (width == 0):
            seen = "no features" if self.layout == "none" else f"{self.layout} features"
            raise ValueError(f"`width` must fit {self.name}, which reads {seen}, got {width}")
        made = self.network(sizes, words, classes, width)
        if seed is not None:
            start = self.recipes["paper" if sizes == self.presets["paper"] else "small"].start
            made.draw(seed, start)
        return made

    def sizes(self, plain: Mapping[str, Any]) -> Sizes:
        """Its sizes from plain values, as a file has them."""
        return type(self.presets["paper"])(**plain)


def find_architecture(name: str) -> Architecture:
    """The network of that name; another name is an error that lists them."""
    if name not in ARCHITECTURES:
        raise UsageError(f"there is no network {shorten(name)}; there are: {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[name]


_ANTOL = "Antol et al. 2015, VQA: Visual Question Answering (ICCV)"
_LU = "Lu et al. 2016, Hierarchical Question-Image Co-Attention for Visual Question Answering (NIPS)"
_BEN_YOUNES = "Ben-younes et al. 2017, MUTAN: Multimodal Tucker Fusion for Visual Question Answering (ICCV)"
_KIM = "Kim et al. 2017, Hadamard Product for Low-rank Bilinear Pooling (ICLR)"
_SMALL = {"embedding": 64, "question": 256}

_ALL = (
    Architecture(
        "question-only",
        "LSTM Q, which sees no picture",
        _ANTOL,
        "none",
        {"paper": LqiSizes(), "small": LqiSizes(embedding=64, hidden=128, common=256, dropout=0.2)},
        {"paper": recipes.LQI, "small": recipes.SMALL},
        "question_only:QuestionOnly",
    ),
    Architecture(
        "lqi",
        "LQI, deeper LSTM Q + norm I",
        _ANTOL,
        "global",
        {"paper": LqiSizes(), "small": LqiSizes(embedding=64, hidden=128, common=256, dropout=0.2)},
        {"paper": recipes.LQI, "small": recipes.SMALL},
        "lqi:Lqi",
    ),
    Architecture(
        "hieco-att",
        "HieCoAtt, hierarchical co-attention: HAV on VGG's features, HAR on ResNet's",
        _LU,
        "grid",
        {"paper": HieCoAttSizes(), "small": HieCoAttSizes(hidden=128, last=256, dropout=0.2)},
        {"paper": recipes.HIECOATT, "small": recipes.SMALL},
        "hieco_att:HieCoAtt",
    ),
    Architecture(
        "mutan",
        "MU, MUTAN without attention",
        _BEN_YOUNES,
        "global",
        {
            "paper": MutanSizes(),
            "small": MutanSizes(**_SMALL, from_picture=128, from_question=128, fused=128, rank=5, dropout=0.2),
        },
        {"paper": replace(recipes.CADENE, batch=512), "small": recipes.SMALL},
        "mutan:Mutan",
    ),
    Architecture(
        "mutan-att",
        "MUA, MUTAN with attention",
        _BEN_YOUNES,
        "grid",
        {
            "paper": MutanAttSizes(),
            "small": MutanAttSizes(
                **_SMALL,
                att_picture=96,
                att_question=96,
                att_fused=96,
                att_rank=3,
                per_glimpse=96,
                from_question=96,
                fused=128,
                rank=3,
                dropout=0.2,
            ),
        },
        {"paper": recipes.CADENE, "small": recipes.SMALL},
        "mutan:MutanAtt",
    ),
    Architecture(
        "mlb",
        "MLB without attention, as MUTAN's authors have it",
        _KIM,
        "global",
        {"paper": MlbSizes(), "small": MlbSizes(**_SMALL, common=192, dropout=0.2)},
        {"paper": replace(recipes.CADENE, batch=512), "small": recipes.SMALL},
        "mlb:Mlb",
    ),
    Architecture(
        "mlb-att",
        "MLB, as MUTAN's authors have it: four glimpses, tanh behind each product",
        _KIM,
        "grid",
        {"paper": MlbAttSizes(), "small": MlbAttSizes(**_SMALL, glimpses=2, attention=128, common=128, dropout=0.2)},
        {"paper": recipes.CADENE, "small": recipes.SMALL},
        "mlb:MlbAtt",
    ),
    Architecture(
        "mlb-authors",
        "MLB, as its own authors have it: two glimpses, no tanh behind the products, another GRU",
        _KIM,
        "grid",
        {
            "paper": MlbAttSizes(glimpses=2),
            "small": MlbAttSizes(**_SMALL, glimpses=2, attention=128, common=128, dropout=0.2),
        },
        {"paper": recipes.MLB_AUTHORS, "small": recipes.SMALL},
        "mlb:MlbOfItsAuthors",
    ),
)
ARCHITECTURES: dict[str, Architecture] = {made.name: made for made in _ALL}
"""All networks by name."""
