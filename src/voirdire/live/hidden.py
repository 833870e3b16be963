"""A language model on this machine that is asked for its states alone: `hf:FOLDER`, `hf:FOLDER/FILE.gguf`.

How a dialogue becomes the turns of a chat, and how many passes its states take, is told in `voirdire.text.hidden`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.errors import UsageError
from voirdire.formats.dialogues import Dialogue
from voirdire.live.model import Reply, Skill, Task
from voirdire.text.hidden import STATE_MODELS, Listener, Pool, StateReader, hear, layer_numbers

__all__ = ["HiddenModel"]


class HiddenModel:
    """A model that gives states; `spec` is how it is asked for, as in `hf:FOLDER`."""

    skills: frozenset[Skill] = frozenset({"states"})

    def __init__(self, spec: str) -> None:
        self.name = spec
        self.model = STATE_MODELS.make(spec)

    @cached_property
    def identity(self) -> dict[str, str]:
        """What its states depend on beside the dialogue: its files, and how a dialogue is put to it."""
        form = StateReader(self.model, ()).form
        return {"model": self.model.name, "sha256": self.model.signature, "form": form}

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Nothing: it is not asked in words."""
        raise UsageError(f"{self.name} gives states and no replies")

    def states(
        self, dialogues: Iterable[Dialogue], role: Listener = "A", layers: str = "last", pool: Pool = "last"
    ) -> Iterator[npt.NDArray[np.float32]]:
        """Of each dialogue the states of its turns, float32[layers, turns, d]; to the last bit those of the verb.

        layers  as `scorekeeping states` takes them
        """
        reader: StateReader | None = None
        for dialogue in dialogues:
            told = hear(dialogue, role)
            with one_thread():
                if reader is None:
                    reader = StateReader(self.model, layer_numbers(layers, self.model.last), pool)
                    reader.shared = reader.is_causal(told)
                made, _ = reader.read(told)
            yield made
