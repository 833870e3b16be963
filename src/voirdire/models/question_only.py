"""LSTM Q, which sees no picture, of Antol et al. 2015, VQA: Visual Question Answering (ICCV): the honest floor.

    fused = tanh(q(state)),  scores = out(fused)

state  c and h of both LSTM layers after the last word: `question_encoders.LstmReader`

It is LQI without the picture: what a network reaches that knows the questions and nothing else.
"""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from voirdire.models.question_encoders import LstmReader
from voirdire.models.sizes import LqiSizes, Sizes
from voirdire.models.vqa_network import Part, Shape, VqaNetwork, count_layers


class QuestionOnly(VqaNetwork):
    """LSTM Q."""

    NAMES: ClassVar[Mapping[str, str]] = {"reader.": "", "reader.unused.": "lstm.unused."}

    def __init__(self, sizes: LqiSizes, words: int, classes: int, width: int) -> None:
        super().__init__(sizes, words, classes, width)
        self.reader = LstmReader(words, sizes.embedding, sizes.hidden, sizes.layers, sizes.dropout)
        self.q = nn.Linear(2 * sizes.layers * sizes.hidden, sizes.common)
        self.out = nn.Linear(sizes.common, classes)
        self.drop = nn.Dropout(sizes.dropout)

    def of_question(self, questions: Tensor) -> Part:
        """The LSTM's states, and these in the space of the product."""
        state = self.reader(questions)
        return state, torch.tanh(self.q(self.drop(state)))

    def of_picture(self, features: Tensor) -> Part:
        """Nothing: it sees no pictures."""
        return ()

    def details(self, question: Part, picture: Part) -> dict[str, Tensor]:
        """The scores, and `state` and `fused` before them."""
        state, fused = question
        for seen in picture:
            fused = fused * seen
        return {"state": state, "fused": fused, "scores": self.out(self.drop(fused))}

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        embedding, words = shape("reader.embed.weight")
        _, hidden = shape("reader.lstm.1.h2h.weight")
        classes, common = shape("out.weight")
        layers = count_layers(shape, "reader.lstm.{}.h2h.weight", first=1)
        return LqiSizes(embedding=embedding, hidden=hidden, layers=layers, common=common), words, classes, 0
