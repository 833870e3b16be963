"""Table 2 of the paper, types of questions with their shares and the oracle's accuracy on each; and oracles.

Of oracles: how often they say what was recorded, by turn, and which answers they take for which.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from voirdire.formats.guesswhat import ANSWERS
from voirdire.metrics.measure import Key
from voirdire.questions.kinds import AGREEMENT as SAME_TYPES
from voirdire.questions.kinds import KINDS, ORDER
from voirdire.questions.oracle_accuracy import AGREEMENT, ANSWERABLE, CONFUSION, RIGHT
from voirdire.section.charts import bar_chart, data_table, heat_map, line_chart, point_of
from voirdire.section.content import Chart, Drill, Headline, Item, Model, Row, SmallTable, Table, Text, cell_of
from voirdire.section.context import Side, Unit, drill, first_value, units_of
from voirdire.section.phrases import headline, percent, percent_cell


def types_contents(kinds: Sequence[Model], accuracies: Sequence[Model]) -> list[Table | Chart]:
    """Table 2, its shares as bars, and how far two lexicons agree where a run compared them."""
    return [
        types_table(kinds, accuracies),
        *([_shares(kinds)] if kinds else []),
        *(_lexicons(model) for model in kinds if SAME_TYPES.key in model.run.measures),
    ]


def types_table(kinds: Sequence[Model], accuracies: Sequence[Model]) -> Table:
    """The paper's Table 2."""
    whose = (*(f"accuracy: {model.label}" for model in accuracies), *(f"share: {model.label}" for model in kinds))
    rows: tuple[Row, ...] = tuple(
        (
            kind,
            *(percent_cell(model, RIGHT.key.on(kind)) for model in accuracies),
            *(percent_cell(model, Key(kind)) for model in kinds),
        )
        for kind in (*KINDS, ORDER)
    )
    note = (
        "How often the oracle is right on questions of each type, and the share of a model's questions that are of it, "
        "in percent. A question may be of several types; questions of order are of location too. The paper's Table 2."
    )
    return Table("questions-types", "Types of questions", ("type", *whose), rows, note)


def _shares(kinds: Sequence[Model]) -> Chart:
    points = [point_of(model, Key(kind), kind, scale=100) for kind in (*KINDS, ORDER) for model in kinds]
    title = "What is asked about"
    says = "The share of a model's questions that are of each type; a question may be of several."
    spec = bar_chart(points, value="questions (%)")
    return Chart(title, spec, says, data_table("questions-type-shares", title, points, at="type"))


def _lexicons(model: Model) -> Table:
    rows = tuple(
        (
            kind,
            percent_cell(model, SAME_TYPES.key.on(kind)),
            cell_of(model, SAME_TYPES.key.on(kind).as_variant("kappa")),
        )
        for kind in KINDS
    )
    whole = ("same set of types", percent_cell(model, SAME_TYPES.key), "")
    note = "The share of questions that both lexicons put in a type, or both leave out of it, in percent, and κ."
    title = f"Agreement of two lexicons: {model.label}"
    return Table(f"questions-lexicons-{model.key}", title, ("type", "agreement", "κ"), (*rows, whole), note)


def types_drill(kinds: Sequence[Model]) -> Drill:
    """The different questions, with how often each model asks them."""
    types: dict[str, str] = {}
    counts = []
    for model in kinds:
        for row in model.run.items.unique("question", maintain_order=True).iter_rows(named=True):
            types.setdefault(row["question"], ", ".join(kind for kind in (*KINDS, ORDER) if row[kind]))
        counts.append(Counter(model.run.items["question"].to_list()))

    def item(question: str) -> Item:
        asked = tuple(count[question] for count in counts)
        table = tuple((model.label, f"{count:,}") for model, count in zip(kinds, asked, strict=True))
        return Item(
            name=question,
            facets=(types[question],),
            scores=(tuple(map(float, asked)),),
            text=question,
            blocks=(
                Text("question", question),
                Text("types", types[question]),
                SmallTable("asked", ("model", "times"), table),
            ),
        )

    return drill(
        "questions-type-items",
        "Questions by type",
        kinds,
        list(types),
        item,
        facets=("types",),
        scores=("times asked",),
        noun="different question",
    )


UNIT = ("game_id", "image_id", "turn")
NOT_ASKED = "not asked"
WORDS = {True: "yes", False: "no", None: ""}


def agreements_of(model: Model) -> dict[str, Key]:
    """The oracles of a run of agreement, and the key of how far each agrees with people."""
    figures = model.run.measures.of(AGREEMENT.key.measure)
    return {key.slice[0]: key for key in figures if key.k is None and not key.condition}


