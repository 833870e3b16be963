"""Reads the sentences of a page back and tests each against the items and intervals of the runs.

It shares no code with the report: figures are computed here anew from the items, by formulas of its own, and a
sentence that no pattern reads is a fault.
"""
# ruff: noqa: E501  a pattern is easier to read in one line

import html
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl

from voirdire.runs import Run

L = r"m\d+"
X = r"-?[\d,]+(?:\.\d+)?"
FIG = rf"{X}(?: %| points)?"
CI = rf"(?: \(95 % interval {X} … {X}\))?"
P = r"(?:p (?:=|<) \S+ after Holm's correction; )?"
BASIS = (
    r"[\d,]+ (?:game|question|round|point)s? that (?:both|all \d+) (?:played|were asked)"
    r"|[\d,]+(?: to [\d,]+)? (?:game|question|round|point)s? that it shares with each"
)
NAMED = rf"{L} \({FIG}\)"
LIST = rf"{NAMED}(?:, {NAMED})*(?: and (?:{NAMED}|\d+ more))?"
LABELS = rf"{L}(?:, {L})*(?: and (?:{L}|\d+ more))?"
BOTTOM = rf"its accuracy without noise, {X} %, is not (?:clearly )?above the {X} % that the commonest answer to each type of question gets"
UNREAD = r"it changes [\d,]+ of [\d,]+ answers: it is robust, or does not read what is added"
FEW = r"\d+ games? with a question, fewer than 20, cannot tell how effective its questions are"
REASON = rf"(?:{BOTTOM}, and {UNREAD}|{BOTTOM}|{UNREAD}|{FEW}|m\d+ and m\d+ have no \w+ in common|{L} has no \S+ on what (?:both|all) were asked)"
UNITS = {"game": ["game_id", "image_id"], "question": ["question_id"], "round": ["image_id", "round"]}
UNITS["point"] = ["dialogue", "turn", "index"]


class Fault(AssertionError):
    """A sentence that is false, or that nothing reads."""


def number(text: str) -> float:
    return float(text.replace(",", "").removesuffix(" %").removesuffix(" points"))


def same(text: str, value: float | None) -> bool:
    """Whether a figure as written is this value, rounded."""
    bare = text.replace(",", "").removesuffix(" %").removesuffix(" points")
    decimals = len(bare.partition(".")[2])
    return value is not None and abs(float(bare) - value) <= 0.5000001 * 10**-decimals


def column_of(items: pl.DataFrame, key: str) -> np.ndarray:
    """The statistic of each item that has one, by the key of a measure; the formulas are this module's own."""
    base = key.split(":")[0]
    if base in ("mrr", "mr"):
        ranks = items["rank"].drop_nulls().to_numpy().astype(float)
        return 1 / ranks if base == "mrr" else ranks
    if base == "task_success":
        return items.filter(pl.col("success").is_not_null())["success"].cast(pl.Float64).to_numpy()
    if base == "effectiveness":
        ended = items.filter(pl.col("status").is_null() | (pl.col("status") != "incomplete"))
        return ended["effectiveness"].drop_nulls().to_numpy()
    if base == "effectiveness_micro":
        ended = items.filter(pl.col("status").is_null() | (pl.col("status") != "incomplete"))
        return ended["effective"].drop_nulls().cast(pl.Float64).to_numpy()
    if base == "last_referring":
        ended = items.filter((pl.col("status") != "incomplete") & pl.col("last"))
        return ended["referring"].cast(pl.Float64).to_numpy()
    return items[key].drop_nulls().cast(pl.Float64).to_numpy()


def figure_of(items: pl.DataFrame, key: str) -> float | None:
    base = key.split(":")[0]
    if base.startswith(("drop", "r_score")):
        name = "accuracy_normalised" if base.endswith("_normalised") else "accuracy"
        condition = key.split(":")[1] if ":" in key else "partition1"
        both = items.drop_nulls([name, f"{name}:{condition}"])
        if not both.height:
            return None
        drop = both[name].mean() - both[f"{name}:{condition}"].mean()
        if base.startswith("drop"):
            return drop
        return min(1.0, max(0.0, (20**0.5 - abs(drop) ** 0.5) / (20**0.5 - 0.05**0.5)))
    values = column_of(items, key)
    return float(values.mean()) if len(values) else None


def permutation_p(first: Run, second: Run, units: list[str], cluster: str, key: str) -> float:
    """A two-sided swap test of our own on a mean; whole clusters change sides. A missing value is no case."""
    frames = [
        pl.DataFrame({"cluster": run.items[cluster], **{u: run.items[u] for u in units}, "value": run.items[key]})
        for run in (first, second)
    ]
    both = frames[0].join(frames[1], on=units, suffix="_2")
    _, places = np.unique(both["cluster"].to_numpy(), return_inverse=True)
    sides = []
    for name in ("value", "value_2"):
        known = both[name].is_not_null().to_numpy()
        sides.append(
            (np.bincount(places, both[name].fill_null(0).to_numpy().astype(float)), np.bincount(places, known))
        )
    (a, n), (b, m) = sides
    swap = np.random.default_rng(1).random((4000, len(a))) < 0.5

    def difference(swapped: np.ndarray) -> np.ndarray:
        ours, theirs = np.where(swapped, b, a), np.where(swapped, a, b)
        counts = np.where(swapped, m, n).sum(-1), np.where(swapped, n, m).sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return ours.sum(-1) / counts[0] - theirs.sum(-1) / counts[1]

    actual = difference(np.zeros(len(a), bool))
    return float((np.abs(difference(swap)) >= abs(actual) - 1e-9).mean())


def accuracy(people: list[str], said: str) -> float:
    """Official accuracy of an answer, in percent: each person is left out in turn."""
    agree = [text == said for text in people]
    return float(np.mean([100 * min(3, sum(agree) - own) / 3 for own in agree]))


