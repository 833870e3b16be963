"""The cache of vectors: computed once, safe with several processes, bounded, and never in the way of a result."""

import multiprocessing
import sqlite3
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import platformdirs
import pytest

from voirdire.errors import CacheWarning, UsageError
from voirdire.text.cache import VectorCache, cache_folder, cache_limit
from voirdire.text.encoders import DistinctEncoder


class Counting:
    """A backend whose vectors follow from the text's letters; it notes what it was asked for."""

    name = "counting"
    dimension = 8
    costly = True

    def __init__(self, signature: str = "one") -> None:
        self.signature = signature
        self.asked: list[list[str]] = []

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(list(texts))
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    @staticmethod
    def vector(text: str) -> list[float]:
        return [len(text) + sum(map(ord, text)) / (7 + k) for k in range(8)]


def expected(texts: Sequence[str]) -> np.ndarray:
    return np.array([Counting.vector(text) for text in texts], dtype=np.float32)


def test_a_text_is_encoded_once_and_a_second_run_reads(tmp_path: Path) -> None:
    texts = ["yes", "no", "yes", "maybe", "no"]
    first, second = Counting(), Counting()
    assert (DistinctEncoder(first, VectorCache(tmp_path)).encode(texts) == expected(texts)).all()
    assert first.asked == [["yes", "no", "maybe"]]
    assert (DistinctEncoder(second, VectorCache(tmp_path)).encode(texts) == expected(texts)).all()
    assert second.asked == []
    third = DistinctEncoder(second, VectorCache(tmp_path)).encode(["maybe", "new", "yes"])
    assert (third == expected(["maybe", "new", "yes"])).all()
    assert second.asked == [["new"]]


def test_distinct_texts_are_encoded_once_without_a_cache() -> None:
    backend = Counting()
    DistinctEncoder(backend).encode(["a", "a", "b", "a"])
    assert backend.asked == [["a", "b"]]


def test_no_text_is_an_empty_array_and_a_string_is_refused(tmp_path: Path) -> None:
    made = DistinctEncoder(Counting(), VectorCache(tmp_path))
    assert made.encode([]).shape == (0, 8)
    assert made.encode([]).dtype == np.float32
    with pytest.raises(ValueError, match="`texts` must be a sequence of strings, got one string"):
        made.encode("yes")


def test_encoders_do_not_see_each_other(tmp_path: Path) -> None:
    one, two = Counting("one"), Counting("two")
    cache = VectorCache(tmp_path)
    DistinctEncoder(one, cache).encode(["yes"])
    DistinctEncoder(two, cache).encode(["yes"])
    assert two.asked == [["yes"]]
    assert [(name, count) for name, _, count in cache.contents().entries] == [("counting", 1), ("counting", 1)]


def test_many_texts_arrive_in_pieces_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DistinctEncoder, "PIECE", 100)
    texts = [f"text {n}" for n in range(1205)]
    backend = Counting()
    assert (DistinctEncoder(backend, VectorCache(tmp_path)).encode(texts) == expected(texts)).all()
    assert [len(piece) for piece in backend.asked] == [100] * 12 + [5]
    assert (DistinctEncoder(backend, VectorCache(tmp_path)).encode(texts[::-1]) == expected(texts[::-1])).all()
    assert len(backend.asked) == 13


