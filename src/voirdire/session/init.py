"""A config proposed from the files in a folder: each is recognised by its content, and placed by its kind and name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from voirdire.errors import InputError, UsageError
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.formats.validation import find_files
from voirdire.robustness.files import partition_files
from voirdire.session.config import (
    AnswersData,
    AnswersFiles,
    Config,
    Data,
    ModelFiles,
    QuestionsData,
    QuestionsFiles,
    RobustnessData,
    RobustnessFiles,
    ScorekeepingData,
    ScorekeepingFiles,
    leaves,
    texts,
)
from voirdire.session.config_text import config_text
from voirdire.session.naming import condition, model_names, named_as_data, prefer, surely
from voirdire.session.planning import schedule
from voirdire.session.steps import note_of

__all__ = ["Proposal", "propose"]

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
OUTPUT = "results"
PARTITIONS = [str(number) for number in range(1, 8)]

# The formats of models' outputs, and where in a model's files they go.
OUTPUTS = {
    "generations": "answers.generations",
    "ranks": "answers.ranks",
    "scores": "answers.scores",
    "vqa_results": "robustness",
    "guesswhat": "questions.games",
    "game_logs": "questions.games",
    "twenty_questions": "questions.games",
    "states": "scorekeeping.states",
}


@dataclass(frozen=True)
class Proposal:
    """A config's text, and what to tell of it."""

    text: str
    told: tuple[str, ...]


