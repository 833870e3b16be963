"""The exam of answers, declared: are the answers that a model generates among the valid ones? (dense-visdial)"""

from dataclasses import dataclass, replace
from typing import Literal

from voirdire.answers import HELP, QUESTION
from voirdire.exam import PATH, Ask, Exam, Hint, Input, InSession, Output, PaperTable, Part, ShortAnswers, Study
from voirdire.figures import DRAWN
from voirdire.items import ItemSchema
from voirdire.metrics.text_metric import FAMILIES
from voirdire.options import DRAWS, LARGEST_SEED, SEED, LimitOptions, OptionError, Options, SampleOptions, option
from voirdire.study.design import StudyOptions
from voirdire.text.respelling import Step

ENCODERS, METRICS = "voirdire.text.encoders:ENCODERS", "voirdire.metrics.text_metric:TEXT_METRICS"
SETS = (".parquet", ".jsonl", ".jsonl.gz", ".json", ".json.gz")
"""What the names of files of sets may end in."""

SELECTIONS_FILE = "selections.csv"
"""Where what people kept goes."""

Cutoff = Literal["relevant", "scored"]
Pairing = Literal["gt-others", "gt-all", "question-gt", "question-max"]
BlindModel = Literal["cca-aq", "cca-aqi", "ncca-aq", "nn-aq", "nn-aqi"]

_MEASURES = "Which families of measures to take: cider, bleu, meteor, rouge, distance or one of a plug-in."
_ENCODER = "What makes vectors, for l2 and cosine."
_IDF = "Where CIDEr counts documents: references (the sets above), references:FILE, visdial:FILE, file:FILE."
_BASE = "From where rounds are counted, in files that leave it open."
_MOVED = "Where the CCA's encoder is now, if it was moved since training."
_DRAWS = "Of the draws; the same seed gives the same bytes."


@dataclass(frozen=True)
class BoundOptions(LimitOptions):
    """How the valid answers themselves are scored; as generations are."""

    measures: tuple[str, ...] = option(FAMILIES, _MEASURES, metavar="FAMILY", provider=METRICS, shown="all")
    encoder: tuple[str, ...] = option((), _ENCODER, metavar="NAME", provider=ENCODERS, shown="minilm")
    idf: str = option("references", _IDF, provider="voirdire.metrics.cider:CORPORA")
    respell: Step = option(
        "nltk-3.4", "By what generations are taken apart and put together: as published, or today's."
    )
    as_written: bool = option(False, "Take generations as they are, neither taken apart nor put together.")
    respell_references: bool = option(False, "Take references apart and put them together, too.")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given in (("respell", self.respell != "nltk-3.4"), ("respell_references", self.respell_references)):
            if self.as_written and given:
                raise OptionError(name, f"`{name}` is about texts that are respelt, and `as_written` says that none is")
        # A family that is not ours may compare vectors, too.
        by_vectors = "distance" in self.measures or not set(self.measures) <= set(FAMILIES)
        if by_vectors and not self.encoder:
            object.__setattr__(self, "encoder", ("minilm",))
        if self.encoder and not by_vectors:
            wrong = "`encoder` is for the measures l2 and cosine, which `measures` leaves out; add distance to it"
            raise OptionError("encoder", wrong)
        if twice := [name for name in self.encoder if self.encoder.count(name) > 1]:
            raise OptionError("encoder", f"`encoder`: two encoders are called {twice[0]!r}; name each once")


@dataclass(frozen=True)
class ScoreAnswersOptions(SampleOptions, BoundOptions):
    """How generations are scored; the defaults are the paper's."""

    within: bool = option(False, "Also the spread of the generations inside a round.")
    extract: bool | None = option(
        None, "Also score the short answers inside sentences, as …:extracted.", shown="yes; they lead where needed"
    )

    @property
    def extracts(self) -> bool:
        """Whether short answers are scored, too."""
        return self.extract is not False


