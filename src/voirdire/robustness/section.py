"""The robustness exam in a report: its findings in sentences, its tables and charts, and the questions behind them.

A difference is called one where its 95 % interval leaves out zero, and a fall over partitions where Page's test does.
"""

from collections import Counter
from collections.abc import Sequence

from voirdire.exam.short_answers import by_short_answers, caveats_of, lead_by_short_answers, why_short_answers
from voirdire.figures import ALPHA, name_list, short, show_p
from voirdire.live.replies import odd_replies
from voirdire.metrics.key import Key
from voirdire.robustness.exam import EXAM
from voirdire.robustness.section_tables import (
    NUMBERS,
    Asked,
    accuracy_chart,
    accuracy_table,
    asked_questions,
    condition_words,
    conditions_of,
    drop_chart,
    of_one_noise,
    partition_table,
    question_types_table,
    rankers_chart,
    rankers_of,
    rankers_table,
    scores_table,
    types_chart,
    types_table,
)
from voirdire.robustness.views import (
    ACCURACY,
    ANSWER_TYPE,
    ANSWER_TYPES,
    CONTROL,
    CUT,
    DROP,
    NEAREST,
    QUESTION_TYPE,
    R_SCORE,
    TREND_P,
    drops_by_type,
)
from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.section.content import (
    Block,
    Chart,
    Drill,
    Finding,
    Headline,
    Item,
    Model,
    Section,
    SmallTable,
    Table,
    Text,
    Tone,
)
from voirdire.section.context import Context, Side, Unit, by_whom, drill, first_value, units_of
from voirdire.section.phrases import apart, effect, grouped, headline, of_part, plain_table, with_ci

PARTS = SCORE, PLAIN, RANKERS = ("score", "accuracy", "rankers")
HEADLINES = (
    (ACCURACY.key.under(NEAREST), "with the three most similar questions, partition 1, added", "accuracy under noise"),
    (ACCURACY.key, "VQA accuracy on the questions as they are", "accuracy, clean"),
    (DROP.key.under(NEAREST), DROP.description, "drop"),
    (R_SCORE.key, R_SCORE.description, "R_score"),
)
"""What stands on the first screen. Accuracy under noise decides who leads: who ignores noise has no drop."""
PLAIN_TITLE, PLAIN_QUESTION = "VQA accuracy", "How often does a model answer as people do?"
PLAIN_METHOD = "accuracy was measured on questions as they are"
NO_NOISE = (
    "No answers to questions with noise were given, so robustness was not measured: `voirdire robustness rank` finds "
    "related questions, and `voirdire robustness perturb` adds them."
)
UNIT = ("question_id",)
ANSWER = Key("answer")
LEGEND = " Behind → stands the answer with partition 1, where it is another; marked are conditions that cost a model."


