"""All exams for several models: from a config, or on a made-up world, to runs and a report."""
