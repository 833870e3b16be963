"""All calls of 20,000 games to a trained oracle, batched, beside one call at a time in plain torch.

    python benchmarks/oracle_calls.py [--games 20000]

A call is a question about an object. The other side is the oracle as one would write it down: `torch.nn.LSTM` over the
question's words, one hidden layer over its last state, the category's embedding and the box, one call after the other.
Its time is not measured on all calls but extrapolated from some. One thread on both sides, seconds of the processor.
These calls must have the same answers on both sides. Bar: 20 times as fast.
"""

import argparse
import sys
import time
from random import Random

import numpy as np
import torch

from voirdire.engine.threads import one_thread
from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import Game, GameObject, Qa
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import ModelOracle, TrainedOracle
from voirdire.questions.trained_oracle.network import Vocabulary, spatial
from voirdire.questions.trained_oracle.training import Collector, train_oracle
from voirdire.world.grammar import say
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import game_objects, guess_question, make_game

BAR, ALONE, TRAINED = 20, 3_000, 3_000


def asked_game(index: int) -> Game:
    """A game of five to seven questions about a scene."""
    scene, rng = make_scene(8, index), Random(index)
    things = list(scene.things)
    questions = [say(guess_question(scene, things, rng), rng, "game") for _ in range(rng.choice((5, 6, 7)))]
    image = GameImage(scene.id, scene.width, scene.height)
    asked = tuple(Qa(question, "no") for question in questions)
    return Game(scene.id, image, game_objects(scene), things[0].id, asked, "success")


def quickly_trained() -> TrainedOracle:
    """An oracle of the paper's size, trained for a moment: its scores are not all alike."""
    collector = Collector()
    collector.add(make_game(make_scene(9, index), Random(index)) for index in range(TRAINED))
    return train_oracle(collector.examples(), None, OracleOptions(epochs=2, batch=256, rate=1e-3))


class Plain:
    """The oracle in plain torch, one call at a time."""

    def __init__(self, trained: TrainedOracle) -> None:
        weights = {name: torch.from_numpy(array) for name, array in trained.weights.items()}
        options = trained.options
        self.words = Vocabulary(trained.words)
        self.word, self.category = weights["word.weight"], weights["category.weight"]
        self.lstm = torch.nn.LSTM(options.word, options.lstm, batch_first=True)
        self.lstm.weight_ih_l0.data, self.lstm.bias_ih_l0.data = weights["input.weight"], weights["input.bias"]
        self.lstm.weight_hh_l0.data = weights["recurrent.weight"]
        self.lstm.bias_hh_l0.data = torch.zeros_like(weights["input.bias"])
        parts = [weights[f"from_{name}.weight"] for name in ("question", "category", "spatial")]
        self.hidden, self.bias = torch.cat(parts, dim=1), weights["from_question.bias"]
        self.output, self.last = weights["output.weight"], weights["output.bias"]

    @torch.no_grad()
    def answer(self, question: str, image: GameImage, thing: GameObject) -> int:
        """The place of the answer."""
        words = torch.tensor(self.words.numbers(question))
        _, (state, _) = self.lstm(self.word[words][None])
        box = torch.from_numpy(spatial([thing.bbox], [image.width], [image.height]))
        inputs = torch.cat([state[0], self.category[[thing.category_id]], box], dim=1)
        hidden = torch.relu(inputs @ self.hidden.T + self.bias)
        return int((hidden @ self.output.T + self.last).argmax())


def main() -> int:
    """Print both times and their ratio; 1 where the bar is missed or an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=20_000)
    count = parser.parse_args().games
    trained = quickly_trained()
    games = [asked_game(index) for index in range(count)]
    calls = sum(len(game.qas) * len(game.objects) for game in games)
    texts = len({qa.question for game in games for qa in game.qas})
    start = time.process_time()
    given = ModelOracle(trained).answer(games)
    batched = time.process_time() - start

    rng = np.random.default_rng(0)
    chosen = [
        (at, int(rng.integers(len(games[at].qas))), int(rng.integers(len(games[at].objects))))
        for at in rng.integers(count, size=ALONE).tolist()
    ]
    plain, single = Plain(trained), ModelOracle(trained)
    with one_thread():
        start = time.process_time()
        alone = [plain.answer(games[g].qas[q].question, games[g].image, games[g].objects[o]) for g, q, o in chosen]
        took = (time.process_time() - start) / ALONE
        ours = [
            single.one(games[g].qas[q].question, games[g].image, games[g].objects[o]).argmax() for g, q, o in chosen
        ]
    said = [given[g].answers[q, o] for g, q, o in chosen]
    same = said == alone == [int(one) for one in ours]
    ratio = took * calls / batched
    print(f"{count:,} games, {calls:,} calls, {texts:,} different questions; {sum(one.ties for one in given)} ties")
    print(f"batched: {batched:.1f} s; one at a time: {1000 * took:.2f} ms a call, {took * calls:,.0f} s for all")
    print(f"(extrapolated from {ALONE:,} calls); {ratio:.0f} times as fast, bar {BAR}")
    print(f"the same answers to {ALONE:,} calls: {'yes' if same else 'no'}")
    return int(not same or ratio < BAR)


if __name__ == "__main__":
    sys.exit(main())
