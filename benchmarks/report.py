"""The page of a report of 20,640 rounds and three models: how large it is, and what it costs a reader's browser.

The texts are made up: dialogues of ten rounds, sets of 7 to 13 references and an answer a model, of random words, which
compress worse than people's. Every score is a random number, which does not compress at all. Chromium opens the file;
the time of its processor is what its renderer used, on all threads, until the page was painted and its scripts had run.
Then the items are opened, searched, and one of them is looked at. Bars: 25 MB, and 2 s of processor.
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.exam import views_of
from voirdire.formats.visdial_text import VisDialText
from voirdire.report.make import make_report, models_of, write_report
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.runs.view import estimate_views
from voirdire.section.context import Context, ContextFile

IMAGES, TURNS, MODELS, WORDS = 2064, 10, 3, 6000
LARGEST, LONGEST = 25e6, 2.0
SCORES = ("cider1", "cider2", "cider3", "cider4", "bleu1", "bleu2", "bleu3", "bleu4", "meteor", "rouge_l")
OPTIONS = ScoreAnswersOptions(measures=("cider", "bleu", "meteor", "rouge")).plain()


def texts(count: int, longest: int, rng: np.random.Generator) -> list[str]:
    """Made-up texts, mostly short, some words far more frequent than others."""
    vocabulary = np.array([f"{'aeiou'[n % 5]}{n:x}" for n in range(WORDS)])
    sizes = np.minimum(1 + rng.exponential(longest / 5, count).astype(int), longest)
    words = vocabulary[(WORDS * rng.random(int(sizes.sum())) ** 3).astype(int)]
    return [" ".join(part) for part in np.split(words, np.cumsum(sizes)[:-1])]


def scored(references: list[list[str]], rng: np.random.Generator) -> Run:
    """A run of `answers score`."""
    count = IMAGES * TURNS
    items = pl.DataFrame(
        {
            "image_id": np.arange(count) // TURNS,
            "round": np.arange(count) % TURNS,
            "generations": np.ones(count, np.int64),
            "empty": np.zeros(count, np.int64),
            **{name: rng.random(count) for name in SCORES},
            "answers": [[text] for text in texts(count, 20, rng)],
            "references": references,
        }
    )
    signature = Signature("0.1.0", data={"references": "a" * 64}, references="made up", seed=0)
    bare = Run("answers", OPTIONS, items, Measures(), signature, part="score")
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


def dialogues(rng: np.random.Generator) -> VisDialText:
    """One dialogue per image."""
    return VisDialText(
        images=[f"{image}.jpg" for image in range(IMAGES)],
        image_ids=np.arange(IMAGES),
        captions=texts(IMAGES, 30, rng),
        first_round=TURNS * np.arange(IMAGES + 1),
        questions=texts(IMAGES * TURNS, 20, rng),
        answers=texts(IMAGES * TURNS, 20, rng),
        fingerprint="b" * 64,
    )


def write(path: Path) -> float:
    """Write the page; the seconds that it takes from runs in memory."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(7, 14, IMAGES * TURNS)
    members = texts(int(sizes.sum()), 20, rng)
    references = [list(part) for part in np.split(np.array(members, object), np.cumsum(sizes)[:-1])]
    runs = [(f"model {number}", scored(references, rng)) for number in range(1, MODELS + 1)]
    context = Context((ContextFile("dialogues", "visdial_text", dialogues(rng)),))
    start = time.perf_counter()
    write_report(make_report(models_of(runs), context), path)
    return time.perf_counter() - start


def processor(browser: Any) -> float:
    """Seconds that all renderers have used so far."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(one["cpuTime"] for one in found if one["type"] == "renderer"))


def read(path: Path, executable: str) -> dict[str, float]:
    """Open the page as a reader does: seconds of processor until it is there, and of the clock for what follows."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=arguments)
        page = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True).new_page()
        page.goto("about:blank")
        before = processor(browser)
        page.goto(path.as_uri())
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        used = processor(browser) - before
        painted = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
        drill = page.locator("details.drill").first
        opened = waited(lambda: (drill.locator("summary").first.click(), page.wait_for_selector(".list tbody tr")))
        words = page.locator(".list tbody tr").nth(3).locator(".said").inner_text().split()[0]
        search = page.locator(".filters input[type=search]")
        narrowed = page.locator(".status p", has_text=" of ")
        found = waited(lambda: (search.fill(words), narrowed.wait_for()))
        shown = waited(lambda: (page.locator(".list tbody th button").first.click(), page.wait_for_selector(".detail")))
        browser.close()
    return {"processor": used, "painted": painted, "items": opened, "search": found, "one item": shown}


def waited(action: Any) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> int:
    """Write, open, print; 1 where a bar is missed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        took = write(path)
        size = path.stat().st_size
        print(f"{IMAGES * TURNS:,} rounds, {MODELS} models: written in {took:.1f} s")
        print(f"size: {size / 1e6:.2f} MB (bar: {LARGEST / 1e6:.0f} MB)")
        missed = size > LARGEST
        executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if executable is None:
            print("no Chromium here: what the page costs a reader is not measured")
            return int(missed)
        costs = read(path, executable)
    print(f"first paint and scripts: {costs['processor']:.2f} s of processor (bar: {LONGEST:.0f} s)")
    print(f"first contentful paint after {costs['painted']:.2f} s; then, by the clock:")
    print(f"  items unpacked and listed in {costs['items']:.2f} s, searched in {costs['search']:.2f} s,")
    print(f"  one item shown in {costs['one item']:.2f} s")
    return int(missed or costs["processor"] > LONGEST)


if __name__ == "__main__":
    sys.exit(main())
