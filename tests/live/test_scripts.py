"""Scripts that ask: many at once, in order, kept, resumed, and stopped by a ceiling."""

import asyncio
import contextlib
import json
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UsageError
from voirdire.live.client import Refused, Unanswered
from voirdire.live.journal import Journal
from voirdire.live.model import AnswerTask, Asking, LiveModel, Reply, Skill, Task, VisualInput
from voirdire.live.prices import Price, Prices
from voirdire.live.scripts import Ceiling, ScriptResults, run_scripts
from voirdire.live.server_errors import ServerError


class Echo(LiveModel):
    """Says the question back, a little later the longer it is; counts how many ask at once."""

    name = "echo"
    skills: frozenset[Skill] = frozenset({"answer"})
    identity = {"model": "echo"}  # noqa: RUF012

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.now = self.most = 0

    async def reply(self, task: Task, pictures: tuple[bytes, ...] = ()) -> Reply:
        assert isinstance(task, AnswerTask)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001 * (int(task.question) % 5))
        self.now -= 1
        self.heard.append(task.question)
        if task.question == "13":
            raise Unanswered("500", "no reply")
        if task.question == "66":
            raise Refused("said 400")
        return Reply(text=f"heard {task.question}", tokens=(100, 10))


def question(number: int) -> AnswerTask:
    return AnswerTask(VisualInput(number), str(number))


def run(numbers: list[int], journal: Path, model: Echo, **options: object):
    async def one(number: int, ask):
        return (await ask(question(number))).text

    async def go():
        with Journal(journal) as kept:
            scripts = [lambda ask, number=number: one(number, ask) for number in numbers]
            return await run_scripts(scripts, model, kept, **options)

    return asyncio.run(go())


def test_results_are_in_the_order_of_the_scripts(tmp_path):
    model, told = Echo(), []
    made = run(list(range(40)), tmp_path / "j", model, connections=3, progress=lambda *at: told.append(at), total=40)
    assert [one for one in made.results if one] == [f"heard {number}" for number in range(40) if number != 13]
    assert made.results[13] == ""
    assert made.faults == {"500": 1}
    assert 3 <= model.most <= 6
    assert (made.asked, made.kept, made.tokens) == (40, 0, (3900, 390))
    assert told[-1] == (40, 40)


def test_what_is_kept_is_not_asked_again_and_what_failed_on_the_way_is(tmp_path):
    first, second = Echo(), Echo()
    run(list(range(20)), tmp_path / "j", first)
    made = run(list(range(25)), tmp_path / "j", second)
    assert sorted(map(int, second.heard)) == [13, *range(20, 25)]
    assert (made.asked, made.kept) == (6, 19)


def test_the_same_task_at_once_goes_out_once(tmp_path):
    model = Echo()
    made = run([4] * 30, tmp_path / "j", model)
    assert model.heard == ["4"]
    assert made.results == ["heard 4"] * 30


def test_a_refusal_ends_all_with_its_own_words(tmp_path):
    with pytest.raises(Refused, match="said 400"):
        run([1, 2, 66, *range(100, 400)], tmp_path / "j", Echo(), connections=1)


@pytest.mark.parametrize("ceiling", [Ceiling(requests=10), Ceiling(cost=0.00119, prices=Prices(Price(1.0, 2.0)))])
def test_a_ceiling_stops_cleanly_and_the_next_call_goes_on(tmp_path, ceiling):
    made = run(list(range(100, 130)), tmp_path / "j", Echo(), connections=1, ceiling=ceiling)
    assert 10 <= made.asked <= 11
    assert "call again to go on" in made.stopped
    done = [one for one in made.results if one]
    assert len(done) == made.asked
    again = Echo()
    made = run(list(range(100, 130)), tmp_path / "j", again, connections=1)
    assert len(again.heard) == 30 - len(done)
    assert made.results == [f"heard {number}" for number in range(100, 130)]


def test_a_script_goes_on_by_what_it_hears(tmp_path):
    async def dialogue(ask):
        said = [(await ask(question(number))).text for number in (1, 2)]
        last = await ask(AnswerTask(VisualInput(1), "3", rounds=tuple((text, text) for text in said)))
        return [*said, last.text]

    async def go():
        with Journal(tmp_path / "j") as journal:
            return await run_scripts([dialogue], Echo(), journal)

    assert asyncio.run(go()).results == [["heard 1", "heard 2", "heard 3"]]


