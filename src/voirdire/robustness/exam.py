"""The exam of robustness, declared: does a model's accuracy hold when related questions are added? (vqa-robustness)"""

from dataclasses import dataclass, replace
from math import inf, isinf
from typing import Any, Literal

from voirdire.errors import shorten, shorten_text
from voirdire.exam import Ask, Differ, Exam, Hint, Input, InSession, Output, PaperTable, Part, ShortAnswers
from voirdire.items import ItemSchema
from voirdire.options import DRAWS, LARGEST_SEED, SEED, LimitOptions, OptionError, Options, SampleOptions, option
from voirdire.robustness import HELP, QUESTION

PARTITIONS = 7
"""Into how many partitions the paper cuts a list of 21 basic questions."""
LASSO, METEOR = "lasso", "meteor"
BLEU = ("bleu1", "bleu2", "bleu3", "bleu4")
FILLED = (*BLEU, "rouge_l", "cider", METEOR)
"""The rankers that compare texts: their lists are often shorter than the 21 that the paper's partitions need."""
UNKNOWN = "unknown"
"""The noise of a run that no file of questions tells of."""
TOLERANCE, LIMIT = 0.05, 20.0
MOST_PARTS = 10_000
"""Parts into which a pool may be cut."""

QUESTION_FILES = (".json", ".json.gz")
"""How the name of a file of questions ends."""

Dataset = Literal["general", "yesno"]
Objective = Literal["paper", "scikit-learn"]

PENALTIES: dict[Objective, float] = {"paper": 1e-6, "scikit-learn": 1e-5}
"""λ of each objective: the paper's, and what the authors' public program gives scikit-learn's Lasso as alpha."""
Smoothing = Literal["none", "add-one", "coco"]

_TOLERANCE = "R_score's tolerance: a drop up to this costs nothing."
_LIMIT = "R_score's limit: a drop from here on costs everything."


def _check_bounds(t: float, m: float) -> None:
    if t >= m:
        raise OptionError("t", f"`t` must be below `m`, got {t:g} and {m:g}")


@dataclass(frozen=True)
class RobustnessOptions(SampleOptions):
    """How answers to clean and to noisy questions are scored; the defaults are the paper's."""

    dataset: Dataset | None = option(
        None, "Which basic questions were added: any, or yes/no ones. As the questions files say; without them, any."
    )
    t: float = option(TOLERANCE, _TOLERANCE, least=0, most=100)
    m: float = option(LIMIT, _LIMIT, above=0, most=100)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_bounds(self.t, self.m)


