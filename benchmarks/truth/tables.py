"""The tables: real ones (a folder of CSV files, scikit-learn's), and simulators given by a formula. A problem is one of
them with a seed: the pool, the test rows, and what every level answers at every pool point.
"""
import dataclasses, functools, hashlib, os

import numpy

POOL_ROWS, TEST_ROWS, INITIAL_ANSWERS = 500, 1000, 20
MANY_INPUTS = 40  # a table with more is used only if it is named: learning one length scale per input takes long
ONLY_BY_NAME = ("digits", "checker")  # the first has 64 inputs, the second is harder than real tables are


@dataclasses.dataclass
class Level:
    name: str
    noise: float  # real: standard deviation, in units of that of y; binary: the probability of a right answer
    cost: float


REAL_LEVELS = [Level("coarse", 0.5, 5.0), Level("medium", 0.15, 8.0), Level("fine", 0.03, 20.0)]
BINARY_LEVELS = [Level("coarse", 0.7, 1.0), Level("medium", 0.85, 3.0), Level("fine", 0.98, 10.0)]


# ---- Simulators. Columns in the order of the ranges, raw units. -----------------------------------------------------

def borehole(x):
    """Flow of water through a borehole (m^3 per year), Harper and Gupta 1983."""
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log_ratio = numpy.log(r / rw)
    return 2 * numpy.pi * tu * (hu - hl) / (log_ratio * (1 + tu / tl) + 2 * length * tu / (rw**2 * kw))


def otl_circuit(x):
    """Midpoint voltage of a push-pull circuit (V), Ben-Ari and Steinberg 2007."""
    rb1, rb2, rf, rc1, rc2, beta = x.T
    vb1 = 12 * rb2 / (rb1 + rb2)
    gain = beta * (rc2 + 9)
    return ((vb1 + 0.74) * gain + 11.35 * rf) / (gain + rf) + 0.74 * rf * gain / ((gain + rf) * rc1)


def piston(x):
    """Cycle time of a piston in a cylinder (s), Ben-Ari and Steinberg 2007."""
    mass, surface, v0, k, p0, ambient, t0 = x.T
    force = p0 * surface + 19.62 * mass - k * v0 / surface
    filling = p0 * v0 * ambient / t0
    volume = surface / (2 * k) * (numpy.sqrt(force**2 + 4 * k * filling) - force)
    return 2 * numpy.pi * numpy.sqrt(mass / (k + surface**2 * filling / volume**2))