@dataclass(frozen=True)
class RankAnswersOptions(SampleOptions):
    """How rankings are scored; the defaults are the paper's."""

    cutoff: Cutoff = option("relevant", "Where NDCG ends: at the number of relevant options, or at all of them.")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class OverlapOptions(SampleOptions):
    """How reference sets are compared."""

    pairing: Pairing = option(
        "gt-others", "By what the judged sets were made: whether `corr` is with the ground truth or with the question."
    )
    encoder: str | None = option(None, _MOVED, metavar="NAME", provider=ENCODERS)
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class JudgedAnswersOptions(LimitOptions):
    """How people's selections are scored."""

    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class AuditOptions(LimitOptions):
    """What the dataset's own evaluation is looked at with."""

    encoder: str | None = option(
        None,
        "Without a CCA: compare candidates by this encoder. With one: where its encoder is now.",
        metavar="NAME",
        provider=ENCODERS,
    )
    without_truth: bool = option(False, "Leave the ground truth itself, of correlation 1, out of its top cluster.")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class SetOptions(Options):
    """How reference sets are made: which cluster of which correlations; `clusters` is for method G alone."""

    method: Literal["H", "S", "M", "G"] = option("S", "People, or the top cluster of correlations.")
    pairing: Pairing = option("gt-others", "What is correlated with the candidates.")
    clusters: int = option(5, "How many clusters method G makes.", least=2, most=999)
    encoder: str | None = option(None, _MOVED, metavar="NAME", provider=ENCODERS)


@dataclass(frozen=True)
class ReferencesOptions(SetOptions):
    """The same for a file of sets, whose method has to be named."""

    method: Literal["H", "S", "M", "G"] = option(..., "People, or the top cluster of correlations.")
    round_base: Literal[0, 1] | None = option(None, _BASE)


@dataclass(frozen=True)
class DensifyOptions(SetOptions):
    """The same for a whole dataset, of which people annotated a small part only."""

    method: Literal["S", "M", "G"] = option("S", "Which cluster of correlations is the set.")


@dataclass(frozen=True)
class CcaOptions(Options):
    """k components, the weight p of the eigenvalues, and how the problem is put."""

    k: int = option(300, "Components to keep.", least=1, most=100_000)
    p: float = option(1.0, "The power of the eigenvalues in projections.", least=0, most=16)
    ridge: float = option(1e-12, "Added to the diagonals of the covariances.", least=0, most=1e6)
    form: Literal["code", "inter"] = option("code", "`code` as published figures were made, or `inter` as the paper.")
    scale: Literal["unit", "variance"] = option("unit", "Length of components: `unit` as published, or `variance`.")
    directions: Literal["varying", "all"] = option(
        "varying", "Directions in which a view does not vary: left out, or given weight as the authors' solver does."
    )


@dataclass(frozen=True)
class TrainOptions(CcaOptions):
    """What a CCA is trained with."""

    human: bool = option(False, "The reference sets were made by people (CCA-AQ*), not by a method.")
    encoder: str = option(
        "minilm", "What makes vectors: minilm, static, fasttext:PATH, glove:PATH …", metavar="NAME", provider=ENCODERS
    )
    round_base: Literal[0, 1] | None = option(None, _BASE)


@dataclass(frozen=True)
class PredictOptions(Options):
    """Which model answers, and how often."""

    model: BlindModel = option(..., "CCA, or a baseline that looks questions up in train.")
    encoder: str | None = option(
        None, "For nn-…: what makes vectors; else that of the CCA.", metavar="NAME", provider=ENCODERS
    )
    k: int = option(1, "Generations per round.", least=1, most=1_000)
    centred: bool = option(False, "Weigh answers to draw by centred vectors, as candidates are ranked.")
    seed: int = option(0, _DRAWS, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class AskAnswersOptions(LimitOptions):
    """What a live model is asked; the defaults are the paper's."""

    samples: int = option(1, "Answers per question.", least=1, most=1_000)
    history: Literal["true", "own"] = option(
        "true", "What was said before: the dataset's answers, as the paper has it, or the model's own."
    )
    temperature: float | None = option(
        None, "Of the draws; 0 for one answer and 1 for several, unless given.", least=0, most=10
    )
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, DRAWS, least=0, most=LARGEST_SEED)

    @property
    def heat(self) -> float:
        """The temperature that is asked for."""
        return self.temperature if self.temperature is not None else float(self.samples > 1)