class Checker:
    """One page and the runs behind it."""

    def __init__(self, page: str, runs: dict[str, Run]) -> None:
        self.page, self.runs = page, runs
        self.read = Counter[str]()
        self.run = next(iter(runs.values()))
        self.noun = {"questions": "game", "robustness": "question", "scorekeeping": "point"}.get(self.run.exam, "round")
        self.units = [name for name in UNITS[self.noun] if name in self.run.items.columns]
        # A headline's name on the page, and the key beside it.
        heads = re.findall(
            r'<th scope="col"><span class="measure">(.*?)</span>.*?<span class="says">(.*?)</span></th>', page
        )
        self.keys = {
            html.unescape(name): key[1] if (key := re.search(r"<code>(.*?)</code>", says)) else html.unescape(name)
            for name, says in heads
        }

    # What is known.
    def key(self, name: str) -> str:
        return self.keys[name.removesuffix(" (lower is better)")]

    def lower(self, key: str) -> bool:
        return key.split(":")[0].split("@")[0] in ("mr", "drop", "drop_normalised")

    def scale(self, text: str, key: str) -> float:
        own = key.split(":")[0]
        percent = own.startswith(("accuracy", "drop")) and self.run.exam == "robustness"
        return 100.0 if "%" in text and not percent else 1.0

    def own(self, label: str, key: str) -> float | None:
        items = self.runs[label].items
        try:
            return figure_of(items, key)
        except pl.exceptions.ColumnNotFoundError:
            # Scoreboards: the run's own figure.
            return self.runs[label].measures.figure(key).value

    def shared(self, first: str, second: str, key: str, *, pairwise: bool = False) -> tuple[float | None, float | None]:
        a, b = self.runs[first].items, self.runs[second].items
        # In a ranking figures are over what all of it were asked.
        others = [first, second] if pairwise else self.together(first, second)
        pair = a, b
        for other in others:
            units = self.runs[other].items.select(self.units).unique()
            pair = tuple(each.join(units, on=self.units, how="semi", nulls_equal=True) for each in pair)
        try:
            return figure_of(pair[0], key), figure_of(pair[1], key)
        except pl.exceptions.ColumnNotFoundError:
            # Not known here; where both have all units, the runs' own figures are those on both.
            whole = self.common(first) == self.common(second) == self.common(*others)
            return (self.own(first, key), self.own(second, key)) if whole else (None, None)

    def together(self, *labels: str) -> list[str]:
        """The models whose shared units figures of these are over: all of their ranking, or only these."""
        ranked = [label for label, letters in self.ranking().items() if letters]
        return ranked if set(labels) <= set(ranked) else list(labels)

    def common(self, *labels: str) -> int:
        frames = [self.runs[label].items.select(self.units).unique() for label in labels]
        left = frames[0]
        for other in frames[1:]:
            left = left.join(other, on=self.units, how="semi", nulls_equal=True)
        return left.height

    def interval(self, label: str, key: str) -> tuple[float | None, float | None]:
        figure = self.runs[label].measures.figure(key)
        return figure.low, figure.high

    def true(self, holds: bool, sentence: str, why: str = "") -> None:
        if not holds:
            raise Fault(f"false: {sentence!r} {why}")

    def figure(self, label: str, text: str, key: str, sentence: str) -> None:
        value = self.own(label, key)
        self.true(value is not None and same(text, value * self.scale(text, key)), sentence, f"{label} {key} {value}")

    def listed(self, text: str, key: str, sentence: str) -> list[str]:
        pairs = re.findall(rf"({L}) \(({FIG})\)", text)
        for label, shown in pairs:
            self.figure(label, shown, key, sentence)
        return [label for label, _ in pairs]

    def basis(self, text: str, labels: list[str], sentence: str) -> None:
        counts = re.match(r"([\d,]+)(?: to ([\d,]+))?", text)
        assert counts
        low, high = number(counts[1]), number(counts[2] or counts[1])
        if "both" in text:
            self.true(low == self.common(*labels[:2]), sentence, "basis")
        elif " all " in text:
            every = re.search(r"all (\d+)", text)
            ranked = self.together(*labels[:1]) if self.ranking() else labels[:2]
            self.true(bool(every) and low == self.common(*ranked), sentence, f"basis of all {ranked}")
        else:
            self.true(low <= self.common(*labels[:2]) <= high, sentence, "basis of each")

    def chance(self, text: str, first: str, second: str, key: str, sentence: str, *, lead: bool) -> None:
        """The p of the sentence, corrected, is not below an uncorrected one of our own."""
        claim = re.search(r"p (=|<) (\S+) after", text)
        if claim is None or key not in self.run.items.columns:
            return
        cluster = "dialogue" if self.noun == "point" else "image_id"
        own = permutation_p(self.runs[first], self.runs[second], self.units, cluster, key)
        claimed = float(claim[2])
        self.true(claimed + 0.03 >= own if claim[1] == "=" else own < 0.01, sentence, f"p {own}")
        self.true((claimed <= 0.05) == lead, sentence, "p and what it means")

    # The sentences, one method a pattern.
    def check(self) -> Counter[str]:
        """Read all sentences of the page; the patterns that were met."""
        text = self.page
        for item in re.findall(r'<ul class="verdicts".*?</ul>', text, re.DOTALL):
            for line in re.findall(r"<li>(.*?)</li>", item, re.DOTALL):
                said = re.search(r"<strong>(.*?)</strong>(:?) (.*)</span>$", line, re.DOTALL)
                assert said
                self.verdict(plain(said[1]), plain(said[3]))
        for more in re.findall(r'<p class="more">(.*?)</p>', text, re.DOTALL):
            self.several(plain(more), MORE)
        for block in re.findall(r'<ul class="findings">(.*?)</ul>', text, re.DOTALL):
            for label, said in re.findall(r"<li[^>]*>(?:<strong>(.*?):</strong> )?(.*?)</li>", block, re.DOTALL):
                self.finding(plain(label), plain(said))
        for caveat in re.findall(r'<span class="caveat">(.*?)</span>', text):
            self.true(re.fullmatch(REASON, plain(caveat)) is not None, plain(caveat), "unreadable caveat")
        return self.read

    def several(self, text: str, patterns: dict[str, str]) -> None:
        """Sentences one after the other."""
        rest = text
        while rest:
            for name, pattern in patterns.items():
                if match := re.match(rf"{pattern}(?: |$)", rest):
                    getattr(self, name)(match, match[0].strip())
                    self.read[name] += 1
                    rest = rest[match.end() :]
                    break
            else:
                raise Fault(f"nothing reads {rest!r}")

    def verdict(self, short: str, text: str) -> None:
        for name, (begin, pattern) in VERDICTS.items():
            match = re.match(rf"{pattern}(?: |$)", text)
            if re.fullmatch(begin, short) and match:
                getattr(self, name)(match, f"{short}: {text}", short)
                self.read[name] += 1
                if rest := text[match.end() :]:
                    self.several(rest, MORE)
                return
        raise Fault(f"nothing reads {short!r}: {text!r}")

    def finding(self, label: str, text: str) -> None:
        for name, pattern in FINDINGS.items():
            if match := re.fullmatch(pattern, text):
                getattr(self, name)(match, label, text)
                self.read[name] += 1
                return
        raise Fault(f"nothing reads the finding {text!r}")

    def leads(self, m: re.Match[str], sentence: str, short: str) -> None:
        first, key = short.removesuffix(" leads"), self.key(m["measure"])
        x, y = self.shared(first, m["b"], key)
        self.true(x is not None and same(m["x"], x * self.scale(m["x"], key)), sentence, f"{x}")
        self.true(y is not None and same(m["y"], y * self.scale(m["y"], key)), sentence, f"{y}")
        self.true((x < y) if self.lower(key) else (x > y), sentence, "order")
        self.basis(m["basis"], [first, m["b"]], sentence)
        self.chance(sentence, first, m["b"], key, sentence, lead=True)

    def same_figure(self, m: re.Match[str], sentence: str, short: str) -> None:
        key = self.key(m["measure"])
        labels = re.findall(L, m["labels"])
        for other in labels[1:]:
            x, y = self.shared(labels[0], other, key)
            self.true(x is not None and y is not None and abs(x - y) < 1e-9, sentence, f"{labels[0]} {x} {other} {y}")
        self.figure(labels[0], m["x"], key, sentence)
        self.basis(m["basis"], labels, sentence)
        self.ahead(m["ahead"], labels[0], key, sentence)
        self.true(bool(m["ahead"]) == short.endswith("at the top"), sentence, "heading")

    def ahead(self, text: str | None, first: str, key: str, sentence: str) -> None:
        for other in self.listed(text or "", key, sentence):
            if other != first:
                x, y = self.shared(first, other, key)
                self.true((x < y) if self.lower(key) else (x > y), sentence, f"ahead of {other}: {x} {y}")

    def tie(self, m: re.Match[str], sentence: str, short: str) -> None:
        key = self.key(m["measure"])
        first, *others = self.listed(f"{m['first']} {m['others']}", key, sentence)
        self.basis(m["basis"], [first, *others], sentence)
        self.ahead(m["ahead"], first, key, sentence)
        self.true(bool(m["ahead"]) == short.endswith("at the top"), sentence, "heading")
        if len(others) == 1 and not m["ahead"]:
            self.chance(sentence, first, others[0], key, sentence, lead=False)
        # Where no test could be made, it is too little to tell.
        clusters = self.runs[first].items["dialogue" if self.noun == "point" else "image_id"]
        self.true(clusters.n_unique() > 1 or clusters[0] is None, sentence, "one cluster")

    def group(self, m: re.Match[str], sentence: str, short: str) -> None:
        """The size of the group at the top by the letters of its ranking; its first, and the first that this beats."""
        key = self.key(m["measure"])
        (first,) = self.listed(m["first"], key, sentence)
        (beaten,) = self.listed(m["beaten"], key, sentence)
        self.true(int(m["size"]) == int(m["count"]) + 1 >= 2, sentence, "size")
        rows = self.ranking()
        self.true(next(iter(rows)) == first, sentence, f"the first is another: {rows}")
        like = [label for label, letters in rows.items() if letters & rows[first]]
        self.true(len(like) == int(m["size"]), sentence, f"letters: {rows}")
        behind = [label for label, letters in rows.items() if letters and not letters & rows[first]]
        self.true(behind[0] == beaten, sentence, f"the first beaten is another: {rows}")
        self.best(first, key, sentence)
        self.basis(m["basis"], [first, beaten], sentence)
        self.chance(sentence, first, beaten, key, sentence, lead=True)

    def all_tied(self, m: re.Match[str], sentence: str, short: str) -> None:
        key = self.key(m["measure"])
        (first,) = self.listed(m["first"], key, sentence)
        rows = self.ranking()
        self.true(all(letters & rows[first] for letters in rows.values() if letters), sentence, f"letters: {rows}")
        self.true(sum(map(bool, rows.values())) == int(m["count"]) + 1, sentence, "how many")
        self.best(first, key, sentence)
        self.basis(m["basis"], [first, *rows][:2], sentence)

    def ranking(self) -> dict[str, set[str]]:
        """The models of the first ranking in their order, each with its letters; none for those without a rank."""
        table = re.search(r'<table class="ranking">.*?</table>', self.page, re.DOTALL)
        if table is None:
            return {}
        rows = re.findall(r'<th scope="row" title="(.*?)">.*?<td class="letters">(.*?)</td>', table[0], re.DOTALL)
        return {label: set(re.findall(r"[a-z]\d*", plain(said) if "span" not in said else "")) for label, said in rows}

    def ranked_on(self, m: re.Match[str], sentence: str) -> None:
        """What a ranking says of itself: how many units all had, and what its letters mean."""
        count = re.match(r"On ([\d,]+) ", sentence)
        if count:
            labels = [label for label, letters in self.ranking().items() if letters]
            self.true(number(count[1]) == self.common(*labels), sentence, "units")

    def ranked_apart(self, m: re.Match[str], sentence: str) -> None:
        _, *others = re.findall(r'<table class="ranking">.*?</table>', self.page, re.DOTALL)
        rows = sum(table.count('<th scope="row"') for table in others)
        self.true(int(m["count"]) == rows > 0, sentence, f"{rows} models in other rankings")

    def few(self, m: re.Match[str], sentence: str, short: str) -> None:
        key = self.key(m["measure"])
        labels = self.listed(f"{m['first']} {m['others']}", key, sentence)
        self.basis(m["basis"], labels, sentence)
        self.true(self.least_p(labels[0]) * self.tests > 0.05, sentence, "enough clusters")

    @property
    def tests(self) -> int:
        return len(self.run.measures) * len(self.runs)

    def least_p(self, label: str) -> float:
        """The smallest p that swapping whole clusters can give, before any correction."""
        cluster = "dialogue" if self.noun == "point" else "image_id"
        return 2.0 ** (1 - self.runs[label].items[cluster].n_unique())

    def alone(self, m: re.Match[str], sentence: str, short: str) -> None:
        self.true(len(self.runs) == 1, sentence, "not alone")
        self.figure(m["a"], m["x"], self.key(m["measure"]), sentence)

    def all_aside(self, m: re.Match[str], sentence: str, short: str) -> None:
        shown = len(re.findall(r'class="caveat"', self.page))
        self.true(shown >= len(self.runs), sentence, "not all have a caveat")

    def not_compared(self, m: re.Match[str], sentence: str, short: str) -> None:
        self.figure(m["a"], m["x"], self.key(m["measure"]), sentence)
        self.true(len(self.runs) > 1, sentence)

    def also_leads(self, m: re.Match[str], sentence: str) -> None:
        for name in re.split(r", | and ", m["measures"]):
            if name in ("clean", "short answers"):
                continue
            self.best(m["a"], self.joined(name, m["measures"]), sentence)

    def joined(self, name: str, text: str) -> str:
        """The measure of a list whose names hold commas themselves."""
        fitting = [each for each in self.keys if each.startswith(name) and each in text]
        return self.key(max(fitting, key=len))

    def best(self, label: str, key: str, sentence: str) -> None:
        """No model without a caveat has a better figure."""
        caveated = set(re.findall(rf"({L}) is not ranked", plain(self.page)))
        for other in self.together(label) if self.ranking() else self.runs:
            if other == label or other in caveated:
                continue
            x, y = self.shared(label, other, key)
            if x is not None and y is not None:
                self.true((x <= y) if self.lower(key) else (x >= y), sentence, f"{other} is better")

    def elsewhere(self, m: re.Match[str], sentence: str) -> None:
        key = self.key(m["measure"])
        x, y = self.shared(m["a"], m["b"], key)
        self.true(same(m["x"], x * self.scale(m["x"], key)), sentence, f"{x}")
        self.true(same(m["y"], y * self.scale(m["y"], key)), sentence, f"{y}")
        self.true((x < y) if self.lower(key) else (x > y), sentence, "order")

    def tied(self, m: re.Match[str], sentence: str) -> None:
        labels = self.listed(m["list"], self.key(m["measure"]), sentence)
        least = self.least_p(labels[0])
        fits = least <= 0.05 if m["how"] == "these are tied" else least * self.tests > 0.05
        self.true(fits, sentence, f"the least p is {least}")

    def unranked(self, m: re.Match[str], sentence: str) -> None:
        for name, shown in re.findall(rf"(\S.*?) \(({FIG})\)", m["figures"]):
            bare = re.sub(r"^(?:, |and )", "", name)
            self.figure(m["a"], shown, self.key(bare), sentence)
        self.reason(m["a"], m["reason"], sentence)

    def reason(self, label: str, text: str, sentence: str) -> None:
        items = self.runs[label].items
        if bottom := re.search(rf"noise, ({X}) %, is not (clearly )?above the ({X}) %", text):
            values = [items[name] for name in ("accuracy", "accuracy_normalised")]
            self.true(any(same(bottom[1], each.mean()) for each in values), sentence, "accuracy")
            low, high = self.commonest(items)
            shown = number(bottom[3])
            self.true(low - 0.0500001 <= shown <= high + 0.0500001, sentence, f"commonest {low} to {high}")
        if unread := re.search(r"changes ([\d,]+) of ([\d,]+) answers", text):
            both = items.drop_nulls(["answer", "answer:partition1"])
            changed = (both["answer"] != both["answer:partition1"]).sum()
            self.true((number(unread[1]), number(unread[2])) == (changed, both.height), sentence, "changed answers")
            self.true(changed * 100 <= both.height, sentence, "more than one in a hundred")
        if games := re.search(r"(\d+) games? with a question", text):
            self.true(number(games[1]) == len(column_of(items, "effectiveness")) < 20, sentence, "games")

    def commonest(self, items: pl.DataFrame) -> tuple[float, float]:
        """The accuracy of saying what people say most often to the type of question, where the model answered.

        Several answers may be the commonest; the lowest and the highest accuracy of these.
        """
        ends = np.zeros(2)
        for (_,), part in items.group_by("question_type", maintain_order=True):
            counts = Counter(text for people in part["humans"] for text in people)
            top = [text for text, count in counts.items() if count == max(counts.values())]
            answered = part.filter(pl.col("accuracy").is_not_null())["humans"]
            sums = [sum(accuracy(people, text) for people in answered) for text in top]
            ends += [min(sums), max(sums)]
        low, high = ends / items["accuracy"].drop_nulls().len()
        return low, high

    def gathered(self, m: re.Match[str], sentence: str) -> None:
        caveated = len(re.findall(r'class="caveat"', self.page))
        self.true(caveated > 0, sentence)

    def alike(self, m: re.Match[str], sentence: str) -> None:
        labels = list(self.runs)
        for key in self.keys.values():
            values = {self.runs[label].measures.figure(key) for label in labels}
            self.true(len(values) == 1, sentence, f"{key}: {values}")
        if m["files"]:
            self.true(len({str(self.runs[label].fingerprints) for label in labels}) == 1, sentence, "files")

    def tally(self, m: re.Match[str], sentence: str) -> None:
        self.true(number(m["for_a"]) + number(m["for_b"]) <= number(m["all"]), sentence)

    def short_answers(self, m: re.Match[str], sentence: str) -> None:
        for label, share in re.findall(rf"({L}) \(({X}) %", sentence):
            run = self.runs[label]
            shares = [figure.value for key, figure in run.measures.items() if key.measure == "sentences"]
            self.true(any(value is not None and same(share, 100 * value) for value in shares), sentence, f"{shares}")
            texts = [text for name in run.items.columns if name.startswith("answer") for text in self.texts(run, name)]
            wordy = sum(text.startswith(("The answer is", "It is")) for text in texts)
            self.true(wordy > 0, sentence, "no sentence")

    def texts(self, run: Run, name: str) -> Iterator[str]:
        if name in ("answer_type",):
            return
        for value in run.items[name].drop_nulls():
            yield from [value] if isinstance(value, str) else value

    def replies(self, m: re.Match[str], sentence: str) -> None:
        self.true(number(m["count"]) / number(m["all"]) > 0.02, sentence)
        if m["kind"] == "empty" and "empty" in self.runs[m["a"]].items.columns:
            self.true(number(m["count"]) == self.runs[m["a"]].items["empty"].sum(), sentence)

    def no_noise(self, m: re.Match[str], sentence: str) -> None:
        self.true(not any("partition" in name for run in self.runs.values() for name in run.items.columns), sentence)

    # Findings.
    def with_ci(self, label: str, text: str, key: str, sentence: str, scale: float = 1.0) -> None:
        """A figure and its interval, which are those of the run, and the figure also that of the items."""
        value, *ends = re.findall(X, text.replace("95 % interval", ""))
        own = self.own(label, key)
        self.true(own is not None and same(value, own * scale), sentence, f"{key} {own}")
        figure = self.runs[label].measures.figure(key)
        known = [figure.low, figure.high]
        if ends:
            fits = all(end is not None and same(shown, end * scale) for shown, end in zip(ends, known, strict=True))
            self.true(fits, sentence, f"{key} {known}")
        else:
            self.true(None in known, sentence, "an interval is left out")

    def short_key(self, sentence: str, key: str) -> str:
        return key.replace("accuracy", "accuracy_normalised", 1) if "by short answers" in sentence else key

    def f_accuracy(self, m: re.Match[str], label: str, sentence: str) -> None:
        key = self.short_key(sentence, "accuracy")
        self.with_ci(label, m["x"], key, sentence)
        items = self.runs[label].items
        for share, kind in re.findall(rf"({X}) % on (\S+?)(?=[,.]$|[,.] )", m["kinds"] or ""):
            value = items.filter(pl.col("answer_type") == kind)[key].mean()
            self.true(same(share, value), sentence, f"{kind} {value}")

    def f_drop(self, m: re.Match[str], label: str, sentence: str) -> None:
        wordy = "by short answers" in sentence
        drop = "drop_normalised:partition1" if wordy else "drop:partition1"
        score = "r_score_normalised" if wordy else "r_score"
        value = self.own(label, drop)
        low, high = self.interval(label, drop)
        assert value is not None
        if m["falls"]:
            self.with_ci(label, m["falls"], drop, sentence)
            self.true(low is not None and low > 0, sentence, "no fall")
        elif m["rises"]:
            self.true(high is not None and high < 0, sentence, "no rise")
        elif m["changes"]:
            self.true(same(m["changes"], -value) and low is None, sentence)
        else:
            self.true(low is not None and low <= 0 <= high, sentence, "beyond noise")
        if m["clean"]:
            key = self.short_key(sentence, "accuracy")
            self.figure(label, m["clean"], key, sentence)
            self.figure(label, m["noisy"], f"{key}:partition1", sentence)
        self.with_ci(label, m["score"], score, sentence)
        if m["reason"]:
            self.reason(label, m["reason"], sentence)

    def f_types(self, m: re.Match[str], label: str, sentence: str) -> None:
        items = self.runs[label].items.drop_nulls(["accuracy", "accuracy:partition1"])
        drops = {
            kind: part["accuracy"].mean() - part["accuracy:partition1"].mean()
            for (kind,), part in items.group_by("answer_type")
        }
        self.true(same(m["x"], drops[m["most"]]) and same(m["y"], drops[m["least"]]), sentence, f"{drops}")
        self.true(drops[m["most"]] == max(drops.values()) > 0, sentence, f"{drops}")
        self.true(drops[m["least"]] == min(drops.values()), sentence, f"{drops}")

    def f_trend(self, m: re.Match[str], label: str, sentence: str) -> None:
        p = self.runs[label].measures["trend_p"].value
        ends = [self.own(label, f"accuracy:partition{at}") for at in (1, int(m["last"]))]
        self.true(same(m["x"], ends[0]) and same(m["y"], ends[1]), sentence, f"{ends}")
        falls = sentence.startswith("The less")
        none = "no fall" in sentence
        self.true((p > 0.05) == none, sentence, f"p {p}")
        if not none:
            self.true(falls == (ends[1] < ends[0]), sentence, f"{ends}")

    def f_random(self, m: re.Match[str], label: str, sentence: str) -> None:
        values = [self.own(label, key) for key in ("drop:control", "drop_normalised:control")]
        way = 1 if m["way"] == "cost" else -1
        self.true(any(same(m["x"], way * value) for value in values if value is not None), sentence, f"{values}")
        self.true(number(m["x"]) >= 0, sentence)

    def f_ranks(self, m: re.Match[str], label: str, sentence: str) -> None:
        ranks = self.runs[label].items["rank"].drop_nulls().to_numpy()
        self.true(same(m["first"], 100 * (ranks == 1).mean()), sentence)
        self.true(same(m["beyond"], 100 * (ranks > 10).mean()), sentence)
        self.true(same(m["mean"], ranks.mean()), sentence)

    def f_valid(self, m: re.Match[str], label: str, sentence: str) -> None:
        rows = [
            (row["answers"][0], row["references"])
            for row in self.runs[label].items.iter_rows(named=True)
            if row["answers"]
        ]
        share = np.mean(
            [" ".join(said.lower().split()) in [" ".join(r.lower().split()) for r in valid] for said, valid in rows]
        )
        self.true(same(m["x"], 100 * share), sentence, f"{share}")

    def f_several(self, m: re.Match[str], label: str, sentence: str) -> None:
        counts = self.runs[label].items["generations"]
        counts = counts.filter(counts > 0)
        self.true(counts.max() == int(m["k"]), sentence)
        self.true(bool(m["most"]) == (counts.min() < counts.max()), sentence, f"{counts.min()}")

    def f_empty(self, m: re.Match[str], label: str, sentence: str) -> None:
        items = self.runs[label].items
        self.true((number(m["n"]), number(m["all"])) == (items["empty"].sum(), items["generations"].sum()), sentence)

    def f_one_answer(self, m: re.Match[str], label: str, sentence: str) -> None:
        first = Counter(" ".join(row[0].lower().split()) for row in self.runs[label].items["answers"] if len(row))
        self.true(
            same(m["x"], 100 * first[m["text"]] / first.total()) and first[m["text"]] * 2 > first.total(), sentence
        )

    def f_effective(self, m: re.Match[str], label: str, sentence: str) -> None:
        self.with_ci(label, m["x"], "effectiveness", sentence, 100)
        if m["won"]:
            self.true(same(m["won"], 100 * self.own(label, "task_success")), sentence)

    def f_outcomes(self, m: re.Match[str], label: str, sentence: str) -> None:
        items = self.runs[label].items
        won, lost = (items.filter(pl.col("success") == flag)["effectiveness"].mean() for flag in (True, False))
        high, low = (won, lost) if m["more"] == "won" else (lost, won)
        self.true(high > low and same(m["x"], 100 * high) and same(m["y"], 100 * low), sentence, f"{won} {lost}")

    def turns(self, label: str) -> dict[int, float]:
        items = self.runs[label].items.filter(pl.col("turn").is_not_null() & (pl.col("status") != "incomplete"))
        return {turn: part["effective"].mean() for (turn,), part in items.group_by("turn")}

    def f_turns(self, m: re.Match[str], label: str, sentence: str) -> None:
        turns = self.turns(label)
        pairs = [
            (number(share), int(turn)) for share, turn in re.findall(rf"({X}) % at (?:the \w+, )?turn (\d+)", sentence)
        ]
        for share, turn in pairs:
            self.true(abs(share - 100 * turns[turn]) <= 0.0500001, sentence, f"{turns}")
        start, end = pairs[0][0], pairs[-1][0]
        if " falls " in sentence:
            self.true(start > end, sentence)
        if " rises " in sentence:
            self.true(start < end, sentence)
        reached = [value for turn, value in turns.items() if turn <= pairs[-1][1]]
        if extreme := re.search(rf"({X}) % at the (lowest|highest)", sentence):
            bound = min(reached) if extreme[2] == "lowest" else max(reached)
            self.true(same(extreme[1], 100 * bound), sentence, f"{turns}")

    def f_last(self, m: re.Match[str], label: str, sentence: str) -> None:
        self.with_ci(label, m["x"], "last_referring", sentence, 100)
        ends = self.runs[label].items.filter(pl.col("last") & (pl.col("status") != "incomplete"))
        for flag, group in ((True, "won"), (False, "otherwise")):
            if m[group]:
                value = ends.filter(pl.col("referring") == flag)["success"].cast(pl.Float64).mean()
                self.true(same(m[group], 100 * value), sentence, f"{flag} {value}")

    def f_judged(self, m: re.Match[str], label: str, sentence: str) -> None:
        figures = [figure for key, figure in self.runs[label].measures.items() if key.measure == "accuracy"]
        self.true(any(figure.value is not None and same(m["x"], 100 * figure.value) for figure in figures), sentence)

    def f_measures(self, m: re.Match[str], label: str, sentence: str) -> None:
        """Shares that are figures of the run."""
        known = [figure.value for figure in self.runs[label].measures.values() if figure.value is not None]
        for share in re.findall(rf"({X}) %(?! interval)", sentence):
            self.true(any(same(share, 100 * value) for value in known), sentence, share)
        if sentence.startswith("Most often mistaken"):
            confused = {
                str(key): figure.value
                for key, figure in self.runs[label].measures.items()
                if key.measure == "confusion"
            }
            own = re.search(rf"({X}) %", sentence)
            values = [v for k, v in confused.items() if v is not None and not re.search(r"\[(.+) → \1\]", k)]
            assert own
            if values:
                self.true(same(own[1], 100 * max(values)), sentence, f"{confused}")

    def f_worst(self, m: re.Match[str], label: str, sentence: str) -> None:
        figures = [figure for figure in self.runs[label].measures.values() if figure.value is not None]
        unit = 100.0 if self.run.exam != "robustness" and "%" in sentence else 1.0
        self.true(any(same(m["over"], unit * figure.value) for figure in figures), sentence, "over all")
        self.true(number(m["n"]) >= 20, sentence)
        if self.run.exam == "robustness" and (
            facet := {"answer type": "answer_type", "question type": "question_type"}.get(m["facet"])
        ):
            key = self.short_key(sentence, "accuracy") if "short answers" in sentence else "accuracy"
            items = self.runs[label].items
            if "drop" in sentence:
                return
            parts = {k: v[key].mean() for (k,), v in items.group_by(facet) if v[key].drop_nulls().len() >= 20}
            self.true(same(m["at"], parts[m["value"]]), sentence, f"{parts}")
            if m["how"] == "worst":
                self.true(parts[m["value"]] == min(parts.values()), sentence, f"{parts}")

    def f_compared(self, m: re.Match[str], label: str, sentence: str) -> None:
        other = m["other"] or m["second"]
        self.basis(m["basis"], [other, label], sentence)
        if m["measure"]:
            key = m["measure"]
            x, y = self.shared(other, label, key, pairwise=True)
            if x is not None and y is not None and m["by"] != "0.0000":
                share = "points" in sentence and self.run.exam != "robustness"
                difference = (y - x) * (100 if share else 1)
                self.true(same(m["by"].replace("+", ""), difference), sentence, f"{key}: {x} {y}")
            total = int(m["count"])
            ways = [int(number_) for number_ in re.findall(r"(\d+) (?:better|worse|neither)", m["ways"])]
            self.true(total == sum(ways), sentence, "counts")

    def f_too_few(self, m: re.Match[str], label: str, sentence: str) -> None:
        self.basis(m["basis"], [m["other"], label], sentence)
        self.true(float(m["p"]) > 0.05, sentence)


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).strip()


