"""The stages: build, train, run, report, compare, export, audit, study. The only place where a suite meets a model."""
