"""The store: places of tasks are never lost or doubled, what is late goes to somebody else, and what is said stays."""

import sqlite3
import threading
from collections import Counter
from pathlib import Path

import pytest
from benches import plain_tasks, write_study

from voirdire.errors import InputError, UsageError
from voirdire.study.database import Gone, JudgedStore, Message, Person, Unknown
from voirdire.study.folder import OpenedStudy

BOTH = ("yes", "no")


def people(store: JudgedStore, count: int) -> list[Person]:
    return [store.judge_of(one.token) for one in store.invite(count)]


def judge(store: JudgedStore, person: Person, most: int = 1000) -> list[int]:
    """Judge until nothing is left; the tasks in their order."""
    seen: list[int] = []
    while len(seen) < most and (place := store.next(person)) is not None:
        assert store.record(person, Message(place.number, 1, BOTH, done=True))
        seen.append(place.task)
    return seen


@pytest.fixture
def study(tmp_path: Path) -> OpenedStudy:
    return write_study(tmp_path / "study", plain_tasks(6), judges=2)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_each_task_goes_to_as_many_people_as_were_asked_for(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    seen = [judge(store, person) for person in people(store, 4)]
    assert [len(request) for request in seen] == [6, 6, 0, 0]
    assert all(len(set(request)) == len(request) for request in seen)
    assert seen[0] != seen[1], "each person has an order of their own"
    assert store.taken() == [2] * 6


def test_the_order_is_that_of_the_seed(tmp_path: Path) -> None:
    orders = []
    for number, seed in enumerate((0, 0, 1)):
        store = JudgedStore(write_study(tmp_path / str(number), plain_tasks(30), seed=seed))
        orders.append(judge(store, people(store, 1)[0]))
    assert orders[0] == orders[1] != orders[2]


def test_people_at_once_never_share_a_place_nor_lose_one(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    tokens = [one.token for one in store.invite(12)]
    seen: list[list[int]] = [[] for _ in tokens]
    gate = threading.Barrier(len(tokens))

    def work(place: int) -> None:
        own = JudgedStore(study)
        person = own.judge_of(tokens[place])
        gate.wait()
        seen[place] = judge(own, person)
        own.close()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(tokens))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(task for request in seen for task in request) == dict.fromkeys(range(6), 2)
    assert store.taken() == [2] * 6
    assert len({(one.task, one.judge) for one in store.read().kept}) == len(store.read().kept) == 12


def test_what_is_not_finished_in_time_goes_to_somebody_else(tmp_path: Path) -> None:
    clock = Clock()
    store = JudgedStore(write_study(tmp_path / "s", plain_tasks(1), judges=1, minutes=10), clock)
    first, second = people(store, 2)
    place = store.next(first)
    assert place is not None
    assert store.next(second) is None
    clock.now += 599
    assert store.next(second) is None
    clock.now += 2
    given = store.next(second)
    assert given is not None
    with pytest.raises(Gone):
        store.record(first, Message(place.number, 1, BOTH, done=True))
    assert store.next(first) is None
    assert store.record(second, Message(given.number, 1, BOTH, done=True))
    assert store.taken() == [1]


def test_who_comes_back_late_goes_on_where_nobody_took_it(tmp_path: Path) -> None:
    clock = Clock()
    store = JudgedStore(write_study(tmp_path / "s", plain_tasks(3), judges=1, minutes=1), clock)
    (person,) = people(store, 1)
    place = store.next(person)
    assert place is not None
    store.record(person, Message(place.number, 1, ("yes", None)))
    clock.now += 1000
    again = store.next(person)
    assert again is not None
    assert (again.number, again.task, again.answers) == (place.number, place.task, ("yes", None))
    clock.now += 1000
    assert store.record(person, Message(place.number, 2, BOTH, done=True)), "late, and still free"


def test_a_message_that_is_sent_again_or_too_late_changes_nothing(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    (person,) = people(store, 1)
    place = store.next(person)
    assert place is not None
    assert store.record(person, Message(place.number, 5, ("yes", None)))
    assert store.record(person, Message(place.number, 7, ("no", "no"), done=True))
    for stamp in (7, 6, 5):
        assert not store.record(person, Message(place.number, stamp, ("yes", "yes"), done=True))
    assert [one.answers for one in store.read().kept] == [("no", "no")]
    assert store.record(person, Message(place.number, 8, ("yes", "yes"), done=True)), "who goes back may change it"
    assert [one.answers for one in store.read().kept] == [("yes", "yes")]
    assert not store.record(person, Message(place.number, 9, ("no", None))), "and not undo it"
    assert store.taken()[place.task] == 1


def test_a_skipped_task_goes_to_others_and_not_to_whoever_skipped_it(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    one, two, three = people(store, 3)
    place = store.next(one)
    assert place is not None
    store.record(one, Message(place.number, 1, (), reason="too dark", comment="really"))
    assert place.task not in judge(store, one)
    assert place.task in judge(store, two)
    assert judge(store, three) == [place.task]
    assert store.read().skipped == ((place.task, "judge-1", "too dark", "really"),)
    with pytest.raises(Gone):
        store.record(one, Message(place.number, 2, BOTH, done=True))


@pytest.mark.parametrize("answers", [(), ("yes",), ("yes", "maybe"), ("yes", "no", "no"), ("n/a", "yes")])
def test_answers_that_are_none(study: OpenedStudy, answers: tuple[str, ...]) -> None:
    store = JudgedStore(study)
    (person,) = people(store, 1)
    place = store.next(person)
    assert place is not None
    with pytest.raises(ValueError, match="do not fit this task"):
        store.record(person, Message(place.number, 1, answers, done=True))
    with pytest.raises(ValueError, match="do not fit this task"):
        store.record(person, Message(place.number, 1, ("yes", None), done=True))
    assert not store.read().kept


def test_a_person_has_a_share_where_the_study_says_so(tmp_path: Path) -> None:
    store = JudgedStore(write_study(tmp_path / "s", plain_tasks(10), judges=2, per_judge=4))
    first, *_ = people(store, 5)
    assert store.progress(first).total == 4
    assert len(judge(store, first)) == 4
    assert store.progress(first).done == 4
    code = store.code(first)
    assert len(code) == 10
    assert store.code(first) == code


def test_tokens_are_kept_hashed_can_be_revoked_and_are_nobody_elses(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    one, two = store.invite(2)
    place = store.next(store.judge_of(one.token))
    assert place is not None
    store.base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    held = study.database.read_bytes()
    assert one.token.encode() not in held
    assert len(one.token) >= 43
    store.revoke("judge-1")
    with pytest.raises(Unknown):
        store.judge_of(one.token)
    for wrong in (one.token[:-1], two.token.lower(), "", "x" * 43):
        with pytest.raises(Unknown):
            store.judge_of(wrong)
    assert store.judge_of(two.token).name == "judge-2"
    freed = store.base.execute("SELECT sum(taken) FROM tasks").fetchone()[0]
    assert freed == 0, "what they had open is free again"
    with pytest.raises(UsageError, match="nobody is called 'x'; there are judge-1, judge-2"):
        store.revoke("x")
    with pytest.raises(UsageError, match="'judge-2' is invited already"):
        store.invite(names=["judge-2"])


def test_all_that_one_person_said_can_be_deleted(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    one, two = people(store, 2)
    for person in (one, two):
        place = store.next(person)
        assert place is not None
        store.record(person, Message(place.number, 1, BOTH, done=True, comment=f"a remark of {person.name}"))
        judge(store, person)
    assert store.forget("judge-1") == 6
    assert {kept.judge for kept in store.read().kept} == {"judge-2"}
    assert store.taken() == [1] * 6
    held = b"".join(path.read_bytes() for path in study.folder.glob("judged.sqlite3*"))
    assert b"a remark of judge-1" not in held
    assert b"a remark of judge-2" in held
    (third,) = people(store, 1)
    assert third.name == "judge-3", "a name is not given twice"
    assert len(judge(store, third)) == 6


def test_it_is_in_wal_mode_and_brings_each_commit_to_disk(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    assert store.base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.base.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_file_of_another_study_or_of_nothing_is_refused(study: OpenedStudy, tmp_path: Path) -> None:
    JudgedStore(study).close()
    other = write_study(tmp_path / "other", plain_tasks(4))
    other.database.write_bytes(study.database.read_bytes())
    with pytest.raises(InputError, match="judgements of another study"):
        JudgedStore(other)
    other.database.write_bytes(b"no database at all, and rather long" * 100)
    with pytest.raises(InputError, match="file is not a database"):
        JudgedStore(other)


def _fail(store: JudgedStore) -> None:
    with store.writing():
        store.invite(1)
        raise sqlite3.OperationalError("disk I/O error")


def test_a_part_of_a_transaction_can_fail_alone(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    with store.writing():
        store.invite(1)
        with pytest.raises(InputError, match="disk I/O error"):
            _fail(store)
        store.invite(1)
    assert len(store.read().people) == 2