def work(folder: str, barrier: object, failures: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for start in range(0, 300, 30):
                texts = [f"text {n}" for n in range(start, start + 60)]
                made = DistinctEncoder(Counting(), VectorCache(Path(folder)))
                if not (made.encode(texts) == expected(texts)).all():
                    failures.put("wrong vectors")  # type: ignore[attr-defined]
    except Exception as error:
        failures.put(repr(error))  # type: ignore[attr-defined]


def test_processes_share_it_from_its_first_moment(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "fork")
    barrier, failures = context.Barrier(3), context.Queue()
    processes = [context.Process(target=work, args=(str(tmp_path), barrier, failures)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert failures.empty()
    assert VectorCache(tmp_path).contents().entries[0][2] == 330


def test_the_oldest_go_first_when_it_is_full(tmp_path: Path) -> None:
    clock = [0.0]
    cache = VectorCache(tmp_path, limit=200_000, now=lambda: clock[0])
    store = cache.of("x", "y")
    vectors = np.ones((50, 384), dtype=np.float32)
    old, used, new = ([f"{kind} {n}" for n in range(50)] for kind in ("old", "used", "new"))
    store.write(old, vectors)
    store.write(used, vectors)
    clock[0] = 10_000.0
    assert len(store.read(used)) == 50
    store.write(new, vectors)
    assert len(store.read(new)) == 50
    assert len(store.read(used)) > len(store.read(old))
    assert len(store.read(old)) < 50
    assert cache.contents().size <= 200_000


def test_a_damaged_file_is_said_and_begun_anew(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    texts = [f"text {n}" for n in range(3000)]
    DistinctEncoder(Counting(), cache).encode(texts)
    whole = cache.file.read_bytes()
    middle = whole[: len(whole) // 3] + b"\xff" * 20_000 + whole[len(whole) // 3 + 20_000 :]
    for damage in (b"this is no database at all" * 100, whole[: len(whole) // 2], middle):
        cache.file.write_bytes(damage)
        backend = Counting()
        with pytest.warns(CacheWarning, match="damaged"):
            assert (DistinctEncoder(backend, cache).encode(texts) == expected(texts)).all()
        assert backend.asked
        again = Counting()
        assert (DistinctEncoder(again, cache).encode(texts) == expected(texts)).all()
        assert again.asked == []


def test_an_empty_file_is_begun_anew(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.file.parent.mkdir(parents=True)
    cache.file.write_bytes(b"")
    assert (DistinctEncoder(Counting(), cache).encode(["yes"]) == expected(["yes"])).all()


def test_a_changed_vector_is_noticed(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    DistinctEncoder(Counting(), cache).encode(["yes", "no"])
    with sqlite3.connect(cache.file) as db:
        db.execute("UPDATE vectors SET vector = zeroblob(32) WHERE id = 1")
    db.close()
    backend = Counting()
    with pytest.warns(CacheWarning, match="1 damaged vectors"):
        assert (DistinctEncoder(backend, cache).encode(["yes", "no"]) == expected(["yes", "no"])).all()
    assert backend.asked == [["yes"]]
    assert DistinctEncoder(backend, cache).encode(["yes"]).shape == (1, 8)
    assert backend.asked == [["yes"]]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE vectors SET (vector, checksum) = (SELECT vector, checksum FROM vectors WHERE id = 2) WHERE id = 1",
        "UPDATE vectors SET encoder = 3 - encoder WHERE key IN (SELECT key FROM vectors WHERE id = 1)",
    ],
)
def test_a_sound_vector_in_anothers_place_is_noticed(tmp_path: Path, change: str) -> None:
    cache = VectorCache(tmp_path)
    for signature in ("one", "two"):
        DistinctEncoder(Counting(signature), cache).encode(["yes", "no"])
    with sqlite3.connect(cache.file) as db:
        db.execute("DROP INDEX by_key")
        db.execute(change)
    db.close()
    again = Counting()
    with pytest.warns(CacheWarning, match="1 damaged vectors"):
        assert (DistinctEncoder(again, cache).encode(["yes", "no"]) == expected(["yes", "no"])).all()
    assert again.asked == [["yes"]]


def test_a_folder_that_cannot_be_written_costs_a_warning_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.warns(CacheWarning, match="cannot be used"):
        vectors = DistinctEncoder(Counting(), VectorCache(blocked)).encode(["yes"])
    assert (vectors == expected(["yes"])).all()


def test_clearing_leaves_other_files_alone(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    DistinctEncoder(Counting(), cache).encode(["yes"])
    cache.clear()
    cache.clear()
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    assert cache.contents().entries == ()


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("VOIRDIRE_CACHE")
    assert cache_folder() == platformdirs.user_cache_path("voirdire", appauthor=False)
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_folder() == tmp_path / "voirdire"


@pytest.mark.parametrize(
    ("text", "limit"), [("", 4 * 1024**3), ("1000", 1000), ("500M", 500 * 1024**2), ("2 gb", 2 * 1024**3)]
)
def test_the_limit_follows_the_environment(text: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE_LIMIT", text)
    assert cache_limit() == limit


@pytest.mark.parametrize("text", ["lots", "-1", "1.5G", "4X"])
def test_a_limit_that_is_no_size_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE_LIMIT", text)
    with pytest.raises(UsageError, match="VOIRDIRE_CACHE_LIMIT"):
        cache_limit()
