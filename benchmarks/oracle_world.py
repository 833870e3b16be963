"""The trained oracle on the world, where the truth is known: what it gets right, what nobody could, and what it costs.

    python benchmarks/oracle_world.py [--train 150000] [--ceiling 150000] [--epochs 10] [--batch 512] [--rate 1e-3]
                                      [--decay 0.7] [--oracle FILE]

An oracle is trained on games of one seed, stopped by games of a second, and asked on scenes of a third (`--oracle`
keeps it, and takes it from there where it is). For every type of question its accuracy stands beside the ceiling: the
best that a function of question, category and box could do. Where the answer follows from these, the ceiling is 1.
Elsewhere it is taken from very many games of a fourth seed, in two ways: the commonest answer to the same question
about the same category, and gradient-boosted trees over the question's meaning, the category and the box; of the two
the one that does better on the scenes that are asked about. It is an estimate: where the oracle does better still, the
gap is negative, and the ceiling at least as high as the oracle.

Then effectiveness by the oracle, by the truth, and by the oracle corrected for its confusion on the second seed's
games.

Bars: object, location and size questions at least 0.95 where category and box tell the answer; of every type, those
that category and box do not tell within 0.02 of the ceiling; the correction brings effectiveness nearer to the truth
for every player.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.scenes import Scene
from voirdire.questions.correction import confusion_of
from voirdire.questions.kinds import KINDS, kinds_of
from voirdire.questions.oracle_accuracy import score_oracle
from voirdire.questions.score import score_questions
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import ModelOracle, TrainedOracle, read_oracle, write_oracle
from voirdire.questions.trained_oracle.network import spatial
from voirdire.questions.trained_oracle.training import Collector, Examples, train_oracle
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import ScenesOracle, make_game
from voirdire.world.understand import understand
from voirdire.world.witnesses import make_questioner, play

TRAIN, VALID, TEST, MANY = 21, 22, 23, 24
HELD, ASKED, PLAYED = 4_000, 20_000, 1_500
TOLD, WITHIN, FEWEST = 0.95, 0.02, 20
PLAYERS = ("keen", "confirming", "random", "repetitive")
_SUPERCATEGORIES = {category.supercategory for category in BY_NAME.values()}


def scenes_of(seed: int, count: int) -> dict[int, Scene]:
    """The first scenes of a seed."""
    return {scene.id: scene for scene in (make_scene(seed, index) for index in range(count))}


def games_of(seed: int, count: int) -> Iterable[Game]:
    """A game a scene, as the world's own files have them."""
    for index in range(count):
        scene = make_scene(seed, index)
        yield make_game(scene, Random(f"{seed}/{scene.id}/game"))


def examples_of(games: Iterable[Game]) -> Examples:
    """What an oracle learns from."""
    collector = Collector()
    collector.add(games)
    return collector.examples()


