"""The exam of questions put to models: they ask, answer and guess, and what they played is a file as any model's.

    questioner   asks, turn by turn; it sees the picture, the questions and the answers
    oracle       says yes, no or n/a about the target
    guesser      names one of the objects, which are listed in an order drawn by the seed and the game

Each may be any model or a witness. What cannot be used does not end a game:

    no question can be read      the turn is spent, and nothing is recorded
    the same question again, or one that yes or no cannot answer    is recorded and answered as any other
    no answer can be read        n/a is recorded
    no guess can be read         the game is incomplete, without a guess

Each is counted in the notes. A game's target, objects and picture stay those of the file; where there are no games,
each image of COCO's instances with 3 to 20 objects is one, its target drawn by the seed. (effective-questions, §4.)
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source, write_lines
from voirdire.formats.guesswhat import ANSWERS, Answer, Game, Qa, write_games
from voirdire.formats.oracle_answers import QuestionAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import FORMAT, TEXT, TwentyQuestionsGame
from voirdire.live.model import AskTask, BoxedObject, GuessTask, PointTask, Skill, VisualInput
from voirdire.live.pictures import marked
from voirdire.options import Options
from voirdire.questions.exam import ASKED, AskGamesOptions
from voirdire.questions.games import GamesFile, ObjectLists, Played, limited, with_lists
from voirdire.questions.live_twenty import QUESTIONS as WORD_QUESTIONS
from voirdire.questions.live_twenty import RECORDED, next_question, play_twenty, unanswered
from voirdire.questions.oracles import Oracle, ask_answers, make_oracle, read_answer

if TYPE_CHECKING:
    from voirdire.live.interview import Interview
    from voirdire.live.model import Asking
    from voirdire.live.scripts import Script

GAMES, TABLE = "games.jsonl", "oracle.jsonl"
SELF, KNOWS = "self", "table"
DATA = "the data's oracle"
WORDS = (FORMAT.name, TEXT.name)
"""Games without a picture."""
QUESTIONS = 8
"""Questions per game unless a caller says otherwise, as in the paper."""
FEWEST, MOST = 3, 20
"""Objects of an image that makes a game, as in GuessWhat?!."""


@dataclass(frozen=True)
class _Seats:
    """Who plays: the spec of each, empty for the model itself; `known`, an oracle of the data that answers."""

    questioner: str
    oracle: str
    guesser: str
    known: Oracle | None = None

    def answers(self, model: str) -> str:
        """What the one who answers is called."""
        return DATA if self.known is not None else self.oracle or model


class _PlayedGame(NamedTuple):
    """A game that was played, and how often no question and no answer could be read."""

    game: Game
    lost: int
    unread: int


def ask_games(
    to_play: GamesFile | None = None,
    instances: ObjectLists | None = None,
    oracle: str | None = None,
    *,
    options: AskGamesOptions,
    interview: "Interview",
) -> None:
    """Let models play the games of a file anew, or games on COCO's images, and write them as a model's games.

    oracle  that of the data; where there is none, the one who answers also fills a table for every object
    """
    whole = _to_play(to_play, instances, options)
    is_words = any(isinstance(game, TwentyQuestionsGame) for game in whole.games)
    seats = _seats(interview, options, None if is_words else oracle, words=is_words)
    played, drawn = limited(whole, options, interview.askable)
    interview.notes += (*drawn.warnings, *played.warnings)
    if is_words:
        words = cast("Rows[TwentyQuestionsGame]", played.games)
        interview.terms |= _terms(seats, options, WORD_QUESTIONS)
        interview.show_nothing()
        asks = RECORDED if options.table == "alone" else seats.questioner
        play_twenty(words, (asks, seats.oracle), options, interview, interview.folder / GAMES)
        return
    games = cast("Rows[Game]", played.games)
    boxes = options.boxes or ("drawn" if interview.pictures else "coordinates")
    interview.terms |= _terms(seats, options, QUESTIONS) | {"boxes": boxes}
    shown = interview.showable({game.image.id for game in games})
    games = replace(games, rows=tuple(game for game in games if game.image.id in shown))
    options = replace(options, boxes=boxes)
    done = games.rows if options.table == "alone" else _played(games, seats, options, interview)
    write_games(done, interview.folder / GAMES)
    if _fills(options, oracle is not None):
        answer_objects(done, seats.oracle, boxes == "drawn", interview, interview.folder / TABLE)


def written(sources: Mapping[str, tuple[str, ...]], options: Options) -> dict[str, str]:
    """The files that are written: games, and a table where it is asked for, or the data has no oracle."""
    assert isinstance(options, AskGamesOptions)
    words = any(detect(open_source(path)).name in WORDS for path in sources.get("to_play", ()))
    fills = not words and _fills(options, "oracle" in sources)
    return {key: file for key, file in ASKED.items() if fills or key == "games"}


def _fills(options: AskGamesOptions, known: bool) -> bool:
    return options.table in ("always", "alone") or (options.table == "missing" and not known)


def _to_play(to_play: GamesFile | None, instances: ObjectLists | None, options: AskGamesOptions) -> Played:
    if to_play is not None and to_play.format == TEXT.name:
        return Played(unanswered(to_play.record), name=to_play.name)
    if to_play is not None:
        return with_lists(to_play, instances)
    if instances is None:
        raise UsageError(
            "`to_play` must be given, the games whose images, objects and targets are played, or `instances`"
        )
    return Played(games_on(instances, options.seed), name=instances.title)


def games_on(lists: ObjectLists, seed: int) -> Rows[Game]:
    """One game per image that has 3 to 20 objects, with the image's id; the target is drawn by the seed."""
    playable = []
    for id_, (image, objects) in sorted(lists.images.items()):
        if FEWEST <= len(objects) <= MOST:
            target = Random(f"{seed}/{id_}/target").choice(objects)
            playable.append(Game(id_, image, objects, target.id, (), None))
    if not playable:
        counts = f"{counted(len(lists.images), 'image')}, none of them with {FEWEST} to {MOST} objects"
        raise InputError(lists.title, [Problem("", "", counts, "images to play on")])
    return Rows(tuple(playable), fingerprint=lists.fingerprint)


