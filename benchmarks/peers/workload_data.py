"""The data of the workloads W1 to W6, the same bits as workload_data.hpp makes, and what every peer's script shares:
levels, the tie rule, the hash of an acquired sequence, measuring.
"""
import argparse, ctypes, json, os, time

import numpy as np

GOLDEN_RATIO = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
CHUNK = 1 << 16


def mix(z):
    """The finaliser of splitmix64, of an array of uint64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mix_one(z):
    return int(mix(np.array([z & MASK], np.uint64))[0])


def positions(begin, end, seed=0):
    return np.arange(begin + 1, end + 1, dtype=np.uint64) * np.uint64(GOLDEN_RATIO) + np.uint64(seed)


def uniform(seed, begin, end):
    """Numbers begin, ..., end - 1 of the splitmix64 stream with this seed, in [0, 1)."""
    return (mix(positions(begin, end, seed)) >> np.uint64(11)).astype(float) * 2.0**-53


def box(seed, rows, inputs, low, side):
    points = np.empty(rows * inputs)
    for i in range(0, points.size, CHUNK):
        end = min(i + CHUNK, points.size)
        points[i:end] = low + side * uniform(seed, i, end)
    return points.reshape(rows, inputs)


def noisy_values(seed, x, deviation):
    values = np.zeros(len(x))
    for begin in range(0, len(x), CHUNK):
        rows = slice(begin, min(begin + CHUNK, len(x)))
        for k in range(x.shape[1]):
            values[rows] += 2.0 / (k + 1) * (x[rows, k] - 1.0) / (1.0 + x[rows, k] * x[rows, k])
        noise = np.full(rows.stop - begin, -6.0)
        draws = uniform(seed, 12 * begin, 12 * rows.stop).reshape(-1, 12)
        for k in range(12):
            noise += draws[:, k]
        values[rows] += deviation * noise
    return values


def checker_board(x):
    return np.where(np.fmod(np.floor(x[:, 0]) + np.floor(x[:, 1]), 2.0) == 0.0, 1.0, -1.0)


def hash_of(array):
    bits, total = array.reshape(-1).view(np.uint64), 0
    for i in range(0, bits.size, CHUNK):
        end = min(i + CHUNK, bits.size)
        total += int(np.sum(mix(bits[i:end] + positions(i, end)), dtype=np.uint64))
    return total & MASK


def hash_of_data(x, values):
    return mix_one(hash_of(x)) ^ hash_of(values)


class Regression:
    """W1 and W2: the pool, the noise of its points, the levels."""

    def __init__(self, arguments):
        w1 = arguments.workload == "W1"
        self.annotations = arguments.annotations or (300 if w1 else 210)
        self.initial, self.lengthscale = arguments.initial or 10, arguments.lengthscale
        self.homoscedastic = not w1
        if w1:
            self.pool = box(1, arguments.pool or 6000, 1, 0.0, 5.0)
            self.noise = 0.01 * (1.0 + (self.pool[:, 0] / 5.0) ** 2)
        else:
            self.pool = box(2, arguments.pool or 100_000, arguments.inputs or 8, 0.0, arguments.side)
            self.noise = np.full(len(self.pool), 0.01)
        self.values = noisy_values(100, self.pool, 0.1)
        b = np.arange(arguments.levels) / (arguments.levels - 1)
        self.added, self.cost = 0.09 * b, 1.0 / (1.0 + 9.0 * b)
        self.data = hash_of_data(self.pool, self.values)


class Classification:
    """W4: a checker board whose labels may be flipped. Levels by alpha from 0 to 1."""

    def __init__(self, arguments):
        self.annotations, self.initial = arguments.annotations or 300, arguments.initial or 5
        self.lengthscale = arguments.lengthscale
        self.pool = box(4, arguments.pool or 6000, 2, -2.0, 4.0)
        self.classes = checker_board(self.pool)
        self.draw = uniform(104, 0, len(self.pool))
        alpha = np.arange(arguments.levels) / (arguments.levels - 1)
        self.accuracy, self.cost = 0.8 + 0.2 * alpha, 0.1 + 0.9 * alpha
        self.data = hash_of_data(self.pool, self.classes)

    def answer(self, point, level):
        return self.classes[point] if self.draw[point] < self.accuracy[level] else -self.classes[point]


class Learning:
    """W3: 15 fits on a growing part of the data."""

    def __init__(self, arguments):
        annotations = arguments.annotations or 300
        self.step = max(1, annotations // 15)
        self.sizes = range(self.step, annotations + 1, self.step)
        self.x = box(3, annotations, arguments.inputs or 8, 0.0, arguments.side)
        self.values = noisy_values(103, self.x, 0.1)
        self.data = hash_of_data(self.x, self.values)


class CampaignLearning:
    """W6: a campaign that learns again and again, on from what it learned last; the data of W3."""

    def __init__(self, arguments):
        annotations, initial = arguments.annotations or 300, arguments.initial or 20
        self.x = box(3, annotations, arguments.inputs or 8, 0.0, arguments.side)
        self.values = noisy_values(103, self.x, 0.1)
        self.sizes = []
        for n in range(initial, annotations + 1):  # "auto": whenever there are 15 % more
            if arguments.schedule == "every" or not self.sizes or n >= 1.15 * self.sizes[-1] - 1e-9:
                self.sizes.append(n)
        self.data = hash_of_data(self.x, self.values)


class Prediction:
    """W5: mean and variance at many points, the fit included."""

    def __init__(self, arguments):
        inputs = arguments.inputs or 8
        self.lengthscale = arguments.lengthscale
        self.x = box(5, arguments.annotations or 5000, inputs, 0.0, arguments.side)
        self.pool = box(6, arguments.pool or 10_000, inputs, 0.0, arguments.side)
        self.values = noisy_values(105, self.x, 0.1)
        self.data = hash_of_data(self.x, self.values) ^ hash_of(self.pool)


class Chooser:
    """argmax of MI / cost over open points and all levels, ties (within 1e-9) to the first point, then to the cheaper
    level: what a user of a Gaussian process library has to write. Arrays are made once and reused.
    """

    def __init__(self, problem):
        self.added, self.cost, self.noise = problem.added, problem.cost, problem.noise
        self.open = np.ones(len(problem.pool), bool)
        self.open[:problem.initial] = False
        self.homoscedastic = problem.homoscedastic
        if not self.homoscedastic:
            self.total = self.noise[:, None] + self.added[None, :]
            self.factor = 0.5 / self.cost
            self.scores = np.empty_like(self.total)
        self.points, self.levels, self.hash = [], [], 0

    def choose(self, variance):
        if self.homoscedastic:
            candidates, scores = self._few(variance)
        else:
            np.divide(variance[:, None], self.total, out=self.scores)
            np.log1p(self.scores, out=self.scores)
            self.scores *= self.factor
            candidates, scores = None, self.scores
        best_of_point = scores.max(axis=1)
        if candidates is None:
            best_of_point[~self.open] = -np.inf
        best = best_of_point.max()
        row = int(np.argmax(best_of_point >= best - 1e-9 * abs(best)))
        tied = np.flatnonzero(scores[row] >= best - 1e-9 * abs(best))
        level = int(tied[np.argmin(self.cost[tied])])
        point = row if candidates is None else int(candidates[row])
        self._take(point, level)
        return point, level

    def _few(self, variance):
        # With the same noise everywhere only the points of (nearly) the largest variance can win.
        masked = np.where(self.open, variance, -np.inf)
        candidates = np.flatnonzero(masked >= masked.max() * (1.0 - 1e-6))
        total = self.noise[candidates, None] + self.added
        return candidates, 0.5 * np.log1p(variance[candidates, None] / total) / self.cost

    def _take(self, point, level):
        self.open[point] = False
        self.points.append(point)
        self.levels.append(level)
        self.hash = mix_one(self.hash ^ (point * 65536 + level))

    def report(self):
        return {"sig": f"{self.hash:016x}", "points": self.points, "levels": self.levels}


def squared_distances(a, b, out=None):
    """Of all rows of a to all rows of b, by one product of matrices."""
    d = np.dot(a, b.T, out=out)
    d *= -2.0
    d += np.einsum("ij,ij->i", a, a)[:, None]
    d += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(d, 0.0, out=d)


def rbf(a, b, lengthscale, out=None):
    k = squared_distances(a, b, out)
    k *= -0.5 / lengthscale**2
    return np.exp(k, out=k)


def memory_mb(field):
    with open("/proc/self/status") as status:
        return next((float(line.split()[1]) / 1024 for line in status if line.startswith(field + ":")), 0.0)


def blas_core():
    """The BLAS that is loaded, and the kind of processor an OpenBLAS takes this one for."""
    with open("/proc/self/maps") as maps:
        files = sorted({line.split()[-1] for line in maps if "blas" in line.split()[-1]})
    for file in files:
        try:
            name = ctypes.CDLL(file).openblas_get_corename
        except (OSError, AttributeError):
            continue
        name.restype = ctypes.c_char_p
        return "OpenBLAS " + name().decode()
    return "reference BLAS" if files else "none loaded"


def measure(system, problem, work, after=None, **more):
    """Runs work() and prints what it took, with what it returns, as one line of JSON. Imports and the making of the
    data have happened before and do not count. What after() returns is printed, too, and its time does not count.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:  # the high-water mark starts again from here
            file.write("5")
    except (OSError, AttributeError):
        pass
    base, start, cpu = memory_mb("VmRSS"), time.perf_counter(), time.process_time()
    found = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    peak = memory_mb("VmHWM")
    print(json.dumps({"system": system, "cpu": cpu, "wall": wall, "base_mb": base, "peak_mb": peak,
                      "blas": blas_core(), "data": f"{problem.data:016x}", **more, **found, **(after() if after else {})}))


def slices(count, size):
    """Of `count` rows, `size` at a time; size 0: all at once."""
    size = size or max(count, 1)
    return [slice(begin, min(begin + size, count)) for begin in range(0, count, size)]


def parse_arguments(methods=(), flags=(), blocks=False):
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=["W1", "W2", "W3", "W4", "W5", "W6"])
    if methods:
        parser.add_argument("--method", choices=methods, default=methods[0])
    for name in ("pool", "annotations", "initial", "inputs"):
        parser.add_argument("--" + name, type=int, default=0, help="0: the workload's own")
    for name in flags:
        parser.add_argument("--" + name, action="store_true")
    if blocks:
        parser.add_argument("--block", type=int, default=0, help="pool points per prediction; 0: all at once")
    parser.add_argument("--levels", type=int, default=100)
    parser.add_argument("--lengthscale", type=float, default=1.0)
    parser.add_argument("--side", type=float, default=2.0)
    parser.add_argument("--schedule", choices=["every", "auto"], default="every", help="when to learn (W6)")
    return parser.parse_args()
