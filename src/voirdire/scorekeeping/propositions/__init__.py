"""From dialogues to propositions: rules that turn a round into a statement and its negation, filters, and draws."""