def robustness_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of the exam, whichever part they are of."""
    headlines: list[Headline] = []
    findings: list[Finding] = []
    contents: list[Table | Chart] = []
    drills: list[Drill] = []
    asked = asked_questions(context)
    scored, plain, ranked = (of_part(models, part) for part in PARTS)
    by_short = {part: lead_by_short_answers([model.run for model in of_part(models, part)]) for part in (SCORE, PLAIN)}
    if scored:
        contents.append(scores_table("robustness-scores", scored))
    groups = [
        alike for group in grouped(scored, ["data.annotations", "options.dataset"]) for alike in of_one_noise(group)
    ]
    for number, group in enumerate(groups, start=1):
        suffix = f"-{number}" if len(groups) > 1 else ""
        by_answer, by_question = (
            [(model, drops_by_type(model.run, facet)) for model in group] for facet in (ANSWER_TYPE, QUESTION_TYPE)
        )
        contents += [
            accuracy_chart(f"robustness-accuracy-data{suffix}", group),
            drop_chart(f"robustness-drop-data{suffix}", group),
            *(partition_table(f"robustness-partitions-{model.key}", model) for model in group),
            types_chart(f"robustness-types-data{suffix}", by_answer),
            types_table(f"robustness-types{suffix}", by_question),
        ]
        drills.append(question_drill(f"robustness-questions{suffix}", group, asked))
        for model, figures in by_answer:
            findings += on_score(model, figures, by_short[SCORE])
            headlines += [
                _headline(model, key, says, name, by_short[SCORE])
                for key, says, name in HEADLINES
                if key in model.run.measures
            ]
    for model in ranked:
        contents += [
            rankers_table(f"robustness-rankers-{model.key}", model),
            rankers_chart(f"robustness-rankers-data-{model.key}", model),
        ]
        findings += on_rankers(model)
    for number, group in enumerate(by_data := grouped(plain, ["data.annotations"]), start=1):
        suffix = f"-{number}" if len(by_data) > 1 else ""
        contents += [
            accuracy_table(f"robustness-plain{suffix}", group),
            question_types_table(f"robustness-plain-types{suffix}", group),
        ]
        drills.append(question_drill(f"robustness-plain-questions{suffix}", group, asked))
        for model in group:
            findings += on_accuracy(model, by_short[PLAIN])
            headlines.append(_headline(model, ACCURACY.key, ACCURACY.description, ACCURACY.label, by_short[PLAIN]))
    contents += [
        plain_table(f"robustness-{model.key}", f"{model.label}: {model.run.title}", model)
        for model in models
        if model.run.part not in PARTS
    ]
    why = [
        why_short_answers([(model.label, model.run) for model in of_part(models, part)])
        for part, leads in by_short.items()
        if leads
    ]
    notes = [note for model in (*scored, *plain) for note in _odd_replies(model)]
    about = (EXAM.title, EXAM.question, EXAM.method)
    if plain and not scored and not ranked:
        about = (PLAIN_TITLE, PLAIN_QUESTION, PLAIN_METHOD)
        notes.append(NO_NOISE)
    title, asks, method = about
    return Section(EXAM.name, title, asks, headlines, findings, contents, drills, notes=notes, method=method, why=why)


def _odd_replies(model: Model) -> list[str]:
    """A line on replies that are no answers, in all conditions; none where its items have no texts."""
    items = model.run.items
    columns = [name for name in items.columns if Key.parse(name).measure == ANSWER.measure]
    if not columns or "humans" not in items.columns:
        return []
    people = (people[0] for people in items["humans"] if len(people))
    return odd_replies(model.label, (text for name in columns for text in items[name].drop_nulls()), people)


def _headline(model: Model, key: Key, says: str, name: str, by_short: bool) -> Headline:
    """A figure of the first screen; by short answers where these lead, with the official one beside."""
    short_key = by_short_answers(key, model.run) if by_short else key
    if short_key == key:
        return headline(model, key, says, name=name)
    return headline(model, short_key, f"{says}, by short answers", name=f"{name}, short answers", beside=str(key))


def question_drill(name: str, models: Sequence[Model], asked: Asked) -> Drill:
    """Questions with each model's answers under every condition."""
    sides = [Side(model, UNIT) for model in models]
    conditions = ("", *conditions_of(models))
    return drill(
        name,
        "Questions and their answers under noise" if len(conditions) > 1 else "Questions and their answers",
        models,
        units_of(sides),
        _Questions(sides, conditions, asked).item,
        facets=("answer type", "question type", *(("loses with partition 1",) if NEAREST in conditions else ())),
        scores=tuple(_accuracy(condition) for condition in conditions),
        noun="question",
        note=f".{LEGEND if conditions[1:] else ''}",
    )


def _accuracy(condition: str) -> str:
    return str(ACCURACY.key.under(condition))


