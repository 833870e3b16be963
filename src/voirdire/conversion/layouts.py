"""The layouts of other tools and the official ones that are made of them, as declarations; the options of a conversion.

A path leads to a value: keys and list indices joined by full stops, `output.choices.0.message.content`. Of several
paths the first that a record has counts. What a tool numbers by the position in its own run (`doc_id`, `index`) is no
id of a question: it is listed under `counts` and never taken for one unless the call says so.

Of a file of unknown format that format is nearest which has the largest share of common keys, |A ∩ B| / |A ∪ B|. Where
the records have what a layout of a model's outputs is made of, under whatever names, that layout is nearest.

Other packages add layouts through the entry-point group `voirdire.layouts`, each point naming a `Layout`.
"""

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from voirdire.conversion.datasets import MADE, dataset_of
from voirdire.conversion.rows import (
    KEY,
    MISSING,
    VALUE,
    RawRecords,
    answer_texts,
    find,
    image_id_of,
    question_text,
    read_rows,
    whole_number,
)
from voirdire.errors import InputError, UsageError, shorten
from voirdire.formats.catalogue import Format, formats, named_format
from voirdire.formats.files import Source
from voirdire.providers import entry_points

GROUP = "voirdire.layouts"
LOOKED_AT = 100
"""How many records are looked at to see which keys there are."""
Duplicates = Literal["error", "first", "last", "all"]
LONGEST_PATH, MOST_MAPS = 200, 20

ROLES = ("question_id", "image_id", "question", "round_id", "answer", "ranks", "scores")
"""What a value may be used for; called as the official layouts call it."""


@dataclass(frozen=True)
class Layout:
    """How a tool writes a model's outputs.

    name    for `--from`
    title   in words
    marks   the keys by which its records are recognised
    paths   from a role to where its value may be
    counts  keys that number a record by its position
    joined  whether an answer is a list of words, to be joined by spaces
    """

    name: str
    title: str
    marks: frozenset[str]
    paths: Mapping[str, Sequence[str]]
    counts: Sequence[str] = field(default=())
    joined: bool = False


IMAGE = (
    *("image_id", "image", "img_id", "img", "imageId", "image_path", "image_file", "image_name", "img_path"),
    *("file_name", "filename", "picture"),
)
ROUND = ("round_id", "round", "turn_id", "turn")
HARNESS: dict[str, Sequence[str]] = {
    "question_id": ("doc.question_id", "doc.questionId", "doc.qid", "doc.id"),
    "image_id": tuple(f"doc.{name}" for name in IMAGE),
    "round_id": tuple(f"doc.{name}" for name in ROUND),
    "answer": ("filtered_resps", "resps"),
}
"""Where both of the harnesses that keep the document of a sample have it."""

PLAIN = Layout(
    "plain",
    "records of no tool in particular",
    frozenset(),
    {
        "question_id": ("question_id", "questionId", "question-id", "qid", "q_id", "id", "uid", KEY),
        "image_id": IMAGE,
        "question": ("question", "prompt", "query", "instruction", "question_text", "input", "user"),
        "round_id": ROUND,
        # What may be the truth comes last: where a model's own words are there, too, they are meant.
        "answer": (
            *("prediction", "predicted_answer", "predicted", "pred", "pred_answer", "model_answer", "model_output"),
            *("generated_answer", "generated_text", "generation", "generations", "generated", "response", "responses"),
            *("output", "outputs", "completion", "result", "text", "caption", "answers", "answer", VALUE),
        ),
        "ranks": ("ranks", "rank", "ranking"),
        "scores": ("scores", "logits", "scores_list"),
    },
)

LAYOUTS: tuple[Layout, ...] = (
    Layout(
        "llava",
        "answers of LLaVA and of what is made like it",
        frozenset({"question_id", "text"}),
        {
            "question_id": ("question_id",),
            "image_id": IMAGE,
            "question": ("prompt", "question"),
            "round_id": ROUND,
            "answer": ("text",),
        },
    ),
    Layout(
        "lm_eval",
        "samples of lm-evaluation-harness",
        frozenset({"doc_id", "doc", "resps", "filter"}),
        {
            **HARNESS,
            "question": ("doc.question", "doc.prompt", "arguments.gen_args_0.arg_0"),
        },
        counts=("doc_id",),
    ),
    Layout(
        "lmms_eval",
        "samples of lmms-eval (or of an early lm-evaluation-harness)",
        frozenset({"doc_id", "doc", "resps"}),
        {
            **HARNESS,
            "question_id": (*HARNESS["question_id"], "submission.question_id"),
            "question": ("doc.question", "doc.prompt", "input", "arguments.0.0", "arguments.0"),
        },
        counts=("doc_id",),
    ),
    Layout(
        "inspect",
        "samples of an Inspect log",
        frozenset({"id", "epoch", "input", "output"}),
        {
            "question_id": ("metadata.question_id", "id"),
            "image_id": tuple(f"metadata.{name}" for name in IMAGE),
            "question": ("metadata.question", "input"),
            "round_id": tuple(f"metadata.{name}" for name in ROUND),
            "answer": ("output.completion", "output.choices.0.message.content"),
        },
    ),
    Layout(
        "openai_batch",
        "answers of an OpenAI batch, or of a server that writes the same",
        frozenset({"custom_id", "response"}),
        {"question_id": ("custom_id",), "answer": ("response.body.choices.0.message.content",)},
    ),
    Layout(
        "vlmevalkit",
        "a table of VLMEvalKit",
        frozenset({"index", "prediction"}),
        {
            "question_id": ("question_id", "qid"),
            "image_id": ("image_id", "image_path", "img_path", "image_name"),
            "question": ("question",),
            "round_id": ROUND,
            "answer": ("prediction",),
        },
        counts=("index",),
    ),
    Layout(
        "words",
        "answers by question id",
        frozenset({KEY, VALUE}),
        {"question_id": (KEY,), "answer": (VALUE,)},
        joined=True,
    ),
    Layout(
        "evalai_ranks",
        "rankings for the VisDial challenge",
        frozenset({"image_id", "round_id", "ranks"}),
        {"image_id": ("image_id",), "round_id": ("round_id",), "ranks": ("ranks",)},
    ),
)


