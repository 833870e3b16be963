"""`scorekeeping states --model`: files per layer, what they say of themselves, calls that go on, what is refused."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from voirdire.engine import Processes
from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.states import FORMAT, read_states
from voirdire.options import OptionError
from voirdire.scorekeeping import dialogue_states as module
from voirdire.scorekeeping.dialogue_states import encode_states, hidden_states
from voirdire.scorekeeping.exam import StatesOptions
from voirdire.text.language_model import STATE_MODELS
from voirdire.text.turn_states import StateReader, dialogue_turns

pytestmark = pytest.mark.slow

ROUNDS = (("is it sunny", "yes"), ("any people?", "no."), ("a dog", "2 dogs"))
COUNTED = (
    "{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}"
    "{% if messages[0]['content'] == 'scene 3.' %}{{ messages | length }}{% endif %}"
)


@pytest.fixture
def dialogues() -> Dialogues:
    made = tuple(Dialogue(place, f"scene {place}", ROUNDS[: 1 + place % 3]) for place in range(20))
    return Dialogues(made, "val", fingerprint="f" * 64, file="val.json")


def asked(folder: Path, **more: str) -> StatesOptions:
    return StatesOptions(model=f"hf:{folder}", **more)  # type: ignore[arg-type]


def test_states_of_the_last_layer(dialogues: Dialogues, tiny_causal: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.h5"
    made = hidden_states(dialogues, asked(tiny_causal, role="Q"), output=out)
    assert made.lines == (f"20 dialogues, 11 turns, 32 dimensions, layer 3 of 3: {out}",)
    assert made.warnings == ()
    found = read_states(out)
    model = STATE_MODELS.make(f"hf:{tiny_causal}")
    reader = StateReader(model, (3,))
    assert found.states.shape == (20, 11, 32)
    for place in (0, 1, 2, 19):
        states = reader.read(dialogue_turns(dialogues[place], "Q"))[0][0]
        np.testing.assert_allclose(found.states[place, : len(states)], states, rtol=1e-5, atol=1e-6)
        assert not found.states[place, len(states) :].any()
    assert found.about == {
        "model": tiny_causal.name,
        "sha256": model.signature,
        "layer": 3,
        "layers": 3,
        "pool": "last",
        "role": "Q",
        "form": "template",
        "passes": "one per dialogue",
    }
    assert FORMAT.describe(found) == f"20 dialogues, 11 turns, 32 dimensions: layer 3 of 3 of {tiny_causal.name}"
    assert [path.name for path in tmp_path.iterdir()] == ["s.h5"]


def test_a_file_for_each_layer(dialogues: Dialogues, tiny_causal: Path, tmp_path: Path) -> None:
    made = hidden_states(dialogues, asked(tiny_causal, layers="all", pool="mean"), output=tmp_path / "layer-{}.h5")
    assert made.lines[0].endswith(f"4 layers from 0 to 3 of 3: {tmp_path / 'layer-{}.h5'}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"layer-{number}.h5" for number in range(4)]
    hidden_states(dialogues, asked(tiny_causal, layers="-3", pool="mean"), output=tmp_path / "alone.h5")
    assert (tmp_path / "alone.h5").read_bytes() == (tmp_path / "layer-1.h5").read_bytes()
    with h5py.File(tmp_path / "layer-0.h5") as file:
        assert list(file) == ["states"]
        assert file["states"].attrs["pool"] == "mean"


def test_the_same_bytes_for_any_number_of_workers(dialogues: Dialogues, tiny_causal: Path, tmp_path: Path) -> None:
    options = asked(tiny_causal, layers="0,last")
    hidden_states(dialogues, options, output=tmp_path / "one-{}.h5")
    hidden_states(dialogues, options, output=tmp_path / "two-{}.h5", engine=Processes(2))
    for layer in (0, 3):
        assert (tmp_path / f"one-{layer}.h5").read_bytes() == (tmp_path / f"two-{layer}.h5").read_bytes()


def test_an_interrupted_run_goes_on(
    dialogues: Dialogues, tiny_causal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, calls = tmp_path / "s.h5", []

    class Stopped(StateReader):
        def read(self, told):  # type: ignore[no-untyped-def]
            calls.append(told)
            if len(calls) == 18:
                raise KeyboardInterrupt
            return super().read(told)

    monkeypatch.setattr(module, "StateReader", Stopped)
    with pytest.raises(KeyboardInterrupt):
        hidden_states(dialogues, asked(tiny_causal), output=out)
    assert [path.name for path in tmp_path.iterdir()] == ["s.h5.work"]
    hidden_states(dialogues, asked(tiny_causal), output=out)
    # Two shards of eight dialogues were kept; the third, of four, is done now.
    assert len(calls) == 18 + 4
    monkeypatch.undo()
    hidden_states(dialogues, asked(tiny_causal), output=tmp_path / "again.h5")
    assert out.read_bytes() == (tmp_path / "again.h5").read_bytes()
    assert not (tmp_path / "s.h5.work").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from voirdire.formats.dialogues import read_dialogues
from voirdire.scorekeeping import dialogue_states as module
from voirdire.scorekeeping.exam import StatesOptions

class Killed(module.StateReader):
    done = 0
    def read(self, told):
        Killed.done += 1
        if Killed.done == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read(told)

module.StateReader = Killed
module.hidden_states(read_dialogues("d.json"), StatesOptions(model=sys.argv[1]), output="s.h5")
"""


