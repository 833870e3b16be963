"""A language model of the user's own on this machine, for its hidden states: `hf:FOLDER`, `hf:FOLDER/FILE.gguf`.

hf:FOLDER            a folder that transformers saved, or one with a single GGUF file
hf:FOLDER/FILE.gguf  a GGUF file, whose weights are unpacked to float32

What a folder may hold is as for encoders (see `encoders.model_folder`): safetensors alone, no code of its own, nothing
that lies elsewhere, and nothing is fetched. A GGUF file is data; it is loaded from a folder in which nothing else is,
so that no other file has a say. Weights that a model needs and the files lack are an error: the library would draw them
at random.
"""

import contextlib
import io
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from voirdire.bundled import digest_file, digest_folder
from voirdire.errors import InputError, MissingExtra, Problem, UsageError
from voirdire.formats.files import check_file
from voirdire.providers import Registry
from voirdire.text.encoders.model_folder import check_model, loading
from voirdire.text.encoders.neural import LOADING, WEIGHTS, offline

EXPECTED = "a language model of transformers"
GGUF = ".gguf"
UNUSED = "pooler."
"""How the names of weights begin that have no say in hidden states and may be missing."""


def layer_numbers(text: str, last: int) -> tuple[int, ...]:
    """The layers that a text names, in ascending order: 0 is that of the embeddings, `last` the last.

    text  `all`, `last`, or numbers with commas in between, negative ones counted from the end
    """
    if text == "all":
        return tuple(range(last + 1))
    numbers = [last if part == "last" else int(part) for part in text.split(",")]
    for number in numbers:
        if not -last - 1 <= number <= last:
            raise UsageError(f"`layers` must be from 0 to {last}, or from {-last - 1} to -1 from the end, got {number}")
    return tuple(sorted({number % (last + 1) for number in numbers}))


