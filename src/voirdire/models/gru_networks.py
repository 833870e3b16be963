"""What MUTAN and MLB share: a GRU that reads the question, and the way from it and the picture to the scores.

    one vector per picture   scores = out(fuse(tanh linear_v(v), tanh linear_q(q)))

    one per place            a_n = tanh(conv_v_att(v_n)),  b = tanh(linear_q_att(q))
                             P_g = softmax_n(logits(a, b)_g),  v̂_g = Σ_n P_g,n v_n        of the places as they are
                             scores = out(fuse([tanh glimpses_g(v̂_g)]_g, tanh linear_q(q)))

q  the GRU's state after the last word: `question_encoders.GruReader`

Dropped in part while training: all that enters a first projection, and the fused vector before `out`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from voirdire.models.question_encoders import GruReader
from voirdire.models.sizes import GruSizes
from voirdire.models.vqa_network import Part, Shape, VqaNetwork, weighted_sum

CADENE_NAMES = {
    "reader.embedding.": "seq2vec.embedding.",
    "reader.cell.": "seq2vec.rnn.gru_cell.weight_",
    "out.": "linear_classif.",
}
"""What MUTAN's authors call the layers that all networks of their code have."""


class _GruNetwork(VqaNetwork):
    NAMES: ClassVar[Mapping[str, str]] = CADENE_NAMES
    RESET_FIRST: ClassVar[bool] = False
    """Whether the GRU resets before its matrix."""

    def __init__(self, sizes: GruSizes, words: int, classes: int, width: int, question: int, fused: int) -> None:
        super().__init__(sizes, words, classes, width)
        self.reader = GruReader(words, sizes.embedding, sizes.question, sizes.gru_dropout, self.RESET_FIRST)
        self.linear_q = nn.Linear(sizes.question, question)
        self.out = nn.Linear(fused, classes)
        self.drop = nn.Dropout(sizes.dropout)

    def project(self, layer: nn.Module, inputs: Tensor) -> Tensor:
        """tanh of a layer on inputs of which training drops some."""
        return torch.tanh(layer(self.drop(inputs)))

    @abstractmethod
    def fuse(self, picture: Tensor, question: Tensor) -> Tensor:
        """One vector (n, fused) from the projections of both."""

    @staticmethod
    def gru_sizes(shape: Shape) -> dict[str, int]:
        """How wide words and questions are."""
        return {"embedding": shape("reader.embedding.weight")[1], "question": shape("reader.cell.hr.weight")[0]}

    @staticmethod
    def data_sizes(shape: Shape, from_picture: str) -> tuple[int, int, int]:
        """Words, classes and width."""
        return shape("reader.embedding.weight")[0] - 1, shape("out.weight")[0], shape(from_picture)[1]


class GlobalGruNetwork(_GruNetwork):
    """A network on one vector per picture."""

    NAMES: ClassVar[Mapping[str, str]] = {
        **CADENE_NAMES,
        "linear_v.": "fusion.linear_v.",
        "linear_q.": "fusion.linear_q.",
    }

    def __init__(
        self, sizes: GruSizes, words: int, classes: int, width: int, *, picture: int, question: int, fused: int
    ) -> None:
        super().__init__(sizes, words, classes, width, question, fused)
        self.linear_v = nn.Linear(width, picture)

    def of_question(self, questions: Tensor) -> Part:
        """The GRU's state, and its projection."""
        state = self.reader(questions)
        return state, self.project(self.linear_q, state)

    def of_picture(self, features: Tensor) -> Part:
        """The vectors' projection."""
        return (self.project(self.linear_v, features),)

    def details(self, question: Part, picture: Part) -> dict[str, Tensor]:
        """The scores, and the GRU's state as `question`."""
        (state, b), (a,) = question, picture
        return {"question": state, "scores": self.out(self.drop(self.fuse(a, b)))}


class GridGruNetwork(_GruNetwork):
    """A network on one vector per place.

    attention  how wide its projections of a place and of the question are, and what is made of both
    """

    NAMES: ClassVar[Mapping[str, str]] = {
        **CADENE_NAMES,
        "glimpses.": "list_linear_v_fusion.",
        "linear_q.": "linear_q_fusion.",
    }
    AT_ONE_PLACE: ClassVar[tuple[str, ...]] = ("conv_v_att.weight", "conv_att.weight")

    def __init__(
        self,
        sizes: GruSizes,
        words: int,
        classes: int,
        width: int,
        *,
        attention: tuple[int, int, int],
        glimpses: int,
        per_glimpse: int,
        question: int,
        fused: int,
    ) -> None:
        super().__init__(sizes, words, classes, width, question, fused)
        att_picture, att_question, att_fused = attention
        self.conv_v_att = nn.Linear(width, att_picture)
        self.linear_q_att = nn.Linear(sizes.question, att_question)
        self.conv_att = nn.Linear(att_fused, glimpses)
        self.glimpses = nn.ModuleList(nn.Linear(width, per_glimpse) for _ in range(glimpses))

    def of_question(self, questions: Tensor) -> Part:
        """The GRU's state, and its projections for the attention and for the fusion."""
        state = self.reader(questions)
        return state, self.project(self.linear_q_att, state), self.project(self.linear_q, state)

    def of_picture(self, features: Tensor) -> Part:
        """The places as they are, and their projections for the attention."""
        return features, self.project(self.conv_v_att, features)

    @abstractmethod
    def logits(self, picture: Tensor, question: Tensor) -> Tensor:
        """What the attention's softmax takes, (n, glimpses, places), from the projections of places and question."""

    def details(self, question: Part, picture: Part) -> dict[str, Tensor]:
        """The scores, the GRU's state as `question`, and the weights of the places, (n, glimpses, places)."""
        (state, b_att, b), (places, a) = question, picture
        attention = self.logits(a, b_att).softmax(2)
        seen = weighted_sum(attention, places)
        glimpses = torch.cat([self.project(layer, seen[:, at]) for at, layer in enumerate(self.glimpses)], 1)
        return {"question": state, "attention": attention, "scores": self.out(self.drop(self.fuse(glimpses, b)))}
