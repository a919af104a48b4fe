"""One way to train every network: a suite's own nets, fine-tuned language models, probes.

A `Task` defines what is learned (`task`), a `Recipe` how (`recipe`), and `fit` trains: seeds, early stopping,
checkpoints, the learning curve. A trained net is a folder with one net.json (`folder`).

Nothing is imported here, so that naming a net does not load torch.
"""