class StateModel:
    """One model: its settings, its tokeniser and its weights, each loaded when it is first needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_gguf = path.suffix == GGUF

    def __reduce__(self) -> tuple[type["StateModel"], tuple[Path]]:
        """Another process loads it anew."""
        return type(self), (self.path,)

    @property
    def name(self) -> str:
        """The name of its file or folder."""
        return self.path.resolve().name

    @cached_property
    def signature(self) -> str:
        """SHA-256 over all files that have a say in its vectors."""
        return digest_file(self.path) if self.is_gguf else digest_folder(self.path)

    @cached_property
    def _settings(self) -> Any:
        """The library's settings of it; of a GGUF file it takes seconds to read them."""
        from transformers import AutoConfig

        with self._from() as (folder, more):
            settings = AutoConfig.from_pretrained(folder, **more, **LOADING)
        if settings.is_encoder_decoder:
            raise self._fault("a model with an encoder and a decoder", "one whose states are of one text")
        return settings

    @property
    def last(self) -> int:
        """The number of the last layer."""
        return self._number("num_hidden_layers")

    @property
    def dimension(self) -> int:
        """Numbers of a state."""
        return self._number("hidden_size")

    def _number(self, name: str) -> int:
        value = getattr(self._settings.get_text_config(), name, None)
        if not isinstance(value, int) or value < 1:
            raise self._fault(f"no `{name}` in its settings", EXPECTED)
        return value

    @cached_property
    def context(self) -> int | None:
        """The most tokens that it takes; None where nothing says so."""
        positions = getattr(self._settings.get_text_config(), "max_position_embeddings", None)
        limits = (positions, self.tokeniser.model_max_length)
        # Where a tokeniser does not know it, the library has a number of thirty digits.
        return min((limit for limit in limits if isinstance(limit, int) and 0 < limit < 10**9), default=None)

    @cached_property
    def tokeniser(self) -> Any:
        """The library's tokeniser of it."""
        from transformers import AutoTokenizer

        with self._from() as (folder, more):
            tokeniser = AutoTokenizer.from_pretrained(folder, **more, **LOADING)
        if not tokeniser("a", add_special_tokens=False)["input_ids"]:
            raise self._fault("a tokeniser that knows no words", "its tokeniser beside the model", "Save it there.")
        return tokeniser

    @property
    def sees(self) -> bool:
        """Whether it takes pictures, too."""
        return getattr(self._settings, "vision_config", None) is not None

    @cached_property
    def processor(self) -> Any:
        """The library's processor of texts and pictures, of a model that sees."""
        from transformers import AutoProcessor

        with self._from() as (folder, more):
            return AutoProcessor.from_pretrained(folder, **more, **LOADING)  # type: ignore[no-untyped-call]

    @cached_property
    def network(self) -> Any:
        """The model itself, in float32 on the processor."""
        from transformers import AutoModel

        return self._loaded(AutoModel)

    @cached_property
    def speaker(self) -> Any:
        """The same with its head, so that it can generate text."""
        from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

        return self._loaded(AutoModelForImageTextToText if self.sees else AutoModelForCausalLM)

    def _loaded(self, kind: Any) -> Any:
        """The weights, in float32 on the processor."""
        import torch
        from transformers import GgufConfig

        with self._from() as (folder, more), contextlib.ExitStack() as stack:
            if self.is_gguf:
                # Its bar would be drawn across ours.
                stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
                # Unpacked, so that no kernel is looked for, which would be code from elsewhere.
                more = {**more, "quantization_config": GgufConfig(dequantize=True)}
            network, loading_info = kind.from_pretrained(
                folder,
                config=self._settings,
                dtype=torch.float32,
                attn_implementation="eager",
                output_loading_info=True,
                **({} if self.is_gguf else WEIGHTS),
                **more,
                **LOADING,
            )
        missing = sorted(name for name in loading_info["missing_keys"] if not name.startswith(UNUSED))
        if missing:
            raise self._fault(f"no weights for {missing[0]} ({len(missing):,} such)", "all weights of the model")
        network.config.use_cache = False
        return network.float().eval()

    @contextlib.contextmanager
    def _from(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The folder to load from, and the library's arguments for a GGUF file."""
        with offline(), _quiet(), loading(self.path, EXPECTED):
            if not self.is_gguf:
                yield str(self.path), {}
                return
            _check_gguf_packages()
            with tempfile.TemporaryDirectory() as folder:
                alone = Path(folder, "model.gguf")
                alone.symlink_to(self.path.resolve())
                yield folder, {"gguf_file": alone.name}

    def _fault(self, found: str, expected: str, hint: str = "") -> InputError:
        return InputError(str(self.path), [Problem("", "", found, expected, hint)])


def _check_gguf_packages() -> None:
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
    except ImportError:
        raise MissingExtra("a GGUF file", "gguf") from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from listing unused weights on standard error, such as those of a model's head."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(before)


STATE_MODELS: Registry[StateModel] = Registry("model", "voirdire.state_models")


@STATE_MODELS.register("hf")
def hf(argument: str | None) -> StateModel:
    """The model of a folder or of a GGUF file."""
    if not argument:
        raise UsageError("`model` hf needs a folder, as in hf:FOLDER, or a GGUF file, as in hf:FOLDER/FILE.gguf")
    path = Path(argument).expanduser()
    if not path.exists():
        raise InputError(argument, [Problem("", "", "nothing", "a folder or a GGUF file", "Check the path.")])
    if not path.is_dir():
        check_file(path)
        if path.suffix != GGUF:
            raise InputError(argument, [Problem("", "", "another file", "a folder or a GGUF file (.gguf)")])
        return StateModel(path)
    if (path / "config.json").is_file():
        check_model(path)
        return StateModel(path)
    files = sorted(path.glob(f"*{GGUF}"))
    if len(files) != 1:
        found = f"{len(files)} GGUF files and no config.json" if files else "no config.json"
        hint = f"Name one of them: hf:{files[0]}" if files else ""
        raise InputError(argument, [Problem("", "", found, "a folder that transformers saved, or a GGUF file", hint)])
    return StateModel(files[0])
