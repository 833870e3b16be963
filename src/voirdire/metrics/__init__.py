"""Metrics in the frame of `measure`; text metrics, by family, in the table of `text_metric`."""