def trained(options: argparse.Namespace) -> TrainedOracle:
    """The oracle of the file, or a new one."""
    if options.oracle is not None and Path(options.oracle).exists():
        return read_oracle(options.oracle)
    start = time.monotonic()

    def tell(done: int, total: int) -> None:
        if done % 20_000 < options.batch * 10:
            print(f"  {done:,} of {total:,} questions, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    settings = OracleOptions(epochs=options.epochs, batch=options.batch, rate=options.rate, decay=options.decay)
    examples = examples_of(games_of(TRAIN, options.train))
    made = train_oracle(examples, examples_of(games_of(VALID, HELD)), settings, progress=tell)
    took = time.monotonic() - start
    print(
        f"trained on {made.examples:,} questions of {options.train:,} games, {len(made.history)} epochs, {took:.0f} s"
    )
    for number, epoch in enumerate(made.history, start=1):
        kept = " (kept)" if number == made.epoch else ""
        print(f"  epoch {number}: error {epoch.error:.4f}, on validation games {epoch.valid_error:.4f}{kept}")
    if options.oracle is not None:
        write_oracle(made, options.oracle)
    return made


def _plain(ref: Ref | None) -> bool:
    """Whether a description is a category or a supercategory and nothing else."""
    return ref is not None and ref == Ref(noun=ref.noun) and (ref.noun in BY_NAME or ref.noun in _SUPERCATEGORIES)


@cache
def meaning_of(question: str) -> Meaning:
    """What a question of the world means."""
    meaning = understand(question)
    if meaning is None:
        raise ValueError(f"question: {question!r} is not in the world's language")
    return meaning


def told(meaning: Meaning) -> bool:
    """Whether the answer follows from category and box: of this category, at this side, of this size or shape."""
    return meaning.kind in ("is_side", "is_size", "is_kind", "is_shape") or (
        meaning.kind in ("is_a", "is_the") and _plain(meaning.to)
    )


class Rows:
    """Questions about targets as columns: meaning, category, box, answer."""

    def __init__(self, games: Iterable[Game]) -> None:
        self.meanings: list[Meaning] = []
        self.questions: list[str] = []
        categories, boxes, answers = [], [], []
        for game in games:
            target = next(thing for thing in game.objects if thing.id == game.target_id)
            for qa in game.qas:
                self.meanings.append(meaning_of(qa.question))
                self.questions.append(qa.question)
                categories.append(target.category_id)
                boxes.append((*target.bbox, game.image.width, game.image.height))
                answers.append(ANSWERS.index(qa.answer))
        box = np.array(boxes)
        self.category, self.answer = np.array(categories), np.array(answers)
        self.box = spatial(box[:, :4], box[:, 4], box[:, 5])
        self.told = np.array([told(meaning) for meaning in self.meanings])
        self.kind = np.array([meaning.kind for meaning in self.meanings])


def _described(ref: Ref | None) -> tuple[str, ...]:
    if ref is None:
        return ("",) * 9
    other = ref.other.noun if ref.other is not None else ""
    return (
        *(ref.noun, ref.size, ref.colour, ref.material, ref.side, ref.garment, ref.shade, ref.relation),
        other,
    )


def _columns(rows: Rows, chosen: np.ndarray, codes: list[dict[str, int]]) -> np.ndarray:
    """Meaning and category as numbers, then box and area; what is not in `codes` yet is added where they are learnt."""
    parts = []
    for row in chosen.tolist():
        meaning = rows.meanings[row]
        texts = (meaning.value, meaning.shade, meaning.relation, *_described(meaning.to))
        parts.append([known.setdefault(text, len(known)) for known, text in zip(codes, texts, strict=True)])
    area = rows.box[chosen, 6] * rows.box[chosen, 7]
    return np.column_stack([np.array(parts), rows.category[chosen], rows.box[chosen], area])


def ceiling(many: Rows, asked: Rows) -> np.ndarray:
    """Of each question that is asked, whether the best function of question, category and box would be right."""
    right = asked.told.copy()
    for kind in sorted(set(asked.kind[~asked.told])):
        learnt = np.flatnonzero((many.kind == kind) & ~many.told)
        tested = np.flatnonzero((asked.kind == kind) & ~asked.told)
        table: dict[tuple[Meaning, int], np.ndarray] = {}
        for row in learnt.tolist():
            key = (many.meanings[row], int(many.category[row]))
            table.setdefault(key, np.zeros(3))[many.answer[row]] += 1
        usual = int(np.bincount(many.answer[learnt]).argmax())
        keys = [(asked.meanings[row], int(asked.category[row])) for row in tested.tolist()]
        by_table = np.array([int(table[key].argmax()) if key in table else usual for key in keys])
        best = by_table == asked.answer[tested]
        times = np.bincount(many.answer[learnt])
        if (times > 0).sum() > 1 and times[times > 0].min() >= FEWEST:
            codes: list[dict[str, int]] = [{} for _ in range(12)]
            inputs = _columns(many, learnt, codes)
            kinds = [at for at, known in enumerate(codes) if 2 <= len(known) < 250] + [12]
            trees = HistGradientBoostingClassifier(
                max_iter=300, learning_rate=0.06, categorical_features=kinds, early_stopping=True, random_state=0
            )
            trees.fit(inputs, many.answer[learnt])
            found = trees.predict(_columns(asked, tested, codes)) == asked.answer[tested]
            best = found if found.mean() > best.mean() else best
        right[tested] = best
    return right


def _share(values: np.ndarray, width: int) -> str:
    return f"{values.mean():>{width}.4f}" if len(values) else f"{'–':>{width}}"


def print_accuracy(rows: Rows, right: np.ndarray, best: np.ndarray) -> bool:
    """Accuracy beside the ceiling, by type and by what is asked in the world; whether all bars are met."""
    kinds = [kinds_of(question) for question in rows.questions]
    good = True
    print(f"{'':<10}{'all':>8}{'':>19}{'told':>9}{'':>10}{'not told':>10}")
    head = f"{'type':<10}{'n':>8}{'accuracy':>10}{'ceiling':>9}{'n':>9}{'accuracy':>10}{'n':>10}{'accuracy':>10}"
    print(f"{head}{'ceiling':>9}{'gap':>9}")
    for name in (*KINDS, "order", "all"):
        of = np.array([name == "all" or name in one for one in kinds])
        sure, open_ = of & rows.told, of & ~rows.told
        gap = best[open_].mean() - right[open_].mean() if open_.any() else 0.0
        met = gap <= WITHIN and (name not in ("object", "location", "size") or right[sure].mean() >= TOLD)
        good &= bool(met)
        print(
            f"{name:<10}{of.sum():>8,}{_share(right[of], 10)}{_share(best[of], 9)}{sure.sum():>9,}"
            f"{_share(right[sure], 10)}{open_.sum():>10,}{_share(right[open_], 10)}{_share(best[open_], 9)}"
            f"{gap:>+9.4f}  {'met' if met else 'MISSED'}"
        )
    print(f"\n{'asked':<22}{'n':>8}{'accuracy':>10}{'ceiling':>9}{'gap':>8}")
    for kind in sorted(set(rows.kind)):
        for sure in (True, False):
            of = (rows.kind == kind) & (rows.told == sure)
            if of.any():
                name = kind if sure else f"{kind} (not told)"
                gap = best[of].mean() - right[of].mean()
                print(f"{name:<22}{of.sum():>8,}{right[of].mean():>10.4f}{best[of].mean():>9.4f}{gap:>8.4f}")
    return good


def print_effectiveness(oracle: ModelOracle, scenes: dict[int, Scene], games: list[Game], known: Any) -> bool:
    """Effectiveness by the truth, by the oracle, and corrected; whether the correction helps everywhere."""
    truth, good = ScenesOracle(scenes), True
    print(f"\n{'player':<14}{'true':>8}{'oracle':>9}{'error':>9}{'corrected':>11}{'error':>9}")
    for name in ("as people play", *PLAYERS):
        played = games if name not in PLAYERS else play(make_questioner(name), games, scenes)
        run = score_questions(played, oracle, confusion=known)
        true = score_questions(played, truth).measures["effectiveness"].value or 0.0
        plain, better = (run.measures[key].value or 0.0 for key in ("effectiveness", "effectiveness_corrected"))
        helped = abs(better - true) < abs(plain - true)
        good &= helped
        errors = plain - true, better - true
        print(
            f"{name:<14}{true:>8.4f}{plain:>9.4f}{errors[0]:>+9.4f}{better:>11.4f}{errors[1]:>+9.4f}"
            f"  {'nearer' if helped else 'NOT NEARER'}"
        )
    return good


def main() -> int:
    """Print all tables; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", type=int, default=150_000)
    parser.add_argument("--ceiling", type=int, default=150_000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.7)
    parser.add_argument("--oracle", metavar="FILE")
    options = parser.parse_args()
    oracle = ModelOracle(trained(options))
    games = list(games_of(TEST, ASKED))
    accuracy = score_oracle(games, oracle)
    right = accuracy.items["right"].to_numpy()
    whole = accuracy.measures["accuracy"]
    print(f"\n{ASKED:,} games on unseen scenes: accuracy {whole.value:.4f} ({whole.low:.4f} … {whole.high:.4f})")
    asked, many = Rows(games), Rows(games_of(MANY, options.ceiling))
    print(f"ceiling from {len(many.answer):,} questions of {options.ceiling:,} games")
    good = print_accuracy(asked, right, ceiling(many, asked))
    known = confusion_of(score_oracle(list(games_of(VALID, HELD)), oracle))
    scenes = scenes_of(TEST, PLAYED)
    good &= print_effectiveness(oracle, scenes, games[:PLAYED], known)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
