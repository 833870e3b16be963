"""MLB of Kim et al. 2017, Hadamard Product for Low-rank Bilinear Pooling (ICLR), in three forms.

    MLB without attention    z = tanh(tanh linear_v(v) ⊙ tanh linear_q(q)),  scores = linear_classif(z)

    with attention           a_n = tanh(conv_v_att(v_n)),  b = tanh(linear_q_att(q))
                             P_g = softmax_n(conv_att(f(a_n ⊙ b))_g),  v̂_g = Σ_n P_g,n v_n
                             z = f([tanh list_linear_v_fusion_g(v̂_g)]_g ⊙ tanh linear_q_fusion(q))
                             scores = linear_classif(z)

f  tanh as MUTAN's authors have it, with four glimpses; nothing as its own authors have it, with two
q  a GRU's state after the last word; its own authors' GRU resets before the matrix: `question_encoders.GruReader`
v  one vector per picture, or one per place

Half is dropped of all that enters a first projection and of z; MUTAN's authors drop half of f(a_n ⊙ b), too.
"""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor

from voirdire.models.gru_networks import GlobalGruNetwork, GridGruNetwork
from voirdire.models.sizes import MlbAttSizes, MlbSizes, Sizes
from voirdire.models.vqa_network import Shape, count_layers


class Mlb(GlobalGruNetwork):
    """MLB without attention, as MUTAN's authors have it."""

    def __init__(self, sizes: MlbSizes, words: int, classes: int, width: int) -> None:
        common = sizes.common
        super().__init__(sizes, words, classes, width, picture=common, question=common, fused=common)

    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """tanh(a ⊙ b)."""
        return torch.tanh(picture * question)

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        sizes = MlbSizes(**cls.gru_sizes(shape), common=shape("linear_v.weight")[0])
        return sizes, *cls.data_sizes(shape, "linear_v.weight")


class MlbAtt(GridGruNetwork):
    """MLB with attention, as MUTAN's authors have it."""

    def __init__(self, sizes: MlbAttSizes, words: int, classes: int, width: int) -> None:
        whole = sizes.glimpses * sizes.common
        attention = (sizes.attention,) * 3
        glimpses = {"glimpses": sizes.glimpses, "per_glimpse": sizes.common}
        super().__init__(sizes, words, classes, width, attention=attention, **glimpses, question=whole, fused=whole)

    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """tanh(a ⊙ b)."""
        return torch.tanh(picture * question)

    def logits(self, picture: Tensor, question: Tensor) -> Tensor:
        """conv_att(tanh(a_n ⊙ b))."""
        logits: Tensor = self.conv_att(self.drop(torch.tanh(picture * question[:, None])))
        return logits.transpose(1, 2)

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        sizes = MlbAttSizes(
            **cls.gru_sizes(shape),
            glimpses=count_layers(shape, "glimpses.{}.weight"),
            attention=shape("conv_v_att.weight")[0],
            common=shape("glimpses.0.weight")[0],
        )
        return sizes, *cls.data_sizes(shape, "conv_v_att.weight")


class MlbOfItsAuthors(MlbAtt):
    """MLB with attention, as its own authors have it: no tanh behind the products, and the GRU resets first."""

    NAMES: ClassVar[Mapping[str, str]] = {
        "reader.embedding.": "embed.",
        "reader.cell.": "gru.",
        "reader.cell.ii.": "gru.iz.",
        "reader.cell.hi.": "gru.hz.",
        "conv_v_att.": "att.v.",
        "linear_q_att.": "att.q.",
        "conv_att.": "att.out.",
        "glimpses.": "v.",
        "linear_q.": "q.",
    }
    AT_ONE_PLACE: ClassVar[tuple[str, ...]] = ()
    RESET_FIRST = True

    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """a ⊙ b."""
        return picture * question

    def logits(self, picture: Tensor, question: Tensor) -> Tensor:
        """conv_att(a_n ⊙ b), which is linear in a: b goes into the matrix."""
        return (self.conv_att.weight * question[:, None]) @ picture.transpose(1, 2) + self.conv_att.bias[:, None]
