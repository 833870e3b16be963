"""Densifying: the sets of `references`, the same bytes for any engine, and what a kill -9 leaves is used."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from word_world import WordWorld, word_world

from voirdire.answers import densify as module
from voirdire.answers.cca import open_sentences, read_cca, write_cca
from voirdire.answers.cca.projection import Projector
from voirdire.answers.cca.sentences import sentences
from voirdire.answers.cca.training import train, train_vocabulary, training_pairs
from voirdire.answers.densify import densify
from voirdire.answers.exam import CcaOptions, SetOptions
from voirdire.answers.references import reference_sets
from voirdire.engine import ENGINES
from voirdire.errors import UsageError
from voirdire.formats.option_numbers import read_dense
from voirdire.formats.references import read_references, write_references
from voirdire.formats.visdial import read_visdial
from voirdire.progress import Progress, Stages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WordWorld:
    folder = word_world(tmp_path_factory.mktemp("densify"))
    visdial = read_visdial(folder["train"])
    texts = sentences(folder.encoder, train_vocabulary(visdial))
    pairs, _ = training_pairs(visdial, read_dense(folder["train_dense"], 1), None)
    write_cca(train(pairs, texts, CcaOptions(k=40)), folder.folder / "cca.npz")
    return folder


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXTS", 512)
    monkeypatch.setattr(module, "ROUNDS", 16)


class Told(Stages):
    """Writes down what is told of each stage, by its unit."""

    def __init__(self, told: dict[str, list[tuple[int, int]]]) -> None:
        self.told = told

    def __call__(self, name: str, unit: str) -> Progress:
        return lambda done, total: self.told[unit].append((done, total))


@pytest.mark.parametrize("method", ["S", "M", "G"])
@pytest.mark.parametrize("pairing", ["gt-others", "question-max"])
@pytest.mark.usefixtures("small_shards")
def test_the_sets_are_those_of_references(world: WordWorld, tmp_path: Path, method: str, pairing: str) -> None:
    val, options = read_visdial(world["val"]), SetOptions(method, pairing)  # type: ignore[arg-type]
    reports: dict[str, list[tuple[int, int]]] = {"texts": [], "rounds": []}
    cca = read_cca(world.folder / "cca.npz")
    summary = densify(
        val,
        cca,
        tmp_path / "out.jsonl",
        options,
        stages=Told(reports),
    )
    expected, _ = reference_sets(val, options, Projector(cca, open_sentences(cca)))
    write_references(expected, tmp_path / "expected.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()
    assert (summary.sets, summary.answers) == (len(expected), len(expected.texts))
    assert reports["rounds"][0] == (0, 120)
    assert reports["rounds"][-1] == (120, 120)
    assert reports["texts"][-1][0] == reports["texts"][-1][1] > 512
    assert sorted(path.name for path in tmp_path.iterdir()) == ["expected.jsonl", "out.jsonl"]


def test_the_same_bytes_by_any_engine_and_the_same_sets_in_every_layout(world: WordWorld, tmp_path: Path) -> None:
    val, cca = read_visdial(world["val"]), read_cca(world.folder / "cca.npz")
    for ending in ("jsonl", "json", "jsonl.gz", "parquet"):
        densify(val, cca, tmp_path / f"here.{ending}")
    # Every layout is written from the same shards, in the order of the rounds; one of them shows what an engine does.
    densify(val, cca, tmp_path / "processes.parquet", engine=ENGINES.make("processes:2"))
    with pytest.raises(UsageError, match="must be a name in UTF-8"):
        densify(val, cca, tmp_path / os.fsdecode(b"a\xff.parquet"))
    assert (tmp_path / "processes.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
    sets, table = read_references(tmp_path / "here.json"), pl.read_parquet(tmp_path / "here.parquet")
    assert read_references(tmp_path / "here.jsonl") == read_references(tmp_path / "here.jsonl.gz") == sets
    assert table["image_id"].to_list() == sets.image_ids.tolist()
    assert table["round_id"].to_list() == sets.rounds.tolist()
    assert table["in_cluster_idxs"].to_list() == sets.in_set.astype(int).tolist()
    assert table["refs"].to_list() == [sets.of(row) for row in range(len(sets))]
    assert table["question"].to_list() == sets.questions
    assert table["gt_answer"].to_list() == sets.gt_answers


CALL = """
import os, signal, sys
from voirdire.answers import densify as module
from voirdire.answers.cca import read_cca
from voirdire.formats.visdial import read_visdial
from voirdire.progress import Stages
module.TEXTS, module.ROUNDS = 512, 16
class Dying(Stages):
    def __call__(self, name, unit):
        return lambda done, total: unit != "rounds" or done < 32 or os.kill(os.getpid(), signal.SIGKILL)
