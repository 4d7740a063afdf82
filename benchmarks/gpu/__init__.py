"""An embed on a GPU: sdd on it, on the CPU of the same machine, and the model alone."""
