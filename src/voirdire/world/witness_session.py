"""A session on a made-up world with its witnesses as the models, so that every flaw is known in advance.

OUT/said/<witness>/   the outputs of each: answers.json, ranks.json, noisy/, games.jsonl, states.h5
OUT/noise/            the ranking of basic questions, and the questions made of it
OUT/survey.json       dialogues of a small vocabulary, for states
OUT/exam.yaml         all of this as a config, to go on from
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.atomic import atomic_folder, write_atomic
from voirdire.call import Call
from voirdire.engine import Engine
from voirdire.errors import UsageError
from voirdire.exam import part_named
from voirdire.formats.files import open_source
from voirdire.formats.scenes import read_world_manifest
from voirdire.session.config import Config
from voirdire.session.config_text import config_text
from voirdire.session.execute import OnEvent, no_events
from voirdire.session.session import Session, run_session
from voirdire.session.steps import Step, part_step
from voirdire.session.yaml_places import read_yaml

ANSWERING = ("truthful", "forgetful", "blind")
ON_NOISE = ("truthful", "distractible", "blind")
QUESTIONING = ("keen", "repetitive", "confirming")
LISTENING = ("scorekeeper", "amnesic", "noise")
JUDGING = ("scorekeeper", "amnesic")
"""Of those who listen, the ones that can also judge what is true and what is shared."""

# A witness's states are sums of signs: scaled and grouped, a small probe learns in a few epochs what it can. Of the few
# sentences of a small world, balancing would leave too little to learn from.
OPTIONS: dict[str, dict[str, Any]] = {
    "scorekeeping": {
        "all": True,
        "standardise": True,
        "batches": "grouped",
        "balance": False,
        "hidden": 256,
        "rate": 0.004,
        "epochs": 6,
    }
}
RANKING: dict[str, Any] = {}
"""Options of the ranking of basic questions that are not the paper's."""
CONFIG = "exam.yaml"
SEED = 0
MODULE = "voirdire.world.witness_session"
CONDITIONS = ("clean", *(f"partition{number}" for number in range(1, 8)), "control1")


def run_world_session(
    world: str | Path,
    out: str | Path,
    engine: Engine | None = None,
    on_event: OnEvent = no_events,
    slices: str | None = None,
    **shared: int | None,
) -> Session:
    """Make the outputs of a world's witnesses and run the exams on them; `OUT/exam.yaml` is then the config of that.

    slices  a table of labels for the report
    shared  options of all exams: `limit` and `seed`
    """
    folder = Path(out)
    before, config = world_session(Path(world), folder)
    config = config.over(slices, **shared)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / CONFIG
    write_atomic(path, config_text(config, folder).encode())
    return run_session(replace(config, places=read_yaml(open_source(path)).places), folder, engine, on_event, before)


def world_data(
    world: Path, out: Path, exams: Collection[str]
) -> tuple[tuple[Step, ...], dict[str, dict[str, Any]], str | None]:
    """For live models in a world: the steps that make the noise and the survey, the data by exam, and the folder of its
    pictures."""
    check_has_files(world)
    files = _Files(world, out)
    steps = {"robustness": files.steps[:2], "scorekeeping": files.steps[2:3]}
    pictures = world / "pictures"
    data = files.data()
    data["questions"]["to_play"] = files.file("guesswhat_val.jsonl")
    return (
        tuple(step for exam in exams for step in steps.get(exam, ())),
        data,
        str(pictures) if pictures.is_dir() else None,
    )


def check_has_files(world: Path) -> None:
    """Refuse a world that has no dialogues and no games."""
    if read_world_manifest(world / "world.json").text_only:
        raise UsageError(f"{world} is a world of text alone; a session needs its dialogues and games, too")


def world_session(world: Path, out: Path, judging: bool = False) -> tuple[tuple[Step, ...], Config]:
    """The steps that make the witnesses' outputs, and the config of a session on these.

    judging  whether those who can judge do so, too, as live models; noisy questions are then whole, as a live model
             beside them is asked
    """
    check_has_files(world)
    files = _Files(world, out, whole=judging)
    models: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys((*ANSWERING, *ON_NOISE, *QUESTIONING, *LISTENING)):
        inputs = {
            "answers": files.answers(name) if name in ANSWERING else None,
            "robustness": files.noisy(name) if name in ON_NOISE else None,
            "questions": files.games(name) if name in QUESTIONING else None,
            "scorekeeping": files.states(name) if name in LISTENING else None,
        }
        models[name] = {exam: given for exam, given in inputs.items() if given is not None}
    pictures = world / "pictures"
    data = files.data()
    images = str(pictures) if pictures.is_dir() else None
    live = {name: {"model": f"witness:{name}", "scenes": files.scenes} for name in JUDGING if judging}
    return tuple(files.steps), Config(models, data, OPTIONS, images, str(out), live=live)