module.densify(read_visdial(sys.argv[1]), read_cca(sys.argv[2]), sys.argv[3], stages=Dying())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.usefixtures("small_shards")
def test_what_a_killed_run_finished_is_not_done_again(world: WordWorld, tmp_path: Path) -> None:
    cca, out = world.folder / "cca.npz", tmp_path / "out.jsonl"
    killed = subprocess.run([sys.executable, "-c", CALL, world["val"], str(cca), str(out)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "out.jsonl.work").glob("answers.densify-*/[!.]*.shard"))) == 2
    assert not out.exists()
    reports: dict[str, list[tuple[int, int]]] = {"texts": [], "rounds": []}
    densify(read_visdial(world["val"]), read_cca(cca), out, stages=Told(reports))
    assert reports["rounds"][0][0] == 32
    densify(read_visdial(world["val"]), read_cca(cca), tmp_path / "whole.jsonl")
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_folder_of_the_users_is_left_as_it_was(world: WordWorld, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    cca = read_cca(world.folder / "cca.npz")
    densify(read_visdial(world["val"]), cca, tmp_path / "o.jsonl", work=tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_what_cannot_be_asked_for(world: WordWorld, tmp_path: Path) -> None:
    val, cca = read_visdial(world["val"]), read_cca(world.folder / "cca.npz")
    with pytest.raises(UsageError, match="method H is for annotated rounds only"):
        densify(val, cca, tmp_path / "x.json", SetOptions("H"))
    with pytest.raises(UsageError, match=r"`output` must end in \.parquet or"):
        densify(val, cca, tmp_path / "x.csv")


class Hearing(Stages):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("name", ["options.npy", "answers.json"])
def test_dialogues_that_are_not_as_they_were_laid_out_are_laid_out_anew(
    world: WordWorld, tmp_path: Path, name: str
) -> None:
    cca, out = world.folder / "cca.npz", tmp_path / "out.parquet"
    killed = subprocess.run([sys.executable, "-c", CALL, world["val"], str(cca), str(out)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (laid,) = (tmp_path / "out.parquet.work").glob("rounds-*")
    data = bytearray((laid / name).read_bytes())
    data[200:210] = data[210:220]
    (laid / name).write_bytes(data)
    heard = Hearing()
    densify(read_visdial(world["val"]), read_cca(cca), out, stages=heard)
    assert heard.said == [f"{laid}: not as it was written; the dialogues are laid out anew"]
    densify(read_visdial(world["val"]), read_cca(cca), tmp_path / "whole.parquet", stages=heard)
    assert len(heard.said) == 1
    assert out.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    # What the killed call had made of the table is swept, too.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "whole.parquet"]


def test_two_calls_do_not_work_with_the_same_dialogues_in_one_folder(world: WordWorld, tmp_path: Path) -> None:
    val, cca, refused = read_visdial(world["val"]), read_cca(world.folder / "cca.npz"), []

    class Meanwhile(Stages):
        def __call__(self, name: str, unit: str) -> Progress:
            if not refused:
                with pytest.raises(UsageError, match="another run is at work here") as caught:
                    densify(val, cca, tmp_path / "o.jsonl", SetOptions("M"))
                refused.append(caught)
            return super().__call__(name, unit)

    densify(val, cca, tmp_path / "o.jsonl", stages=Meanwhile())
    assert refused
    assert [path.name for path in tmp_path.iterdir()] == ["o.jsonl"]
