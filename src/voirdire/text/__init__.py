"""Text: tokens, tags, coreference and encoders; one protocol each, several providers."""
