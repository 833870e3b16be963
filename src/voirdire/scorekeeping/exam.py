"""The exam of scorekeeping, declared: does a model keep track of what is true and of what is shared? (scorekeeping)"""

import re
from dataclasses import dataclass, fields, replace
from typing import Literal

from voirdire.exam import Ask, Differ, Exam, Hint, Input, InSession, Made, Output, PaperTable, Part, Study
from voirdire.figures import DRAWN
from voirdire.items import ItemSchema
from voirdire.models import TrainingSchedule
from voirdire.options import LARGEST_SEED, MOST_IMAGES, SEED, LimitOptions, OptionError, Options, SampleOptions, option
from voirdire.scorekeeping import HELP, QUESTION
from voirdire.study.design import StudyOptions

Role = Literal["A", "Q"]
TaskName = Literal["TFxPS", "TF", "PS", "PxTSFS"]
TURNS = 10
"""The rounds of a dialogue."""
POINTS = 400
"""Of so many points a live model is asked unless a caller says otherwise: ± 5 per cent at an accuracy of 50."""
JUDGEMENTS_FILE = "judgements.jsonl"
"""Where what a model said goes."""
PEOPLE_FILE = "judgements.csv"
"""Where what people said goes."""

_ENCODERS = "voirdire.text.encoders:ENCODERS"
_TAGGER = "What tags parts of speech: hanta, spacy:MODEL."
_VECTORS = "What makes vectors: minilm, static, st:PATH, …; give this or `model`."
_MODEL = "A language model whose hidden states are written: hf:FOLDER, hf:FOLDER/FILE.gguf; give this or `encoder`."
_LAYERS = "Which layers of a `model`: all, last, or numbers with commas, from 0 (embeddings), -1 for the last."
_POOL = "The state of a `model` at the last token of what was heard, or the mean over its tokens."
_COLOURS = "How the colours of `red or blue` are joined: with `and`, as published, or as they were said."
_WORDING = "The words of the rules' authors (`there is boats`), or corrected English (`there are boats`)."
_RESOLVER = "What finds the things that pronouns stand for: rules, none."