def agreement_headline(model: Model) -> Headline:
    """Of a run of agreement: the best of its oracles."""
    agreed = agreements_of(model)
    best = max(agreed, key=lambda oracle: model.figure(agreed[oracle]).value or 0)
    says = f"share of questions to which {best}, the best of the oracles, gives the human answer"
    return headline(model, agreed[best], says)


def oracle_contents(models: Sequence[Model]) -> list[Table | Chart]:
    """Of runs of `questions oracle-accuracy`: accuracy, by turn, and confusions."""
    columns = {"accuracy": RIGHT.key, "where the answer is yes or no": RIGHT.key.under(ANSWERABLE)}
    rows: tuple[Row, ...] = tuple(
        (model.label, *(percent_cell(model, key) for key in columns.values())) for model in models
    )
    note = "The share of questions to which the oracle gives the recorded answer about the target, in percent."
    table = Table("questions-oracle", "Accuracy of the oracle", ("oracle", *columns), rows, note)
    return [
        table,
        *_by_turn(models, "questions-oracle-by-turn", "Accuracy of the oracle by turn"),
        *map(_confusion, models),
    ]


def agreement_contents(models: Sequence[Model]) -> list[Table | Chart]:
    """Of runs of agreement: each oracle with the people."""
    rows = tuple(
        (_named(model, key, models), percent_cell(model, key), percent_cell(model, key.under(ANSWERABLE)))
        for model in models
        for key in agreements_of(model).values()
    )
    columns = ("oracle", "agreement", "where people say yes or no")
    note = "The share of questions to which an oracle gives the human answer, in percent."
    table = Table("questions-agreement", "Agreement of oracles with people", columns, rows, note)
    return [table, *_by_turn(models, "questions-agreement-by-turn", "Agreement of oracles with people by turn")]


def _named(model: Model, key: Key, models: Sequence[Model]) -> str:
    """What the oracle of a figure is called: as the model, or as the table of answers calls it."""
    if not key.slice:
        return model.label
    return f"{model.label}: {key.slice[0]}" if len(models) > 1 else key.slice[0]


def _by_turn(models: Sequence[Model], name: str, title: str) -> list[Chart]:
    points = [
        point_of(model, key, key.k, _named(model, key, models), 100)
        for model in models
        for key, figure in model.run.measures.items()
        if key.k is not None and figure.value is not None
    ]
    if not points:
        return []
    points.sort(key=lambda point: int(point.at))
    says = (
        "The share of questions that are answered as people did, by the turn at which they were asked; later questions "
        "lean more on what was said before."
    )
    spec = line_chart(points, at="turn", value="answered as recorded (%)")
    return [Chart(title, spec, says, data_table(name, title, points, series="oracle", at="turn"))]


def _confusion(model: Model) -> Chart:
    points = []
    for recorded in ANSWERS:
        for given in ANSWERS:
            point = point_of(model, CONFUSION.key.on(f"{recorded} as {given}"), given, recorded, 100)
            points.append(replace(point, text=percent(point.value, 1)))
    title = f"Recorded answers and what the oracle says: {model.label}"
    says = "Of all questions, the share with each recorded answer (rows) to which the oracle gives each answer "
    says += "(columns), in percent."
    table = data_table(f"questions-confusion-{model.key}", title, points, series="recorded", at="oracle")
    return Chart(title, heat_map(points, rows="recorded", columns="oracle"), says, table)


def oracle_drill(models: Sequence[Model]) -> Drill:
    """The questions, with the recorded answer and that of each oracle."""
    sides = [Side(model, UNIT) for model in models]
    return drill(
        "questions-oracle-items",
        "Questions and the oracle's answers",
        models,
        units_of(sides),
        partial(_answered, sides),
        facets=("types", "recorded answer", "target"),
        scores=("right",),
        noun="question",
    )


def _answered(sides: Sequence[Side], unit: Unit) -> Item:
    game, image, turn = unit
    question, category, answer = (first_value(sides, name, unit) for name in ("question", "category", "answer"))
    right = [side.value("right", unit) for side in sides]
    texts = tuple(side.value("oracle_answer", unit) or NOT_ASKED for side in sides)
    answers = tuple((side.model.label, text, WORDS[ok]) for side, text, ok in zip(sides, texts, right, strict=True))
    types = ", ".join(kind for kind in KINDS if first_value(sides, kind, unit))
    wrong = tuple(place for place, ok in enumerate(right) if ok is False)
    return Item(
        name=f"game {game}, turn {turn}",
        facets=(types, answer, category),
        scores=(tuple(None if ok is None else float(ok) for ok in right),),
        text=question,
        blocks=(
            Text("question", question),
            Text("target", category),
            Text("recorded answer", answer),
            SmallTable("oracles", ("oracle", "answer", "right"), answers, wrong),
        ),
        image=image,
        outputs=texts,
        ids={"game_id": game, "image_id": image, "turn": turn},
    )
