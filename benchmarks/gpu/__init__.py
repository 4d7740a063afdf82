"""What a GPU makes of an embed: sdd on it, on the processor beside it, and the model alone."""
