"""The oracle's network, in torch, and its LSTM over a tree of beginnings.

    i, f, g, o = W x + U h + b;   c' = σ(f) c + σ(i) tanh(g);   h' = σ(o) tanh(c')        for each word x
    hidden = ReLU(A h + B category + C spatial + D crop + a);   scores = V hidden + v

De Vries et al.'s has one hidden layer, GDSE's (Shekhar et al. 2019) a second before the scores: ReLU(E hidden + e).

Every matrix is drawn from the uniform distribution within ±1/√(its inputs), embeddings from the standard normal one;
the forget gate starts at 1 more, so that a fresh LSTM remembers.

Questions are a tree of their beginnings, so that the LSTM reads each beginning once: "is it a dog", "is it a cat" and
"is it red" share "is it", two of them "is it a". What an LSTM has read after a beginning depends on that alone, so a
batch needs one step per node of the tree in place of one per word, and no padding.

The LSTM's gradient is written out, because torch would make one of U at every level and add them up, which takes a
third of a step of a small batch: here the levels are put together first, and the gradient of U is one product.

A question is its words in lower case: letters and digits, with an apostrophe inside a word kept; marks are left out. A
question without a word is one unknown word. Number 0 is the unknown word: words that train has fewer than `min_count`
times are it too, so that it has a vector of its own.

An object is its category and eight numbers that say where it is (de Vries et al. 2017, §5.1):

    x_min, y_min, x_max, y_max, x_centre, y_centre   in −1..1, from the lower left corner of the image
    w, h                                             in 0..2

Boxes are counted from the upper left corner, so y is turned: y_min is the lower edge.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.autograd import Function

from voirdire.formats.guesswhat import GameObject
from voirdire.formats.strict import Problems
from voirdire.models.trainer import Trainable
from voirdire.questions.trained_oracle import OracleOptions

CATEGORIES = 90
"""The highest id of a category in COCO."""
FEATURES = 8
UNKNOWN = 0
HINT = "Categories are COCO's; give the objects their COCO ids."
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
Int64 = npt.NDArray[np.int64]


def words_of(question: str) -> list[str]:
    """The words of a question in order."""
    return _WORD.findall(question.lower().replace("’", "'"))


class Vocabulary:
    """The words that an oracle knows, numbered from 1; `longest` is after how many words a question is cut."""

    def __init__(self, words: Sequence[str], longest: int | None = None) -> None:
        self.words = tuple(words)
        self._longest = longest
        self._numbers = {word: number for number, word in enumerate(self.words, start=1)}
        if len(self._numbers) < len(self.words):
            raise ValueError("`words` must be distinct, got one of them twice")

    @classmethod
    def of(cls, questions: Mapping[str, int], min_count: int, longest: int | None = None) -> "Vocabulary":
        """The words of questions, each asked so many times, that occur often enough; in alphabetical order."""
        counts: Counter[str] = Counter()
        for question, times in questions.items():
            for word in words_of(question):
                counts[word] += times
        return cls(sorted(word for word, count in counts.items() if count >= min_count), longest)

    def __len__(self) -> int:
        """How many numbers there are, that of the unknown word among them."""
        return len(self.words) + 1

    def numbers(self, question: str) -> list[int]:
        """A question as numbers, at least one."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(question)[: self._longest]] or [UNKNOWN]


