"""Training of all networks: a suite's own nets, fine-tuned language models, probes.

A `Task` (`task`) defines the examples and the loss, a `Recipe` (`recipe`) the hyperparameters. `fit` trains the net:
seeds, early stopping, checkpoints, the learning curve. A trained net is a folder with one net.json (`folder`).

Nothing is imported here, so that naming a net does not load torch.
"""
