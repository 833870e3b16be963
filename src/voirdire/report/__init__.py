"""The verdict as a page."""