@dataclass(frozen=True)
class PropositionOptions(LimitOptions):
    """What is made of dialogues; the defaults are the published ones, but for the balance of the training set."""

    tagger: str = option("hanta", _TAGGER, metavar="NAME", provider="voirdire.text.tagging:TAGGERS")
    resolver: str = option("rules", _RESOLVER, metavar="NAME", provider="voirdire.text.coreference:RESOLVERS")
    captions: float = option(0.15, "How many of the captions' pairs stay.", least=0, most=1, metavar="SHARE")
    balance: bool = option(False, "Keep every sentence as often true as false, for a training set.")
    wording: Literal["authors", "corrected"] = option("authors", _WORDING)
    colours: Literal["and", "or"] = option("and", _COLOURS)
    seed: int = option(0, "Of the draws, also of the images that `limit` takes.", least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class PlotPropositionsOptions(Options):
    """Which of the paper's figures is drawn."""

    figure: Literal["turns", "used", "sentences"] = option(
        "turns", "Propositions by turn, dialogues by turns used, or sentences that come early or late."
    )
    common: int = option(30, "How often a sentence has to be there to be drawn.", least=1, most=1_000_000)


@dataclass(frozen=True)
class ExplainOptions(Options):
    """A round, and what it is read with."""

    question: str = option(..., "A question, with or without its mark.", positional=True)
    answer: str = option(..., "Its answer.", positional=True)
    caption: str = option("", "What was said before, for pronouns to stand for.")
    resolved: str = option("", "The question after coreference; no resolver is asked then.", metavar="TEXT")
    wording: Literal["authors", "corrected"] = option("authors", _WORDING)
    colours: Literal["and", "or"] = option("and", _COLOURS)
    tagger: str = option("hanta", _TAGGER, metavar="NAME", provider="voirdire.text.tagging:TAGGERS")
    resolver: str = option("rules", _RESOLVER, metavar="NAME", provider="voirdire.text.coreference:RESOLVERS")


@dataclass(frozen=True)
class StatesOptions(Options):
    """Who listens, and whose states it has: those of a text encoder, or of a language model's layers."""

    encoder: str | None = option(None, _VECTORS, metavar="NAME", provider=_ENCODERS, shown="minilm")
    role: Role = option("A", "Who listens: the answerer, also to the next question, or the questioner.")
    model: str | None = option(
        None, _MODEL, metavar="NAME", provider="voirdire.text.language_model:STATE_MODELS", shown="an encoder"
    )
    layers: str = option("last", _LAYERS, metavar="NUMBERS")
    pool: Literal["last", "mean"] = option("last", _POOL)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model is not None and self.encoder is not None:
            raise OptionError("model", "give either `encoder` or `model`")
        if not re.fullmatch(r"all|(last|-?\d{1,4})(,(last|-?\d{1,4}))*", self.layers, re.ASCII):
            expected = "all, last, or numbers with commas in between"
            raise OptionError("layers", f"`layers` must be {expected}, got {self.layers!r}")
        for name, value in (("layers", self.layers), ("pool", self.pool)):
            if self.model is None and value != "last":
                raise OptionError(name, f"`{name}` is for a `model`, got {value!r} for an encoder")


@dataclass(frozen=True)
class AskStatesOptions(Options):
    """Which states a live model is asked for."""

    state_layer: int = option(-1, "Layer of its states; negative ones counted from the end.", least=-9_999, most=9_999)
    pool: Literal["last", "mean"] = option("last", _POOL)
    role: Role = option("A", "Who listens: the answerer, also to the next question, or the questioner.")


@dataclass(frozen=True)
class ProbeTraining(Options):
    """How a probe is trained; the defaults are the paper's, which has no early stop."""

    batches: Literal["shuffled", "grouped"] = option(
        "shuffled", "Grouped: a dialogue's points together, which is faster; not the paper's."
    )
    epochs: int = option(30, "Passes over the training points.", least=1, most=100_000)
    batch: int = option(512, "Points per step.", least=1, most=1_000_000)
    rate: float = option(1e-3, "Adam's step.", above=0, most=10)
    clip: float = option(1.0, "The longest gradient; 0 for no limit.", least=0, most=1e6)
    dropout: float = option(0.1, "Share of a hidden layer that is left out of a step.", least=0, most=1)
    hidden: int = option(1024, "Size of a hidden layer.", least=1, most=65_536)
    layers: int = option(1, "Hidden layers: 0 is the paper's shallow variant, 2 a deeper one.", least=0, most=8)
    seed: int = option(0, "Of all that is drawn; further probes take the next ones.", least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dropout >= 1:
            raise OptionError("dropout", f"`dropout` must be below 1, got {self.dropout}")

    def schedule(self) -> TrainingSchedule:
        """What the trainer goes by."""
        return TrainingSchedule(self.epochs, self.batch, self.rate, self.clip, self.seed)


@dataclass(frozen=True)
class _AskedOptions(Options):
    task: TaskName = option("TFxPS", "What is asked of each point.")
    all: bool = option(False, "All tasks of the role, with both controls: the paper's Table 2.")
    role: Role = option("A", "Whose states they are: answerer or questioner.")
    control: Literal["random", "null"] | None = option(None, "Learn from such states instead of the real ones.")
    encoder: str = option("minilm", "Makes the propositions' embeddings.", metavar="NAME", provider=_ENCODERS)
    standardise: bool = option(False, "Scale states and embeddings; the paper's probe takes them raw.")
    balance: bool = option(True, "Learn from as many true as false of every sentence, as the paper; drops the others.")
    seeds: int = option(1, "Train so many probes of a kind, and give their spread.", least=1, most=1_000)


@dataclass(frozen=True)
class ProbeOptions(SampleOptions, ProbeTraining, _AskedOptions):
    """Which probes, and how they are trained; the defaults are the paper's.

    `seed` is that of the parts, the controls, the training and the resamples; with several `seeds` there are as many
    probes of each kind, with `seed`, `seed` + 1, …
    """

    # A probe that learnt from less would be another one.
    limit: int | None = option(
        None,
        "Score so many dialogues only, drawn by the seed; probes learn from all that they do without.",
        least=1,
        most=MOST_IMAGES,
        metavar="N",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        from voirdire.scorekeeping.points import task_named

        if self.all and self.task != "TFxPS":
            raise OptionError("all", f"`all` asks all tasks; `task` is for one, got {self.task}")
        if self.all and self.control:
            raise OptionError("all", f"`all` has both controls; `control` is for one, got {self.control}")
        if not self.all:
            task_named(self.task, self.role)

    def training(self, seed: int) -> ProbeTraining:
        """How the probe with this seed is trained."""
        own = ProbeTraining(**{field.name: getattr(self, field.name) for field in fields(ProbeTraining)})
        return replace(own, seed=seed)


@dataclass(frozen=True)
class AskedPointsOptions(LimitOptions):
    """Of which points a model is asked; `turns` has numbers with commas in between, `only_turns` these as numbers."""

    turns: str = option("", "Only these turns, with commas in between; 0 is the caption.", metavar="TURNS")
    pairs: int | None = option(
        None,
        "Only so many pairs of a proposition and its opposite per dialogue, drawn by the seed.",
        least=1,
        most=1_000_000,
        metavar="N",
    )
    polarity: Literal["both", "half"] = option(
        "both", "Both sentences of each pair, or one: in half of the cases, drawn by the seed, the reversed one."
    )
    points: int | Literal["all"] = option(
        "all",
        "A sample of about so many points, drawn by the seed from all dialogues; or all.",
        least=1,
        most=100_000_000,
        metavar="N|all",
    )
    seed: int = option(0, "Of the draws, also of the dialogues that `limit` takes.", least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bad := [turn for turn in self._turns if not turn.isascii() or not turn.isdigit() or int(turn) > TURNS]:
            expected = f"numbers of turns, 0 to {TURNS}, with commas in between"
            raise OptionError("turns", f"`turns` must hold {expected}; {bad[0]!r} is none")

    @property
    def _turns(self) -> list[str]:
        return [turn.strip() for turn in self.turns.split(",") if turn.strip()]

    @property
    def only_turns(self) -> tuple[int, ...]:
        """The turns that are asked of; empty for all."""
        return tuple(sorted(set(map(int, self._turns))))


@dataclass(frozen=True)
class AskJudgementsOptions(AskedPointsOptions):
    """The same, where a model is asked: by default of a sample that can be paid for."""

    points: int | Literal["all"] = option(
        POINTS,
        "Ask of a sample of about so many points, drawn by the seed from all dialogues; or of all.",
        least=1,
        most=100_000_000,
        metavar="N|all",
    )


@dataclass(frozen=True)
class JudgeOptions(SampleOptions, AskedPointsOptions):
    """Which of a model's judgements are scored, and as what; all tasks follow from the same two answers."""

    task: TaskName | None = option(None, "One task alone, with all its figures; without it the main ones of each.")

    @property
    def all(self) -> bool:
        """Whether all tasks are scored."""
        return self.task is None

    @property
    def role(self) -> Role:
        """Who is asked: whoever sees the picture."""
        return "A"


@dataclass(frozen=True)
class BoardOptions(Options):
    """Which scoreboard is shown."""

    dialogue: int = option(..., "The dialogue's place in its file, from 0.", least=0, most=1_000_000_000, metavar="ID")
    task: TaskName | None = option(None, "Where the run has several.")


@dataclass(frozen=True)
class JudgedPropositionsOptions(LimitOptions):
    """Which judgements are counted; `exclude` has numbers with commas in between, `excluded` these as numbers."""

    exclude: str = option("", "Dialogues to leave out, by dlg_idx, with commas in between.", metavar="IDS")
    common: bool = option(False, "Leave out points that a run lacks, instead of refusing.")
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bad := [part for part in self._parts if not part.isascii() or not part.isdigit()]:
            expected = "numbers of dialogues with commas in between"
            raise OptionError("exclude", f"`exclude` must hold {expected}; {bad[0]!r} is no number")

    @property
    def _parts(self) -> list[str]:
        return [part.strip() for part in self.exclude.split(",") if part.strip()]

    @property
    def excluded(self) -> tuple[int, ...]:
        """The dialogues to leave out."""
        return tuple(map(int, self._parts))


@dataclass(frozen=True)
class StudyPointsOptions(StudyOptions):
    """How many points people judge; the defaults are the paper's."""

    judges: int = option(3, "People per task.", least=1, most=1_000)
    tasks: int | None = option(
        None,
        "How many propositions, each of another dialogue.",
        least=1,
        most=1_000_000,
        metavar="N",
        shown="100, or all",
    )


DIALOGUES = Input(
    "dialogues",
    "VisDial dialogues, official JSON or as text.",
    formats="visdial visdial_text",
    read="voirdire.formats.dialogues:read_dialogues",
    needed=True,
)
LEFT_OUT_WORDS = Input(
    "left_out_words",
    "Words for which a dialogue is left out, one per line, instead of our list of profane ones.",
    read="voirdire.scorekeeping.propositions.selection:read_left_out_words",
)
PROPOSITIONS = Input(
    "propositions",
    "Propositions to learn from.",
    formats="propositions",
    needed=True,
)
STATES = Input(
    "states",
    "The model's states of their dialogues (HDF5, npz).",
    formats="states",
    needed=True,
    of_model=True,
)


LENGTHS = replace(
    DIALOGUES,
    help="The dialogues, for how many turns each has; where the propositions' file does not say it.",
    needed=False,
)


def _of_split(split: str, use: str) -> tuple[Input, Input, Input]:
    """Propositions, states and dialogues of a split of its own."""
    propositions, states, dialogues = f"{split}_propositions", f"{split}_states", f"{split}_dialogues"
    about = f"Propositions {use}; needs their states."
    return (
        replace(PROPOSITIONS, name=propositions, help=about, needed=False, together=states),
        replace(STATES, name=states, help="The states of their dialogues.", needed=False, together=propositions),
        replace(LENGTHS, name=dialogues, help="The same of these dialogues."),
    )


OF_DIALOGUES = replace(PROPOSITIONS, help="Propositions of these dialogues, from `scorekeeping propositions`.")

MAKE = Part(
    "propositions",
    "Turn the rounds of dialogues into propositions that are true or false, and print how many of each kind.",
    "voirdire.scorekeeping.propositions.counts:propose",
    inputs=(DIALOGUES, LEFT_OUT_WORDS),
    options=PropositionOptions,
    outputs=(Output("Where to write: .json, .json.gz or .parquet.", endings=(".json", ".json.gz", ".parquet")),),
    makes="value",
    takes="engine",
    measures="voirdire.scorekeeping.propositions.counts:MEASURES",
)
PLOT = Part(
    "plot",
    "Draw where propositions come from: the paper's Figures 2, 5 and 6.",
    "voirdire.scorekeeping.propositions.plot:draw_propositions",
    inputs=(replace(OF_DIALOGUES, help="Propositions, once for each split.", many=True),),
    options=PlotPropositionsOptions,
    outputs=(Output("Where to draw: a file in .svg, .png or .html.", endings=DRAWN),),
    makes="lines",
)
EXPLAIN = Part(
    "explain",
    "Say which rule a round matches and what that yields, or why there is nothing.",
    "voirdire.scorekeeping.propositions.deriving:explain_part",
    options=ExplainOptions,
    makes="value",
)
ENCODE = Part(
    "states",
    "Write the states of an encoder or a language model, a vector per dialogue and turn. Killed and called again, it "
    "goes on.",
    "voirdire.scorekeeping.dialogue_states:states_part",
    inputs=(DIALOGUES,),
    options=StatesOptions,
    outputs=(
        Output(
            "Where to write: .h5, .hdf5 or .npz; of several layers .h5 or .hdf5 with {} for the layer's number.",
            endings=(".h5", ".hdf5", ".npz"),
        ),
    ),
    makes="lines",
    takes="engine",
)
PROBE = Part(
    "probe",
    "Train probes on dialogue states and score them. With `-o RUN`, one that was killed goes on where it was.\n\n"
    "Without valid and test files, the dialogues are dealt out 60 : 20 : 20 by the seed.",
    "voirdire.scorekeeping.probe.score:probe_states",
    items=ItemSchema(
        whole="dialogue index turn turn_shared seed",
        number="dialogue_accuracy",
        text="proposition rule polarity task control gold predicted",
        yes_no="true shared seen right words_right shift_right shift_only_right truth_stable opposites_agree",
    ),
    check="voirdire.scorekeeping.probe.score:check_probe",
    inputs=(
        *(PROPOSITIONS, STATES, LENGTHS),
        *_of_split("valid", "that choose the epoch"),
        *_of_split("test", "to score on"),
    ),
    options=ProbeOptions,
    takes="engine work",
    views="voirdire.scorekeeping.probe.measures:probe_views",
    measures="voirdire.scorekeeping.probe.measures:PROBE_MEASURES",
    tables="voirdire.scorekeeping.tables:probe_tables",
    differ={
        "options.role": Differ("{} and {} are of an answerer and a questioner; only what both are asked is compared.")
    },
    session=InSession(
        given=("states",),
        folder="scorekeeping",
        # The propositions that a session makes say how long dialogues are.
        without=("dialogues", "valid_dialogues", "test_dialogues"),
        fixed={"control": None},
        weight=3,
    ),
    ask=Ask(
        "voirdire.scorekeeping.dialogue_states:ask_states",
        ("states",),
        (DIALOGUES,),
        AskStatesOptions,
        {"states": "states.h5"},
    ),
)
LAYERS = Part(
    "layers",
    "Draw a probe's accuracy by layer, with 95 % intervals, from runs of `probe`, one per layer.",
    "voirdire.scorekeeping.plots_and_tables:draw_layers",
    inputs=(
        Input(
            "run",
            "The runs' folders, with {} for the layer's number, for each line: runs/layer-{}.",
            read="voirdire.scorekeeping.plots_and_tables:read_line",
            many=True,
            needed=True,
            flag="--run RUNS",
        ),
    ),
    outputs=(Output("Where to draw: a file in .svg, .png or .html.", endings=DRAWN),),
    makes="lines",
)
ASKED_OF = replace(PROPOSITIONS, help="The propositions that the model was asked of.")
JUDGE = Part(
    "judge",
    "Score a model that was asked, turn by turn: is each proposition true, and has it been established by now?\n\n"
    "Nothing is trained, so no states are needed. What could not be read is left out; `:asked` has it as wrong.",
    "voirdire.scorekeeping.judge:score_judgements",
    items=ItemSchema(
        whole="dialogue index turn turn_shared",
        number="dialogue_accuracy",
        text="proposition rule polarity task gold predicted how",
        yes_no="true shared right shift_right shift_only_right truth_stable opposites_agree",
    ),
    inputs=(
        ASKED_OF,
        Input(
            "judgements",
            "What the model said: yes or no to each question, one per line.",
            formats="model_judgements",
            needed=True,
            of_model=True,
        ),
        LENGTHS,
    ),
    options=JudgeOptions,
    views="voirdire.scorekeeping.judge:judge_views",
    measures="voirdire.scorekeeping.judge:JUDGE_MEASURES",
    tables="voirdire.scorekeeping.tables:judge_tables",
    session=InSession(given=("judgements",), folder="scorekeeping-judge", weight=1),
    ask=Ask(
        "voirdire.scorekeeping.live_judgements:ask_judgements",
        ("judge",),
        (ASKED_OF, DIALOGUES),
        AskJudgementsOptions,
        {"judgements": JUDGEMENTS_FILE},
        # What is not asked of a live model is not missing, and those that have files are compared with it.
        scored={"points": POINTS},
    ),
)
BOARD = Part(
    "board",
    "Show what a probe, or a model that was asked, took for true and shared, turn by turn, beside what is.",
    "voirdire.scorekeeping.board:board_part",
    inputs=(
        Input(
            "run",
            "A run's folder, from `probe -o RUN` or `judge -o RUN`.",
            read="voirdire.scorekeeping.measures:read_named",
            needed=True,
            flag="RUN",
        ),
        replace(DIALOGUES, help="The file of the dialogues, to show what was said.", needed=False),
    ),
    options=BoardOptions,
    outputs=(Output("Draw it: a file in .html, .svg or .png.", endings=DRAWN, needed=False),),
    makes="value",
)
HUMANS = Part(
    "humans",
    "Accuracy of people on the four tasks, their agreement, and a model's accuracy on the same points.",
    "voirdire.scorekeeping.humans:score_judges",
    items=ItemSchema(
        whole="dialogue turn index turn_shared judges",
        number="tfxps tf ps pxtsfs tfxps[{slice}]? tf[{slice}]? ps[{slice}]? pxtsfs[{slice}]?",
        text="split proposition rule",
        yes_no="true shared",
    ),
    inputs=(
        Input(
            "judgements",
            "Judgements, one row per judge and proposition; - for stdin.",
            formats="judgements",
            needed=True,
            flag="--judgements CSV",
        ),
        Input(
            "runs",
            "A run of `probe` or `judge` to score on the same points.",
            read="voirdire.scorekeeping.measures:read_named",
            many=True,
            flag="--run RUN",
        ),
    ),
    options=JudgedPropositionsOptions,
    views="voirdire.scorekeeping.humans:judged_views",
    measures="voirdire.scorekeeping.humans:MEASURES",
    study=Study(
        "voirdire.scorekeeping.humans:draw_points",
        (OF_DIALOGUES, DIALOGUES),
        StudyPointsOptions,
        "voirdire.scorekeeping.humans:gather_judgements",
        {"judgements": PEOPLE_FILE},
        "voirdire.scorekeeping:study_texts",
    ),
)


def _made(split: str) -> Made:
    """How a session makes the propositions of a split."""
    sources = {"dialogues": f"{split}dialogues", "left_out_words": "left_out_words"}
    return Made("propositions", sources, fixed={"balance": False, "limit": None})


def hints() -> dict[str, Hint]:
    """Propositions are made of dialogues where they are not there."""
    dialogues = ("dialogues", "valid_dialogues", "test_dialogues")
    return {name: Hint(instead_of="propositions") for name in dialogues}


_TABLES = "voirdire.scorekeeping.plots_and_tables"
TABLES = (
    PaperTable(
        "2 7 8 9",
        "accuracy by task, where a probe has all",
        "probe",
        f"{_TABLES}:task_tables",
        f"{_TABLES}:task_claims",
    ),
    PaperTable("3", "human judgement", "humans", f"{_TABLES}:judged_table"),
)


EXAM = Exam(
    name="scorekeeping",
    question=QUESTION,
    papers=("scorekeeping", "visdial"),
    parts=(MAKE, PLOT, EXPLAIN, ENCODE, PROBE, LAYERS, JUDGE, BOARD, HUMANS),
    section="voirdire.scorekeeping.section:scorekeeping_section",
    help=HELP,
    method=(
        "a probe of the model's dialogue states, or the model itself where it was asked, told which propositions are "
        "true and which are shared"
    ),
    clusters="dialogues",
    makes={f"{split}propositions": _made(split) for split in ("", "valid_", "test_")},
    hints="voirdire.scorekeeping.exam:hints",
    context=("visdial", "visdial_text"),
    formats=("conv_judgements", "image_ids", "vispro"),
    tables=TABLES,
)
