"""Vectors that were computed once, kept on disk.

One SQLite file (write-ahead log, safe with several processes) holds every vector under a hash of its text and the
signature of its encoder, with a hash of all three. Where the file grows past its limit, the vectors that were used
longest ago go first. Damage gives a warning and is repaired: the cache can cost time, never a result.

    VOIRDIRE_CACHE        its folder; else the user's cache folder of the platform
    VOIRDIRE_CACHE_LIMIT  the most bytes that it may hold, as 500M or 4G; else 4G
"""

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import numpy as np

from voirdire.errors import CacheWarning, UsageError

T = TypeVar("T")

LIMIT = 4 * 1024**3
# Eviction goes down to this share of the limit, so that it is seldom needed.
KEPT = 0.9
# A vector's time of use is written at most once in this many seconds, so that reading stays reading.
CLOCK = 3600
# Keys per query (SQLite's own bound is far higher in every release that we may meet).
ASKED = 500
BUSY_SECONDS = 60.0

SCHEMA = """
PRAGMA page_size = 8192;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS encoders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, signature TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, key BLOB NOT NULL,
  used INTEGER NOT NULL, checksum BLOB NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS by_key ON vectors (encoder, key);
CREATE INDEX IF NOT EXISTS by_use ON vectors (used);
"""


@dataclass(frozen=True, slots=True)
class Contents:
    """A cache: its folder, bytes on disk, limit, and the number of vectors by encoder (name, signature)."""

    folder: Path
    size: int
    limit: int
    entries: tuple[tuple[str, str, int], ...]


def cache_folder() -> Path:
    """The folder of the cache, by the rule of the platform unless VOIRDIRE_CACHE names one."""
    if chosen := os.environ.get("VOIRDIRE_CACHE"):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("voirdire", appauthor=False)


