"""Rankings of basic questions: how one is made, kept while it is made, written, counted and looked at."""
