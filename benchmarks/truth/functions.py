"""Twenty functions of the literature on emulation, each with its published ranges and units. Five of them are simulators of tables.py.
Columns are in the order of the ranges. `check` compares them with published values."""
import numpy

import tables


def friedman2(x):
    """Impedance of a circuit, Friedman 1991."""
    r, w, l, c = x.T
    return numpy.sqrt(r**2 + (w * l - 1 / (w * c)) ** 2)


def friedman3(x):
    """Phase of the same circuit."""
    r, w, l, c = x.T
    return numpy.arctan2(w * l - 1 / (w * c), r)


def franke(x):
    """Franke 1979: two hills and a dip."""
    a, b = 9 * x.T
    return (0.75 * numpy.exp(-((a - 2) ** 2 + (b - 2) ** 2) / 4) + 0.75 * numpy.exp(-((a + 1) ** 2) / 49 - (b + 1) / 10)
            + 0.5 * numpy.exp(-((a - 7) ** 2 + (b - 3) ** 2) / 4) - 0.2 * numpy.exp(-((a - 4) ** 2) - (b - 7) ** 2))


def currin(x):
    """Currin, Mitchell, Morris and Ylvisaker 1988."""
    a, b = x[:, 0], numpy.maximum(x[:, 1], 1e-300)
    return (1 - numpy.exp(-0.5 / b)) * (2300 * a**3 + 1900 * a**2 + 2092 * a + 60) / (100 * a**3 + 500 * a**2 + 4 * a + 20)


def park(x):
    """Park 1991, the first function, in Cox, Park and Singer 2001."""
    a, b, c, d = numpy.maximum(x, 1e-12).T
    return a / 2 * (numpy.sqrt(1 + (b + c**2) * d / a**2) - 1) + (a + 3 * d) * numpy.exp(1 + numpy.sin(c))


def ishigami(x):
    """Ishigami and Homma 1990, with 7 and 0.1."""
    return numpy.sin(x[:, 0]) * (1 + 0.1 * x[:, 2] ** 4) + 7 * numpy.sin(x[:, 1]) ** 2


def robot_arm(x):
    """Distance of the end of an arm of four segments from its shoulder, An and Owen 2001."""
    angles, lengths = numpy.cumsum(x[:, :4], axis=1), x[:, 4:]
    return numpy.hypot((lengths * numpy.cos(angles)).sum(axis=1), (lengths * numpy.sin(angles)).sum(axis=1))


def spill(x, place=1.5, time=40.0):
    """Concentration of a pollutant after two spills into a channel, Bliznyuk et al. 2008, times the root of 4 pi."""
    mass, diffusion, second, since = x.T
    later = numpy.maximum(time - since, 1e-300)
    return (mass / numpy.sqrt(diffusion * time) * numpy.exp(-(place**2) / (4 * diffusion * time))
            + (time > since) * mass / numpy.sqrt(diffusion * later) * numpy.exp(-((place - second) ** 2) / (4 * diffusion * later)))


def branin(x):
    """Branin 1972."""
    a, b = x.T
    return (b - 5.1 / (4 * numpy.pi**2) * a**2 + 5 / numpy.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * numpy.pi)) * numpy.cos(a) + 10


HARTMANN_WEIGHTS = numpy.array([1.0, 1.2, 3.0, 3.2])
HARTMANN_3 = (numpy.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]),
              1e-4 * numpy.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]))
HARTMANN_6 = (numpy.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]),
              1e-4 * numpy.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                                  [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]]))


def hartmann(x, scales, centres):
    return -(HARTMANN_WEIGHTS * numpy.exp(-(scales * (x[:, None, :] - centres) ** 2).sum(axis=2))).sum(axis=1)


def hartmann3(x):
    """Hartman 1973, three inputs."""
    return hartmann(x, *HARTMANN_3)


def hartmann6(x):
    """Hartman 1973, six inputs."""
    return hartmann(x, *HARTMANN_6)