class _Questions:
    """What the items are made of."""

    def __init__(self, sides: Sequence[Side], conditions: Sequence[str], asked: Asked) -> None:
        self._sides, self._conditions, self._asked = sides, conditions, asked

    def _text(self, id_: int, condition: str = "") -> str | None:
        return self._asked.get(condition, {}).get(id_)

    def item(self, unit: Unit) -> Item:
        """A question, with each model's answers."""
        (id_,) = unit
        question = self._text(id_) or ""
        blocks: list[Block] = [Text("question", question)] if question else []
        people = first_value(self._sides, "humans", unit)
        if people:
            counts = Counter(people).most_common()
            blocks.append(Text("people's answers", ", ".join(f"{text} × {count}" for text, count in counts)))
        blocks.append(self._answers(unit, question))
        scores = tuple(
            tuple(side.value(_accuracy(condition), unit) for side in self._sides) for condition in self._conditions
        )
        facets = [str(first_value(self._sides, facet, unit)) for facet in (ANSWER_TYPE, QUESTION_TYPE)]
        if NEAREST in self._conditions:
            lost = [_loses(side, NEAREST, unit) for side in self._sides]
            facets.append(by_whom([side.model.label for side in self._sides], lost))
        others = [condition for condition in self._conditions if condition not in ("", NEAREST)]
        more = (side.value(str(ANSWER.under(condition)), unit) for condition in others for side in self._sides)
        text = " · ".join(filter(None, [question, *dict.fromkeys(more)]))
        image = first_value(self._sides, "image_id", unit)
        answers = tuple(_answers_of(side, unit) for side in self._sides)
        ids = {"question_id": id_, "image_id": image}
        return Item(f"question {id_}", tuple(facets), scores, text, tuple(blocks), image, answers, ids)

    def _answers(self, unit: Unit, question: str) -> SmallTable:
        """A row per condition: what was added, and each model's answer with its accuracy."""
        rows, marked = [], []
        texts = any(condition in self._asked for condition in self._conditions if condition)
        for place, condition in enumerate(self._conditions):
            added = (self._added(unit[0], condition, question),) if texts else ()
            words = condition_words(condition)
            if any(side.value(str(CUT.key.under(condition)), unit) for side in self._sides):
                words += ", cut"
            rows.append((words, *added, *(_answer(side, condition, unit) for side in self._sides)))
            if condition and any(_loses(side, condition, unit) for side in self._sides):
                marked.append(place)
        head = ("questions", *(("added",) if texts else ()), *(side.model.label for side in self._sides))
        return SmallTable("answers, and their accuracies in percent", head, tuple(rows), tuple(marked))

    def _added(self, id_: int, condition: str, question: str) -> str:
        """What follows the main question; the whole text where it does not begin with it, or was cut before its end."""
        text = self._text(id_, condition)
        if not condition or text is None:
            return ""
        return text.removeprefix(question).strip() if question else text


def _answers_of(side: Side, unit: Unit) -> str:
    """The answer to the question as it is and, where that is another, with the nearest questions added: `yes → no`."""
    clean, noisy = (side.value(str(ANSWER.under(condition)), unit) for condition in ("", NEAREST))
    return " → ".join(dict.fromkeys(text for text in (clean, noisy) if text is not None))


def _answer(side: Side, condition: str, unit: Unit) -> str:
    text, accuracy = (side.value(str(key.under(condition)), unit) for key in (ANSWER, ACCURACY.key))
    percent = "–" if accuracy is None else f"{accuracy:.0f}"
    return percent if text is None else f"{text} ({percent})"


def _loses(side: Side, condition: str, unit: Unit) -> bool:
    before, after = (side.value(_accuracy(at), unit) for at in ("", condition))
    return before is not None and after is not None and bool(after < before)


def on_score(model: Model, figures: Measures, by_short: bool) -> list[Finding]:
    """What related questions cost, on which answers, over the partitions, beside random ones; and if they had effect.

    figures   what the model loses by answer type
    by_short  whether figures by short answers lead
    """

    def key(official: Key) -> Key:
        return by_short_answers(official, model.run) if by_short else official

    clean, noisy = model.figure(key(ACCURACY.key)), model.figure(key(ACCURACY.key.under(NEAREST)))
    drop, score = model.figure(key(DROP.key.under(NEAREST))), model.figure(key(R_SCORE.key))
    if drop.value is None or clean.value is None or noisy.value is None:
        return []
    change, tone = _change(drop, key(ACCURACY.key) != ACCURACY.key)
    # Where the partition does not reach all questions, the drop is that of fewer than the first accuracy is of.
    ends = f", from {short(clean.value)} % to {short(noisy.value)} %" if drop.n == clean.n else ""
    text = f"{change} when three related questions are added{ends}; "
    if reason := caveats_of(model.run).get(key(R_SCORE.key), ""):
        tone = "plain" if tone == "good" else tone
        text += f"R_score {with_ci(score, 2)} ranks nobody: {reason}."
    else:
        text += f"R_score {with_ci(score, 2)}."
    finding = Finding(model.label, text, tone, effect(drop))
    if by_short:
        return [finding, *_on_random(model, key(DROP.key.under(CONTROL)))]
    return [finding, *_on_types(model, figures), *_on_trend(model), *_on_random(model, DROP.key.under(CONTROL))]


