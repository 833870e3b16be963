"""The layouts of other tools, as declarations: how each is known, and under which keys it has what.

A path leads to a value: names and places in lists with full stops between them, `output.choices.0.message.content`.
Of several paths the first that a record has counts. What a tool numbers by the place in its own run (`doc_id`, `index`)
is no id of a question: it is listed under `counts` and never taken for one unless the call says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voirdire.conversion.rows import KEY, VALUE

ROLES = ("question_id", "image_id", "question", "round_id", "answer", "ranks", "scores")
"""What may be made of a value; called as the official layouts call it."""


@dataclass(frozen=True)
class Layout:
    """How a tool writes a model's outputs.

    name    for `--from`
    title   in words
    marks   the keys by which its records are known
    paths   role to where it may stand
    counts  keys that number a record by its place
    joined  whether an answer is a list of words, to be joined by blanks
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
            "question_id": ("doc.question_id", "doc.questionId", "doc.qid", "doc.id"),
            "image_id": tuple(f"doc.{name}" for name in IMAGE),
            "question": ("doc.question", "doc.prompt", "arguments.gen_args_0.arg_0"),
            "round_id": tuple(f"doc.{name}" for name in ROUND),
            "answer": ("filtered_resps", "resps"),
        },
        counts=("doc_id",),
    ),
    Layout(
        "lmms_eval",
        "samples of lmms-eval (or of an early lm-evaluation-harness)",
        frozenset({"doc_id", "doc", "resps"}),
        {
            "question_id": ("doc.question_id", "doc.questionId", "doc.qid", "doc.id", "submission.question_id"),
            "image_id": tuple(f"doc.{name}" for name in IMAGE),
            "question": ("doc.question", "doc.prompt", "input", "arguments.0.0", "arguments.0"),
            "round_id": tuple(f"doc.{name}" for name in ROUND),
            "answer": ("filtered_resps", "resps"),
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
    """The layout whose marks are all there; the plain one where there is none."""
    return next((one for one in LAYOUTS if one.marks <= set(keys)), PLAIN)
