"""Eight rankers of basic questions over one pool."""
