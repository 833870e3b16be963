"""Models that are asked live, behind an endpoint or in this process: their answers go to the same files as any."""