KILLED = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from test_scripts import Echo, run
    class Slow(Echo):
        async def reply(self, task, pictures=()):
            made = await super().reply(task, pictures)
            print(task.question, flush=True)
            return made
    run(list(range(100, 160)), Path(sys.argv[2]), Slow(), connections=4)
""")


def test_after_a_kill_at_most_the_open_ones_are_asked_again(tmp_path):
    here = str(Path(__file__).parent)
    for after in (1, 7, 20):
        journal = tmp_path / f"j{after}"
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, here, str(journal)], stdout=subprocess.PIPE, text=True
        )
        seen = [process.stdout.readline().strip() for _ in range(after)]
        process.kill()
        seen += process.stdout.read().split()
        process.wait()
        model = Echo()
        made = run(list(range(100, 160)), journal, model, connections=4)
        assert made.results == [f"heard {number}" for number in range(100, 160)]
        assert len(set(seen) & set(model.heard)) <= 8
        assert set(seen) | set(model.heard) == {str(number) for number in range(100, 160)}


def test_a_ceiling_on_cost_holds_where_the_endpoint_tells_no_tokens(tmp_path: Path) -> None:
    class Silent(Echo):
        async def reply(self, task: Task, pictures: tuple[bytes, ...] = ()) -> Reply:
            self.heard.append("one")
            return Reply(text="yes", mark="cut off at the limit of tokens")

        def size(self, task: Task) -> tuple[int, int]:
            return 900_000, 100_000

    model = Silent()
    ceiling = Ceiling(cost=3.0, prices=Prices(Price(1.0, 1.0)))
    held = run(list(range(20)), tmp_path / "j", model, ceiling=ceiling, connections=1)
    assert len(model.heard) < 6
    assert "`max_cost` of 3 is reached by an estimate of the tokens, which the endpoint does not give" in held.stopped
    assert held.tokens == (0, 0)
    assert held.marks["cut off at the limit of tokens"] >= 3


class Batched(LiveModel):
    """Answers four at once; knows each batch that it got, how many it had at once, and had left when it was closed."""

    name = "batched"
    skills: frozenset[Skill] = frozenset({"answer"})
    identity = {"model": "batched"}  # noqa: RUF012
    batch = 4

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.now = self.most = 0
        self.wait = 0.002
        self.left: int | None = None

    @contextlib.asynccontextmanager
    async def opened(self, note):
        try:
            yield
        finally:
            self.left = self.now

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        raise AssertionError("a model that answers in batches is never asked alone")

    async def reply_many(self, tasks: Sequence[tuple[Task, Sequence[bytes]]]) -> Sequence[Reply]:
        assert self.left is None
        self.now += 1
        self.most = max(self.most, self.now)
        self.batches.append([task.question for task, _ in tasks])
        try:
            await asyncio.sleep(self.wait)
            return self.said(tasks)
        finally:
            self.now -= 1

    def said(self, tasks: Sequence[tuple[Task, Sequence[bytes]]]) -> Sequence[Reply]:
        seen = [b"".join(pictures).decode() for _, pictures in tasks]
        return [
            Reply(text=f"heard {task.question}{told}", tokens=(100, 10))
            for (task, _), told in zip(tasks, seen, strict=True)
        ]


class Alone(Batched):
    """The same, one by one."""

    batch = 1

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        return (await self.reply_many([(task, pictures)]))[0]


def lines(journal: Path) -> list[dict]:
    """What a journal has kept, whatever the order."""
    return sorted(map(json.loads, journal.read_text().splitlines()), key=lambda one: one["key"])


def test_batches_are_filled_and_the_rest_is_sent_after_a_moment(tmp_path: Path) -> None:
    model = Batched()
    made = run(list(range(30)), tmp_path / "j", model, connections=1)
    assert sorted(map(len, model.batches)) == [2, *[4] * 7]
    assert made.results == [f"heard {number}" for number in range(30)]
    assert (made.asked, made.kept, made.tokens) == (30, 0, (3000, 300))
    # What it computes with is this process: one batch follows the other.
    assert model.most == 1


def test_a_batch_is_filled_by_what_comes_while_another_is_answered(tmp_path: Path) -> None:
    class Slow(Batched):
        async def reply_many(self, tasks):
            await asyncio.sleep(0.1)
            return await super().reply_many(tasks)

    async def late(number: int, ask):
        await asyncio.sleep(0.03 * (number % 4))  # Longer apart than the moment that an idle model waits.
        return (await ask(question(number))).text

    async def go(model: Batched):
        with Journal(tmp_path / "j") as kept:
            scripts = [partial(late, number) for number in range(8)]
            return await run_scripts(scripts, model, kept, connections=8)

    model = Slow()
    assert asyncio.run(go(model)).results == [f"heard {number}" for number in range(8)]
    assert len(model.batches) <= 3


def test_batches_of_an_endpoint_are_on_the_way_together(tmp_path: Path) -> None:
    class Far(Batched):
        local = False

    model = Far()
    run(list(range(32)), tmp_path / "j", model, connections=8)
    assert sorted(map(len, model.batches)) == [4] * 8
    assert 2 <= model.most <= 4


def test_results_and_the_journal_are_the_same_as_one_by_one(tmp_path: Path) -> None:
    def show(seen: VisualInput) -> bytes | None:
        return str(seen.image).encode() if seen.image % 3 else None

    many = run(list(range(21)), tmp_path / "many", Batched(), pictures=show)
    alone = run(list(range(21)), tmp_path / "alone", Alone(), pictures=show)
    assert many == alone
    assert many.results[:3] == ["heard 0", "heard 11", "heard 22"]
    assert lines(tmp_path / "many") == lines(tmp_path / "alone")
    assert len(lines(tmp_path / "many")) == 21
    again = Batched()
    made = run(list(range(25)), tmp_path / "many", again, pictures=show)
    assert again.batches == [[str(number) for number in range(21, 25)]]
    assert (made.asked, made.kept) == (4, 21)


def test_a_dialogue_fills_no_batch_and_is_not_held_up(tmp_path: Path) -> None:
    async def dialogue(ask):
        return [(await ask(question(number))).text for number in range(3)]

    async def go(model: Batched):
        with Journal(tmp_path / "j") as kept:
            return await run_scripts([dialogue], model, kept)

    model = Batched()
    assert asyncio.run(go(model)).results == [["heard 0", "heard 1", "heard 2"]]
    assert model.batches == [["0"], ["1"], ["2"]]


@pytest.mark.parametrize("local", [True, False])
def test_a_failure_ends_all_before_the_model_is_closed(tmp_path: Path, local: bool) -> None:
    class Failing(Batched):
        async def reply_many(self, tasks):
            if any(task.question == "5" for task, _ in tasks):
                await asyncio.sleep(0.05)
                raise Refused("said 400")
            if not self.local and len(self.batches) > 1:
                self.wait = 30.0
            return await super().reply_many(tasks)

    Failing.local = local
    model = Failing()
    with pytest.raises(Refused, match="said 400"):
        run(list(range(100)), tmp_path / "j", model)
    assert model.left == 0
    kept = {line["request"]["task"]["question"] for line in lines(tmp_path / "j")}
    assert {"0", "1", "2", "3"} <= kept
    assert "5" not in kept


def test_tasks_that_get_no_reply_together_are_one_request_in_vain(tmp_path: Path) -> None:
    class Silent(Batched):
        batch = 20

        def said(self, tasks):
            if len(self.batches) == 1:
                raise Unanswered("500", "no reply")
            return super().said(tasks)

    made = run(list(range(40)), tmp_path / "j", Silent())
    assert made.results == [*[""] * 20, *(f"heard {number}" for number in range(20, 40))]
    assert (made.unanswered, made.faults) == (20, {"500": 20})
    assert len(lines(tmp_path / "j")) == 20

    class Dead(Batched):
        def said(self, tasks):
            raise Unanswered("500", "no reply")

    model = Dead()
    with pytest.raises(UsageError, match="so it was 16 times, and nothing more is asked"):
        run(list(range(400)), tmp_path / "dead", model, connections=1)
    assert 16 <= len(model.batches) <= 18


@pytest.mark.parametrize(("change", "told"), [(-1, "3 replies"), (1, "5 replies"), (-3, "1 reply")])
def test_a_wrong_number_of_replies_is_told(tmp_path: Path, change: int, told: str) -> None:
    class Odd(Batched):
        def said(self, tasks):
            made = list(super().said(tasks))
            return (made + made)[: len(made) + change]

    with pytest.raises(UsageError, match=f"batched gave {told} to a batch of 4 tasks; `reply_many` must give one per"):
        run(list(range(8)), tmp_path / "j", Odd())
    assert lines(tmp_path / "j") == []


@pytest.mark.parametrize("ceiling", [Ceiling(requests=10), Ceiling(cost=0.00119, prices=Prices(Price(1.0, 2.0)))])
def test_a_ceiling_holds_for_batches_too(tmp_path: Path, ceiling: Ceiling) -> None:
    model = Batched()
    made = run(list(range(100, 140)), tmp_path / "j", model, connections=1, ceiling=ceiling)
    asked = sum(map(len, model.batches))
    # A cost is known when replies are there: two batches may have been on the way.
    assert asked == made.asked == 10 if ceiling.requests else 10 <= asked <= 18
    assert "call again to go on" in made.stopped
    assert len([one for one in made.results if one]) == made.asked == len(lines(tmp_path / "j"))
    again = Batched()
    run(list(range(100, 140)), tmp_path / "j", again, connections=1)
    assert sum(map(len, again.batches)) == 40 - made.asked


class Refusing(Echo):
    """Refuses the questions of some numbers as a server does that filters contents."""

    def __init__(self, refused: Sequence[int], words: str = "content management policy") -> None:
        super().__init__()
        self.refused, self.words = set(refused), words

    async def reply(self, task: Task, pictures: tuple[bytes, ...] = ()) -> Reply:
        assert isinstance(task, AnswerTask)
        if int(task.question) in self.refused:
            self.heard.append(task.question)
            raise Refused("said 400", ServerError(400, self.words, self.words))
        return await super().reply(task, pictures)


def put(model: LiveModel, folder: Path, most: int = 60, **more: Any) -> ScriptResults[str]:
    """The texts of the replies to so many questions, and the journal of them."""

    async def script(number: int, ask: Asking) -> str:
        return (await ask(question(number))).text

    with Journal(folder / "m.journal") as journal:
        numbers = (number for number in range(100, 100 + most))
        return asyncio.run(run_scripts([partial(script, number) for number in numbers], model, journal, **more))


def test_a_refused_item_is_a_missing_answer_and_is_kept_at_the_end(tmp_path: Path) -> None:
    model = Refusing([103, 107])
    results = put(model, tmp_path, max_refused=0.05)
    assert results.faults == {"content filter": 2}
    assert [text for text in results.results if not text] == ["", ""]
    heard = len(model.heard)
    again = put(model, tmp_path, max_refused=0.05)
    assert (again.results, again.faults, again.kept) == (results.results, results.faults, 60)
    assert len(model.heard) == heard


def test_too_many_refusals_stop_it_and_are_asked_again(tmp_path: Path) -> None:
    model = Refusing(range(100, 160, 2))
    with pytest.raises(UsageError, match=r"refused 20 of \d+ requests \(content filter 20\), more than the 5% of"):
        put(model, tmp_path, max_refused=0.05)
    model.refused = set()
    results = put(model, tmp_path, max_refused=0.05)
    assert results.faults == {}
    assert all(results.results)
    assert results.kept + results.asked == 60


def test_fewer_than_twenty_refusals_stop_nothing(tmp_path: Path) -> None:
    assert put(Refusing(range(100, 119)), tmp_path, most=19, max_refused=0.0).faults == {"content filter": 19}


@pytest.mark.parametrize("refused", [[100], [130], [100, 101, 102], [159]])
def test_what_nobody_knows_is_an_item_s_matter_where_others_are_answered(tmp_path: Path, refused: list[int]) -> None:
    results = put(Refusing(refused, "E4711"), tmp_path, connections=1, max_refused=1.0)
    assert results.faults == {"request refused": len(refused)}


@pytest.mark.parametrize("most", [1, 3, 60])
def test_what_nobody_knows_ends_all_where_nothing_is_answered(tmp_path: Path, most: int) -> None:
    model = Refusing(range(100, 160), "E4711")
    with pytest.raises(Refused, match="said 400"):
        put(model, tmp_path, most=most, connections=1, max_refused=1.0)
    assert len(model.heard) <= 5
    # Nothing of it is kept.
    model.refused = set()
    assert put(model, tmp_path, most=most).asked == most


def test_what_nobody_knows_is_an_item_s_matter_where_others_were_answered_before(tmp_path: Path) -> None:
    put(Echo(), tmp_path, most=59)
    results = put(Refusing([159], "E4711"), tmp_path, connections=1, max_refused=1.0)
    assert (results.asked, results.kept, results.faults) == (1, 59, {"request refused": 1})


def test_replies_that_are_held_back_are_kept_when_the_caller_says_so(tmp_path: Path) -> None:
    model = Echo()
    put(model, tmp_path, most=5, keep=False)
    results = put(model, tmp_path, most=5, keep=False)
    assert len(model.heard) == 10
    assert results.asked == 5