def spatial(boxes: npt.ArrayLike, widths: npt.ArrayLike, heights: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """float32[n, 8] from boxes [n, 4] as x, y, w, h in pixels and the sizes of their images."""
    box = np.asarray(boxes, np.float64).reshape(-1, 4)
    across, down = np.asarray(widths, np.float64), np.asarray(heights, np.float64)
    w, h = 2 * box[:, 2] / across, 2 * box[:, 3] / down
    x_min, y_max = 2 * box[:, 0] / across - 1, 1 - 2 * box[:, 1] / down
    x_max, y_min = x_min + w, y_max - h
    vector = np.stack([x_min, y_min, x_max, y_max, x_min + w / 2, y_min + h / 2, w, h], axis=1)
    return vector.astype(np.float32)


def check_categories(where: str, objects: Iterable[GameObject], problems: Problems) -> None:
    """Note objects whose category an oracle cannot know."""
    for candidate in objects:
        if not 1 <= candidate.category_id <= CATEGORIES:
            category = f"{candidate.category_id} ({candidate.category})"
            problems.add(f"{where}, object {candidate.id}", "category_id", category, f"1 to {CATEGORIES}", HINT)


@dataclass(frozen=True, eq=False)
class Levels:
    """The tree of some questions, level by level.

    words    of each level the word of each node, as a place in `vocabulary`
    stems    of each level but the first the nodes of the level above that go on, as places there
    parents  of each level but the first the parent of each node, as a place in its `stems`
    ends     of each question the node at which it ends, counted over all levels
    vocabulary  the distinct words of all nodes
    """

    words: tuple[Int64, ...]
    stems: tuple[Int64, ...]
    parents: tuple[Int64, ...]
    ends: Int64
    vocabulary: Int64


class PrefixTree:
    """The beginnings of many questions, each given as numbers of words."""

    def __init__(self, questions: Sequence[Sequence[int]]) -> None:
        self.first = np.zeros(len(questions) + 1, np.int64)
        np.cumsum([len(question) for question in questions], out=self.first[1:])
        if len(questions) and np.diff(self.first).min() < 1:
            raise ValueError("`questions` must have at least one word each, got one without")
        words: list[int] = []
        parents: list[int] = []
        path = np.empty(int(self.first[-1]), np.int64)
        nodes: dict[tuple[int, int], int] = {}
        place = 0
        for question in questions:
            node = -1
            for word in question:
                key = (node, word)
                following = nodes.get(key)
                if following is None:
                    following = nodes[key] = len(words)
                    words.append(word)
                    parents.append(node)
                node = path[place] = following
                place += 1
        self.path, self.word, self.parent = path, np.array(words, np.int64), np.array(parents, np.int64)

    def levels(self, questions: npt.NDArray[np.integer]) -> Levels:
        """The tree of some of the questions, given by their places."""
        first, lengths = self.first[questions], self.first[questions + 1] - self.first[questions]
        ends = np.empty(len(questions), np.int64)
        words, stems, parents = [], [], []
        above = np.empty(0, np.int64)
        before = 0
        for depth in range(int(lengths.max(initial=0))):
            going = np.flatnonzero(lengths > depth)
            level, places = np.unique(self.path[first[going] + depth], return_inverse=True)
            last = lengths[going] == depth + 1
            ends[going[last]] = before + places[last]
            words.append(self.word[level])
            if depth:
                stem, parent = np.unique(self.parent[level], return_inverse=True)
                stems.append(np.searchsorted(above, stem))
                parents.append(parent)
            above = level
            before += len(level)
        vocabulary, rows = np.unique(np.concatenate(words) if words else np.empty(0, np.int64), return_inverse=True)
        cuts = np.cumsum([len(level) for level in words])[:-1]
        return Levels(tuple(np.split(rows, cuts)), tuple(stems), tuple(parents), ends, vocabulary)


def read_tree(inputs: Tensor, recurrent: Tensor, levels: Levels) -> Tensor:
    """h at the end of each question, (questions, n).

    inputs     (words, 4n): one row per word, W · embedding + b; h and c come from the node above
    recurrent  (4n, n): U
    """
    read: Tensor = _Tree.apply(inputs, recurrent, levels)  # type: ignore[no-untyped-call]
    return read


class _Tree(Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, recurrent: Tensor, levels: Levels) -> Tensor:
        kept: list[tuple[Tensor, ...]] = []
        hidden: list[Tensor] = []
        cell = stems = parents = empty = torch.empty(0)
        for depth, words in enumerate(levels.words):
            gates = inputs[torch.from_numpy(words)]
            above, carried = empty, empty
            if depth:
                stems = torch.from_numpy(levels.stems[depth - 1])
                parents = torch.from_numpy(levels.parents[depth - 1])
                above = hidden[-1][stems]
                gates += (above @ recurrent.T)[parents]
                carried = cell[stems[parents]]
            enter, forget, change, leave = gates.chunk(4, dim=1)
            enter.sigmoid_(), forget.sigmoid_(), change.tanh_(), leave.sigmoid_()
            cell = enter * change
            if depth:
                cell += forget * carried
            bent = cell.tanh()
            hidden.append(leave * bent)
            kept.append((gates, bent, above, carried))
        ctx.kept, ctx.levels, ctx.recurrent, ctx.shape = kept, levels, recurrent, inputs.shape
        return torch.cat(hidden)[torch.from_numpy(levels.ends)]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        levels, recurrent = ctx.levels, ctx.recurrent
        (gradient,) = gradients
        size = gradient.shape[1]
        whole = gradient.new_zeros(sum(map(len, levels.words)), size)
        whole.index_add_(0, torch.from_numpy(levels.ends), gradient)
        of_hidden = list(torch.split(whole, [len(words) for words in levels.words]))
        of_inputs = gradient.new_zeros(ctx.shape)
        of_cell = torch.zeros_like(of_hidden[-1])
        steps: list[Tensor] = []
        aboves: list[Tensor] = []
        for depth in range(len(levels.words) - 1, -1, -1):
            gates, bent, above, carried = ctx.kept[depth]
            enter, forget, change, leave = gates.chunk(4, dim=1)
            of_cell = of_cell + of_hidden[depth] * leave * (1 - bent * bent)
            of_gates = torch.empty_like(gates)
            to_enter, to_forget, to_change, to_leave = of_gates.chunk(4, dim=1)
            to_enter.copy_(of_cell * change * enter * (1 - enter))
            to_change.copy_(of_cell * enter * (1 - change * change))
            to_leave.copy_(of_hidden[depth] * bent * leave * (1 - leave))
            if depth:
                to_forget.copy_(of_cell * carried * forget * (1 - forget))
            else:
                to_forget.zero_()
            of_inputs.index_add_(0, torch.from_numpy(levels.words[depth]), of_gates)
            if depth:
                stems = torch.from_numpy(levels.stems[depth - 1])
                parents = torch.from_numpy(levels.parents[depth - 1])
                step = gates.new_zeros(len(stems), gates.shape[1]).index_add_(0, parents, of_gates)
                of_hidden[depth - 1].index_add_(0, stems, step @ recurrent)
                of_cell = torch.zeros_like(of_hidden[depth - 1]).index_add_(0, stems[parents], of_cell * forget)
                steps.append(step)
                aboves.append(above)
        of_recurrent = torch.cat(steps).T @ torch.cat(aboves) if steps else torch.zeros_like(recurrent)
        return of_inputs, of_recurrent, None


class OracleNetwork(Trainable):
    """Scores of yes, no and n/a, in the order of `answers`.

    options  how wide its layers are, and whose order of answers it has
    words    numbers of words, the unknown one among them
    crops    how many features a crop has; 0 for an oracle without crops
    seed     of the first weights
    """

    def __init__(self, options: OracleOptions, words: int, crops: int = 0, seed: int | None = None) -> None:
        super().__init__()
        lstm, (hidden, *deeper) = options.lstm, options.published.hidden
        self.answers = options.published.answers
        self.word = nn.Embedding(words, options.word)
        self.input = nn.Linear(options.word, 4 * lstm)
        self.recurrent = nn.Linear(lstm, 4 * lstm, bias=False)
        self.category = nn.Embedding(CATEGORIES + 1, options.category)
        self.from_question = nn.Linear(lstm, hidden)
        self.from_category = nn.Linear(options.category, hidden, bias=False)
        self.from_spatial = nn.Linear(FEATURES, hidden, bias=False)
        self.from_crop = nn.Linear(crops, hidden, bias=False) if crops else None
        self.deeper = nn.ModuleList(nn.Linear(*sizes) for sizes in pairwise((hidden, *deeper)))
        self.output = nn.Linear((hidden, *deeper)[-1], len(self.answers))
        if seed is not None:
            self._draw(torch.Generator().manual_seed(seed))

    def _draw(self, generator: torch.Generator) -> None:
        with torch.no_grad():
            for part in self.modules():
                if isinstance(part, nn.Embedding):
                    part.weight.normal_(generator=generator)
                elif isinstance(part, nn.Linear):
                    bound = part.in_features**-0.5
                    for parameter in part.parameters():
                        parameter.uniform_(-bound, bound, generator=generator)
            lstm = self.recurrent.in_features
            self.input.bias[lstm : 2 * lstm] += 1.0

    def read(self, levels: Levels) -> Tensor:
        """What the LSTM has read at the end of each question, (questions, lstm)."""
        table = self.input(self.word(torch.from_numpy(levels.vocabulary)))
        return read_tree(table, self.recurrent.weight, levels)

    def of_questions(self, levels: Levels) -> Tensor:
        """The part of the hidden layer that comes from the questions, (questions, hidden)."""
        part: Tensor = self.from_question(self.read(levels))
        return part

    def of_objects(
        self,
        categories: npt.NDArray[np.int64],
        spatial: npt.NDArray[np.float32],
        crops: npt.NDArray[np.float32] | None = None,
    ) -> Tensor:
        """The part of the hidden layer that comes from the objects, (objects, hidden)."""
        used, rows = np.unique(categories, return_inverse=True)
        parts: Tensor = self.from_category(self.category(torch.from_numpy(used)))[torch.from_numpy(rows)]
        parts = parts + self.from_spatial(torch.from_numpy(spatial))
        if self.from_crop is not None:
            if crops is None:
                raise ValueError("`crops` must be given to a network that was made for them, got none")
            parts = parts + self.from_crop(torch.from_numpy(crops))
        return parts

    def scores(self, questions: Tensor, objects: Tensor) -> Tensor:
        """Scores (n, 3) from the two parts, (n, hidden) each."""
        hidden = torch.relu(questions + objects)
        for layer in self.deeper:
            hidden = torch.relu(layer(hidden))
        scores: Tensor = self.output(hidden)
        return scores