AHEAD = rf"(?:; {L} is ahead of (?P<ahead>{LIST}))?"
M = r"(?P<measure>.+?)"
VERDICTS = {
    "leads": (
        rf"{L} leads",
        rf"on {M}: (?P<x>{FIG}) against (?P<y>{FIG}) for (?P<b>{L})(?:, the best of the \d+ others)?, a significant lead "
        rf"\({P}(?P<basis>{BASIS})\)\.",
    ),
    "same_figure": (
        r"A tie(?: at the top)?",
        rf"(?P<labels>{LABELS}) have the same {M}, (?P<x>{FIG}) \((?P<basis>{BASIS})\){AHEAD}\.",
    ),
    "tie": (
        r"Nobody leads: a tie|A tie at the top",
        rf"on {M}, (?P<first>{NAMED}) does not differ beyond chance from (?P<others>{LIST}) \({P}(?P<basis>{BASIS})\){AHEAD}\.",
    ),
    "few": (
        "Too little to tell",
        rf"on {M} there are too few items to tell (?P<first>{NAMED}) from (?P<others>{LIST}) \((?P<basis>{BASIS})\){AHEAD}\.",
    ),
    "group": (
        "A tie at the top",
        rf"on {M}, (?P<size>\d+) models are at the top: (?P<first>{NAMED}) does not differ beyond chance from the "
        rf"(?P<count>\d+) others? there; the first that it beats is (?P<beaten>{NAMED}) \({P}(?P<basis>{BASIS})\)\.",
    ),
    "all_tied": (
        "Nobody leads: a tie",
        rf"on {M}, (?P<first>{NAMED}) does not differ beyond chance from any of the (?P<count>\d+) others "
        rf"\({P}(?P<basis>{BASIS})\)\.",
    ),
    "alone": ("One model: no comparison", rf"(?P<a>{L}) has {M} (?P<x>{FIG})\."),
    "all_aside": ("Nobody leads", r"every .+? comes with a caveat\."),
    "not_compared": (
        "Nobody can be compared|Nothing to compare",
        rf"(?P<a>{L}) has {M} (?P<x>{FIG})(?:; .+?: {REASON}|, and no other model has this figure)\.",
    ),
}
WHY = r"they share too few \w+s, or their data or options differ"
MORE = {
    "ranked_on": rf"(?:Alone: no other model can be compared with it: {WHY}|(?:Not compared with those above: {WHY}\. )?On (?:{BASIS})\."
    rf"(?: Order and letters are by the figures on these \w+s\.)?(?: \d+ models? below cannot be compared with these: {WHY}\.)?"
    r" (?:Too few \w+s to tell any two models apart"
    r"|Two models that share a letter do not differ beyond chance \(p > 0\.05 after Holm's correction\)))\.",
    "ranked_apart": r"(?P<count>\d+) models? (?:is|are) ranked apart: too few \w+s are shared with these, or data or options "
    r"differ\.",
    "also_leads": rf"(?P<a>{L}) also leads on (?P<measures>.+?)\.",
    "elsewhere": rf"On {M} (?P<a>{L}) leads significantly \((?P<x>{FIG}) against (?P<y>{FIG}) for (?P<b>{L})\)\.",
    "tied": rf"On {M} (?P<how>these are tied|there are too few items to tell these apart): (?P<list>{LIST})\.",
    "unranked": rf"(?P<a>{L}) is not ranked by (?P<figures>.+? \({FIG}\)): (?P<reason>{REASON})\.",
    "gathered": r"[\d,]+ models? (?:is|are) not ranked by every measure: see the figures\.",
    "alike": rf"{LABELS} are alike in every headline figure(?P<files>: their files are the same)?\.",
    "tally": rf"Of all (?P<all>\d+) measures (?P<for_a>\d+) favours? {L} and (?P<for_b>\d+) {L}(?: \(.+?\))? beyond chance\.",
    "short_answers": r"Figures by short answers lead, with the official ones beside: .+? answers? in sentences, which official "
    r"measures count as wrong unless people wrote the same\.",
    "replies": rf"Of (?P<all>[\d,]+) repl(?:y|ies) of (?P<a>{L}): (?P<count>[\d,]+) \({X} %\) (?P<kind>\w[\w ]*)\.",
    "no_noise": r"No answers to questions with noise were given, so robustness was not measured: `voirdire robustness rank` "
    r"finds related questions, and `voirdire robustness perturb` adds them\.",
}
ACC = r"Accuracy(?: by short answers)?"
FINDINGS = {
    "f_accuracy": rf"It answers with accuracy(?: by short answers)? (?P<x>{X} %{CI})(?P<kinds>: .+)?\.",
    "f_drop": rf"{ACC} (?:falls (?P<falls>{X} points{CI})|rises (?P<rises>{X} points{CI})|changes by (?P<changes>{X}) points "
    rf"\(no interval: too few images\)|does not change beyond noise \(95 % interval of the drop {X} … {X} points\)) when three "
    rf"related questions are added(?:, from (?P<clean>{X} %) to (?P<noisy>{X} %))?; R_score (?P<score>{X}{CI})"
    rf"(?: ranks nobody: (?P<reason>{REASON}))?\.",
    "f_types": rf"Most points are lost on (?P<most>\S+) answers: (?P<x>{X}){CI}; fewest on (?P<least>\S+) answers: (?P<y>{X}){CI}\.",
    "f_trend": rf"(?:The less similar the added questions, the lower its accuracy|Its accuracy shows no fall over the partitions "
    rf"beyond chance|Its accuracy tends to fall from partition to partition \(Page's test, p = \S+\), but it does not end lower): "
    rf"(?P<x>{X}) % in partition 1, (?P<y>{X}) % in partition (?P<last>\d)(?: \(Page's test, p = \S+\))?\.",
    "f_random": rf"Random questions of the same length (?P<way>cost|raise accuracy by) (?P<x>{X}) points{CI}\.",
    "f_ranks": rf"It ranks the true answer first in (?P<first>{X}) %{CI} of the rounds and beyond the tenth place in "
    rf"(?P<beyond>{X}) %; its mean rank among \d+ is (?P<mean>{X}){CI}(?:; by people's relevance its rankings have NDCG {X}{CI})?\.",
    "f_valid": rf"(?P<x>{X}) %{CI} of its first answers are, word for word, among the valid ones; \S+(?: by short answers)? {X}{CI}\.",
    "f_several": rf"Of (?P<most>at most )?(?P<k>\d+) answers per round the best has \S+ {X}{CI}, their mean {X}{CI}"
    rf"(?:; {X}{CI} are different)?\.",
    "f_empty": r"(?P<n>[\d,]+) of its (?P<all>[\d,]+) answers have no text\.",
    "f_one_answer": rf"It gives one answer, “(?P<text>.+)”, in (?P<x>{X}) % of [\d,]+ rounds\.",
    "f_effective": rf"Of a game's questions (?P<x>{X} %{CI}) exclude a candidate(?:; the right object is guessed in (?P<won>{X}) % "
    rf"of the games)?\.",
    "f_outcomes": rf"In games that are (?P<more>won|lost) a larger share of the questions excludes a candidate than in those that "
    rf"are (?:won|lost): (?P<x>{X}) % against (?P<y>{X}) %\.",
    "f_turns": rf"(?:No clear change by turn: {X} % at turn 1 and {X} % at turn \d+ of the questions are effective"
    rf"|The share of effective questions (?:falls|rises) from {X} % at turn 1 to {X} % at turn \d+"
    rf"|The share of effective questions is {X} % at turn 1, {X} % at the (?:lowest|highest), turn \d+, and {X} % at turn \d+)\.",
    "f_last": rf"The last question is true of the target alone in (?P<x>{X} %{CI}) of the games(?:; then (?P<won>{X}) % are won, "
    rf"otherwise (?P<otherwise>{X}) %(?: \(the intervals overlap, so this may be chance\))?)?\.",
    "f_judged": rf"Asked .+, the model is right in (?P<x>{X}) %{CI} of the points(?: at turn \d+)?(?:; in {X} % of what it said "
    rf"neither yes nor no could be read)?\.",
    "f_measures": r"(?:Scoreboards|Most often mistaken|Accuracy (?:is|falls|rises)).+\.",
    "f_worst": rf"(?P<name>.+) is (?P<how>worst|clearly worse) at (?P<facet>.+?) (?:“(?P<value>.+)”|\d+): (?P<at>{X})(?: %| points)? "
    rf"there \((?P<n>[\d,]+) \w+s\), (?P<over>{X})(?: %| points)? over all\.",
    "f_too_few": rf"On (?P<basis>{BASIS}), \w+ \w+, too few \w+s to tell it from (?P<other>{L}): no p can be below "
    rf"(?P<p>\S+) after the correction\.",
    "f_compared": rf"On (?P<basis>{BASIS}), \w+ \w+, (?:none of \d+ measures? differs from (?P<other>{L}) beyond chance"
    rf"|(?P<count>\d+) of \d+ measures? differ from (?P<second>{L}) beyond chance \((?P<ways>.+?)\); (?P<measure>\S+) by "
    rf"(?P<by>[+-]?{X})(?: points)? \(95 % interval .+?\))\.",
}