def _on_types(model: Model, figures: Measures) -> list[Finding]:
    """The answers on which most and least is lost, where their intervals are apart."""
    lost = {key: figure for key, figure in figures.of(DROP.key.measure).items() if figure.value is not None}
    order = sorted(lost, key=lambda key: -(lost[key].value or 0.0))
    if len(order) < 2 or not apart(lost[order[0]], lost[order[-1]]) or (lost[order[0]].value or 0.0) <= 0:
        return []
    most, least = (f"{key.slice[0]} answers: {with_ci(lost[key])}" for key in (order[0], order[-1]))
    size = effect(lost[order[0]], lost[order[-1]])
    return [Finding(model.label, f"Most points are lost on {most}; fewest on {least}.", effect=size)]


def _change(drop: Estimate, by_short: bool) -> tuple[str, Tone]:
    value, name = drop.value or 0.0, "Accuracy by short answers" if by_short else "Accuracy"
    if drop.low is None or drop.high is None:
        # Without an interval it is unknown whether it is one.
        return f"{name} changes by {short(-value)} points (no interval: too few images)", "plain"
    if drop.low > 0:
        return f"{name} falls {with_ci(drop, unit=' points')}", "bad"
    if drop.high < 0:
        risen = Estimate(-value, -drop.high, -drop.low, drop.n)
        return f"{name} rises {with_ci(risen, unit=' points')}", "plain"
    within = f"95 % interval of the drop {short(drop.low)} … {short(drop.high)}"
    return f"{name} does not change beyond noise ({within} points)", "good"


def _on_trend(model: Model) -> list[Finding]:
    tested = model.figure(TREND_P.key).value
    if tested is None:
        return []
    last = [condition for condition in conditions_of([model]) if condition in NUMBERS][-1]
    first, end = (model.figure(ACCURACY.key.under(condition)).value for condition in (NEAREST, last))
    number, p = NUMBERS[last], f"Page's test, p = {show_p(tested)}"
    ends = f"{short(first)} % in partition 1, {short(end)} % in partition {number}"
    if tested > ALPHA:
        return [Finding(model.label, f"Its accuracy shows no fall over the partitions beyond chance: {ends} ({p}).")]
    if (end or 0.0) < (first or 0.0):
        text = f"The less similar the added questions, the lower its accuracy: {ends} ({p})."
    else:
        text = f"Its accuracy tends to fall from partition to partition ({p}), but it does not end lower: {ends}."
    return [Finding(model.label, text, "bad")]


def _on_random(model: Model, key: Key) -> list[Finding]:
    drop = model.figure(key)
    if drop.value is None:
        return []
    if drop.value >= 0:
        text = f"Random questions of the same length cost {with_ci(drop, unit=' points')}."
    else:
        gain = Estimate(-drop.value, drop.high and -drop.high, drop.low and -drop.low, drop.n)
        text = f"Random questions of the same length raise accuracy by {with_ci(gain, unit=' points')}."
    return [Finding(model.label, text, effect=effect(drop))]


def on_accuracy(model: Model, by_short: bool) -> list[Finding]:
    """Plain accuracy, and on which answers."""

    def figure(official: Key) -> Estimate:
        return model.figure(by_short_answers(official, model.run) if by_short else official)

    kinds = [(kind, figure(ACCURACY.key.on(kind))) for kind in ANSWER_TYPES]
    parts = [f"{short(each.value)} % on {kind}" for kind, each in kinds if each.value is not None]
    what = "accuracy by short answers" if by_short else "accuracy"
    text = f"It answers with {what} {with_ci(figure(ACCURACY.key), unit=' %')}"
    return [Finding(model.label, f"{text}: {', '.join(parts)}." if parts else f"{text}.")]


def on_rankers(model: Model) -> list[Finding]:
    """Whose order of questions makes accuracy fall."""
    falls = {
        ", ".join(ranker.slice): corrected.value
        for ranker in rankers_of(model)
        if (corrected := model.figure(TREND_P.key.on(*ranker.slice).as_variant("holm"))).value is not None
    }
    falling = [ranker for ranker, p in falls.items() if p <= ALPHA]
    others = [ranker for ranker in falls if ranker not in falling]
    if not falls:
        return []
    if not falling:
        text = "Page's test finds no fall of accuracy over the partitions under any ranker"
        return [Finding(model.label, f"{text}; p after Holm's correction.")]
    named = name_list([f"{ranker} (p = {show_p(falls[ranker])})" for ranker in falling])
    text = f"Page's test finds that accuracy falls over the partitions under {named}"
    if others:
        text += f", not beyond chance under {name_list(others)}"
    return [Finding(model.label, f"{text}; p after Holm's correction.")]