def layout_of(keys: Sequence[str]) -> Layout:
    """The layout whose marks are all there; the plain one where there is none.

    Of ours the first counts. One of another package goes before it only where it has more marks.
    """
    first = next((layout for layout in LAYOUTS if layout.marks <= set(keys)), PLAIN)
    fitting = (layout for layout in _others() if layout.marks <= set(keys))
    return max((first, *fitting), key=lambda layout: len(layout.marks))


def layouts_by_name() -> dict[str, Layout]:
    """All layouts of other tools, by their names: ours, then those of other packages."""
    return {layout.name: layout for layout in (*LAYOUTS, PLAIN, *_others())}


@cache
def _others() -> tuple[Layout, ...]:
    by_name: dict[str, Layout] = {}
    for point in sorted(entry_points(GROUP), key=lambda point: point.name):
        layout = point.load()
        if not isinstance(layout, Layout):
            raise UsageError(f"the entry point {point.name} of {GROUP} must name a Layout, got {type(layout).__name__}")
        if layout.name in by_name or any(layout.name == ours.name for ours in (*LAYOUTS, PLAIN)):
            raise UsageError(f"two layouts are called {layout.name!r}; uninstall one of the packages that bring them")
        by_name[layout.name] = layout
    return tuple(by_name.values())


@dataclass(frozen=True)
class Target:
    """An official layout that can be made.

    rounds  whether its records are of rounds of dialogues; else they are of questions
    role    the role of the model's answer in it
    """

    name: str
    rounds: bool
    role: str


TARGETS = {
    target.name: target
    for target in (
        Target("vqa_results", False, "answer"),
        Target("generations", True, "answer"),
        Target("ranks", True, "ranks"),
        Target("scores", True, "scores"),
    )
}


@dataclass(frozen=True)
class ConvertOptions:
    """How a file is converted.

    to          the official layout
    maps        from a role to the path of its value, where that is not to be guessed
    against     the dataset's questions or dialogues
    layout      the name of the tool's layout, where that is not to be guessed
    leave_out   whether records that cannot be mapped are left out and counted; else they are an error
    duplicates  what is done with a second record of a question or round; "all" keeps all answers of a round
    round_base  from where rounds are counted, where the records leave that open
    """

    to: str
    maps: Mapping[str, str] = field(default_factory=dict)
    against: str | None = None
    layout: str | None = None
    leave_out: bool = False
    duplicates: Duplicates = "error"
    round_base: int | None = None

    def __post_init__(self) -> None:
        if self.to not in (*TARGETS, *MADE):
            raise UsageError(f"`to` must be one of {', '.join((*TARGETS, *MADE))}, got {shorten(self.to)}")
        if self.duplicates not in get_args(Duplicates):
            known = ", ".join(get_args(Duplicates))
            raise UsageError(f"`duplicates` must be one of {known}, got {shorten(self.duplicates)}")
        if self.duplicates == "all" and self.to != "generations":
            raise UsageError(f"`duplicates` may be all only for generations, not for {self.to}")
        if self.layout is not None and self.layout not in layouts_by_name():
            raise UsageError(f"`from` must be one of {', '.join(layouts_by_name())}, got {shorten(self.layout)}")
        if len(self.maps) > MOST_MAPS:
            raise UsageError(f"`map` may be given {MOST_MAPS} times at most, got {len(self.maps)}")
        for role, path in self.maps.items():
            if role not in ROLES:
                raise UsageError(f"`map` must name one of {', '.join(ROLES)} before its =, got {shorten(role)}")
            if not 0 < len(path) <= LONGEST_PATH:
                raise UsageError(f"`map` must have a path of 1 to {LONGEST_PATH} characters, got {shorten(path)}")

    @property
    def target(self) -> Target:
        """The layout to be made."""
        return TARGETS[self.to]


