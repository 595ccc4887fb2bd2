"""The flagellar motor: from CheY-P to the fraction of time in which it turns clockwise and the cell tumbles."""

from __future__ import annotations

import math

from paddock.core.jit import kernel

HILL, HALF = 10.3, 3.1  # steepness; µM of CheY-P at which the bias is one half (Cluzel, Surette and Leibler 2000)
TUMBLE_TIME = 0.14  # mean [s] (Berg and Brown 1972)


@kernel
def find_tumble_odds(output, hill, half):
    """Return the odds of turning clockwise, bias / (1 - bias): (CheY-P / half)^hill."""
    return math.exp(hill * math.log(output / half)) if output > 0.0 else 0.0
