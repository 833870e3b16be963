"""From a file to a file: a witness answers, or plays, what one file holds and its outputs go to another."""

from pathlib import Path
from typing import Any

from voirdire.atomic import check_output
from voirdire.errors import UsageError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.formats.generations import write_generations
from voirdire.formats.guesswhat import Game, read_games, write_games
from voirdire.formats.option_numbers import write_ranks
from voirdire.formats.scenes import Scene, read_scenes
from voirdire.formats.vqa_results import write_vqa_results
from voirdire.reports import Report, silent
from voirdire.world.claim import check_whole
from voirdire.world.witnesses.files import Testimony, answer_vqa, generate_visdial, rank_visdial
from voirdire.world.witnesses.guesser import make_guesser
from voirdire.world.witnesses.play import LIMIT, Answerer, play
from voirdire.world.witnesses.protocol import make_witness
from voirdire.world.witnesses.questioner import make_questioner

__all__ = ["answer_file", "check_places", "find_scenes", "play_file", "scenes_by_id"]

SCENES = "scenes.jsonl"


def find_scenes(path: str) -> str:
    """The scenes.jsonl beside a file, or in the nearest folder above it that has one."""
    folder = Path.cwd() if path == "-" else Path(path).absolute().parent
    for place in (folder, *folder.parents):
        if (place / SCENES).is_file():
            return str(place / SCENES)
    raise UsageError(f"there is no {SCENES} beside {path} or in a folder above it; name it with --scenes")


def answer_file(
    witness: str,
    questions: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    count: int | None = None,
    ranks: bool = False,
) -> Testimony[Any]:
    """Let a witness answer VQA questions (to results) or VisDial dialogues (to generations, or to ranks).

    count  generations a round, for dialogues; 1 unless given
    """
    speaker = make_witness(witness, seed)
    check_places(out, questions)
    if ranks and count is not None:
        raise UsageError("--ranks orders the options that a file gives, so that --k has no meaning with it")
    source = open_source(questions)
    format_ = detect(source)
    if format_.name not in ("vqa_questions", "visdial"):
        raise UsageError(f"{questions} holds {format_.title}; a witness answers VQA questions or VisDial dialogues")
    if format_.name == "vqa_questions" and (ranks or count is not None):
        raise UsageError(
            f"{questions} holds VQA questions, which have one answer each; --ranks and --k are for dialogues"
        )
    known = scenes_by_id(scenes or find_scenes(questions))
    record = format_.parse(source)
    if format_.name == "vqa_questions":
        answered = answer_vqa(speaker, record, known, questions)
        write_vqa_results(answered.outputs, out)
        return answered
    if ranks:
        ranked = rank_visdial(speaker, record, known, questions)
        write_ranks(ranked.outputs, out)
        return ranked
    generated = generate_visdial(speaker, record, known, 1 if count is None else count, questions)
    write_generations(generated.outputs, out)
    return generated


def play_file(
    questioner: str,
    games: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    limit: int = LIMIT,
    *,
    oracle: Answerer | None = None,
    guesser: str = "consistent",
    report: Report = silent,
) -> list[Game]:
    """Let witnesses play a file's games anew, with an oracle (the truth unless given); the games, also written."""
    asks, guesses = make_questioner(questioner, seed), make_guesser(guesser, seed)
    check_places(out, games)
    known = scenes_by_id(scenes or find_scenes(games))
    played = play(asks, read_games(games), known, seed, limit, games, oracle=oracle, guesser=guesses, report=report)
    write_games(played, out)
    return played


def check_places(out: str, given: str) -> None:
    """Refuse what cannot be written, or must not be, before any work is done."""
    if out == "-":
        return
    check_output(Path(out))
    if given != "-" and Path(out).resolve() == Path(given).resolve():
        raise UsageError(f"{out} is the file that is read; name another one to write to")


def scenes_by_id(path: str) -> dict[int, Scene]:
    """The scenes of a world that is whole."""
    check_whole(Path(path).parent)
    return {scene.id: scene for scene in read_scenes(path)}