def _seats(interview: "Interview", options: AskGamesOptions, oracle: str | None, words: bool = False) -> _Seats:
    """Who plays; refuses whoever cannot do what his seat asks for, and an oracle that knows no new questions."""
    table = oracle is not None and oracle.partition(":")[0] == KNOWS
    if table and options.questioner != RECORDED and options.table != "alone":
        raise UsageError(
            f"`oracle` of the data is {oracle}: a table has answers to questions that were asked before, and these "
            "games ask new ones; leave it out, and the one who answers fills a new table"
        )
    known = None if oracle is None or table or options.oracle else make_oracle(oracle)
    needs: dict[str, Skill] = {"questioner": "ask", "oracle": "point", "guesser": "guess"}
    specs = {name: "" if (spec := getattr(options, name)) == SELF else spec for name in needs}
    for name, skill in needs.items():
        idle = (
            specs[name] == RECORDED or (name == "guesser" and words) or (name != "oracle" and options.table == "alone")
        )
        idle |= name == "oracle" and known is not None and not _fills(options, known=True)
        sits = interview.other(specs[name]) if specs[name] and not idle else interview.model
        if not idle and skill not in sits.skills:
            raise UsageError(f"`{name}` must be somebody else: {sits.name} cannot {skill}")
    return _Seats(**specs, known=known)


def _terms(seats: _Seats, options: AskGamesOptions, questions: int) -> dict[str, str | int]:
    """What games depend on beside the model."""
    oracle = DATA if seats.known is not None else seats.oracle or SELF
    who: dict[str, str | int] = {
        "questioner": seats.questioner or SELF,
        "oracle": oracle,
        "guesser": seats.guesser or SELF,
    }
    return {
        **who,
        "max_questions": options.max_questions or questions,
        **({"may_stop": "yes"} if options.may_stop else {}),
    }


def _played(games: Sequence[Game], seats: _Seats, options: AskGamesOptions, interview: "Interview") -> Sequence[Game]:
    played_games = interview.ask_all([_script(game, seats, options, interview) for game in games], unit="games")
    done = [played.game for played in played_games]
    asked = sum(len(game.qas) for game in done)
    won = sum(game.status == "success" for game in done)
    again = sum(len(game.qas) - len({qa.question.lower() for qa in game.qas}) for game in done)
    model = interview.model.name
    interview.notes.append(
        f"{seats.questioner or model} asked {counted(asked, 'question')} in {counted(len(done), 'game')}, "
        f"{seats.answers(model)} answered, {seats.guesser or model} found {counted(won, 'target')}."
    )
    counts = (
        (sum(played.lost for played in played_games), "turn", "without a question that could be read: spent"),
        (again, "question", "that had been asked before in the same game, word for word"),
        (sum(played.unread for played in played_games), "answer", "that could not be read: n/a is recorded"),
        (sum(game.status == "incomplete" for game in done), "game", "without a guess that could be read: incomplete"),
    )
    interview.notes += [f"{counted(number, noun)} {text}." for number, noun, text in counts if number]
    return done


