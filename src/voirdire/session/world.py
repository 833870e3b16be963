"""A session on a made-up world: its witnesses stand for models, so that every flaw that is found is known before.

OUT/said/<witness>/   what each said: answers.json, ranks.json, noisy/, games.jsonl, states.h5
OUT/noise/            the ranking of basic questions, and the questions made of it
OUT/survey.json       dialogues of a small vocabulary, for states
OUT/exam.yaml         all of this as a config, to go on from
"""

from dataclasses import asdict
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.formats.world_manifest import read_world_manifest
from voirdire.robustness.noise import ALL, file_name
from voirdire.robustness.ranking.options import PerturbOptions, RankOptions
from voirdire.session.config import (
    AnswersData,
    AnswersFiles,
    Config,
    Data,
    ModelFiles,
    Options,
    QuestionsData,
    QuestionsFiles,
    RobustnessData,
    RobustnessFiles,
    ScorekeepingData,
    ScorekeepingFiles,
    ScorekeepingOptions,
)
from voirdire.session.steps import Step

__all__ = ["ANSWERING", "LISTENING", "ON_NOISE", "QUESTIONING", "world_session"]

ANSWERING = ("truthful", "forgetful", "blind")
ON_NOISE = ("truthful", "distractible", "blind")
QUESTIONING = ("keen", "repetitive", "confirming")
LISTENING = ("scorekeeper", "amnesic", "noise")

# A witness's states are sums of signs: scaled and grouped, a probe learns in a few epochs what it can.
PROBES = ScorekeepingOptions(all=True, standardise=True, batches="grouped", epochs=8)
ENCODER = "minilm"
SEED = 0


def world_session(world: Path, out: Path) -> tuple[tuple[Step, ...], Config]:
    """What the witnesses of a world have to do, and the config of a session on what they said."""
    manifest = read_world_manifest(world / "world.json")
    if manifest.text_only:
        raise UsageError(f"{world} is a world of text alone; a session needs its dialogues and games, too")
    made = _Made(world, out)
    models: dict[str, ModelFiles] = {}
    for name in dict.fromkeys((*ANSWERING, *ON_NOISE, *QUESTIONING, *LISTENING)):
        models[name] = ModelFiles(
            answers=made.answers(name) if name in ANSWERING else None,
            robustness=made.noisy(name) if name in ON_NOISE else None,
            questions=made.games(name) if name in QUESTIONING else None,
            scorekeeping=made.states(name) if name in LISTENING else None,
        )
    pictures = world / "pictures"
    data = Data(
        AnswersData(
            made.file("visdial_val.json"),
            made.file("visdial_val_dense.json"),
            made.file("visdial_val_references_true.json"),
        ),
        RobustnessData(
            made.file("vqa_val_annotations.json"), tuple(str(made.questions / file_name(name)) for name in ALL)
        ),
        QuestionsData(f"scenes:{made.scenes}"),
        ScorekeepingData(str(made.survey)),
        str(pictures) if pictures.is_dir() else None,
    )
    return tuple(made.steps), Config(models, data, Options(scorekeeping=PROBES), str(out))


class _Made:
    """The steps of witnesses, and the files that come of them."""

    def __init__(self, world: Path, out: Path) -> None:
        self.world, self.said = world, out / "said"
        self.scenes = self.file("scenes.jsonl")
        self.survey = out / "survey.json"
        self.questions = out / "noise" / "questions"
        ranking = out / "noise" / "ranking.parquet"
        main = self.file("vqa_val_questions.json")
        pool = (self.file("vqa_train_questions.json"), main)
        sources = {"main": (main,), "pool": pool, "encoder": (ENCODER,)}
        self.steps: list[Step] = [
            Step("", "robustness rank", ranking, sources, asdict(RankOptions())),
            Step("", "robustness perturb", self.questions, {"ranking": (str(ranking),)}, asdict(PerturbOptions())),
            Step("", "world survey", self.survey, self._of("dialogues", self.file("visdial_train.json")), _seeded()),
        ]

    def file(self, name: str) -> str:
        """A file of the world."""
        return str(self.world / name)

    def answers(self, witness: str) -> AnswersFiles:
        dialogues = self.file("visdial_val.json")
        said = self._say(witness, "world answer", "answers.json", "questions", dialogues)
        ranks = self._say(witness, "world answer", "ranks.json", "questions", dialogues, ranks=True)
        return AnswersFiles(generations=said, ranks=ranks)

    def noisy(self, witness: str) -> RobustnessFiles:
        said = Path(self._say(witness, "world answer", "noisy", "questions", str(self.questions)))
        files = [str(said / file_name(name)) for name in ALL]
        return RobustnessFiles(clean=files[0], noisy=str(said / "partition{}.json"), control=files[-1])

    def games(self, witness: str) -> QuestionsFiles:
        return QuestionsFiles(
            self._say(witness, "world play", "games.jsonl", "games", self.file("guesswhat_val.jsonl"))
        )

    def states(self, witness: str) -> ScorekeepingFiles:
        return ScorekeepingFiles(self._say(witness, "world states", "states.h5", "dialogues", str(self.survey)))

    def _say(self, witness: str, kind: str, name: str, role: str, asked: str, **options: bool) -> str:
        """The place of what a witness says, and the step that makes it."""
        place = self.said / witness / name
        self.steps.append(Step(witness, kind, place, self._of(role, asked), _seeded(witness=witness, **options)))
        return str(place)

    def _of(self, role: str, file: str) -> dict[str, tuple[str, ...]]:
        return {role: (file,), "scenes": (self.scenes,)}


def _seeded(**options: str | bool) -> dict[str, str | bool | int]:
    return {**options, "seed": SEED}
