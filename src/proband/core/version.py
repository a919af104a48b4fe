"""The version of Proband, for packages that record it and cannot import the top-level package."""

__version__ = "0.1.0"
