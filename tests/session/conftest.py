"""A small world whose witnesses have answered, asked and listened already, and a cheap config of exams on it."""

from pathlib import Path

import pytest

from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import answer_file, play_file, states_file, survey_file

CONFIG = """\
output: out
data:
  answers:
    visdial: world/visdial_val.json
    dense: world/visdial_val_dense.json
    references: world/visdial_val_references_true.json
  robustness:
    annotations: world/vqa_val_annotations.json
    questions: [world/vqa_val_questions.json]
  questions:
    oracle: scenes:world/scenes.jsonl
  scorekeeping:
    dialogues: survey.json
models:
  truthful:
    answers: {generations: truthful/generations.json, ranks: truthful/ranks.json}
    robustness: {clean: truthful/vqa.json, noisy: [blind/vqa.json], control: truthful/vqa.json}
    questions: {games: keen/games.jsonl}
    scorekeeping: {states: scorekeeper/states.npz}
  blind:
    answers: {generations: blind/generations.json}
    robustness: {clean: blind/vqa.json, noisy: [blind/vqa.json]}
options:
  answers: {measures: [bleu, rouge]}
  scorekeeping: {encoder: static, epochs: 2, standardise: true, batches: grouped, captions: 1.0}
"""


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, what witnesses said about it, and `exam.yaml`; nobody may write to it."""
    folder = tmp_path_factory.mktemp("session")
    world = folder / "world"
    build_world(world, 30, 7)
    scenes = str(world / "scenes.jsonl")
    for witness in ("truthful", "blind"):
        dialogues, questions = (str(world / name) for name in ("visdial_val.json", "vqa_val_questions.json"))
        answer_file(witness, dialogues, str(folder / witness / "generations.json"), scenes)
        answer_file(witness, dialogues, str(folder / witness / "ranks.json"), scenes, ranks=True)
        answer_file(witness, questions, str(folder / witness / "vqa.json"), scenes)
    play_file("keen", str(world / "guesswhat_val.jsonl"), str(folder / "keen" / "games.jsonl"), scenes)
    survey_file(str(world / "visdial_train.json"), str(folder / "survey.json"), scenes)
    states = str(folder / "scorekeeper" / "states.npz")
    (folder / "scorekeeper").mkdir()
    states_file("scorekeeper", str(folder / "survey.json"), states, scenes)
    (folder / "exam.yaml").write_text(CONFIG, encoding="utf-8")
    return folder
