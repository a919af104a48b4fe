"""What a suite declares."""

from __future__ import annotations

from proband import suites
from proband.core.suite import MeasuredOn


def test_every_suite_says_what_its_published_figures_were_measured_on() -> None:
    for name in suites.BUILT_IN:
        for figure in suites.suite(name).published():
            assert isinstance(figure.on, MeasuredOn)
            assert all(len(fingerprint) == 64 for fingerprint in figure.on.fingerprints)
            assert figure.on.fingerprints