def cache_limit() -> int:
    """The most bytes that the vectors may take, from VOIRDIRE_CACHE_LIMIT."""
    text = os.environ.get("VOIRDIRE_CACHE_LIMIT", "")
    if not text:
        return LIMIT
    match = re.fullmatch(r"\s*(\d+)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise UsageError(f"VOIRDIRE_CACHE_LIMIT is {text!r}, expected a number of bytes as 500M or 4G")
    unit: int = 1024 ** " KMGT".index(match[2].upper() or " ")
    return int(match[1]) * unit


def default_cache() -> "VectorCache":
    """The cache that the environment names."""
    return VectorCache(cache_folder(), cache_limit())


class VectorCache:
    """The vectors of all encoders, in one folder; nothing is written before the first vector."""

    def __init__(self, folder: Path, limit: int = LIMIT, now: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self.limit = limit
        self.now = now

    @property
    def file(self) -> Path:
        # A folder of its own holds the file and its log, so that they are moved away together.
        return self.folder / "vectors" / "vectors-2.sqlite"

    def of(self, name: str, signature: str) -> "EncoderVectors":
        """The vectors of one encoder. Vectors that another release of torch made are not its vectors."""
        try:
            made_by = version("torch")
        except PackageNotFoundError:
            made_by = "none"
        return EncoderVectors(self, name, f"{signature} torch={made_by}")

    def contents(self) -> Contents:
        """What is there now."""
        query = """SELECT name, signature, count(vectors.id) FROM encoders
                   LEFT JOIN vectors ON vectors.encoder = encoders.id GROUP BY encoders.id ORDER BY 1, 2"""
        entries: list[tuple[str, str, int]] = []
        if self.file.exists():
            entries = self.run(lambda db: db.execute(query).fetchall()) or []
        size = sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())
        return Contents(self.folder, size, self.limit, tuple(entries))

    def clear(self) -> None:
        """Remove all that the cache holds, and nothing else that the folder may hold."""
        for name in ("vectors", "static", "meteor"):
            self._discard(self.folder / name)

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` returns, in one transaction; None, with a warning, where the cache cannot be used."""
        for attempt in range(2):
            identity = self._identity()
            try:
                with self._open() as db, db:
                    return work(db)
            except sqlite3.OperationalError as error:
                if "malformed" not in str(error) and "no such" not in str(error):
                    _warn(f"the cache in {self.folder} cannot be used now ({error}); going on without it")
                    return None
                self._rebuild(error, identity)
            except sqlite3.DatabaseError as error:
                self._rebuild(error, identity)
            except OSError as error:
                _warn(f"the cache in {self.folder} cannot be used ({error}); going on without it")
                return None
            if attempt:
                break
        return None

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(self.file, timeout=BUSY_SECONDS)) as db:
            db.executescript(SCHEMA)
            db.execute("PRAGMA synchronous = NORMAL")
            yield db

    def _identity(self) -> int | None:
        try:
            return self.file.stat().st_ino
        except OSError:
            return None

    def _rebuild(self, error: Exception, identity: int | None) -> None:
        """Put a damaged file away, unless another process has done so since it had this `identity`."""
        if identity is None or self._identity() == identity:
            _warn(f"the cache in {self.folder} is damaged ({error}); it is begun anew")
            self._discard(self.file.parent)

    def _discard(self, folder: Path) -> None:
        # Renaming is atomic: a process that has the files open goes on with them, one that comes now begins anew.
        away = self.folder / f".{secrets.token_hex(6)}.gone"
        try:
            folder.rename(away)
        except FileNotFoundError:
            return
        except OSError as error:
            _warn(f"{folder} cannot be removed ({error})")
            return
        shutil.rmtree(away, ignore_errors=True)


class EncoderVectors:
    """The vectors of one encoder."""

    def __init__(self, cache: VectorCache, name: str, signature: str) -> None:
        self.cache = cache
        self.name = name
        self.signature = signature
        self._seal = hashlib.blake2b(signature.encode(), digest_size=8)

    def read(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors that are there, by text."""
        if not self.cache.file.exists():
            return {}
        return self.cache.run(lambda db: self._read(db, texts)) or {}

    def write(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Keep one vector per text, and make room where the limit is passed."""
        now = int(self.cache.now())
        rows = [
            (key := _key(text), now, self._checksum(key, vector := row.tobytes()), vector)
            for text, row in zip(texts, np.ascontiguousarray(vectors, dtype="<f4"), strict=True)
        ]
        self.cache.run(lambda db: self._write(db, rows))
        self.cache.run(lambda db: _make_room(db, self.cache.limit))

    def _read(self, db: sqlite3.Connection, texts: Sequence[str]) -> dict[str, np.ndarray]:
        vectors: dict[str, np.ndarray] = {}
        encoder = db.execute("SELECT id FROM encoders WHERE signature = ?", (self.signature,)).fetchone()
        if encoder is None:
            return vectors
        by_key = {_key(text): text for text in texts}
        keys = list(by_key)
        stale: list[tuple[int, int]] = []
        damaged: list[tuple[int]] = []
        now = int(self.cache.now())
        for start in range(0, len(keys), ASKED):
            asked = keys[start : start + ASKED]
            query = f"""SELECT id, key, used, checksum, vector FROM vectors
                        WHERE encoder = ? AND key IN ({",".join("?" * len(asked))})"""
            for row, key, used, checksum, vector in db.execute(query, (*encoder, *asked)):
                if self._checksum(key, vector) != checksum:
                    damaged.append((row,))
                    continue
                vectors[by_key[key]] = np.frombuffer(vector, dtype="<f4").astype(np.float32)
                if used < now - CLOCK:
                    stale.append((now, row))
        if stale:
            db.executemany("UPDATE vectors SET used = ? WHERE id = ?", stale)
        if damaged:
            _warn(f"the cache in {self.cache.folder} held {len(damaged):,} damaged vectors; they are made again")
            db.executemany("DELETE FROM vectors WHERE id = ?", damaged)
        return vectors

    def _checksum(self, key: bytes, vector: bytes) -> bytes:
        """Of the encoder, the text and the vector, so that a vector in another's place is noticed, too."""
        seal = self._seal.copy()
        seal.update(key)
        seal.update(vector)
        return seal.digest()

    def _write(self, db: sqlite3.Connection, rows: list[tuple[bytes, int, bytes, bytes]]) -> None:
        db.execute("INSERT OR IGNORE INTO encoders (name, signature) VALUES (?, ?)", (self.name, self.signature))
        (encoder,) = db.execute("SELECT id FROM encoders WHERE signature = ?", (self.signature,)).fetchone()
        columns = "(encoder, key, used, checksum, vector)"
        db.executemany(f"INSERT OR IGNORE INTO vectors {columns} VALUES ({encoder:d}, ?, ?, ?, ?)", rows)


def _make_room(db: sqlite3.Connection, limit: int) -> None:
    (page,) = db.execute("PRAGMA page_size").fetchone()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    size = (pages - free) * page
    if size <= limit:
        return
    (count,) = db.execute("SELECT count(*) FROM vectors").fetchone()
    surplus = -int(-count * (size - KEPT * limit) // size)
    db.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)", (surplus,))
    db.execute("DELETE FROM encoders WHERE id NOT IN (SELECT DISTINCT encoder FROM vectors)")
    # As a script, since this statement must be stepped to its end; a script commits what was deleted first.
    db.executescript("PRAGMA incremental_vacuum")


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=2)