@dataclass(frozen=True)
class AccuracyOptions(SampleOptions):
    """How one file of answers is scored."""

    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class AskQuestionsOptions(LimitOptions):
    """Of which images a live model is asked, and in what form."""

    cut: bool = option(False, "Ask noisy questions as they were cut, as the paper's models read them, and not whole.")
    seed: int = option(0, DRAWS, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class TrendOptions(SampleOptions):
    """How rankers are compared."""

    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class RScoreOptions(Options):
    """Two accuracies that are known already, and the bounds of R_score."""

    clean: float = option(..., "Accuracy on the clean questions, in percent.", least=0, most=100)
    noisy: float = option(..., "Accuracy on the noisy questions, in percent.", least=0, most=100)
    t: float = option(TOLERANCE, _TOLERANCE, least=0, most=100)
    m: float = option(LIMIT, _LIMIT, above=0, most=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_bounds(self.t, self.m)


@dataclass(frozen=True)
class PlotRobustnessOptions(Options):
    """What is drawn, and the bounds of the R_score's curve."""

    figure: Literal["accuracy", "drop", "r-score"] = option(
        "accuracy", "Accuracy or its drop by partition, or the R_score by the distance of two accuracies."
    )
    t: float = option(TOLERANCE, _TOLERANCE, least=0, most=100)
    m: float = option(LIMIT, _LIMIT, above=0, most=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_bounds(self.t, self.m)


@dataclass(frozen=True)
class RankQuestionsOptions(LimitOptions):
    """How basic questions are ranked; the defaults are the paper's."""

    ranker: str = option(
        LASSO,
        "lasso, bleu1 to bleu4, rouge_l, cider or meteor.",
        metavar="NAME",
        provider="voirdire.robustness.rankers:RANKERS",
    )
    lam: float | None = option(
        None,
        "λ of ½‖Ax − b‖² + λ‖x‖₁, or scikit-learn's alpha, as `objective` says, for lasso.",
        above=0,
        most=1e6,
        name="lambda",
        metavar="λ",
        shown="1e-6; 1e-5 with scikit-learn's objective",
    )
    top: int = option(21, "How many neighbours to keep.", least=1, most=10_000, metavar="K")
    encoder: str = option(
        "minilm", "What makes vectors, for lasso.", metavar="NAME", provider="voirdire.text.encoders:ENCODERS"
    )
    yes_no: bool = option(False, "Take only the pool's yes/no questions.")
    keep_main: bool = option(False, "Leave a main question in the pool even for itself, to see what that does.")
    objective: Objective = option(
        "paper",
        "What lasso minimises: the paper's ½‖Ax − b‖² + λ‖x‖₁, or what scikit-learn's Lasso does in the authors' "
        "program, ‖Ax + c − b‖²/2d + λ‖x‖₁ with an intercept c.",
    )
    smoothing: Smoothing = option("none", "Of BLEU: 1 more n-gram of each order above 1, or pycocoevalcap's constants.")
    fill_up: bool | None = option(
        None,
        "Fill short lists with the pool's questions in their order, at score 0, as seven partitions need.",
        shown="yes; no with lasso, whose entries of 0 or less are no neighbours",
    )
    pool_parts: int = option(
        1,
        "Cut the pool's vectors into so many parts on disk, or over the nodes of a cluster, for lasso: for a pool that "
        "is larger than one memory. The lists stay the same.",
        least=1,
        most=MOST_PARTS,
        metavar="N",
    )
    seed: int = option(0, DRAWS, least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        if isinstance(self.lam, int | float) and not 0 < self.lam < inf:
            given = shorten(self.lam)
            raise OptionError("lam", f"`lambda` must be a finite number above 0, got {given}: {_no_penalty(self.lam)}")
        super().__post_init__()
        if self.smoothing != "none" and self.ranker not in BLEU:
            named = ", ".join(BLEU)
            raise OptionError("smoothing", f"`smoothing` is for {named}; {shorten_text(self.ranker)} has none")
        if self.pool_parts > 1 and self.ranker != LASSO:
            raise OptionError("pool_parts", f"`pool_parts` is for lasso; {shorten_text(self.ranker)} has no vectors")

    @property
    def fills_up(self) -> bool:
        """Whether short lists are filled up: as it was given, else where the ranker compares texts."""
        return self.ranker in FILLED if self.fill_up is None else self.fill_up

    @property
    def penalty(self) -> float:
        """λ in the scaling of `objective`: as it was given, else the default of that objective."""
        return PENALTIES[self.objective] if self.lam is None else self.lam


def _no_penalty(lam: float) -> str:
    """Why this number is no penalty."""
    if lam == 0:
        return (
            "without a penalty every question of the pool would have a part in the solution, and there would be many "
            "solutions"
        )
    if lam < 0:
        return "a negative penalty would reward large entries, and there would be no least objective"
    return "with an infinite penalty no question has a part" if isinf(lam) else "this is no number"


@dataclass(frozen=True)
class PerturbOptions(LimitOptions):
    """How questions with noise are put together; the defaults are the paper's."""

    partition: str | None = option(
        None, "1 to 7; clean (or 0); control1 to control7, drawn questions as long as P's.", metavar="P"
    )
    max_words: int = option(26, "Where a question is cut; 0 is nowhere.", least=0, most=10_000, metavar="N")
    seed: int = option(0, "Of the control's draws, and of the images that `limit` takes.", least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class HelpfulOptions(LimitOptions):
    """The thresholds above which a basic question may help; the defaults are the paper's."""

    s1: float = option(0.60, "The first basic question is added where score1 > S1.", least=-1_000, most=1_000)
    s2: float = option(0.58, "The second where, too, score2/score1 > S2.", least=-1_000, most=1_000)
    s3: float = option(0.41, "The third where, too, score3/score2 > S3.", least=-1_000, most=1_000)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class ShowRankingOptions(Options):
    """Which main question of a ranking is shown."""

    question: str | None = option(None, "The main question to show; the first if not given.", metavar="ID|TEXT")
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


def _annotations(name: str, help: str, **more: Any) -> Input:
    return Input(name, help, "vqa_annotations", **more)


def _questions(name: str, help: str, **more: Any) -> Input:
    return Input(name, help, "vqa_questions", **more)


def _results(name: str, help: str, **more: Any) -> Input:
    read = "voirdire.formats.vqa_results:read_vqa_results"
    return Input(name, help, "vqa_results vqa_predictions", read, of_model=True, **more)


def _ranking(name: str, help: str, read: str, **more: Any) -> Input:
    return Input(name, help, "question_ranking", read, flag=f"--{name} R", **more)


ANNOTATIONS = _annotations("annotations", "VQA annotations: ten people's answers per question.", needed=True)
CLEAN = _results("clean", "The model's answers to the questions as they are.", needed=True)
NOISY = _results(
    "noisy",
    "Its answers to a noisy partition, partition 1 first; seven times, or once with {} for the number.",
    many=PARTITIONS,
    needed=True,
)
CONTROL = _results("control", "Its answers where random questions of the pool were added.")
ASKED = _questions(
    "questions",
    "The questions that were asked, as `perturb` wrote them: each file says its noise. One by one, or {} for 1 to 7.",
    many=PARTITIONS,
)

SHORT_ANSWERS = ShortAnswers("voirdire.robustness.views:by_short_answers", "sentences")

SCORE = Part(
    "score",
    "Accuracy by partition, its drop, R_score and the trend from the first partition to the last.",
    "voirdire.robustness.score:score_robustness",
    items=ItemSchema(
        whole="image_id question_id",
        number="accuracy accuracy:{condition} accuracy_normalised accuracy_normalised:{condition} sentences "
        "sentences:{condition} commonest",
        text="answer_type question_type answer answer:{condition}",
        texts="humans",
        yes_no="cut:{condition}?",
    ),
    inputs=(ANNOTATIONS, CLEAN, NOISY, CONTROL, ASKED),
    ask=Ask(
        "voirdire.robustness.interview:ask_questions",
        ("answer",),
        (ANNOTATIONS, replace(ASKED, needed=True)),
        AskQuestionsOptions,
        {"clean": "clean.json", "noisy": "partition{}.json", "control": "control1.json", "questions": "asked_{}.json"},
        written="voirdire.robustness.interview:written_files",
    ),
    options=RobustnessOptions,
    views="voirdire.robustness.views:score_views",
    measures="voirdire.robustness.views:SCORE_MEASURES",
    short_answers=SHORT_ANSWERS,
    caveats="voirdire.robustness.views:caveats",
    tables="voirdire.robustness.score:score_table",
    differ={
        "options.noise": Differ(
            "What was added to the questions of {} or of {} is unknown: their figures compare only if it was the same "
            "for both. Score with the files of the questions (`questions`) to make sure.",
            unknown=UNKNOWN,
        ),
        "options.noise.control": Differ(
            "The random questions of {} and of {} are not the same draw, or one of them has none."
        ),
    },
    session=InSession(given=("noisy",), folder="robustness"),
)
ACCURACY = Part(
    "accuracy",
    "Official VQA accuracy and that of eq. (6), by answer type and by question type.",
    "voirdire.robustness.accuracy:score_vqa",
    items=ItemSchema(
        whole="image_id question_id",
        number="accuracy accuracy:eq6 accuracy_normalised sentences commonest",
        text="answer_type question_type answer",
        texts="humans",
    ),
    inputs=(ANNOTATIONS, replace(CLEAN, help="A model's answers.", flag="--results")),
    options=AccuracyOptions,
    views="voirdire.robustness.views:accuracy_views",
    measures="voirdire.robustness.views:ACCURACY_MEASURES",
    short_answers=SHORT_ANSWERS,
    # With answers to noisy questions, too, `score` has this figure among its own.
    session=InSession(given=("clean",), unless=("noisy",)),
)
R_SCORE = Part(
    "r-score",
    "The R_score of two accuracies, and the drop between them.",
    "voirdire.robustness.score:score_accuracies",
    items=ItemSchema(number="clean noisy"),
    options=RScoreOptions,
    measures="voirdire.robustness.views:SCORE_MEASURES",
)
RANKERS = Part(
    "rankers",
    "Accuracy by partition and its trend, for each ranker of basic questions.",
    "voirdire.robustness.score:compare_ranker_files",
    items=ItemSchema(
        whole="image_id question_id", number="accuracy? accuracy[{slice}]:{condition}", text="answer_type question_type"
    ),
    inputs=(
        ANNOTATIONS,
        Input(
            "ranking",
            "A ranker and the model's answers to its partitions: lasso=said/lasso_{}.json with {} for 1 to 7, or files "
            "in order with commas between them.",
            many=True,
            needed=True,
            of_model=True,
            flag="--ranking NAME=FILES",
        ),
        replace(CLEAN, needed=False),
    ),
    options=TrendOptions,
    measures="voirdire.robustness.views:TREND_MEASURES",
)
PLOT = Part(
    "plot",
    "Draw accuracy or its drop by partition for one or several models, with 95 % intervals, or the R_score's curve.",
    "voirdire.robustness.plots_and_tables:draw_robustness",
    inputs=(
        Input(
            "run",
            "A run's folder, from `score -o RUN` or `rankers -o RUN`; NAME=RUN gives its name.",
            read="voirdire.exam:read_named_run",
            many=True,
            flag="--run RUN",
        ),
    ),
    options=PlotRobustnessOptions,
    outputs=(Output("Where to draw: a file in .svg, .png or .html.", endings=(".svg", ".png", ".html")),),
    makes="lines",
)
RANK = Part(
    "rank",
    "Rank a pool's questions for every main question. Killed and called again, it goes on where it was.\n\n"
    "While it runs, `voirdire robustness show --ranking OUT` shows what is finished. A ranking that is there is "
    "not made again, and one of other options or questions is not replaced unless you say so.",
    "voirdire.robustness.ranking.rank:make_ranking",
    inputs=(
        _questions("main", "The main questions, an official questions file.", needed=True, flag="--main QUESTIONS"),
        _questions("pool", "Where basic questions come from.", many=True, needed=True, flag="--pool QUESTIONS"),
        _annotations(
            "pool_annotations",
            "Annotations of the pool, to tell yes/no questions.",
            many=True,
            flag="--pool-annotations ANNOTATIONS",
        ),
    ),
    options=RankQuestionsOptions,
    outputs=(Output("Where to write: a .parquet file.", endings=(".parquet",)),),
    makes="value",
    takes="engine overwrite",
    measures="voirdire.robustness.ranking.summary:RANK_MEASURES",
)
RANKING = _ranking(
    "ranking",
    "What `voirdire robustness rank` wrote, in one part or in several.",
    "voirdire.formats.question_ranking:read_ranking",
    many=True,
    needed=True,
)
PERTURB = Part(
    "perturb",
    "Put each main question before three of its basic questions, ranks 1-3, 4-6, … 19-21.",
    "voirdire.robustness.noise:write_noise",
    inputs=(RANKING,),
    options=PerturbOptions,
    outputs=(
        Output("Where to write: .json or .json.gz.", endings=QUESTION_FILES, needed=False, metavar="QUESTIONS"),
        Output(
            "Write clean, all seven partitions and control1 to this folder.",
            name="all",
            needed=False,
            folder=True,
            metavar="DIR",
        ),
    ),
    makes="lines",
)
HELPFUL = Part(
    "helpful",
    "Add up to three basic questions where their scores are high enough, and say how the scores lie.",
    "voirdire.robustness.helpful:write_helpful",
    items=ItemSchema(whole="image_id question_id added", number="{key}"),
    inputs=(RANKING,),
    options=HelpfulOptions,
    outputs=(
        Output(
            "Where to write the questions: .json or .json.gz.",
            name="questions",
            endings=QUESTION_FILES,
            metavar="QUESTIONS",
        ),
    ),
    measures="voirdire.robustness.helpful:HELPFUL_MEASURES",
    tables="voirdire.robustness.helpful:helpful_table",
)
SHOW = Part(
    "show",
    "Show a main question's basic questions with their scores, or how far two rankings agree.",
    "voirdire.robustness.ranking.summary:show_ranking",
    inputs=(
        _ranking(
            "ranking",
            "What `voirdire robustness rank` wrote, or is writing at this moment.",
            "voirdire.robustness.ranking.files:read_any_ranking",
            needed=True,
        ),
        _ranking(
            "overlap",
            "Another ranking: the mean share of neighbours that both list.",
            "voirdire.robustness.ranking.files:read_any_ranking",
        ),
    ),
    options=ShowRankingOptions,
    makes="value",
    measures="voirdire.robustness.ranking.summary:SHOW_MEASURES",
)


def hints() -> dict[str, Hint]:
    """Which answers a file holds is in its name: `clean.json`, `partition3.json`, `control.json`."""
    return {
        "clean": Hint(called=("clean",), uncalled=True),
        "noisy": Hint(called=("partition{}", "noisy{}", "noise{}", "p{}")),
        "control": Hint(called=("control",)),
    }


_TABLES = "voirdire.robustness.plots_and_tables"
TABLES = (
    PaperTable(
        "2 3 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22",
        "accuracy by partition and answer type",
        "score",
        f"{_TABLES}:partition_tables",
    ),
    PaperTable(
        "4",
        "robustness scores",
        "score",
        f"{_TABLES}:score_table",
        f"{_TABLES}:score_claims",
        groups=("attention", "no attention"),
    ),
    PaperTable("5 6", "basic questions that may help", "helpful", f"{_TABLES}:helpful_tables"),
    PaperTable("7", "accuracy with helpful questions", "accuracy", f"{_TABLES}:accuracy_table"),
)


EXAM = Exam(
    name="robustness",
    question=QUESTION,
    papers=("vqa-robustness", "vqa"),
    parts=(SCORE, ACCURACY, R_SCORE, RANKERS, PLOT, RANK, PERTURB, HELPFUL, SHOW),
    section="voirdire.robustness.section:robustness_section",
    help=HELP,
    method="accuracy was measured on clean questions and with ranked related questions added as noise",
    clusters="images",
    hints="voirdire.robustness.exam:hints",
    context=("vqa_questions",),
    formats=(
        "question_types",
        "vqa_accuracies",
        "vqa_grouped_accuracies",
        "vqa_totals",
    ),
    tables=TABLES,
)