def propose(folder: Path, place: Path) -> Proposal:
    """The config for the files below `folder`, to be kept in the folder `place`."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files and models' outputs")
    found = _Found(folder)
    models = found.models()
    data = found.data(logs=any(kind == "game_logs" for kind in found.kinds.values()))
    config = Config(models, data, output=str(place / OUTPUT))
    told = [f"{name}: {_exams(files)}" for name, files in models.items()]
    if not models:
        told.append(f"no output of a model was found below {folder}; add models by hand")
    if found.rest:
        told.append(f"{counted(len(found.rest), 'file')} not placed; the end of the config says which")
    try:
        schedule(config, place / OUTPUT)
    except UsageError as error:
        if models:
            told.append(f"still to be set: {error}")
    if data.questions.oracle is None and any(map(found.asks_an_oracle, models.values())):
        told.append("still to be set: `data.questions.oracle`, who answers each question for all objects of a picture")
    if found.unsure:
        told.append(f"{counted(len(found.unsure), 'guess', 'guesses')} to check; a comment in the config says of what")
    return Proposal(config_text(config, place, found.notes(), found.unsure), tuple(told))


def _exams(files: ModelFiles) -> str:
    return ", ".join(name for name in files.__struct_fields__ if getattr(files, name) is not None)


@dataclass
class _Found:
    """The files below a folder by their kind.

    rest    those that are not placed, and why
    unsure  keys of the config whose values are guesses, and why
    """

    folder: Path
    kinds: dict[Path, str] = field(default_factory=dict)
    rest: dict[Path, str] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    pictures: Counter[Path] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        files, skipped, _, _ = find_files([self.folder])
        for path in map(Path, files):
            try:
                format_ = detect(open_source(path))
            except InputError as error:
                self.rest[path] = str(error.problems[0])
                continue
            self.rest[path] = f"{format_.title} ({format_.name})"
            if format_.name == "propositions" and note_of(path).exists():
                self.rest[path] = "propositions that a session made"
                continue
            self.kinds[path] = format_.name
        self.pictures.update(Path(one).parent for one in skipped if Path(one).suffix.lower() in PICTURES)

    def of(self, *kinds: str) -> list[Path]:
        """The files of these kinds, those to be examined on first."""
        return sorted((path for path, kind in self.kinds.items() if kind in kinds), key=self._order)

    def asks_an_oracle(self, files: ModelFiles) -> bool:
        """Whether the games of a model do not themselves have the answers for all objects, as 20 questions do."""
        return files.questions is not None and self.kinds[Path(files.questions.games)] != "twenty_questions"

    def _order(self, path: Path) -> tuple[int, str]:
        return prefer(path.relative_to(self.folder))

    def take(self, key: str, kind: str) -> str | None:
        """The first file of a kind that is not placed yet; it then is, at this key."""
        found = [path for path in self.of(kind) if path in self.rest]
        if not found:
            return None
        del self.rest[found[0]]
        self._doubt(key, "", found)
        return str(found[0])

    def _doubt(self, key: str, whose: str, found: Sequence[Path]) -> None:
        """Remark where the first of these files was taken and others would do as well."""
        alike = sum(self._order(path)[0] == self._order(found[0])[0] for path in found)
        if alike > 1:
            self.unsure.setdefault(key, f"{whose}one of {alike} such files; the end has the others")

    def data(self, logs: bool) -> Data:
        questions = [path for path in self.of("vqa_questions") if "train" not in path.name]
        for path in questions:
            self.rest.pop(path, None)
        table = self.take("data.questions.oracle", "object_answers")
        scenes = None if table else self.take("data.questions.oracle", "scenes")
        oracle = f"table:{table}" if table else f"scenes:{scenes}" if scenes else None
        coco = self.take("data.questions.coco", "coco") if logs else None
        originals = self.take("data.questions.originals", "guesswhat") if logs and coco is None else None
        dialogues = self.take("data.answers.dialogues", "visdial")
        propositions = self.take("data.scorekeeping.propositions", "propositions")
        heard = None if propositions else dialogues or self.take("data.scorekeeping.dialogues", "visdial_text")
        pictures = self.pictures.most_common(1)
        return Data(
            AnswersData(
                dialogues,
                self.take("data.answers.dense", "dense"),
                self.take("data.answers.references", "references"),
            ),
            RobustnessData(
                self.take("data.robustness.annotations", "vqa_annotations"),
                tuple(map(str, questions)),
            ),
            QuestionsData(oracle, coco, originals),
            ScorekeepingData(heard, propositions),
            str(pictures[0][0]) if pictures else None,
        )

    def models(self) -> dict[str, ModelFiles]:
        """The outputs by model; games that are named like a dataset's are no model's."""
        uses: dict[PurePath, str] = {}
        for path in self.of(*OUTPUTS):
            inside, kind = path.relative_to(self.folder), self.kinds[path]
            if kind == "vqa_results":
                if (asked := condition(inside)) is not None:
                    uses[inside] = f"robustness.{asked}"
            elif kind != "guesswhat" or not named_as_data(inside):
                uses[inside] = OUTPUTS[kind]
        names = model_names(uses)
        placed: dict[str, dict[str, list[Path]]] = {}
        for one, use in uses.items():
            placed.setdefault(names[one], {}).setdefault(use, []).append(self.folder / one)
        made = {}
        for name, by_use in sorted(placed.items()):
            files = _files({use: paths[0] for use, paths in by_use.items()})
            if not _exams(files):
                continue
            made[name] = files
            for _, value in leaves(files):
                # A name with {} stands for seven, unless the file is called so itself.
                for placed_file in (*texts(value), *partition_files(texts(value))):
                    self.rest.pop(Path(placed_file), None)
            if guessed := [one for one in uses if names[one] == name and not surely(one, name)]:
                self.unsure[f"models.{name}"] = f"a guess at its name, from {guessed[0]}"
            for use, paths in by_use.items():
                self._doubt(f"models.{name}", f"its {use} is ", paths)
        return made

    def notes(self) -> list[str]:
        """What is not placed, for the end of the config."""
        if not self.rest:
            return []
        lines = [f"{path.relative_to(self.folder)}: {what}" for path, what in self.rest.items()]
        return [f"Not placed, of the files in {self.folder.name or self.folder}:", *(f"  {line}" for line in lines)]


def _files(files: Mapping[str, Path]) -> ModelFiles:
    """A model's files by their use; those that an exam cannot use without others are left."""
    given: dict[str, Any] = {}
    answers = {use.removeprefix("answers."): str(path) for use, path in files.items() if use.startswith("answers")}
    if "ranks" in answers:
        answers.pop("scores", None)
    if answers:
        given["answers"] = AnswersFiles(**answers)
    clean, noisy = files.get("robustness.clean"), _noisy(files)
    if clean is not None and noisy:
        control = files.get("robustness.control")
        given["robustness"] = RobustnessFiles(str(clean), noisy, None if control is None else str(control))
    if "questions.games" in files:
        given["questions"] = QuestionsFiles(str(files["questions.games"]))
    if "scorekeeping.states" in files:
        given["scorekeeping"] = ScorekeepingFiles(str(files["scorekeeping.states"]))
    return ModelFiles(**given)


def _noisy(files: Mapping[str, Path]) -> str | tuple[str, ...]:
    """The files of the partitions that are there without a gap; a name with {} where all seven differ in it alone."""
    found: list[str] = []
    for number in PARTITIONS:
        if f"robustness.{number}" not in files:
            break
        found.append(str(files[f"robustness.{number}"]))
    if len(found) == len(PARTITIONS):
        head, one, tail = found[0].rpartition("1")
        if one and [f"{head}{number}{tail}" for number in PARTITIONS] == found:
            return f"{head}{{}}{tail}"
    return tuple(found)
