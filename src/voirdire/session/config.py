"""What a session is told: the data, the models' files and the options of each exam.

    output: results
    data:    {answers: {…}, robustness: {…}, questions: {…}, scorekeeping: {…}, images: pictures}
    models:  {NAME: {answers: {…}, robustness: {…}, questions: {…}, scorekeeping: {…}}, …}
    options: {answers: {…}, robustness: {…}, questions: {…}, scorekeeping: {…}}

Everything but `models` may be left out. Paths are meant from the folder of the config. The defaults of all options are
the papers'.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from voirdire.answers.ranking import RankOptions
from voirdire.answers.similarity import ScoreOptions
from voirdire.answers.statistics import FAMILIES, Family
from voirdire.metrics.ndcg import Cutoff
from voirdire.questions.kind_shares import KindOptions
from voirdire.questions.scoring import QuestionsOptions as ScoredQuestions
from voirdire.questions.scoring import Whose
from voirdire.robustness.scoring import Dataset
from voirdire.robustness.scoring import RobustnessOptions as ScoredRobustness
from voirdire.scorekeeping.probe.options import Batches, ProbeTraining
from voirdire.scorekeeping.probe.tasks import Role
from voirdire.scorekeeping.probing import ProbeOptions
from voirdire.scorekeeping.propositions.making import PropositionOptions
from voirdire.session.yaml_text import Places

__all__ = [
    "AnswersData",
    "AnswersFiles",
    "AnswersOptions",
    "Config",
    "Data",
    "ModelFiles",
    "Options",
    "QuestionsData",
    "QuestionsFiles",
    "QuestionsOptions",
    "RobustnessData",
    "RobustnessFiles",
    "RobustnessOptions",
    "ScorekeepingData",
    "ScorekeepingFiles",
    "ScorekeepingOptions",
    "leaves",
    "texts",
]

Path = Annotated[str, msgspec.Meta(min_length=1)]
Paths = Path | tuple[Path, ...]
Seed = Annotated[int, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a config: a key that is not known is an error."""


class AnswersData(Part, frozen=True):
    """dialogues: VisDial with candidates; dense: human relevance of them; references: sets of valid answers."""

    dialogues: Path | None = None
    dense: Path | None = None
    references: Path | None = None


class RobustnessData(Part, frozen=True):
    """annotations: ten people's answers; questions: all that were asked, clean and noisy, to be shown in the report."""

    annotations: Path | None = None
    questions: Paths = ()


class QuestionsData(Part, frozen=True):
    """oracle: who answers for every object; coco or originals: the objects of games that were logged without them."""

    oracle: str | None = None
    coco: Path | None = None
    originals: Path | None = None


class ScorekeepingData(Part, frozen=True):
    """Dialogues, of which propositions are made, or the propositions themselves; to learn from, to choose, to score."""

    dialogues: Path | None = None
    propositions: Path | None = None
    valid_dialogues: Path | None = None
    valid_propositions: Path | None = None
    test_dialogues: Path | None = None
    test_propositions: Path | None = None


class Data(Part, frozen=True):
    """What all models are examined on; images: a folder of pictures for the report."""

    answers: AnswersData = AnswersData()
    robustness: RobustnessData = RobustnessData()
    questions: QuestionsData = QuestionsData()
    scorekeeping: ScorekeepingData = ScorekeepingData()
    images: Path | None = None


class AnswersFiles(Part, frozen=True):
    """generations: its answers; ranks or scores: of the candidates."""

    generations: Path | None = None
    ranks: Path | None = None
    scores: Path | None = None


class RobustnessFiles(Part, frozen=True):
    """Its answers to clean questions, to partitions 1, 2, … (one name with {} stands for all), to the control."""

    clean: Path
    noisy: Paths
    control: Path | None = None


class QuestionsFiles(Part, frozen=True):
    """games: that it played."""

    games: Path


class ScorekeepingFiles(Part, frozen=True):
    """Its states of the dialogues to learn from, to choose the epoch by and to score on."""

    states: Path
    valid_states: Path | None = None
    test_states: Path | None = None


class ModelFiles(Part, frozen=True):
    """The outputs of one model; an exam that it has none for is skipped."""

    answers: AnswersFiles | None = None
    robustness: RobustnessFiles | None = None
    questions: QuestionsFiles | None = None
    scorekeeping: ScorekeepingFiles | None = None


class AnswersOptions(Part, frozen=True):
    """See `voirdire answers score --help`, `rank --help`, `bounds --help` and `overlap --help`."""

    measures: tuple[Family, ...] = FAMILIES
    encoders: tuple[str, ...] = ("minilm",)
    idf: str = ScoreOptions.idf
    common: bool = ScoreOptions.common
    as_written: bool = not ScoreOptions.respelt
    within: bool = ScoreOptions.within
    bounds: bool = True
    overlap: bool = True
    cutoff: Cutoff = RankOptions.cutoff
    round_base: Literal[0, 1] | None = None
    seed: Seed = ScoreOptions.seed


class RobustnessOptions(Part, frozen=True):
    """See `voirdire robustness score --help`."""

    dataset: Dataset = ScoredRobustness.dataset
    t: float = ScoredRobustness.t
    m: float = ScoredRobustness.m
    common: bool = ScoredRobustness.common
    seed: Seed = ScoredRobustness.seed


class QuestionsOptions(Part, frozen=True):
    """See `voirdire questions score --help` and `kinds --help`."""

    answers: Whose = ScoredQuestions.answers
    max_questions: Count | None = ScoredQuestions.max_questions
    exclusive_object: bool = KindOptions.exclusive_object
    seed: Seed = ScoredQuestions.seed


class ScorekeepingOptions(Part, frozen=True):
    """See `voirdire scorekeeping probe --help` and `propositions --help`; `all` asks every task, with controls."""

    tagger: str = "hanta"
    resolver: str = "rules"
    captions: Share = PropositionOptions.captions
    task: str = ProbeOptions.task
    all: bool = ProbeOptions.every
    role: Role = ProbeOptions.role
    encoder: str = "minilm"
    standardise: bool = ProbeOptions.standardise
    balance: bool = ProbeOptions.balance
    batches: Batches = ProbeTraining.batches
    epochs: Count = ProbeTraining.epochs
    seeds: Count = ProbeOptions.seeds
    seed: Seed = ProbeOptions.seed


class Options(Part, frozen=True):
    """How each exam is held."""

    answers: AnswersOptions = AnswersOptions()
    robustness: RobustnessOptions = RobustnessOptions()
    questions: QuestionsOptions = QuestionsOptions()
    scorekeeping: ScorekeepingOptions = ScorekeepingOptions()


class Config(Part, frozen=True):
    """A whole session; `places` says where its keys stand, if they were read from a file."""

    models: dict[str, ModelFiles]
    data: Data = Data()
    options: Options = Options()
    output: Path | None = None
    places: Places = Places()


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values below a part of a config that are no parts themselves, each with the path of its key."""
    if isinstance(part, msgspec.Struct):
        part = {name: getattr(part, name) for name in part.__struct_fields__}
    if not isinstance(part, dict):
        yield path, part
        return
    for name, value in part.items():
        yield from leaves(value, f"{path}.{name}" if path else name)


def texts(value: Any) -> tuple[str, ...]:
    """A value that is a text or several as a tuple; empty for any other."""
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()
