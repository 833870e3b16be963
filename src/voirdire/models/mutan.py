"""MUTAN of Ben-younes et al. 2017 (ICCV), without attention (MU) and with it (MUA), as its authors' code has both.

    M(a, b) = Σ_r hv_r(a) ⊙ hq_r(b)        r = 1 … R: a Tucker decomposition whose core has rank R in each slice

    MU     z = M(tanh linear_v(v), tanh linear_q(q)),  scores = linear_classif(z)
    MUA    a_n = tanh(conv_v_att(v_n)),  b = tanh(linear_q_att(q))
           P_g = softmax_n(conv_att(M(a_n, b))_g),  v̂_g = Σ_n P_g,n v_n
           z = M([tanh list_linear_v_fusion_g(v̂_g)]_g, tanh linear_q_fusion(q)),  scores = linear_classif(z)

q  the GRU's state after the last word: `question_encoders.GruReader`
v  one vector per picture, or one per place

M is linear in a, so for one question it is one matrix for all places: M(a, b) = (Σ_r diag(hq_r(b)) W_r) a + c, a fifth
of the work at R = 5. Where nothing is dropped behind it, conv_att goes into that matrix, too.

Half is dropped of all that enters a first projection, of M(a_n, b), and of z; inside the terms nothing is.
"""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from voirdire.models.gru_networks import GlobalGruNetwork, GridGruNetwork
from voirdire.models.sizes import MutanAttSizes, MutanSizes, Sizes
from voirdire.models.vqa_network import Shape, count_layers


class MutanFusion(nn.Module):
    """M(a, b)."""

    def __init__(self, from_picture: int, from_question: int, fused: int, rank: int) -> None:
        super().__init__()
        self.hv = nn.ModuleList(nn.Linear(from_picture, fused) for _ in range(rank))
        self.hq = nn.ModuleList(nn.Linear(from_question, fused) for _ in range(rank))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Of one vector per picture."""
        return torch.stack([hv(a) * hq(b) for hv, hq in zip(self.hv, self.hq, strict=True)]).sum(0)

    def of_question(self, b: Tensor) -> tuple[Tensor, Tensor]:
        """The matrix (n, fused, from_picture) and the vector (n, fused) that M multiplies a by, and adds."""
        terms = torch.stack([hq(b) for hq in self.hq], 1)
        weights = torch.stack([hv.get_parameter("weight") for hv in self.hv])
        biases = torch.stack([hv.get_parameter("bias") for hv in self.hv])
        return torch.einsum("nrk,rkd->nkd", terms, weights), (terms * biases).sum(1)


class Mutan(GlobalGruNetwork):
    """MU."""

    NAMES: ClassVar[Mapping[str, str]] = {
        **GlobalGruNetwork.NAMES,
        "fusion.hv.": "fusion.list_linear_hv.",
        "fusion.hq.": "fusion.list_linear_hq.",
    }

    def __init__(self, sizes: MutanSizes, words: int, classes: int, width: int) -> None:
        picture, question, fused = sizes.from_picture, sizes.from_question, sizes.fused
        super().__init__(sizes, words, classes, width, picture=picture, question=question, fused=fused)
        self.fusion = MutanFusion(picture, question, fused, sizes.rank)

    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """M."""
        fused: Tensor = self.fusion(picture, question)
        return fused

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        sizes = MutanSizes(
            **cls.gru_sizes(shape),
            from_picture=shape("linear_v.weight")[0],
            from_question=shape("linear_q.weight")[0],
            fused=shape("out.weight")[1],
            rank=count_layers(shape, "fusion.hv.{}.weight"),
        )
        return sizes, *cls.data_sizes(shape, "linear_v.weight")


class MutanAtt(GridGruNetwork):
    """MUA."""

    NAMES: ClassVar[Mapping[str, str]] = {
        **GridGruNetwork.NAMES,
        "fusion_att.hv.": "fusion_att.list_linear_hv.",
        "fusion_att.hq.": "fusion_att.list_linear_hq.",
        "fusion.hv.": "fusion_classif.list_linear_hv.",
        "fusion.hq.": "fusion_classif.list_linear_hq.",
    }

    def __init__(self, sizes: MutanAttSizes, words: int, classes: int, width: int) -> None:
        attention = sizes.att_picture, sizes.att_question, sizes.att_fused
        glimpses = {"glimpses": sizes.glimpses, "per_glimpse": sizes.per_glimpse}
        question, fused = sizes.from_question, sizes.fused
        super().__init__(sizes, words, classes, width, attention=attention, **glimpses, question=question, fused=fused)
        self.fusion_att = MutanFusion(*attention, sizes.att_rank)
        self.fusion = MutanFusion(sizes.glimpses * sizes.per_glimpse, question, fused, sizes.rank)

    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """M."""
        fused: Tensor = self.fusion(picture, question)
        return fused

    def logits(self, picture: Tensor, question: Tensor) -> Tensor:
        """conv_att(M(a_n, b))."""
        matrix, shift = self.fusion_att.of_question(question)
        places = picture.transpose(1, 2)
        if self.training and self.drop.p:
            fused = self.drop(torch.baddbmm(shift[..., None], matrix, places))
            return torch.matmul(self.conv_att.weight, fused) + self.conv_att.bias[:, None]
        folded, constant = torch.matmul(self.conv_att.weight, matrix), self.conv_att(shift)
        return torch.baddbmm(constant[..., None], folded, places)

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        sizes = MutanAttSizes(
            **cls.gru_sizes(shape),
            glimpses=shape("conv_att.weight")[0],
            att_picture=shape("conv_v_att.weight")[0],
            att_question=shape("linear_q_att.weight")[0],
            att_fused=shape("conv_att.weight")[1],
            att_rank=count_layers(shape, "fusion_att.hv.{}.weight"),
            per_glimpse=shape("glimpses.0.weight")[0],
            from_question=shape("linear_q.weight")[0],
            fused=shape("out.weight")[1],
            rank=count_layers(shape, "fusion.hv.{}.weight"),
        )
        return sizes, *cls.data_sizes(shape, "conv_v_att.weight")