def friedman(x):
    """Friedman's first function, 1991: five inputs matter, five do not."""
    return 10 * numpy.sin(numpy.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def wing_weight(x):
    """Weight of the wing of a light aircraft (lb), Forrester, Sobester and Keane 2008; the sweep is in degrees."""
    area, fuel, aspect, sweep, pressure, taper, thickness, load, gross, paint = x.T
    cosine = numpy.cos(numpy.radians(sweep))
    return (0.036 * area**0.758 * fuel**0.0035 * (aspect / cosine**2) ** 0.6 * pressure**0.006 * taper**0.04
            * (100 * thickness / cosine) ** -0.3 * (load * gross) ** 0.49 + area * paint)


def friedman_class(x):
    """Whether Friedman's first function is above 14.4, about its median."""
    return numpy.where(friedman(x) > 14.4, 1.0, -1.0)


def checker_class(x):
    """A board of four by four fields."""
    return numpy.where(numpy.floor(x).sum(axis=1) % 2 == 0, 1.0, -1.0)


SIMULATORS = {
    "borehole": (borehole, [(0.05, 0.15), (100, 50000), (63070, 115600), (990, 1110), (63.1, 116), (700, 820),
                            (1120, 1680), (9855, 12045)]),
    "otl-circuit": (otl_circuit, [(50, 150), (25, 70), (0.5, 3), (1.2, 2.5), (0.25, 1.2), (50, 300)]),
    "piston": (piston, [(30, 60), (0.005, 0.020), (0.002, 0.010), (1000, 5000), (90000, 110000), (290, 296), (340, 360)]),
    "friedman": (friedman, [(0, 1)] * 10),
    "wing-weight": (wing_weight, [(150, 200), (220, 300), (6, 10), (-10, 10), (16, 45), (0.5, 1), (0.08, 0.18), (2.5, 6),
                                  (1700, 2500), (0.025, 0.08)]),
}
CLASS_SIMULATORS = {
    "friedman-class": (friedman_class, [(0, 1)] * 10),
    "checker": (checker_class, [(-2, 2)] * 2),
}


def generator(*key):
    """Random numbers that depend on the words of the key alone, not on what was drawn before."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return numpy.random.default_rng(int.from_bytes(digest[:8], "little"))


def simulate(simulator, name, seed):
    function, ranges = simulator
    low, high = numpy.array(ranges, dtype=float).T
    x = low + (high - low) * generator("inputs", name, seed).random((POOL_ROWS + TEST_ROWS, len(ranges)))
    return x, function(x)


# ---- Real tables ----------------------------------------------------------------------------------------------------

def as_classes(y):
    """-1 and +1 if the column has two values, else None."""
    values = numpy.unique(y)
    return None if len(values) != 2 else numpy.where(y == values[1], 1.0, -1.0)


@functools.lru_cache(maxsize=None)
def from_scikit_learn(name):
    from sklearn import datasets
    if name == "diabetes":
        return datasets.load_diabetes(return_X_y=True, scaled=False)
    if name == "digits":  # even or odd
        x, y = datasets.load_digits(return_X_y=True)
        return x, y % 2
    return datasets.load_breast_cancer(return_X_y=True)


SCIKIT_LEARN = {"diabetes": "real", "breast-cancer": "binary", "digits": "binary"}


@functools.lru_cache(maxsize=None)
def read_csv(path):
    table = numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return table[:, :-1], table[:, -1]


def input_count(path):
    with open(path) as file:
        return file.readline().count(",")


def data_files(folder):
    """The CSV files of a folder: name and path."""
    if not folder:
        return {}
    return {name[:-4]: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".csv")}


class Tables:
    """Every table that can be had: its kind, and its rows for a seed."""

    def __init__(self, data_folder=None):
        self.files = data_files(data_folder)

    def names(self):
        return [*self.files, *SCIKIT_LEARN, *SIMULATORS, *CLASS_SIMULATORS]

    def default_names(self):
        many = {name for name, path in self.files.items() if input_count(path) > MANY_INPUTS}
        return [name for name in self.names() if name not in many and name not in ONLY_BY_NAME]

    def kind(self, name):
        """"real", "simulator" or "binary"."""
        if name in self.files:
            return "real" if as_classes(self.rows(name, 0)[1]) is None else "binary"
        return SCIKIT_LEARN.get(name) or ("simulator" if name in SIMULATORS else "binary")

    def rows(self, name, seed):
        if name in SIMULATORS or name in CLASS_SIMULATORS:
            return simulate(SIMULATORS.get(name) or CLASS_SIMULATORS[name], name, seed)
        return read_csv(self.files[name]) if name in self.files else from_scikit_learn(name)


# ---- A problem ------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Problem:
    table: str
    kind: str
    seed: int
    levels: list
    pool: numpy.ndarray
    pool_y: numpy.ndarray
    test: numpy.ndarray
    test_y: numpy.ndarray
    answers: numpy.ndarray  # by pool row and level
    initial: list           # pool rows whose answers at the finest level are known
    mean: float             # of y over the whole table: results are in units of the standardised y
    sd: float

    @property
    def binary(self):
        return self.kind == "binary"

    @property
    def finest(self):
        return len(self.levels) - 1

    def noise_sd(self, level):
        return self.levels[level].noise * self.sd

    def checksum(self):
        digest = hashlib.sha256()
        for part in (self.pool, self.test, self.test_y, self.answers, numpy.array(self.initial)):
            digest.update(numpy.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]


def pool_size(rows):
    """500, and of a small table two thirds of its rows, so that a third is left to test on."""
    return min(POOL_ROWS, 2 * rows // 3)


def draw_initial(draws, labels, wanted):
    """`wanted` pool rows; of classes both are among the answers, because some peers cannot begin otherwise."""
    while True:
        initial = draws.permutation(len(labels))[:wanted].tolist()
        if as_classes(labels) is None or len(numpy.unique(labels[initial])) == 2:
            return initial


def make_problem(tables, name, seed):
    """Pool, test rows, initial answers and noise follow from the table's name and the seed: the same for every method."""
    kind = tables.kind(name)
    x, y = tables.rows(name, seed)
    levels = BINARY_LEVELS if kind == "binary" else REAL_LEVELS
    order = generator("rows", name, seed).permutation(len(y))
    size = pool_size(len(y))
    pool, test = order[:size], order[size:size + TEST_ROWS]
    draws = generator("noise", name, seed)
    if kind == "binary":
        y, mean, sd = as_classes(y), 0.0, 1.0
        right = draws.random((size, len(levels))) < [level.noise for level in levels]
        answers = numpy.where(right, y[pool, None], -y[pool, None])
    else:
        y, mean, sd = y.astype(float), float(numpy.mean(y)), float(numpy.std(y))
        answers = y[pool, None] + sd * numpy.array([level.noise for level in levels]) * draws.standard_normal((size, len(levels)))
    initial = draw_initial(generator("initial", name, seed), answers[:, -1], INITIAL_ANSWERS)
    return Problem(name, kind, seed, levels, x[pool].astype(float), y[pool], x[test].astype(float), y[test], answers, initial,
                   mean, sd)