class _Files:
    """The steps of witnesses, and the files that come of them."""

    def __init__(self, world: Path, out: Path, whole: bool = False) -> None:
        self.world, self.outputs = world, out / "said"
        self.scenes = self.file("scenes.jsonl")
        self.survey = out / "survey.json"
        self.questions = out / "noise" / "questions"
        ranking = out / "noise" / "ranking.parquet"
        main = self.file("vqa_val_questions.json")
        asked = {"main": (main,), "pool": (self.file("vqa_train_questions.json"), main)}
        rank, perturb = (part_named(f"robustness {name}").options for name in ("rank", "perturb"))
        options = perturb(**({"max_words": 0} if whole else {}))
        noisy = part_step("", "robustness perturb", self.questions, {"ranking": (str(ranking),)}, options)
        self.steps: list[Step] = [
            part_step("", "robustness rank", ranking, asked, rank(**RANKING), weight=4),
            replace(noisy, maker=f"{MODULE}:make_noisy"),
            self._step("", "world survey", self.survey, "dialogues", self.file("visdial_train.json"), "make_survey"),
        ]

    def file(self, name: str) -> str:
        """A file of the world."""
        return str(self.world / name)

    def data(self) -> dict[str, dict[str, Any]]:
        """The data that all witnesses share, by exam."""
        return {
            "answers": {
                "visdial": self.file("visdial_val.json"),
                "dense": self.file("visdial_val_dense.json"),
                "references": self.file("visdial_val_references_true.json"),
            },
            "robustness": {
                "annotations": self.file("vqa_val_annotations.json"),
                "questions": tuple(str(self.questions / f"{name}.json") for name in CONDITIONS),
            },
            "questions": {"oracle": f"scenes:{self.scenes}"},
            "scorekeeping": {"dialogues": str(self.survey)},
        }

    def answers(self, witness: str) -> dict[str, str]:
        dialogues = self.file("visdial_val.json")
        answers = self._output(witness, "world answer", "answers.json", "questions", dialogues, "make_answers")
        ranks = self._output(witness, "world answer", "ranks.json", "questions", dialogues, "make_answers", ranks=True)
        return {"generations": answers, "ranks": ranks}

    def noisy(self, witness: str) -> dict[str, str]:
        folder = Path(self._output(witness, "world answer", "noisy", "questions", str(self.questions), "make_answers"))
        names = ("clean", "partition{}", "control1")
        return dict(zip(("clean", "noisy", "control"), (str(folder / f"{name}.json") for name in names), strict=True))

    def games(self, witness: str) -> dict[str, str]:
        games = self.file("guesswhat_val.jsonl")
        return {"games": self._output(witness, "world play", "games.jsonl", "games", games, "make_games")}

    def states(self, witness: str) -> dict[str, str]:
        return {
            "states": self._output(witness, "world states", "states.h5", "dialogues", str(self.survey), "make_states")
        }

    def _output(self, witness: str, kind: str, name: str, role: str, asked: str, maker: str, **options: bool) -> str:
        """The place of a witness's output; adds the step that makes it."""
        place = self.outputs / witness / name
        self.steps.append(self._step(witness, kind, place, role, asked, maker, witness=witness, **options))
        return str(place)

    def _step(
        self, model: str, kind: str, place: Path, role: str, file: str, maker: str, **options: str | bool
    ) -> Step:
        sources = {role: (file,), "scenes": (self.scenes,)}
        return Step(model, kind, place, sources, {**options, "seed": SEED}, f"{MODULE}:{maker}")


def make_noisy(step: Step) -> None:
    """A folder with the clean questions, all partitions and the control."""
    part = part_named(step.kind)
    with atomic_folder(step.place, replace=True) as folder:
        places = {"output": None, "all": str(folder)}
        Call(part, {"ranking": step.sources["ranking"]}, part.options(**step.options), places).run()


def make_answers(step: Step) -> None:
    """A witness's answers to dialogues or to questions; for a folder of questions, a folder of answers."""
    from voirdire.world.witnesses.outputs import answer_file

    questions, scenes = Path(step.file("questions")), step.file("scenes")
    witness, seed, ranks = step.options["witness"], step.options["seed"], step.options.get("ranks", False)
    if questions.is_file():
        answer_file(witness, str(questions), str(step.place), scenes, seed, ranks=ranks)
        return
    with atomic_folder(step.place, replace=True) as folder:
        for asked in sorted(questions.glob("*.json")):
            answer_file(witness, str(asked), str(folder / asked.name), scenes, seed, ranks=ranks)


def make_games(step: Step) -> None:
    """Games that a witness plays."""
    from voirdire.world.witnesses.outputs import play_file

    play_file(step.options["witness"], step.file("games"), str(step.place), step.file("scenes"), step.options["seed"])


def make_states(step: Step) -> None:
    """The states of a witness at the turns of dialogues."""
    from voirdire.world.witnesses.outputs import states_file

    files = step.file("dialogues"), str(step.place), step.file("scenes")
    states_file(step.options["witness"], *files, step.options["seed"])


def make_survey(step: Step) -> None:
    """Dialogues of a small closed vocabulary."""
    from voirdire.world.witnesses.outputs import survey_file

    survey_file(step.file("dialogues"), str(step.place), step.file("scenes"), step.options["seed"])
