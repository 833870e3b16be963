"""The kinds of steps: what each reads, and how it makes its run or its file.

Exams are imported where they are used, so that a worker loads only what its own steps need.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.session.steps import Make, Sources

if TYPE_CHECKING:
    from voirdire.runs import Run

__all__ = ["MAKERS"]

Options = Mapping[str, Any]


def _one(sources: Sources, role: str) -> str | None:
    """The only file in a role, None where there is none."""
    files = sources.get(role, ())
    return files[0] if files else None


def _needed(sources: Sources, role: str) -> str:
    return sources[role][0]


def _keep(run: "Run", place: Path) -> None:
    from voirdire.runs import write_run

    write_run(run, place, overwrite=True)


def _based(options: Options) -> tuple[dict[str, Any], int | None]:
    """An exam's own options, and from where rounds are counted in files that leave it open."""
    own = dict(options)
    return own, own.pop("round_base")


def _answers_score(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.answers.files import score_files
    from voirdire.answers.similarity import ScoreOptions

    own, base = _based(options)
    files = _needed(sources, "generations"), _needed(sources, "references")
    scored = ScoreOptions(**own, idf=_needed(sources, "idf"))
    _keep(score_files(*files, scored, sources["encoders"], base), place)


def _answers_bounds(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.answers.bounds import BoundOptions
    from voirdire.answers.files import bounds_files

    own, base = _based(options)
    scored = BoundOptions(**own, idf=_needed(sources, "idf"))
    _keep(bounds_files(_needed(sources, "references"), scored, sources["encoders"], base), place)


def _answers_overlap(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.answers.files import people_files
    from voirdire.answers.overlap import OverlapOptions

    own, base = _based(options)
    files = _needed(sources, "references"), _needed(sources, "dialogues"), _needed(sources, "dense")
    _keep(people_files(*files, OverlapOptions(**own), base), place)


def _answers_rank(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.answers.files import rank_files
    from voirdire.answers.ranking import RankOptions

    own, base = _based(options)
    files = _needed(sources, "dialogues"), _one(sources, "ranks"), _one(sources, "scores"), _one(sources, "dense")
    _keep(rank_files(*files, RankOptions(**own), base), place)


def _robustness_score(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.robustness.files import score_files
    from voirdire.robustness.scoring import RobustnessOptions

    files = _needed(sources, "annotations"), _needed(sources, "clean"), sources["noisy"], _one(sources, "control")
    _keep(score_files(*files, RobustnessOptions(**options)), place)


def _questions_score(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.questions.files import score_files
    from voirdire.questions.reading import lacks_lists
    from voirdire.questions.scoring import QuestionsOptions

    games = _needed(sources, "games")
    # A config has one file to join with for all models, and some of them may bring their lists.
    lists = (_one(sources, "coco"), _one(sources, "originals")) if lacks_lists(games) else (None, None)
    _keep(score_files(games, _one(sources, "oracle"), *lists, QuestionsOptions(**options)), place)


def _questions_kinds(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.questions.files import kinds_files
    from voirdire.questions.kind_shares import KindOptions

    _keep(kinds_files(_needed(sources, "games"), options=KindOptions(**options)), place)


def _propositions(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.scorekeeping.files import propose_file
    from voirdire.scorekeeping.propositions.making import PropositionOptions

    providers = _needed(sources, "tagger"), _needed(sources, "resolver")
    propose_file(_needed(sources, "dialogues"), str(place), *providers, PropositionOptions(**options))


def _scorekeeping_probe(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.scorekeeping.files import probe_files
    from voirdire.scorekeeping.probe.options import ProbeTraining
    from voirdire.scorekeeping.probing import ProbeOptions

    training = Path(f"{place}.training")
    run = probe_files(
        (_needed(sources, "propositions"), _needed(sources, "states")),
        _needed(sources, "encoder"),
        ProbeOptions(**{**options, "training": ProbeTraining(**options["training"])}),
        valid=(_one(sources, "valid_propositions"), _one(sources, "valid_states")),
        test=(_one(sources, "test_propositions"), _one(sources, "test_states")),
        checkpoints=training,
    )
    _keep(run, place)
    shutil.rmtree(training, ignore_errors=True)


def _rank_questions(sources: Sources, options: Options, place: Path) -> None:
    """The nearest questions of a pool; killed, it goes on where it was."""
    from voirdire.formats.vqa_questions import read_vqa_questions
    from voirdire.robustness.pool import make_pool
    from voirdire.robustness.ranking import LASSO, RankOptions, rank_questions
    from voirdire.text.encoders import encoder

    pool = make_pool([read_vqa_questions(path) for path in sources["pool"]])
    main = read_vqa_questions(_needed(sources, "main"))
    vectors = encoder(_needed(sources, "encoder")) if options["ranker"] == LASSO else None
    rank_questions(main, pool, place, RankOptions(**options), vectors, overwrite=place.exists())


def _noisy_questions(sources: Sources, options: Options, place: Path) -> None:
    """A folder with the clean questions, all partitions and the control."""
    from voirdire.formats.vqa_questions import write_vqa_questions
    from voirdire.robustness.perturb import PerturbOptions, file_name, perturb, reached
    from voirdire.robustness.ranking_file import read_pool, read_ranking
    from voirdire.runs.folder import atomic_folder

    ranking = _needed(sources, "ranking")
    whole, pool = read_ranking(ranking), read_pool(ranking)
    with atomic_folder(place, replace=True) as folder:
        for name in reached(whole):
            made = perturb(whole, name, PerturbOptions(**options), pool)
            write_vqa_questions(made.questions, folder / file_name(made.partition))


def _witness_answers(sources: Sources, options: Options, place: Path) -> None:
    """What a witness says to dialogues or to questions; with a folder of questions, a folder of answers."""
    from voirdire.runs.folder import atomic_folder
    from voirdire.world.witnesses.paths import answer_file

    questions, scenes = Path(_needed(sources, "questions")), _needed(sources, "scenes")
    given = options["witness"], scenes, options["seed"]

    def answer(asked: Path, out: Path) -> None:
        witness, known, seed = given
        answer_file(witness, str(asked), str(out), known, seed, ranks=options.get("ranks", False))

    if questions.is_file():
        answer(questions, place)
        return
    with atomic_folder(place, replace=True) as folder:
        for asked in sorted(questions.glob("*.json")):
            answer(asked, folder / asked.name)


def _witness_games(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.world.witnesses.paths import play_file

    play_file(options["witness"], _needed(sources, "games"), str(place), _needed(sources, "scenes"), options["seed"])


def _witness_states(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.world.witnesses.state_files import states_file

    files = _needed(sources, "dialogues"), str(place), _needed(sources, "scenes")
    states_file(options["witness"], *files, options["seed"])


def _survey(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.world.witnesses.state_files import survey_file

    survey_file(_needed(sources, "dialogues"), str(place), _needed(sources, "scenes"), options["seed"])


def _report(sources: Sources, options: Options, place: Path) -> None:
    from voirdire.report.context import read_context
    from voirdire.report.make import make_report, models_of, write_report
    from voirdire.runs import read_run

    runs = (read_run(folder) for folder in sources["runs"])
    models = models_of(zip(options["labels"], runs, strict=True))
    write_report(make_report(models, read_context(sources["context"]), options["images"]), place)


MAKERS: dict[str, Make] = {
    "answers score": _answers_score,
    "answers bounds": _answers_bounds,
    "answers overlap": _answers_overlap,
    "answers rank": _answers_rank,
    "robustness score": _robustness_score,
    "questions score": _questions_score,
    "questions kinds": _questions_kinds,
    "scorekeeping propositions": _propositions,
    "scorekeeping probe": _scorekeeping_probe,
    "robustness rank": _rank_questions,
    "robustness perturb": _noisy_questions,
    "world answer": _witness_answers,
    "world play": _witness_games,
    "world states": _witness_states,
    "world survey": _survey,
    "report": _report,
}
"""By the words of the verb that does the same."""
