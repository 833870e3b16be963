"""The exam of questions, declared: does each question of a game narrow the candidates? (effective-questions)"""

from dataclasses import dataclass, replace
from typing import Literal

from voirdire.exam import PATH, Ask, Differ, Exam, Hint, Input, InSession, Output, PaperTable, Part, Study
from voirdire.figures import DRAWN
from voirdire.items import ItemSchema
from voirdire.options import LARGEST_SEED, SEED, LimitOptions, OptionError, Options, SampleOptions, option
from voirdire.questions import HELP, QUESTION
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.study.design import PILOT, StudyOptions

Whose = Literal["oracle", "recorded"]
GivenUp = Literal["apart", "failure"]
OtherAnswers = Literal["strict", "keep"]
Wins = Literal["told", "named"]
Boxes = Literal["coordinates", "drawn"]
Filling = Literal["missing", "always", "never", "alone"]

ANSWERED_FILE, OBJECTS_FILE = "oracle_answers.csv", "object_answers.jsonl"
"""Where what people answered goes: about targets, and about all objects."""

_WHOSE = "Whose answer about the target counts: the oracle's, as published, or that of the dialogue."
_OTHERS = "In 20 questions, an answer beyond yes, no and n/a: strict, one of its own, or keep, which excludes nobody."
_FIRST = "Score the first N questions only; the outcome stays."
_ORACLES = "Who answers for every object: table:FILE, model:FILE or scenes:FILE."
_QUESTIONS_ALONE = ("twenty_questions_text", "history_questions", "oracle_qa")


@dataclass(frozen=True)
class ScoreQuestionsOptions(SampleOptions):
    """How games are scored; the defaults are the paper's."""

    answers: Whose = option("oracle", _WHOSE)
    incomplete: GivenUp = option(
        "apart", "What a game that was given up counts as: apart, in no measure but `incomplete`, or as a failure."
    )
    other_answers: OtherAnswers = option("strict", _OTHERS)
    wins: Wins = option(
        "told",
        "Which games of 20 questions are won: those told by `win_turn`, or named, where the last question names the "
        "target and the answer is yes.",
    )
    max_questions: int | None = option(None, _FIRST, least=1, most=10_000, metavar="N")
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class ShowGamesOptions(Options):
    """Which game is shown, and how."""

    game: str = option(..., "The game's id.", metavar="GAME", positional=True)
    answers: Whose = option("oracle", _WHOSE)
    other_answers: OtherAnswers = option("strict", _OTHERS)
    max_questions: int | None = option(None, _FIRST, least=1, most=10_000, metavar="N")