@dataclass(frozen=True)
class AskRanksOptions(LimitOptions):
    """Of which images a live model is asked how likely it finds the candidates."""

    seed: int = option(0, DRAWS, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class PlotAnswersOptions(Options):
    """What is drawn over k."""

    measure: str | None = option(
        None, "Of runs of `score`: the measure over k, such as meteor.", metavar="NAME", shown="cider4, or the first"
    )


@dataclass(frozen=True)
class ShowRoundOptions(Options):
    """Which round is shown; the first that is in all files and runs, unless given."""

    image: int | None = option(None, "Its image's id.", least=0, most=LARGEST_SEED)
    round: int | None = option(None, "Its number, counted from 0.", least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class StudyAnswersOptions(StudyOptions):
    """How many sets of each kind people judge; the defaults are the paper's, as far as the files go."""

    human_tasks: int | None = option(
        None, "How many of people's sets, H.", least=1, most=1_000_000, metavar="N", shown="1,680, or all"
    )
    automatic_tasks: int | None = option(
        None, "How many of a method's sets, Σ.", least=1, most=1_000_000, metavar="N", shown="5,040, or all"
    )
    rounds: Literal["all", "annotated"] = option(
        "all", "From where a method's sets are drawn: all rounds of its file, or those that people annotated."
    )


VISDIAL = Input(
    "visdial",
    "VisDial dialogues with their candidate answers.",
    formats="visdial",
    many=True,
    needed=True,
)
DENSE = Input(
    "dense",
    "Dense annotations: the relevance of each of a round's options.",
    formats="dense",
    many=True,
)
REFERENCES = Input(
    "references",
    "Sets of valid answers.",
    formats="references",
    read="voirdire.answers.rounds:read_references",
    many=True,
    needed=True,
)
GENERATIONS = Input(
    "generations",
    "The model's answers, one or more per round.",
    formats="generations",
    needed=True,
    of_model=True,
)
RANKS = Input(
    "ranks",
    "The model's rankings: `ranks[i]` is the rank of option i.",
    formats="ranks",
    of_model=True,
    either="scores",
)
SCORES = Input(
    "scores",
    "Instead of rankings: its scores, higher is better; ties take the worst rank.",
    formats="scores",
    of_model=True,
    either="ranks",
)
CCA = Input("cca", "A CCA that `voirdire answers train` wrote.", read="voirdire.answers.cca:read_cca")
IMAGES = Input(
    "images",
    "Image features (image_ids, features) as a third view (CCA-AQI).",
    formats="features",
    read="voirdire.answers.rounds:read_images",
    flag="--images NPZ",
)

SCORE = Part(
    "score",
    "CIDEr, BLEU, METEOR, ROUGE-L and embedding distance of generated answers to valid ones; of several, diversity.",
    "voirdire.answers.score:score_answers",
    items=ItemSchema(
        whole="image_id round generations empty",
        text="question",
        texts="answers references extracted?",
        number="{key} usual_texts",
    ),
    inputs=(GENERATIONS, REFERENCES),
    options=ScoreAnswersOptions,
    views="voirdire.answers.views:score_views",
    measures="voirdire.answers.views:score_measures",
    short_answers=ShortAnswers("voirdire.answers.views:by_short_answers", "sentences", "usual_sentences", 0.25),
    session=InSession(given=("generations",), folder="answers", weight=1),
    ask=Ask(
        "voirdire.answers.asking:ask_generations",
        ("answer",),
        (VISDIAL, REFERENCES),
        AskAnswersOptions,
        {"generations": "generations.json"},
    ),
)
BOUNDS = Part(
    "bounds",
    "The rows A_gt and Γ: the ground truth, and every member of a set, as the generation.",
    "voirdire.answers.score:score_bounds",
    items=ItemSchema(whole="image_id round", text="bound", number="{sliced}"),
    inputs=(REFERENCES,),
    options=BoundOptions,
    measures="voirdire.answers.views:text_measures",
    # Begun early, alone of its kind: beside another part that compares texts, both processes would compile the same.
    session=InSession(given=("generations",), of_data="references", weight=4),
)
RANK = Part(
    "rank",
    "Mean rank, reciprocal rank, recall at 1, 5 and 10 of the true answer and, with dense annotations, NDCG.",
    "voirdire.answers.rank:rank_answers",
    items=ItemSchema(whole="image_id round rank rank:asked?", number="ndcg? ndcg:asked?", text="question?"),
    check="voirdire.answers.rank:check_rank",
    inputs=(VISDIAL, RANKS, SCORES, DENSE),
    options=RankAnswersOptions,
    views="voirdire.answers.views:rank_views",
    measures="voirdire.answers.views:RANK_MEASURES",
    session=InSession(given=("ranks", "scores")),
    ask=Ask(
        "voirdire.answers.asking:ask_scores",
        ("rank",),
        (VISDIAL,),
        AskRanksOptions,
        {"scores": "scores.json"},
    ),
)
OVERLAP = Part(
    "overlap",
    "IoU, precision and recall in per cent, size, and whether the ground truth is in; with a CCA, correlations too.",
    "voirdire.answers.overlap:overlap",
    items=ItemSchema(whole="image_id round size contains_gt", number="iou precision recall corr? corr_spread?"),
    check="voirdire.answers.overlap:check_overlap",
    inputs=(
        replace(REFERENCES, help="The reference sets that are judged.", flag="--of"),
        replace(
            REFERENCES,
            name="by",
            help="Those that they are judged by, people's for one.",
            needed=False,
            either="visdial",
            flag="--with",
        ),
        replace(
            VISDIAL,
            help="Instead of other sets: dialogues, whose sets are made of dense annotations as people's.",
            needed=False,
            either="by",
            together="dense",
        ),
        replace(DENSE, together="visdial"),
        CCA,
    ),
    options=OverlapOptions,
    measures="voirdire.answers.overlap:MEASURES",
    # A session judges by people, who saw some rounds of a dialogue only.
    session=InSession(
        given=("generations", "ranks", "scores"),
        of_data="references",
        needs=("visdial", "dense"),
        without=("by", "cca"),
        fixed={"encoder": None, "pairing": "gt-others"},
    ),
)
HUMANS = Part(
    "humans",
    "The share of each method's sets that judges keep, the share that at least one keeps, variances and agreement.",
    "voirdire.answers.humans:judge_sets",
    items=ItemSchema(whole="image_id round_id size judges", text="set", number="selected selected_any"),
    inputs=(
        Input(
            "judgements",
            "A table image_id,round_id,set,judge,candidate,selected; - for stdin.",
            formats="selections",
            needed=True,
            flag="--judgements CSV",
        ),
    ),
    options=JudgedAnswersOptions,
    views="voirdire.answers.humans:judged_views",
    measures="voirdire.answers.humans:MEASURES",
    study=Study(
        "voirdire.answers.humans:draw_sets",
        (
            replace(REFERENCES, name="human", help="People's reference sets, H.", needed=False),
            replace(REFERENCES, name="automatic", help="A method's reference sets, Σ.", needed=False),
        ),
        StudyAnswersOptions,
        "voirdire.answers.humans:gather_selections",
        {"judgements": SELECTIONS_FILE},
        "voirdire.answers:study_texts",
    ),
)
AUDIT = Part(
    "audit",
    "Annotation quirks (`dense`), tightness of candidates (`cca` or `encoder`), ranks of the truth (`ranks`).",
    "voirdire.answers.audit:audit",
    items=ItemSchema(
        whole="image_id round cluster_size? rank?", number="highest_relevance? gt_relevance? cluster_mean? cluster_std?"
    ),
    check="voirdire.answers.audit:check_audit",
    inputs=(VISDIAL, DENSE, replace(RANKS, help="A model's rankings, for those of the truth."), SCORES, CCA),
    options=AuditOptions,
    measures="voirdire.answers.audit:MEASURES",
)
MAKE_REFERENCES = Part(
    "references",
    "Make reference sets: H from dense annotations; S, M, G from a CCA, for all rounds or those of `dense`.",
    "voirdire.answers.references:make_references",
    check="voirdire.answers.references:check_references",
    inputs=(VISDIAL, DENSE, CCA),
    options=ReferencesOptions,
    outputs=(Output("Where to write the sets."),),
    makes="lines",
    takes="engine",
)
TRAIN = Part(
    "train",
    "Train a CCA: on ground truths (`visdial`), on H (`visdial` `dense`) or on any reference sets (`references`).\n\n"
    "With `references`, `visdial` may give the words of train, for tables of word vectors.",
    "voirdire.answers.cca.training:train_cca",
    check="voirdire.answers.cca.training:check_training",
    inputs=(
        replace(VISDIAL, help="VisDial dialogues: each question with its true answer (CCA-AQ).", needed=False),
        DENSE,
        replace(
            REFERENCES,
            help="Reference sets (JSON or Parquet): each question with every answer of its set.",
            needed=False,
        ),
        IMAGES,
    ),
    options=TrainOptions,
    outputs=(Output("Where to write the CCA (.npz)."),),
    makes="lines",
)
PREDICT = Part(
    "predict",
    "Answer questions without looking: ranks (rounds counted from 1) and generations (from 0), in official layouts.",
    "voirdire.answers.cca.prediction:predict_answers",
    check="voirdire.answers.cca.prediction:check_prediction",
    inputs=(
        VISDIAL,
        replace(VISDIAL, name="train", help="Train dialogues, for nn-… and for generations.", needed=False),
        CCA,
        replace(IMAGES, help="Image features of both splits, for nn-aqi."),
    ),
    options=PredictOptions,
    outputs=(
        Output("Where to write rankings of the candidates.", "ranks", needed=False),
        Output("Where to write generated answers.", "generations", needed=False),
    ),
    makes="lines",
)
DENSIFY = Part(
    "densify",
    "Make a set for every round. Killed and called again, it goes on where it was.",
    "voirdire.answers.densify:densify_dataset",
    inputs=(replace(VISDIAL, read=PATH, many=False), replace(CCA, needed=True)),
    options=DensifyOptions,
    outputs=(
        Output("Where to write: .parquet, .jsonl, .json, or with .gz.", endings=SETS),
        Output(
            "Where finished work is kept until the end; OUT.work if not given.",
            "work",
            needed=False,
            folder=True,
            metavar="DIR",
        ),
    ),
    makes="lines",
    takes="engine",
)


RUN = Input("run", "A run's folder.", read="voirdire.exam:read_named_run", many=True, needed=True, flag="--run RUN")
PLOT = Part(
    "plot",
    "Draw runs: ranks of the true answer (`rank`, `audit`), or a measure over generations per round (`score`).",
    "voirdire.answers.plots_and_tables:plot_runs",
    inputs=(replace(RUN, help="A run's folder, from `rank`, `audit` or `score -o RUN`; NAME=RUN gives its name."),),
    options=PlotAnswersOptions,
    outputs=(Output("Where to draw: a file in .svg, .png or .html.", endings=DRAWN),),
    makes="lines",
)
SHOW = Part(
    "show",
    "Show one round: its question, its sets of valid answers, each model's answers and their scores.",
    "voirdire.answers.show:show_round",
    inputs=(
        replace(RUN, help="A run's folder, from `score` or `rank -o RUN`; NAME=RUN gives its name.", needed=False),
        Input(
            "references",
            "A file of sets to show in place of the run's; several stand beside each other.",
            read="voirdire.answers.show:read_named_references",
            many=True,
        ),
    ),
    options=ShowRoundOptions,
    makes="value",
)


def hints() -> dict[str, Hint]:
    """People's sets are what the paper judges the others by."""
    return {"references": Hint(prefer=("H",), each=True)}


_TABLES = "voirdire.answers.plots_and_tables"
TABLES = (
    PaperTable("1 10", "overlap of reference sets", "overlap", f"{_TABLES}:overlap_tables"),
    PaperTable("2", "reference sets as judges see them", "humans", f"{_TABLES}:judged_tables"),
    PaperTable("3 5 8 9", "ranks of the true answer", "rank", f"{_TABLES}:rank_tables"),
    PaperTable("4", "generated answers against reference sets", "score bounds", f"{_TABLES}:similarity_tables"),
    PaperTable("6 7", "k generated answers", "score bounds", f"{_TABLES}:generation_tables"),
)


EXAM = Exam(
    name="answers",
    question=QUESTION,
    papers=("dense-visdial", "visdial"),
    parts=(SCORE, BOUNDS, RANK, OVERLAP, HUMANS, AUDIT, MAKE_REFERENCES, TRAIN, PREDICT, DENSIFY, PLOT, SHOW),
    section="voirdire.answers.section:answers_section",
    help=HELP,
    method=(
        "generated answers were compared with sets of valid answers, and rankings of candidates with the ground truth"
    ),
    hints="voirdire.answers.exam:hints",
    context=("visdial",),
    formats=("image_ids",),
    tables=TABLES,
)
