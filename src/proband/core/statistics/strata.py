r"""Means over strata (relations that weigh the same, however many items they have): their variance and its degrees of
freedom.

Each of S strata has a variance V_s of its own with nu_s degrees of freedom (spread.py and estimates.py, on its items
alone), so that (Satterthwaite)

    V = sum V_s / S^2,      nu = (sum V_s)^2 / sum (V_s^2 / nu_s).

A stratum of three items may so decide everything, and then nu says so: below five, nothing can be told. A stratum of
one item, or of one cluster, says nothing of its own spread; several such strata are a sample of one another, with the
variance of their values. Clusters that reach over strata make these correlate: the variance from all items together
(their influence values) counts where it is larger.
"""

from __future__ import annotations

import numpy as np

from proband.core.statistics.clusters import Clusters, Floats, Ints
from proband.core.statistics.estimates import own_variance
from proband.core.statistics.spread import OTHER, SHARE, difference_of, spread

FEWEST = 5.0  # degrees of freedom below which no interval can be trusted: those of six clusters
ALONE = 1.5  # effective clusters below which a stratum says nothing of its own spread


def strata_variance(
    values: Floats, u: Floats, strata: Ints, clusters: Clusters, places: Ints, *, share: bool, difference: bool
) -> tuple[float, float]:
    """Of a mean over strata (their `values`), or of a difference of two, from the influence of each item on the value
    of its own stratum."""
    variances, freedoms, alone = np.zeros(len(values)), np.zeros(len(values)), []
    for stratum, (value, inside) in enumerate(zip(values, clusters.by_stratum(places, strata), strict=True)):
        own = u[strata == stratum]
        if inside.least < ALONE:
            alone.append(stratum)
        parts = []
        for each in inside.readings:
            of_items = spread(own, each, SHARE if share and not difference else OTHER)
            if difference:
                error = difference_of(np.array(value), of_items, each, share=share)[1]
                parts.append((float(error) ** 2, float(of_items.freedom)))
            else:
                variance = own_variance(np.array(value), own, each, share=share)
                parts.append((float(variance), float(of_items.freedom)))
        variances[stratum] = max(variance for variance, _ in parts)
        least = min(min(freedom for _, freedom in parts), len(own) - 1.0)
        freedoms[stratum] = max(least, 0.5)
    if len(alone) > 1:
        variances[alone] = max(float(values[alone].var(ddof=1)), float(variances[alone].mean()) / len(alone))
        freedoms[alone] = (len(alone) - 1) / len(alone)
    total = float(variances.sum())
    freedom = total**2 / float((variances**2 / freedoms).sum()) if total else float(len(u) - 1)
    return total / len(values) ** 2, freedom
