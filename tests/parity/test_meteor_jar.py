"""METEOR against the jar of METEOR 1.5: real answers against real references, long texts, and made-up ones.

The jar runs once, as one process, on all that is compared. It prints scores to full precision.
"""

import shutil
import subprocess
import threading

import numpy as np
import pytest

from voirdire.formats.generations import read_generations
from voirdire.formats.references import read_references
from voirdire.formats.visdial_text import FORMAT as VISDIAL_TEXT
from voirdire.metrics.meteor import CORPUS, meteor_segments, meteor_statistics
from voirdire.metrics.meteor.index import installed_files

pytestmark = pytest.mark.slow

MODELS = {"cca-aq-g": "dense/cca_aq_g_val_generations.json", "blip2": "dialogues/blip2_val_generations.json"}
REFERENCES = ("H", "S", "own")
REAL = [f"{model} on {references}" for model in MODELS for references in REFERENCES]

WORDS = """
the a of is it 's in , . ... ! man men people person kid kids child picture image photo see seen saw look
looks looking like a lot many several some big large huge street road car cars vehicle yes yeah not sure can't
can not cannot do n't don't don’t U.S. Mr. mice mouse e-mail 1,000 3.5 5 five café ½ — “ ” walk walks walked
"""


def jar_scores(sets):
    """The jar's score of every segment of every set, and of each set as a whole, by name of the set."""
    command = ["java", "-Xmx2G", "-jar", str(installed_files().jar), "-", "-", "-stdio", "-l", "en", "-norm"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:

        def ask(lines):
            """Write from another thread, so that neither side waits for the other with a full pipe."""
            thread = threading.Thread(target=lambda: (process.stdin.writelines(lines), process.stdin.flush()))
            thread.start()
            return thread

        found = {}
        for name, (hypotheses, references) in sets.items():
            asking = ask(
                f"SCORE ||| {' ||| '.join([*texts, text])}\n"
                for text, texts in zip(hypotheses, references, strict=True)
            )
            statistics = [process.stdout.readline().strip() for _ in hypotheses]
            asking.join()
            asking = ask([f"EVAL ||| {' ||| '.join(statistics)}\n"])
            scores = [float(process.stdout.readline()) for _ in hypotheses]
            found[name] = (np.array(scores), float(process.stdout.readline()))
            asking.join()
        process.stdin.close()
    return found


def real_sets(folder):
    """CCA-AQ-G's and BLIP-2's answers against H, against Σ, and against the dialogue's own answer."""
    text = VISDIAL_TEXT.read(folder / "dialogues/visdial_1.0_val_text.json")
    known = {
        "own": {
            (image, at): [text.answers[row]]
            for dialogue, image in enumerate(text.image_ids.tolist())
            for at, row in enumerate(text.rounds(dialogue))
        }
    }
    for name in ("H", "S"):
        record = read_references(folder / f"dense/refs_{name}_human_val.json")
        known[name] = {key: record.of(row) for row, key in enumerate(keys_of(record))}
    sets = {}
    for model, file in MODELS.items():
        record = read_generations(folder / file)
        for name in REFERENCES:
            rows = [(row, known[name][key]) for row, key in enumerate(keys_of(record)) if key in known[name]]
            sets[f"{model} on {name}"] = ([record.of(row)[0] for row, _ in rows], [texts for _, texts in rows])
    return sets, text


def keys_of(record):
    return zip(record.image_ids.tolist(), record.rounds.tolist(), strict=True)


def long_set(text):
    """Captions and rounds one after the other, against themselves shuffled, turned and thinned, and against others."""
    rng = np.random.default_rng(11)
    rounds = [f"{question}? {answer}" for question, answer in zip(text.questions, text.answers, strict=True)]
    hypotheses, references = [], []
    for _ in range(500):
        parts = [text.captions[rng.integers(len(text))], *(rounds[at] for at in rng.integers(0, len(rounds), 5))]
        words = " ".join(parts).split()
        turned = np.roll(words, rng.integers(len(words)))
        thinned = [word for word in turned if rng.random() < 0.9]
        other = " ".join(rounds[at] for at in rng.integers(0, len(rounds), 5))
        hypotheses.append(" ".join(words))
        references.append([" ".join(rng.permutation(words)), " ".join([*thinned, *other.split()]), other])
    return hypotheses, references


def made_up_set():
    """Few words, related ones among them, so that they repeat and matches compete; marks, and texts of nothing."""
    rng = np.random.default_rng(12)
    words = WORDS.split()
    weights = rng.dirichlet(np.full(len(words), 0.5))
    hypotheses = [" ".join(rng.choice(words, rng.integers(0, 25), p=weights)) for _ in range(2_000)]
    references = [
        [" ".join(rng.choice(words, rng.integers(0, 25), p=weights)) for _ in range(rng.integers(1, 4))]
        for _ in hypotheses
    ]
    return hypotheses, references


@pytest.fixture(scope="module")
def compared(real_data):
    """The sets, and the jar's scores of them."""
    if shutil.which("java") is None:
        pytest.skip("needs Java, to run the jar of METEOR 1.5")
    sets, text = real_sets(real_data / "visdial")
    sets["long"], sets["made up"] = long_set(text), made_up_set()
    return sets, jar_scores(sets)


@pytest.mark.parametrize("name", [*REAL, "long", "made up"])
def test_segments_are_those_of_the_jar(compared, name):
    sets, theirs = compared
    scores, corpus = theirs[name]
    ours = meteor_segments(*sets[name])
    apart = np.abs(ours - scores)
    assert (apart <= 1e-6).all(), f"{(apart > 1e-6).sum()} of {len(ours)} differ, first {np.argmax(apart > 1e-6)}"
    assert abs(ours.mean() - scores.mean()) < 5e-5
    assert CORPUS.of(meteor_statistics(*sets[name]).sum(axis=0)) == pytest.approx(corpus, abs=1e-9)


def test_the_sets_are_what_they_should_be(compared):
    sets, theirs = compared
    assert [len(sets[name][0]) for name in REAL] == [2_064, 2_064, 20_640] * 2
    assert min(len(text.split()) for text in sets["long"][0]) >= 20
    assert theirs["cca-aq-g on H"][0].mean() == pytest.approx(0.27139, abs=5e-6)
    # Scores of every kind, so that agreement means something.
    assert len(np.unique(theirs["made up"][0])) > 1_000
