"""The version of Proband, which rooms below the package itself record."""

__version__ = "0.1.0"
