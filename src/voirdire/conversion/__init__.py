"""What other tools wrote, as the official layouts: `voirdire convert`, and what `validate` says of an unknown file."""
