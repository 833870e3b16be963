"""Scripts that ask: many at once, in order, kept, resumed, and stopped by a ceiling."""

import asyncio
import contextlib
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from voirdire.live.client import Refused, Unanswered
from voirdire.live.journal import Journal
from voirdire.live.model import AnswerTask, Reply, Skill, Task, VisualInput
from voirdire.live.prices import Price, Prices
from voirdire.live.scripts import Ceiling, run_scripts


class Echo:
    """Says the question back, a little later the longer it is; counts how many ask at once."""

    name = "echo"
    skills: frozenset[Skill] = frozenset({"answer"})
    identity = {"model": "echo"}  # noqa: RUF012

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.now = self.most = 0

    def opened(self, note):
        return contextlib.nullcontext()

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
