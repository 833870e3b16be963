"""Rankings of basic questions: how one is made, kept while it is made, written, counted and looked at.

Nothing is imported here, so that `options` costs nothing to those who make flags or keys of it.
"""