@dataclass(frozen=True)
class KindsOptions(LimitOptions):
    """How questions are sorted by type."""

    exclusive_object: bool = option(False, "Count object only where no other keyword is in the question.")
    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class PlayOptions(Options):
    """Who plays."""

    questioner: str = option(
        ..., "Who asks: keen, confirming, repetitive or random (of scenes), recorded, or one of a plug-in.", metavar="Q"
    )
    oracle: str = option(
        "truth", "Who answers: truth (of scenes), scenes:FILE, model:FILE or one of a plug-in.", metavar="O"
    )
    guesser: str = option("consistent", "Who guesses: consistent, random or salient, or one of a plug-in.", metavar="G")
    max_questions: int = option(8, "At most so many questions per game.", least=1, most=1_000, metavar="N")
    seed: int = option(0, "Of questioner and guesser; the same seed gives the same bytes.", least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class AskGamesOptions(LimitOptions):
    """Who plays when a model is on the stand, and how; each seat is the model's own unless another is named."""

    questioner: str = option(
        "", "Who asks: another model, or recorded, for the games' own questions; by default the model.", metavar="Q"
    )
    oracle: str = option(
        "",
        "Who answers: another model (witness:truth, openai:…) or self, the model. By default the oracle of the data, "
        "or the model where there is none.",
        metavar="O",
    )
    guesser: str = option(
        "", "Who guesses: another model, or recorded, for the games' own outcome; by default the model.", metavar="G"
    )
    max_questions: int | None = option(
        None,
        "At most so many questions per game; 8 as published, 20 without a picture, all that are recorded.",
        least=1,
        most=1_000,
        metavar="N",
    )
    may_stop: bool = option(False, "Tell the questioner that it may stop before its questions are used up.")
    boxes: Boxes | None = option(
        None,
        "How an object is shown: by coordinates in words, or drawn onto the picture.",
        shown="drawn where a picture is sent",
    )
    table: Filling = option(
        "missing",
        "Whether `oracle`, or the model, is asked each question about every object, which then scores: where the data "
        "has no oracle (missing), always or never; or alone, the games staying as they are.",
    )
    seed: int = option(
        0,
        "Of the targets and the lists that are drawn, and of the images that `limit` takes.",
        least=0,
        most=LARGEST_SEED,
    )


@dataclass(frozen=True)
class OracleAccuracyOptions(LimitOptions):
    """How an oracle's answers are scored."""

    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class AgreementOptions(LimitOptions):
    """How oracles are compared with people."""

    seed: int = option(0, SEED, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class StudyQuestionsOptions(StudyOptions):
    """Which questions people answer."""

    tasks: int | None = option(
        None, "How many questions, each about one object.", least=1, most=1_000_000, metavar="N", shown="100, or all"
    )
    about: Literal["target", "objects"] = option(
        "target", "Of which objects people are asked: the target, or every object of some games, each question anew."
    )

    def number(self, most: int) -> int:
        """How many tasks there are to be."""
        if self.tasks is not None and self.tasks > most:
            raise OptionError("tasks", f"`tasks` must be at most {most:,}, all that there are, got {self.tasks:,}")
        return self.tasks or min(PILOT if self.pilot else 100, most)


GAMES = Input(
    "games",
    "Games: GuessWhat?! of either layout, logs, or 20 questions.",
    formats="guesswhat game_logs twenty_questions",
    read="voirdire.questions.games:read_games_file",
    needed=True,
    of_model=True,
)
ORACLE = Input(
    "oracle",
    f"{_ORACLES} 20 questions need none.",
    "object_answers scenes",
    "voirdire.questions.oracles:ORACLES",
    flag="--oracle O",
)
TO_PLAY = Input(
    "to_play",
    "Games whose images, objects and targets a live model plays: GuessWhat?! games, or 20 questions.",
    formats="guesswhat twenty_questions twenty_questions_text",
    read="voirdire.questions.games:read_games_file",
    flag="--to-play GAMES",
)
COCO = Input(
    "coco",
    "COCO's instances, for games without lists of objects.",
    formats="coco",
    read="voirdire.questions.games:read_coco_lists",
    flag="--coco INSTANCES",
)
INSTANCES = replace(
    COCO,
    name="instances",
    help="COCO's instances, where there are no games to play: a live model plays one per image.",
    flag="--instances INSTANCES",
)
ORIGINALS = Input(
    "originals",
    "Original games on the same images, for games without lists of objects.",
    formats="guesswhat",
    read="voirdire.questions.games:read_original_lists",
    flag="--originals GAMES",
)
CONFUSION = Input(
    "confusion",
    "A run of `oracle-accuracy` with this oracle: also gives the effectiveness corrected for its errors.",
    read="voirdire.questions.correction:read_confusion",
    flag="--confusion RUN",
)
ANSWERS = Input(
    "answers",
    "Several oracles' answers beside the human ones, a table.",
    formats="oracle_answers",
    needed=True,
    flag="--answers CSV",
)
KEYWORDS = Input(
    "keywords",
    "Words and their types, in place of ours: on each line a word, a tab, a type.",
    formats="word_types",
    read="voirdire.questions.kinds:read_lexicon",
    flag="--keywords TSV",
)

TYPES = "object color shape size texture location action other order"
AGAINST = " ".join(f"{kind}:against?" for kind in TYPES.split())
"""ItemSchema of the types of question, by one list of words and by another."""

ASKED = {"games": "games.jsonl", "oracle": "table:oracle.jsonl"}
"""What a live model's games are written to, and a table of its answers."""

SCORE = Part(
    "score",
    "Which questions narrow the candidates, which refer to the target, and how the games end.",
    "voirdire.questions.score:score_questions",
    items=ItemSchema(
        whole="game_id image_id turn objects distractors refers_to questions",
        number="effectiveness effective_corrected? effectiveness_corrected?",
        text="question answer oracle_answer refers_to status",
        yes_no="last effective referring referring_other target_left success",
    ),
    inputs=(GAMES, ORACLE, COCO, ORIGINALS, CONFUSION),
    options=ScoreQuestionsOptions,
    views="voirdire.questions.score:score_views",
    caveats="voirdire.questions.score:caveats",
    measures="voirdire.questions.score:SCORE_MEASURES",
    differ={
        "data.coco": Differ(),
        "data.originals": Differ(),
        # Each model's questions need a table of their own.
        "options.oracle": Differ(
            "The oracle of {} and that of {} are two tables; their figures compare only if the same oracle filled "
            "both.",
            kind="table ",
        ),
    },
    session=InSession(
        given=("games",), folder="questions", wants={"oracle": "guesswhat game_logs"}, without=("confusion",)
    ),
    ask=Ask(
        "voirdire.questions.live_games:ask_games",
        ("ask",),
        (TO_PLAY, INSTANCES, ORACLE),
        AskGamesOptions,
        ASKED,
        written="voirdire.questions.live_games:written",
        # A guess that cannot be read is no win: a model must gain nothing by it.
        scored={"incomplete": "failure"},
    ),
)
SHOW = Part(
    "show",
    "Show one game: each question, its answer, who is left, whether it was effective, and what it refers to.",
    "voirdire.questions.show:show_game",
    check="voirdire.questions.show:check_show",
    inputs=(
        GAMES,
        ORACLE,
        COCO,
        ORIGINALS,
        Input("pictures", "Where the images are; with -o, drawn below the boxes.", flag="--pictures FOLDER"),
    ),
    options=ShowGamesOptions,
    outputs=(Output("Draw it, boxes and all: a file in .html, .svg or .png.", endings=DRAWN, needed=False),),
    makes="value",
)
PLOT = Part(
    "plot",
    "Draw the share of effective questions at every turn, with 95 % intervals, one line per run.",
    "voirdire.questions.plots_and_tables:plot_turns",
    inputs=(
        Input(
            "run",
            "A run's folder, from `score -o RUN`, for each line; NAME=RUN gives its name.",
            read="voirdire.exam:read_named_run",
            many=True,
            needed=True,
            flag="--run RUN",
        ),
    ),
    outputs=(Output("Where to draw: a file in .svg, .png or .html.", endings=DRAWN),),
    makes="lines",
)
KINDS = Part(
    "kinds",
    "Shares of object, color, shape, size, texture, location, action and other questions, and of order questions.",
    "voirdire.questions.kinds:score_kinds",
    items=ItemSchema(whole="game_id image_id turn", text="question", yes_no=f"{TYPES} {AGAINST} agreement?"),
    inputs=(
        replace(
            GAMES,
            help="Games of any layout, with or without objects, 20 questions, or questions alone.",
            formats=" ".join((*GAMES.kinds, *_QUESTIONS_ALONE)),
        ),
        KEYWORDS,
        replace(
            KEYWORDS,
            name="against",
            help="Another such list; also prints how far the two agree.",
            flag="--against TSV",
        ),
    ),
    options=KindsOptions,
    views="voirdire.questions.kinds:kinds_views",
    measures="voirdire.questions.kinds:KINDS_MEASURES",
    session=InSession(given=("games",), without=("keywords", "against")),
)
PLAY = Part(
    "play",
    "Let a questioner, an oracle and a guesser play the games of a file anew, in the layout of model games.",
    "voirdire.world.witnesses.outputs:play_games",
    inputs=(
        Input("games", "GuessWhat?! games; their questions are asked anew.", "guesswhat", PATH, needed=True),
        Input(
            "scenes",
            "What they see; by default scenes.jsonl beside the games or in a folder above them. Real games have none.",
            "scenes",
            PATH,
        ),
    ),
    options=PlayOptions,
    outputs=(Output("Where to write the games; - for standard output."),),
    makes="value",
)
TRAIN_ORACLE = Part(
    "train-oracle",
    "Train the oracle of de Vries et al. (or, as a preset, of GDSE) on games that were won. Killed and called again, "
    "it goes on where it was.\n\n"
    "The same games, options and seed give the same file. Use it as `oracle` model:OUT.",
    "voirdire.questions.trained_oracle.training:train_oracle_files",
    # Read file by file, since of each only a small part is kept.
    inputs=(
        Input("games", "GuessWhat?! games to learn from.", "guesswhat", PATH, many=True, needed=True),
        Input("valid", "Games on which the error is taken after each epoch.", "guesswhat", PATH),
        Input(
            "crops",
            "Features of the objects' pictures (object_ids, features) as a further input.",
            "features",
            PATH,
            flag="--crops NPZ",
        ),
    ),
    options=OracleOptions,
    outputs=(Output("Where to write the oracle (.npz)."),),
    makes="lines",
)
ORACLE_ACCURACY = Part(
    "oracle-accuracy",
    "Accuracy of an oracle by type of question and by turn, and which answers it takes for which.\n\n"
    "The folder that -o writes is what `voirdire questions score --confusion` reads.",
    "voirdire.questions.oracle_accuracy:score_oracle",
    items=ItemSchema(
        whole="game_id image_id turn", text="question category answer oracle_answer", yes_no=f"right answerable {TYPES}"
    ),
    check="voirdire.questions.oracle_accuracy:check_oracle",
    inputs=(
        replace(GAMES, help="GuessWhat?! games whose questions the oracle is asked.", needed=False),
        replace(ORACLE, help=_ORACLES),
        replace(ANSWERS, help="In place of games: several oracles' answers beside the human ones.", needed=False),
        COCO,
        ORIGINALS,
    ),
    options=OracleAccuracyOptions,
    measures="voirdire.questions.oracle_accuracy:ACCURACY_MEASURES",
    study=Study(
        "voirdire.questions.study:draw_questions",
        (
            replace(GAMES, help="GuessWhat?! games whose questions people answer.", formats=" ".join(GAMES.kinds[:2])),
            COCO,
            ORIGINALS,
        ),
        StudyQuestionsOptions,
        "voirdire.questions.study:gather_answers",
        {"answers": ANSWERED_FILE},
        "voirdire.questions:study_texts",
    ),
)
AGREEMENT = Part(
    "agreement",
    "How often each of several oracles gives the answer that people gave, and the same by turn.",
    "voirdire.questions.oracle_accuracy:score_agreement",
    items=ItemSchema(whole="game_id turn question_id", text="human", yes_no="answerable right:{slice}"),
    inputs=(ANSWERS,),
    options=AgreementOptions,
    views="voirdire.questions.oracle_accuracy:agreement_views",
    measures="voirdire.questions.oracle_accuracy:AGREEMENT_MEASURES",
)


def hints() -> dict[str, Hint]:
    """Lists of objects are looked for where games come without them."""
    return {
        "oracle": Hint(providers={"object_answers": "table", "scenes": "scenes"}),
        "coco": Hint(only_with=("game_logs",)),
        "originals": Hint(only_with=("game_logs",), instead_of="coco"),
        "instances": Hint(instead_of="to_play"),
    }


_TABLES = "voirdire.questions.plots_and_tables"
TABLES = (
    PaperTable(
        "1",
        "task success, effectiveness and the last question",
        "score",
        f"{_TABLES}:score_table",
        f"{_TABLES}:score_claims",
    ),
    PaperTable("2", "types of questions, and the oracle on each", "kinds oracle-accuracy", f"{_TABLES}:kinds_table"),
)


EXAM = Exam(
    name="questions",
    question=QUESTION,
    papers=("effective-questions", "guesswhat"),
    parts=(SCORE, SHOW, PLOT, KINDS, PLAY, TRAIN_ORACLE, ORACLE_ACCURACY, AGREEMENT),
    section="voirdire.questions.section:questions_section",
    help=HELP,
    method="questions of a referential game were judged by which candidates they exclude",
    clusters="games, or images where several games share one",
    hints="voirdire.questions.exam:hints",
    context=("guesswhat",),
    formats=(*_QUESTIONS_ALONE, "coco_categories"),
    tables=TABLES,
)