def choose_paths(rows: RawRecords, layout: Layout, target: Target, maps: Mapping[str, str]) -> dict[str, str]:
    """Where the value of each role is: as `maps` says, or the first of the layout's paths with values that will do.

    A number called `id` that only counts the records from the start of the file is no id of a question.
    """
    first = [row.values for row in rows.rows[:LOOKED_AT]]
    paths = {}
    ids = ("image_id", "round_id") if target.rounds else ("question_id", "image_id")
    for role in (*ids, "question", target.role):
        if role in maps:
            paths[role] = maps[role]
            continue
        for path in layout.paths.get(role, ()):
            values = [value for row in first if (value := find(row, path)) is not MISSING]
            if any(USABLE[role](value) for value in values) and not (role == "question_id" and _counts(path, values)):
                paths[role] = path
                break
    return paths


USABLE: dict[str, Callable[[Any], bool]] = {
    "question_id": lambda value: whole_number(value) is not None or (isinstance(value, str) and value != ""),
    "image_id": lambda value: image_id_of(value) is not None,
    "question": lambda value: bool(question_text(value)),
    "round_id": lambda value: whole_number(value) is not None,
    "answer": lambda value: bool(answer_texts(value)),
    "ranks": lambda value: isinstance(value, list),
    "scores": lambda value: isinstance(value, list),
}
"""Whether a value will do for a role."""


def _counts(path: str, values: Sequence[Any]) -> bool:
    """Whether a key that may be the id of anything has 0, 1, 2 … or 1, 2, 3 …, the positions of the records."""
    numbers = list(dict.fromkeys(whole_number(value) for value in values))
    start = numbers[0] if numbers else None
    general = path.rpartition(".")[2] in ("id", "uid", KEY)
    return general and start in (0, 1) and numbers == [*range(start, start + len(numbers))]


ENOUGH = 0.3
"""The share of common keys from which on a format is called near."""


def suggest(source: Source) -> str:
    """A sentence or two for somebody whose file is of unknown format; empty where nothing is near."""
    try:
        rows = read_rows(source)
    except InputError:
        return ""
    keys = set(rows.keys())
    if (dataset := dataset_of(rows)) is not None:
        calls = " and ".join(call_to_convert(source, to) for to in MADE)
        return f"They are {dataset.title}. To make VQA files of them: {calls}"
    if (conversion := _possible_conversion(rows)) is not None:
        return _explain(source, rows, *conversion)

    def share(format_: Format[Any]) -> float:
        return len(keys & {*format_.fields}) / len(keys | {*format_.fields})

    near = max((format_ for format_ in formats() if format_.fields), key=share, default=None)
    if near is None or share(near) < ENOUGH:
        return ""
    return f"{_nearest(near, keys)} docs/formats.md has its layout."


def _possible_conversion(rows: RawRecords) -> tuple[Target, dict[str, str], list[str]] | None:
    """The layout of a model's outputs that the records can become, from which paths, and what the call has to add."""
    layout = layout_of(rows.keys())
    best = None
    for target in (TARGETS["ranks"], TARGETS["scores"], TARGETS["generations"], TARGETS["vqa_results"]):
        paths = choose_paths(rows, layout, target, {})
        if target.role not in paths:
            continue
        named = {"image_id", "round_id"} <= set(paths) if target.rounds else "question_id" in paths
        if named:
            return target, paths, []
        if "question" in paths and not target.rounds:
            best = target, paths, ["question_id"]
    return best


def _explain(source: Source, rows: RawRecords, target: Target, paths: dict[str, str], unnamed: Sequence[str]) -> str:
    format_, keys = named_format(target.name), rows.keys()
    layout = layout_of(keys)
    guess = "" if layout is PLAIN else f"It seems to be {layout.title}. "
    call = call_to_convert(source, target.name, *(["--against", "QUESTIONS"] if unnamed else []))
    taken = [f"{role} from {path}" for role, path in paths.items() if role in (target.role, *format_.fields)]
    of_dialogues = "; or --to generations --against DIALOGUES if they are of dialogues" if unnamed else ""
    how = f" ({', '.join(taken)}{', question ids by image and question' if unnamed else ''})"
    return f"{guess}{_nearest(format_, keys)} To make one{how}: {call}{of_dialogues}"


def call_to_convert(source: Source, to: str, *more: str) -> str:
    """The command that converts a file, as a user would type it."""
    out = f"{Path(source.name).name.partition('.')[0] or 'out'}.{to}.json" if source.name != "-" else "OUT"
    return shlex.join(["voirdire", "convert", source.name, "--to", to, *more, "-o", out])


def _nearest(format_: Format[Any], keys: Collection[str]) -> str:
    missing = [name for name in format_.fields if name not in keys]
    lacks = f"of which it lacks {listed(missing)}" if missing else "whose keys it has, but not as they should be"
    return f"Nearest is {format_.title} ({format_.name}), {lacks}."


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence, the first of many."""
    return ", ".join(shorten(name)[1:-1] for name in names[:most]) + (", …" if len(names) > most else "")
