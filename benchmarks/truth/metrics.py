"""Measures of predictions, and their averages over tables and seeds."""
import numpy

NORMAL_975 = 1.959963984540054
SMALLEST_VARIANCE = 1e-10  # of a standardised y: keeps the logarithm finite for a model that claims to know everything
SMALLEST_PROBABILITY = 1e-9


def regression_measures(y, mean, variance):
    """All three in the units of y: standardise before."""
    variance = numpy.maximum(variance, SMALLEST_VARIANCE)
    squares = (y - mean) ** 2
    return {"rmse": float(numpy.sqrt(numpy.mean(squares))),
            "nlpd": float(numpy.mean(0.5 * numpy.log(2 * numpy.pi * variance) + 0.5 * squares / variance)),
            "coverage": float(numpy.mean(squares <= NORMAL_975**2 * variance))}


def classification_measures(y, probability):
    """`y` is -1 or +1, `probability` that of +1. A probability of one half counts as half an error."""
    error = numpy.where(probability == 0.5, 0.5, (probability > 0.5) != (y > 0))
    of_truth = numpy.clip(numpy.where(y > 0, probability, 1 - probability), SMALLEST_PROBABILITY, 1)
    return {"error": float(numpy.mean(error)), "log_loss": float(-numpy.mean(numpy.log(of_truth)))}


def bootstrap(values, statistic=numpy.mean, draws=2000):
    """The 95 % interval of a statistic, by drawing the values (one per table) with replacement."""
    values = numpy.asarray(values, dtype=float)
    if len(values) < 2:
        return None
    choose = numpy.random.default_rng(1).integers(0, len(values), (draws, len(values)))
    return [float(v) for v in numpy.percentile([statistic(values[rows]) for rows in choose], [2.5, 97.5])]


def geometric_mean(ratios):
    return float(numpy.exp(numpy.mean(numpy.log(ratios))))