def _script(game: Game, seats: _Seats, options: AskGamesOptions, interview: "Interview") -> "Script[_PlayedGame]":
    """One game: question and answer by turns, then a guess."""
    things = things_of(game)
    target = game.objects.index(game.target)
    limit = options.max_questions or (len(game.qas) if seats.questioner == RECORDED else QUESTIONS)
    drawn, recorded = options.boxes == "drawn", [qa.question for qa in game.qas]

    async def answered(ask: "Asking", seen: VisualInput, question: str) -> Answer | None:
        if seats.known is not None:
            (given,) = seats.known.answer([game.about_target(question)])
            return ANSWERS[int(given.answers[0, 0])]
        shown = marked(seen, [things[target].box]) if drawn else seen
        return read_answer(await ask(PointTask(shown, question, things[target]), seats.oracle))

    async def guessed(ask: "Asking", seen: VisualInput, rounds: tuple[tuple[str, str], ...]) -> int | None:
        if seats.guesser == RECORDED:
            return game.guess_object_id
        order = Random(f"{options.seed}/{game.id}/list").sample(range(len(things)), len(things))
        shown = marked(seen, [things[place].box for place in order]) if drawn else seen
        reply = await ask(GuessTask(shown, rounds, things, tuple(order), game.id), seats.guesser)
        known = isinstance(reply.value, int) and 0 <= reply.value < len(things)
        return game.objects[int(cast("int", reply.value))].id if known else None

    async def play(ask: "Asking") -> _PlayedGame:
        seen, qas = interview.seen(game.image.id), list[Qa]()
        lost = unread = 0
        for turn in range(limit):
            task = AskTask(seen, _rounds(qas), limit - turn, things, game.id, options.may_stop)
            question = await next_question(ask, task, seats.questioner, recorded[turn : turn + 1], turn, interview.dry)
            if question is None:
                lost += 1
                continue
            if not question:
                break
            answer = await answered(ask, seen, question)
            unread += answer is None
            qas.append(Qa(question, answer or "n/a"))
        guess = await guessed(ask, seen, _rounds(qas))
        return _PlayedGame(_finished(game, qas, guess, keep=seats.guesser == RECORDED), lost, unread)

    return play


def _rounds(qas: Iterable[Qa]) -> tuple[tuple[str, str], ...]:
    return tuple((qa.question, qa.answer) for qa in qas)


def _finished(game: Game, qas: Sequence[Qa], guess: int | None, keep: bool) -> Game:
    """The game with its questions and its outcome; `keep`, with the outcome that it has."""
    if keep:
        return msgspec.structs.replace(game, qas=tuple(qas))
    status = "incomplete" if guess is None else "success" if guess == game.target_id else "failure"
    return msgspec.structs.replace(game, qas=tuple(qas), status=status, guess_object_id=guess)


def things_of(game: Game) -> tuple[BoxedObject, ...]:
    """The objects of a game with their boxes in shares of the picture."""
    width, height = game.image.width, game.image.height
    return tuple(
        BoxedObject(candidate.category, (x / width, y / height, wide / width, high / height), candidate.id)
        for candidate in game.objects
        for x, y, wide, high in (candidate.bbox,)
    )


def answer_objects(games: Sequence[Game], spec: str, drawn: bool, interview: "Interview", path: Path) -> None:
    """Ask about every object of every game and write the table.

    spec   who answers; empty for the model itself
    drawn  whether an object is marked by its box in the picture, not given by coordinates
    """
    places: dict[tuple[int, str, BoxedObject], int] = {}
    tasks: list[PointTask] = []
    seen: dict[int, VisualInput] = {}
    for game in games:
        plain = seen.setdefault(game.image.id, interview.seen(game.image.id))
        things = things_of(game)
        for question in dict.fromkeys(qa.question for qa in game.qas):
            for thing in things:
                if (key := (game.image.id, question, thing)) not in places:
                    places[key] = len(tasks)
                    tasks.append(PointTask(marked(plain, [thing.box]) if drawn else plain, question, thing))
    questions = sum(len(game.qas) for game in games)
    interview.stages.say(
        f"an answer for every object: {counted(questions, 'question')} of {counted(len(games), 'game')}, "
        f"{counted(len(tasks), 'request')} (questions × objects)"
    )
    answered = ask_answers(tasks, spec, interview)
    if interview.dry:
        return
    rows: list[QuestionAnswers] = []
    left = unread = 0
    for game in games:
        table = [[answered[places[game.image.id, qa.question, thing]] for thing in things_of(game)] for qa in game.qas]
        if not all(answer.replied for row in table for answer in row):
            left += 1
            continue
        unread += sum(answer.answer is None for row in table for answer in row)
        for place, row in enumerate(table):
            answers = {thing.id: answer.answer or "n/a" for thing, answer in zip(game.objects, row, strict=True)}
            rows.append(QuestionAnswers(game.id, place, answers))
    write_lines(rows, path)
    interview.notes.append(
        f"{spec or interview.model.name} answered {counted(questions, 'question')} for every object."
    )
    if unread:
        interview.notes.append(f"{counted(unread, 'answer')} about objects that could not be read: n/a is recorded.")
    if left:
        interview.notes.append(f"{counted(left, 'game')} without a reply to some question: not in the oracle's table.")