def test_a_killed_process_leaves_what_is_done(
    tiny_causal: Path, tmp_path: Path, called: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = [{"img": f"a_{place:04}.jpg", "dialog": [f"scene {place}", "is it sunny? yes"]} for place in range(20)]
    Path("d.json").write_text(json.dumps(said))
    killed = subprocess.run([sys.executable, "-c", KILLED, f"hf:{tiny_causal}"], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(list(Path("s.h5.work").rglob("*.shard"))) == 1
    for name in ("s.h5", "again.h5"):
        code, out, err = called(
            *("scorekeeping", "states", "--dialogues", "d.json", "--model", f"hf:{tiny_causal}", "-o", name)
        )
        assert (code, out) == (0, f"20 dialogues, 11 turns, 32 dimensions, layer 3 of 3: {name}\n"), err
    assert Path("s.h5").read_bytes() == Path("again.h5").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.h5", "d.json", "s.h5"]


def test_what_was_kept_of_another_model_is_not_taken(
    dialogues: Dialogues, tiny_causal: Path, causal_model: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    out = tmp_path / "s.h5"
    for text in ("<s>", "<e>"):
        (folder / "chat_template.jinja").write_text(text + "{% for one in messages %}{{ one['content'] }}{% endfor %}")
        hidden_states(dialogues, asked(folder), output=out)
        states = StateReader(STATE_MODELS.make(f"hf:{folder}"), (3,)).read(dialogue_turns(dialogues[0], "A"))[0]
        np.testing.assert_allclose(read_states(out).states[0, :2], states[0], rtol=1e-5, atol=1e-6)


def test_dialogues_that_take_several_passes_are_told(
    dialogues: Dialogues, causal_model: Callable[..., Path], tmp_path: Path
) -> None:
    made = hidden_states(dialogues, asked(causal_model(COUNTED)), output=tmp_path / "s.h5")
    assert made.warnings[0].startswith("1 of 20 dialogues (3, from 0) went through the model more than once")
    assert read_states(tmp_path / "s.h5").about["passes"] == "one per dialogue; several for 1 of 20"


def test_a_model_that_reads_both_ways_is_told(dialogues: Dialogues, tmp_path: Path) -> None:
    folder = bert(tmp_path / "bert")
    made = hidden_states(dialogues, asked(folder), output=tmp_path / "s.h5")
    assert made.warnings[0].startswith("The model's states depend on what follows them")
    about = read_states(tmp_path / "s.h5").about
    assert (about["passes"], about["form"]) == ("one per turn", "plain text")


def bert(folder: Path) -> Path:
    """A small BERT, which knows letters."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir()
    signs = "abcdefghijklmnopqrstuvwxyz0123456789?."
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *signs, *(f"##{sign}" for sign in signs)]
    (folder / "vocab.txt").write_text("\n".join(words))
    tokeniser = BertTokenizer.from_pretrained(str(folder), local_files_only=True)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        settings = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
        BertModel(BertConfig(vocab_size=len(words), **settings)).save_pretrained(str(folder))
    tokeniser.save_pretrained(str(folder))
    return folder


def test_dialogues_that_are_too_long_are_named(causal_model: Callable[..., Path], tmp_path: Path) -> None:
    folder = causal_model(max_position_embeddings=139)
    made = tuple(Dialogue(place, "a beach", ROUNDS[:place]) for place in range(4))
    with pytest.raises(InputError) as caught:
        hidden_states(Dialogues(made, file="val.json"), asked(folder), output=tmp_path / "s.h5")
    message = str(caught.value)
    assert "val.json" in message
    assert "dialogue 3 (from 0): found 140 tokens, expected at most 139, as many as" in message
    assert "dialogue 2" not in message
    assert not list(tmp_path.iterdir())


def test_bad_calls(dialogues: Dialogues, tiny_causal: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"`output` must end in \.h5 or \.hdf5 with a `model`, got s\.npz"):
        hidden_states(dialogues, asked(tiny_causal), output="s.npz")
    with pytest.raises(UsageError, match=r"`output` must have \{\} for the number of each of 2 layers, got .*s\.h5"):
        hidden_states(dialogues, asked(tiny_causal, layers="0,1"), output=tmp_path / "s.h5")
    with pytest.raises(UsageError, match="`layers` must be from 0 to 3, or from -4 to -1 from the end, got 4"):
        hidden_states(dialogues, asked(tiny_causal, layers="4"), output=tmp_path / "s.h5")
    with pytest.raises(UsageError, match="`model` has no encoder's states"):
        encode_states(dialogues, asked(tiny_causal), output=tmp_path / "s.h5")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "hf:x", "encoder": "minilm"}, "give either `encoder` or `model`"),
        ({"layers": "all"}, "`layers` is for a `model`, got 'all' for an encoder"),
        ({"pool": "mean"}, "`pool` is for a `model`"),
        ({"model": "hf:x", "layers": "1;2"}, "`layers` must be all, last, or numbers with commas in between"),
        ({"model": "hf:x", "layers": "all,1"}, "`layers` must be all, last, or numbers"),
        ({"model": "hf:x", "layers": "99999"}, "`layers` must be all, last, or numbers"),
        ({"model": "hf:x", "layers": ""}, "`layers` must be all, last, or numbers"),
    ],
)
def test_options(given: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        StatesOptions(**given)  # type: ignore[arg-type]
