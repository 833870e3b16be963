"""Hidden states of a language model on this machine: what is heard, its tokens, and the states at the ends of turns.

model = STATE_MODELS.make("hf:FOLDER")
reader = StateReader(model, layer_numbers("last", model.last))
states, passes = reader.read(hear(dialogue, "A"))          float32[1, turns, d]
"""

from voirdire.text.hidden.heard import HeardDialogue, Listener, hear
from voirdire.text.hidden.model import STATE_MODELS, StateModel, layer_numbers
from voirdire.text.hidden.reader import CLOSE, Pool, StateReader, relative_difference
from voirdire.text.hidden.tokens import Form, form_of, passes, tokens_of

__all__ = [
    "CLOSE",
    "STATE_MODELS",
    "Form",
    "HeardDialogue",
    "Listener",
    "Pool",
    "StateModel",
    "StateReader",
    "form_of",
    "hear",
    "layer_numbers",
    "passes",
    "relative_difference",
    "tokens_of",
]
