"""Witnesses on whole files: what is read, what is written, what is said when something is missing."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, UsageError
from voirdire.formats.files import write_lines
from voirdire.formats.generations import read_generations
from voirdire.formats.guesswhat import read_games
from voirdire.formats.option_numbers import read_dense, read_ranks
from voirdire.formats.references import read_references
from voirdire.formats.scenes import read_scenes
from voirdire.formats.visdial import read_visdial
from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.formats.vqa_results import read_vqa_results
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import answer_file, play_file
from voirdire.world.world_folder import find_scenes


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, 60, 3)
    return folder


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["world", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def test_vqa_results(world: Path, tmp_path: Path) -> None:
    questions = world / "vqa_val_questions.json"
    code, out, err = run(
        "answer", "--witness", "truthful", "--questions", str(questions), "-o", str(tmp_path / "r.json")
    )
    results = read_vqa_results(tmp_path / "r.json")
    assert (code, err) == (0, "")
    assert out == f"truthful answered {len(results)} questions: {tmp_path / 'r.json'}\n"
    assert (results.question_ids == read_vqa_questions(questions).question_ids).all()
    annotations = read_vqa_annotations(world / "vqa_val_annotations.json")
    truth = {row.question_id: row.multiple_choice_answer for row in annotations.rows()}
    agreed = [truth[i] == text for i, text in zip(results.question_ids.tolist(), results.answers, strict=True)]
    assert np.mean(agreed) > 0.95


def test_generations_fit_the_reference_sets(world: Path, tmp_path: Path) -> None:
    for k in (1, 3):
        answer_file("truthful", str(world / "visdial_val.json"), str(tmp_path / "g.json"), count=k)
        generations = read_generations(tmp_path / "g.json")
        references = read_references(world / "visdial_val_references_true.json")
        assert generations.base == 0
        assert (np.diff(generations.first) == k).all()
        assert (generations.image_ids == references.image_ids).all()
        assert (generations.rounds == references.rounds).all()
    shared = [bool({*generations.of(row)} & {*references.of(row)}) for row in range(len(generations))]
    assert np.mean(shared) > 0.6


def test_ranks_put_the_relevant_options_first(world: Path, tmp_path: Path) -> None:
    means = {}
    for name in ("truthful", "forgetful", "blind"):
        answer_file(name, str(world / "visdial_val.json"), str(tmp_path / f"{name}.json"), ranks=True)
        ranks = read_ranks(tmp_path / f"{name}.json")
        assert ranks.base == 1
        visdial = read_visdial(world / "visdial_val.json")
        means[name] = np.mean(1 / ranks.ranks[np.arange(len(ranks)), visdial.gt_index])
    assert means["truthful"] > means["forgetful"] > means["blind"]
    dense = read_dense(world / "visdial_val_dense.json", base=1)
    ranks = read_ranks(tmp_path / "truthful.json")
    row = {key: n for n, key in enumerate(zip(ranks.image_ids.tolist(), ranks.rounds.tolist(), strict=True))}
    for n, key in enumerate(zip(dense.image_ids.tolist(), dense.rounds.tolist(), strict=True)):
        relevant = dense.relevance[n] > 0.5
        assert ranks.ranks[row[key]][relevant].max() <= 20


@pytest.mark.slow
def test_games(world: Path, tmp_path: Path) -> None:
    given = str(world / "guesswhat_val.jsonl")
    code, out, _ = run("play", "--witness", "keen", "--games", given, "-o", str(tmp_path / "k.jsonl"))
    games = read_games(tmp_path / "k.jsonl")
    won = sum(game.status == "success" for game in games)
    assert code == 0
    assert out == f"keen played {len(games)} games and won {won}: {tmp_path / 'k.jsonl'}\n"
    assert [game.target_id for game in games] == [game.target_id for game in read_games(given)]
    assert all((game.guess_object_id == game.target_id) == (game.status == "success") for game in games)


@pytest.mark.parametrize("witness", ["uncertain", "verbose"])
def test_same_seed_same_bytes_and_other_seed_others(world: Path, tmp_path: Path, witness: str) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        answer_file(witness, str(world / "visdial_val.json"), str(tmp_path / f"{name}.json"), seed=seed, count=2)
        play_file("random", str(world / "guesswhat_val.jsonl"), str(tmp_path / f"{name}.jsonl"), seed=seed)
    for ending in ("json", "jsonl"):
        first, same, other = ((tmp_path / f"{name}.{ending}").read_bytes() for name in "abc")
        assert first == same != other


def test_unread_questions_are_counted_on_stderr(world: Path, tmp_path: Path) -> None:
    scene = read_scenes(world / "scenes.jsonl")[0].id
    texts = ["Is there a dog?", "Why is the dog sad?", "How come?"]
    rows = [{"question_id": n, "image_id": scene, "question": text} for n, text in enumerate(texts)]
    path = tmp_path / "q.json"
    path.write_bytes(msgspec.json.encode({"questions": rows}))
    words = ("--questions", str(path), "--scenes", str(world / "scenes.jsonl"), "-o", str(tmp_path / "r.json"))
    code, _, err = run("answer", "--witness", "truthful", *words)
    assert code == 0
    assert "could not read 2 of 3 questions" in err
    assert "'Why is the dog sad?'" in err
    assert read_vqa_results(tmp_path / "r.json").answers[1:] == ("unknown", "unknown")


def test_images_without_scene_are_named(world: Path, tmp_path: Path) -> None:
    scenes = read_scenes(world / "scenes.jsonl")
    write_lines(scenes[:-2], tmp_path / "few.jsonl")
    few = str(tmp_path / "few.jsonl")
    for file, ranks in (("vqa_val_questions.json", False), ("visdial_val.json", False), ("visdial_val.json", True)):
        with pytest.raises(InputError, match=f"image {scenes[-1].id}, field `image_id`: found no scene for it"):
            answer_file("truthful", str(world / file), str(tmp_path / "o.json"), few, ranks=ranks)
    assert not (tmp_path / "o.json").exists()
    with pytest.raises(InputError, match=f"{scenes[-1].id}, which has no scene"):
        play_file("keen", str(world / "guesswhat_val.jsonl"), str(tmp_path / "o.jsonl"), few)


def test_scenes_are_found_beside_or_above(world: Path, tmp_path: Path) -> None:
    assert find_scenes(str(world / "vqa_val_questions.json")) == str(world / "scenes.jsonl")
    assert find_scenes(str(world / "noise" / "deep" / "q.json")) == str(world / "scenes.jsonl")
    with pytest.raises(UsageError, match="`scenes`"):
        find_scenes(str(tmp_path / "q.json"))


def test_calls_that_make_no_sense(world: Path, tmp_path: Path) -> None:
    vqa, out = str(world / "vqa_val_questions.json"), str(tmp_path / "o.json")
    with pytest.raises(UsageError, match="`ranks` and `count` are for dialogues"):
        answer_file("truthful", vqa, out, count=2)
    with pytest.raises(UsageError, match="`ranks` and `count` are for dialogues"):
        answer_file("truthful", vqa, out, ranks=True)
    with pytest.raises(UsageError, match="`count` has no meaning"):
        answer_file("truthful", str(world / "visdial_val.json"), out, ranks=True, count=2)
    with pytest.raises(UsageError, match=r"GuessWhat.*VQA questions or VisDial dialogues"):
        answer_file("truthful", str(world / "guesswhat_val.jsonl"), out)
    with pytest.raises(UsageError, match="no witness 'keen'"):
        answer_file("keen", vqa, out)


def test_rounds_without_options_cannot_be_ranked(world: Path, tmp_path: Path) -> None:
    data = msgspec.json.decode((world / "visdial_val.json").read_bytes())
    for round_ in data["data"]["dialogs"][0]["dialog"][3:4]:
        del round_["answer_options"], round_["gt_index"]
    (tmp_path / "v.json").write_bytes(msgspec.json.encode(data))
    image = data["data"]["dialogs"][0]["image_id"]
    with pytest.raises(InputError, match=f"image {image}, round 3 \\(from 0\\), field `answer_options`: found none"):
        answer_file("truthful", str(tmp_path / "v.json"), "o.json", str(world / "scenes.jsonl"), ranks=True)
    answer_file("truthful", str(tmp_path / "v.json"), str(tmp_path / "o.json"), str(world / "scenes.jsonl"))
    assert len(read_generations(tmp_path / "o.json")) == 10 * len(data["data"]["dialogs"])
