"""Models behind an endpoint: they are asked over the network and write the same files as anybody would."""
