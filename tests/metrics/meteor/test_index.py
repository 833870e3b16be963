"""METEOR's index: the lists that are read, the trie, and the file that is kept."""

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import CacheWarning
from voirdire.metrics.meteor.index import build, index_path, open_index, paraphrase_trie
from voirdire.metrics.meteor.lexicon import MeteorLexicon
from voirdire.metrics.meteor.words import ALWAYS, BEFORE_NUMBER

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_lists_are_read(tmp_path, write_meteor):
    source = write_meteor(tmp_path)
    assert source.function_words() == {"the", "a", "of", "is", "."}
    assert source.abbreviations() == {"Mr": ALWAYS, "No": BEFORE_NUMBER}
    assert source.irregular() == {"mice": ["mouse"]}
    assert source.synsets()["feline"] == [2, 3]


def walked(words, arrays, phrase):
    """The node of a phrase, found the slow way; None where it is not in the trie."""
    node = 0
    for word in phrase.split():
        children = range(arrays["child_first"][node], arrays["child_first"][node + 1])
        actual = [child for child in children if words[arrays["child_word"][child - 1]] == word]
        if not actual:
            return None
        (node,) = actual
    return node


def test_trie_gives_the_table_back(tmp_path):
    rng = np.random.default_rng(3)
    phrases = [" ".join(rng.choice(list("abcdé"), rng.integers(1, 8))) for _ in range(300)]
    pairs = [(phrases[i], phrases[j]) for i, j in rng.integers(0, 300, (2_000, 2))]
    # As in the real table, entries of one phrase follow each other, but for some that come again later.
    pairs = sorted(pairs[:1_900], key=lambda pair: pair[0]) + pairs[1_900:]
    path = tmp_path / "table.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.1\n{each}\n{other}\n" for each, other in pairs)
    words, arrays = paraphrase_trie(path)
    node = {phrase: walked(words, arrays, phrase) for phrase in phrases}
    assert None not in node.values()
    assert len(set(node.values())) == len(set(phrases))
    for at, emitter in enumerate(arrays["emitters"]):
        (phrase,) = {phrase for phrase in phrases if node[phrase] == emitter}
        emitted = arrays["emits"][arrays["emit_first"][at] : arrays["emit_first"][at + 1]]
        assert emitted.tolist() == [node[other] for each, other in pairs if each == phrase]
    assert len(arrays["emits"]) == len(pairs)


def test_a_table_that_breaks_off_is_refused(tmp_path):
    path = tmp_path / "table.gz"
    with gzip.open(path, "wt") as file:
        file.write("0.1\na\nb\n0.2\na\n")
    with pytest.raises(ValueError, match="ends within an entry"):
        paraphrase_trie(path)


def test_index_is_kept_by_the_content_of_its_files(tmp_path, write_meteor, own_cache, monkeypatch):
    source = write_meteor(tmp_path)
    examined = open_index(source)
    name = index_path(source).name
    assert sorted(path.name for path in (own_cache / "meteor").iterdir()) == [name, "lock"]
    monkeypatch.setattr("voirdire.metrics.meteor.index.build", None)
    kept = open_index(write_meteor(tmp_path))
    assert examined.keys() == kept.keys()
    for name, array in examined.items():
        np.testing.assert_array_equal(array, kept[name])
        assert not kept[name].flags.writeable
    (tmp_path / "other").mkdir()
    other = write_meteor(tmp_path / "other", paraphrases=(("one", "two"),))
    assert index_path(other) != index_path(source)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"size": 5, "arrays": {}}\n', b"\x00" * 4096])
def test_a_damaged_index_is_made_again(tmp_path, write_meteor, damage):
    source = write_meteor(tmp_path)
    before = open_index(source)["emits"].copy()
    index_path(source).write_bytes(damage)
    with pytest.warns(CacheWarning, match="damaged"):
        after = open_index(source)
    np.testing.assert_array_equal(before, after["emits"])


def test_a_shortened_index_is_made_again(tmp_path, write_meteor):
    source = write_meteor(tmp_path)
    open_index(source)
    data = index_path(source).read_bytes()
    index_path(source).write_bytes(data[:-64])
    with pytest.warns(CacheWarning, match="damaged"):
        open_index(source)
    assert index_path(source).read_bytes() == data


def test_an_index_with_other_numbers_of_the_same_size_is_made_again(tmp_path, write_meteor):
    source = write_meteor(tmp_path)
    kept = open_index(source)
    data = index_path(source).read_bytes()
    keys = kept["synsets"].tobytes()
    del kept
    assert data.count(keys) == 1
    index_path(source).write_bytes(data.replace(keys, bytes(len(keys))))
    with pytest.warns(CacheWarning, match="damaged"):
        assert open_index(source)["synsets"].any()
    assert index_path(source).read_bytes() == data


def test_an_index_that_cannot_be_kept_serves_all_the_same(tmp_path, write_meteor, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "file"))
    source = write_meteor(tmp_path)
    with pytest.warns(CacheWarning, match="cannot be kept"):
        arrays = open_index(source)
    np.testing.assert_array_equal(arrays["emits"], build(source)["emits"])


# The first that makes it goes on, or dies, only when all three are there and would make it too.
CALL = """
import os, signal, sys, time
from pathlib import Path
from voirdire.metrics.meteor import index
from voirdire.metrics.meteor.index import MeteorFiles
folder, made, build = Path(sys.argv[1]), Path(sys.argv[1]) / "made", index.build

def slow(source, report):
    with made.open("ab", buffering=0) as file:
        file.write(b"x")
    while len(list(folder.glob("here-*"))) < 3:
        time.sleep(0.01)
    time.sleep(0.3)
    if sys.argv[2] == "dies" and made.stat().st_size == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return build(source, report)

index.build = slow
(folder / f"here-{os.getpid()}").touch()
print(index.open_index(MeteorFiles(folder / "words.jar", folder / "paraphrases.gz"))["emits"].tolist())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("first", ["makes it", "dies"])
def test_one_process_makes_it_and_the_others_wait(tmp_path, write_meteor, first):
    expected = f"{build(write_meteor(tmp_path))['emits'].tolist()}\n"
    words = [sys.executable, "-c", CALL, str(tmp_path), first]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = sorted((process.communicate()[0], process.returncode) for process in running)
    each = ("", -signal.SIGKILL) if first == "dies" else (expected, 0)
    assert answers == [each, (expected, 0), (expected, 0)]
    assert (tmp_path / "made").read_bytes() == (b"xx" if first == "dies" else b"x")


@pytest.mark.parametrize(
    ("word", "synsets"),
    [
        ("couch", [1, 9]),
        ("couches", [1, 9]),
        ("cats", [2]),
        ("felines", [2, 3]),
        ("mice", [4]),
        ("buses", [5]),
        ("buss", []),
        ("dog", []),
    ],
)
def test_synsets_of_a_word_and_of_its_base_forms(tmp_path, write_meteor, word, synsets):
    source = write_meteor(tmp_path)
    assert MeteorLexicon(source, build(source)).synsets(word) == synsets
