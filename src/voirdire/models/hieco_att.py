"""Hierarchical co-attention of Lu et al. 2016 (NIPS), which attends in turns: HAV on VGG's features, HAR on ResNet's.

Three levels of a question, X, and the places of a picture, V = tanh(image(v)), shared by all levels:

    word      e_t = tanh(embed q_t)
    phrase    p_t = tanh(max_k conv_k(e)_t), k = 1, 2, 3 words: (e_t), (e_t−1, e_t), (e_t−1, e_t, e_t+1)
    question  two LSTM layers over p, top h_t

Each level attends in three steps, with layers of its own:

    s = Σ_t softmax_t(h1 tanh(q1 x_t)) x_t
    v̂ = Σ_n softmax_n(h2 tanh(v2 V_n + s2 s)) V_n
    q̂ = Σ_t softmax_t(h3 tanh(q3 x_t + v3 v̂)) x_t

    h_w = tanh(fc.word(q̂ʷ + v̂ʷ)),  h_p = tanh(fc.phrase[q̂ᵖ + v̂ᵖ; h_w]),  h_q = tanh(fc.question[q̂ˢ + v̂ˢ; h_p])
    scores = out(h_q)

Half is dropped behind every tanh before h_w, of what enters fc and out, and between and behind the LSTM's layers.
Places of padding weigh e^−9999999.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from voirdire.models.question_encoders import LstmLayers, PackedWords
from voirdire.models.sizes import HieCoAttSizes, Sizes
from voirdire.models.vqa_network import Part, Shape, VqaNetwork, count_layers, weighted_sum

LEVELS = ("word", "phrase", "question")
PADDING = -9999999.0


class _Attention(nn.Module):
    """The layers of a level's attention."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.q1, self.s2, self.v2, self.v3, self.q3 = (nn.Linear(hidden, hidden) for _ in range(5))
        self.h1, self.h2, self.h3 = (nn.Linear(hidden, 1) for _ in range(3))


class HieCoAtt(VqaNetwork):
    """Hierarchical co-attention."""

    def __init__(self, sizes: HieCoAttSizes, words: int, classes: int, width: int) -> None:
        super().__init__(sizes, words, classes, width)
        hidden = sizes.hidden
        self.embed = nn.Embedding(words + 1, hidden, padding_idx=0)
        self.image = nn.Linear(width, hidden)
        self.conv1 = nn.Conv1d(hidden, hidden, 1)
        self.conv2 = nn.Conv1d(hidden, hidden, 2)
        self.conv3 = nn.Conv1d(hidden, hidden, 3)
        self.lstm = LstmLayers(hidden, hidden, sizes.layers, sizes.dropout)
        self.levels = {level: _Attention(hidden) for level in LEVELS}
        self.att = nn.ModuleDict(self.levels)
        self.fc = nn.ModuleDict(
            {
                "word": nn.Linear(hidden, hidden),
                "phrase": nn.Linear(2 * hidden, hidden),
                "question": nn.Linear(2 * hidden, sizes.last),
            }
        )
        self.out = nn.Linear(sizes.last, classes)
        self.drop = nn.Dropout(sizes.dropout)

    def of_question(self, questions: Tensor) -> Part:
        """Where words are; of each level its features, and what the second and third step take from them."""
        questions = pad(questions, (0, 1)) if not questions.shape[1] else questions
        words = questions > 0
        parts: list[Tensor] = [words]
        for level, x in zip(LEVELS, self._levels(questions, words), strict=True):
            layers = self.levels[level]
            weights = self._weights(layers.h1, layers.q1(x), words)
            parts += [x, layers.s2(weighted_sum(weights, x)), layers.q3(x)]
        return tuple(parts)

    def of_picture(self, features: Tensor) -> Part:
        """V, and what each level's second step takes from it."""
        seen = self.drop(torch.tanh(self.image(features)))
        return seen, *(layers.v2(seen) for layers in self.levels.values())

    def details(self, question: Part, picture: Part) -> dict[str, Tensor]:
        """The scores, and the weights of words and places at each level."""
        words, *of_levels = question
        seen, *of_places = picture
        found: dict[str, Tensor] = {}
        above: Tensor | None = None
        for at, level in enumerate(LEVELS):
            layers, (x, from_words, for_words) = self.levels[level], of_levels[3 * at : 3 * at + 3]
            on_places = self._weights(layers.h2, of_places[at] + from_words[:, None])
            from_places = weighted_sum(on_places, seen)
            on_words = self._weights(layers.h3, for_words + layers.v3(from_places)[:, None], words)
            both = weighted_sum(on_words, x) + from_places
            joined = both if above is None else torch.cat([both, above], 1)
            above = torch.tanh(self.fc[level](self.drop(joined)))
            found |= {f"attention_image_{level}": on_places, f"attention_words_{level}": on_words}
        return found | {"scores": self.out(self.drop(above))}

    def _levels(self, questions: Tensor, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        embedded = self.drop(torch.tanh(self.embed(questions) * words[..., None]))
        along = embedded.transpose(1, 2)
        phrases = torch.stack([self.conv1(along), self.conv2(pad(along, (1, 0))), self.conv3(pad(along, (1, 1)))])
        phrase = self.drop(torch.tanh(phrases.amax(0))).transpose(1, 2)
        packed = PackedWords(questions)
        top, _ = self.lstm(packed.take(phrase), packed)
        return embedded, phrase, packed.spread(self.drop(top))

    def _weights(self, to_one: nn.Module, sums: Tensor, words: Tensor | None = None) -> Tensor:
        logits: Tensor = to_one(self.drop(torch.tanh(sums)))[..., 0]
        return (logits if words is None else logits.masked_fill(~words, PADDING)).softmax(1)

    @classmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes."""
        rows, hidden = shape("embed.weight")
        classes, last = shape("out.weight")
        _, width = shape("image.weight")
        layers = count_layers(shape, "lstm.{}.h2h.weight", first=1)
        return HieCoAttSizes(hidden=hidden, layers=layers, last=last), rows - 1, classes, width
