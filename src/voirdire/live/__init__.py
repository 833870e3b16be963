"""Models that are asked live, behind an endpoint or in this process: they write the same files as anybody would."""
