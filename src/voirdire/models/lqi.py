"""LQI, "deeper LSTM Q + norm I" of Antol et al. 2015, VQA: Visual Question Answering (ICCV).

    fused = tanh(q(state)) ⊙ tanh(v(v / |v|)),  scores = out(fused)

state  c and h of both LSTM layers after the last word: `question_encoders.LstmReader`
v      one vector per picture, VGG-19's fc7 in the paper

Half of the state, of the picture's vector and of the product is dropped while training.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from voirdire.models.question_only import QuestionOnly
from voirdire.models.sizes import LqiSizes, Sizes
from voirdire.models.vqa_network import Part, Shape


class Lqi(QuestionOnly):
    """LQI; its question's side is that of the network that sees no picture."""

    def __init__(self, sizes: LqiSizes, words: int, classes: int, width: int) -> None:
        super().__init__(sizes, words, classes, width)
        self.v = nn.Linear(width, sizes.common)

    def of_picture(self, features: Tensor) -> Part:
        """The vectors, each divided by its length, in the space of the product."""
        return (torch.tanh(self.v(self.drop(normalize(features)))),)

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        _, width = shape("v.weight")
        return *super().sizes_by(shape)[:3], width