def gramacy_lee(x):
    """Gramacy and Lee 2008: active in a corner of the square, flat elsewhere."""
    return x[:, 0] * numpy.exp(-(x**2).sum(axis=1))


def morris(x):
    """Morris 1991, twenty inputs; the coefficients that he draws are (-1)^i and (-1)^(i+j), as Saltelli et al. 2000 fix them."""
    w = 2 * (x - 0.5)
    for k in (2, 4, 6):
        w[:, k] = 2 * (1.1 * x[:, k] / (x[:, k] + 0.1) - 0.5)
    signs = numpy.array([(-1.0) ** (k + 1) for k in range(20)])
    first = numpy.where(numpy.arange(20) < 10, 20.0, signs)
    pairs = numpy.triu(numpy.outer(signs, signs), 1)
    pairs[:6, :6] = numpy.triu(numpy.full((6, 6), -15.0), 1)
    five, four = w[:, :5], w[:, :4]
    # The elementary symmetric polynomial of degree 3 by power sums.
    triples = (five.sum(axis=1) ** 3 - 3 * five.sum(axis=1) * (five**2).sum(axis=1) + 2 * (five**3).sum(axis=1)) / 6
    return w @ first + numpy.einsum("ni,ij,nj->n", w, pairs, w) - 10 * triples + 5 * numpy.prod(four, axis=1)


def welch(x):
    """Welch et al. 1992, twenty inputs, two of them without effect."""
    v = [None, *x.T]
    return (5 * v[12] / (1 + v[1]) + 5 * (v[4] - v[20]) ** 2 + v[5] + 40 * v[19] ** 3 - 5 * v[19] + 0.05 * v[2] + 0.08 * v[3]
            - 0.03 * v[6] + 0.03 * v[7] - 0.09 * v[9] - 0.01 * v[10] - 0.07 * v[11] + 0.25 * v[13] ** 2 - 0.04 * v[14]
            + 0.06 * v[15] - 0.01 * v[17] - 0.03 * v[18])


def dette_pepelyshev(x):
    """Dette and Pepelyshev 2010, eight inputs: strongly curved in some of them."""
    value = (4 * (x[:, 0] - 2 + 8 * x[:, 1] - 8 * x[:, 1] ** 2) ** 2 + (3 - 4 * x[:, 1]) ** 2
             + 16 * numpy.sqrt(x[:, 2] + 1) * (2 * x[:, 2] - 1) ** 2)
    return value + sum(i * numpy.log(1 + x[:, 2:i].sum(axis=1)) for i in range(4, 9))


UNIT = (0.0, 1.0)
FUNCTIONS = {
    **tables.SIMULATORS,
    "friedman-2": (friedman2, [(0, 100), (40 * numpy.pi, 560 * numpy.pi), UNIT, (1, 11)]),
    "friedman-3": (friedman3, [(0, 100), (40 * numpy.pi, 560 * numpy.pi), UNIT, (1, 11)]),
    "franke": (franke, [UNIT] * 2),
    "currin": (currin, [UNIT] * 2),
    "park": (park, [UNIT] * 4),
    "ishigami": (ishigami, [(-numpy.pi, numpy.pi)] * 3),
    "robot-arm": (robot_arm, [(0, 2 * numpy.pi)] * 4 + [UNIT] * 4),
    "spill": (spill, [(7, 13), (0.02, 0.12), (0.01, 3), (30.01, 30.295)]),
    "branin": (branin, [(-5, 10), (0, 15)]),
    "hartmann-3": (hartmann3, [UNIT] * 3),
    "hartmann-6": (hartmann6, [UNIT] * 6),
    "gramacy-lee": (gramacy_lee, [(-2, 6)] * 2),
    "morris": (morris, [UNIT] * 20),
    "welch": (welch, [(-0.5, 0.5)] * 20),
    "dette-pepelyshev": (dette_pepelyshev, [UNIT] * 8),
}
