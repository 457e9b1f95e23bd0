#!/usr/bin/env python3
"""Reference values of docs/math.md 11.6 in arbitrary precision: python3 structures.py > ../structures.json (needs mpmath)."""

import json
import random

from mpmath import erf, erfinv, exp, findroot, log, matrix, mp, mpf, pi, quad, sqrt

mp.dps = 50


def rounded(values):
    if isinstance(values, (list, tuple)):
        return [rounded(value) for value in values]
    return float(mp.nstr(values, 17))


def phi(t):
    return (1 + erf(t / sqrt(2))) / 2


def normal_quantile(p):
    return sqrt(2) * erfinv(2 * p - 1)


def matern52(rho):
    return (1 + sqrt(5) * rho + mpf(5) / 3 * rho**2) * exp(-sqrt(5) * rho)


def plain_covariance(theta, x, y):
    rho = sqrt(sum(((a - b) / l) ** 2 for a, b, l in zip(x, y, theta["l"])))
    return theta["a"] ** 2 * matern52(rho)


def additive_covariance(theta, x, y):
    share = theta["odds"] / (1 + theta["odds"])
    separate = sum(matern52(abs(a - b) / l) for a, b, l in zip(x, y, theta["single"])) / len(x)
    return share * theta["a"] ** 2 * separate + (1 - share) * plain_covariance(theta, x, y)


def gaussian(rho):
    return exp(-(rho**2) / 2)


def smooth_covariance(theta, x, y):
    total = 1 + theta["odds"] + theta["pairs"]
    one = [gaussian((a - b) / l) for a, b, l in zip(x, y, theta["single"])]
    pairs = [one[j] * one[k] for j in range(len(x)) for k in range(j)]
    together = gaussian(sqrt(sum(((a - b) / l) ** 2 for a, b, l in zip(x, y, theta["l"]))))
    parts = theta["odds"] * sum(one) / len(one) + theta["pairs"] * sum(pairs) / len(pairs) + together
    return theta["a"] ** 2 * parts / total


def gram(covariance, theta, left, right):
    return matrix([[covariance(theta, x, y) for y in right] for x in left])


def log_likelihood(covariance, theta, x, residual, noise):
    k = gram(covariance, theta, x, x)
    for i, one in enumerate(noise):
        k[i, i] += one + theta["tau2"]
    factor = mp.cholesky(k)
    weights = mp.lu_solve(k, matrix(residual))
    determinant = 2 * sum(log(factor[i, i]) for i in range(len(x)))
    return -(determinant + (matrix(residual).T * weights)[0] + len(x) * log(2 * pi)) / 2


def penalty(theta, residual):
    spread = sum(r**2 for r in residual) / len(residual)
    scales = theta["l"] + theta.get("single", [])
    terms = [min(mpf(0), (log(l) - log(len(theta["l"])) / 2) / mpf("0.7")) for l in scales]
    terms.append((log(theta["tau2"] / spread) - log(mpf("0.01"))) / mpf("2.5"))
    return sum(u**2 for u in terms) / 2


def objective(covariance, theta, x, residual, noise):
    return log_likelihood(covariance, theta, x, residual, noise) - penalty(theta, residual)


def gradient(covariance, theta, x, residual, noise):
    """By central differences of the objective in the log parameters, exact to more digits than are kept."""
    step = mpf(10) ** -15
    found = []
    names = [("a", None)] + [("l", k) for k in range(len(theta["l"]))]
    names += [("single", k) for k in range(len(theta["single"]))] + [("odds", None)] if "odds" in theta else []
    names += [("pairs", None)] if "pairs" in theta else []
    for name, k in names + [("tau2", None)]:
        def moved(by):
            other = dict(theta)
            if k is None:
                other[name] = theta[name] * exp(by)
            else:
                other[name] = [l * exp(by) if j == k else l for j, l in enumerate(theta[name])]
            return objective(covariance, other, x, residual, noise)
        found.append((moved(step) - moved(-step)) / (2 * step))
    return found


def posterior(covariance, theta, x, residual, noise, mean, at):
    k = gram(covariance, theta, x, x)
    for i, one in enumerate(noise):
        k[i, i] += one + theta["tau2"]
    cross = gram(covariance, theta, x, at)
    weights = mp.lu_solve(k, matrix(residual))
    explained = mp.inverse(k) * cross
    means = [mean + sum(cross[i, j] * weights[i] for i in range(len(x))) for j in range(len(at))]
    variances = [covariance(theta, at[j], at[j]) - sum(cross[i, j] * explained[i, j] for i in range(len(x)))
                 for j in range(len(at))]
    return means, variances


class AnswerMap:
    """math.md eq. (11.13)"""

    def __init__(self, values, power):
        n = len(values)
        self.power = power
        self.centre = sum(values) / n
        self.spread = sqrt(sum((y - self.centre) ** 2 for y in values) / n)
        standard = [(y - self.centre) / self.spread for y in values]
        reach = (max(standard) - min(standard)) / 2
        self.low, self.high = min(standard) - reach, max(standard) + reach
        changed = [self.transformed(u) for u in standard]
        middle = sum(changed) / n
        self.factor = self.spread / sqrt(sum((v - middle) ** 2 for v in changed) / n)
        self.offset = self.centre - self.factor * middle

    def power_of(self, u):
        base, p, sign = (1 + u, self.power, 1) if u >= 0 else (1 - u, 2 - self.power, -1)
        return sign * (log(base) if p == 0 else (base**p - 1) / p)

    def slope_of(self, u):
        return (1 + u) ** (self.power - 1) if u >= 0 else (1 - u) ** (1 - self.power)

    def transformed(self, u):
        inside = min(max(u, self.low), self.high)
        return self.power_of(inside) + self.slope_of(inside) * (u - inside)

    def forward(self, y):
        return self.offset + self.factor * self.transformed((y - self.centre) / self.spread)

    def slope(self, y):
        u = min(max((y - self.centre) / self.spread, self.low), self.high)
        return self.factor / self.spread * self.slope_of(u)

    def knots(self):
        return [self.offset + self.factor * self.transformed(u) for u in (self.low, mpf(0), self.high)]

    def backward(self, z):
        v = (z - self.offset) / self.factor
        for limit, beyond in ((self.low, lambda a, b: a < b), (self.high, lambda a, b: a > b)):
            if beyond(v, self.power_of(limit)):
                return self.centre + self.spread * (limit + (v - self.power_of(limit)) / self.slope_of(limit))
        p, sign = (self.power, 1) if v >= 0 else (2 - self.power, -1)
        base = exp(sign * v) if p == 0 else (1 + p * sign * v) ** (1 / mpf(p))
        return self.centre + self.spread * sign * (base - 1)


def moments(answer_map, mean, variance):
    sd = sqrt(variance)
    density = lambda t: exp(-(t**2) / 2) / sqrt(2 * pi)
    cuts = sorted(k for k in ((knot - mean) / sd for knot in answer_map.knots()) if -12 < k < 12)
    ends = [mpf(-12)] + cuts + [mpf(12)]
    first = quad(lambda t: answer_map.backward(mean + sd * t) * density(t), ends)
    second = quad(lambda t: (answer_map.backward(mean + sd * t) - first) ** 2 * density(t), ends)
    return first, second


def main():
    random.seed(35)
    third = random.Random(36)  # of the inputs of the smooth structure
    number = lambda low, high, digits=3: mpf(repr(round(random.uniform(low, high), digits)))
    cases = []
    for power in ("0.4", "-0.6", "2.3"):
        n, d = 8, 2
        x = [[number(-1.7, 1.7) for _ in range(d)] for _ in range(n)]
        y = [round_to(exp(one[0]) + mpf("0.4") * one[1] ** 2 + number(-0.2, 0.2), 4) for one in x]
        noise = [mpf("0.01") if i % 2 else mpf("0.0025") for i in range(n)]
        at = [[number(-2, 2) for _ in range(d)] for _ in range(4)]
        mean = sum(y) / n
        residual = [one - mean for one in y]
        theta = {"a": mpf("1.4"), "l": [mpf("1.3"), mpf("0.9")], "tau2": mpf("0.02")}
        case = {"X": rounded(x), "y": rounded(y), "noise": rounded(noise), "X_test": rounded(at),
                "a": rounded(theta["a"]), "l": rounded(theta["l"]), "tau2": rounded(theta["tau2"])}
        components = []

        # Plain, and its predictions at the answers, by which noise is carried along.
        means, variances = posterior(plain_covariance, theta, x, residual, noise, mean, at)
        case["plain"] = {"F": rounded(objective(plain_covariance, theta, x, residual, noise)),
                         "mean": rounded(means), "var": rounded(variances)}
        components.append((objective(plain_covariance, theta, x, residual, noise), means, variances, None))
        predicted, _ = posterior(plain_covariance, theta, x, residual, noise, mean, x)

        # Ranked: with a pool of its own, ties included.
        pool = [[round_to(number(-1.7, 1.7), 1), number(-1.7, 1.7)] for _ in range(40)]
        columns = list(zip(*pool))
        maps = [rank_map(column) for column in columns]
        mapped = [[maps[k](value) for k, value in enumerate(row)] for row in x]
        mapped_at = [[maps[k](value) for k, value in enumerate(row)] for row in at]
        other = {"a": mpf("1.2"), "l": [mpf("1.1"), mpf("1.6")], "tau2": mpf("0.03")}
        means, variances = posterior(plain_covariance, other, mapped, residual, noise, mean, mapped_at)
        value = objective(plain_covariance, other, mapped, residual, noise)
        case["ranked"] = {"pool": rounded(pool), "a": rounded(other["a"]), "l": rounded(other["l"]),
                          "tau2": rounded(other["tau2"]), "mapped": rounded(mapped), "mapped_test": rounded(mapped_at),
                          "F": rounded(value), "grad_F": rounded(gradient(plain_covariance, other, mapped, residual, noise)),
                          "mean": rounded(means), "var": rounded(variances)}
        components.append((value, means, variances, None))

        # Additive.
        other = {"a": mpf("1.6"), "l": [mpf("0.8"), mpf("1.5")], "single": [mpf("1.9"), mpf("1.1")], "tau2": mpf("0.015"), "odds": mpf("2.5")}
        means, variances = posterior(additive_covariance, other, x, residual, noise, mean, at)
        value = objective(additive_covariance, other, x, residual, noise)
        case["additive"] = {"a": rounded(other["a"]), "l": rounded(other["l"]), "single": rounded(other["single"]),
                            "odds": rounded(other["odds"]),
                            "tau2": rounded(other["tau2"]), "F": rounded(value),
                            "grad_F": rounded(gradient(additive_covariance, other, x, residual, noise)),
                            "mean": rounded(means), "var": rounded(variances)}
        components.append((value, means, variances, None))

        # Transformed.
        answer_map = AnswerMap(y, mpf(power))
        z = [answer_map.forward(one) for one in y]
        mean_z = sum(z) / n
        residual_z = [one - mean_z for one in z]
        noise_z = [one * answer_map.slope(there) ** 2 for one, there in zip(noise, predicted)]
        jacobian = sum(log(answer_map.slope(one)) for one in y)
        other = {"a": mpf("1.1"), "l": [mpf("1.2"), mpf("1.4")], "tau2": mpf("0.01")}
        means, variances = posterior(plain_covariance, other, x, residual_z, noise_z, mean_z, at)
        value = objective(plain_covariance, other, x, residual_z, noise_z) + jacobian
        back = [moments(answer_map, m, s) for m, s in zip(means, variances)]
        far = [mpf(t) for t in ("-4", "0.5", "1.7", "9")]
        case["transformed"] = {
            "lambda": rounded(answer_map.power), "a": rounded(other["a"]), "l": rounded(other["l"]),
            "tau2": rounded(other["tau2"]), "z": rounded(z), "noise_z": rounded(noise_z), "log_jacobian": rounded(jacobian),
            "F": rounded(value), "grad_F": rounded(gradient(plain_covariance, other, x, residual_z, noise_z)),
            "mean_z": rounded(means), "var_z": rounded(variances), "mean": rounded([m for m, _ in back]),
            "var": rounded([s for _, s in back]),
            "nugget": rounded([other["tau2"] / answer_map.slope(answer_map.backward(m)) ** 2 for m in means]),
            "y_far": rounded(far), "z_far": rounded([answer_map.forward(t) for t in far]),
            "slope_far": rounded([answer_map.slope(t) for t in far])}
        components.append((value, means, variances, answer_map))

        # Smooth: three inputs, so that pairs and the function of all differ. Not part of the mixture, whose inputs are two.
        wide, wide_at = ([[*row, mpf(repr(round(third.uniform(-1.7, 1.7), 3)))] for row in rows] for rows in (x, at))
        other = {"a": mpf("1.3"), "l": [mpf("1.2"), mpf("2.1"), mpf("1.5")], "single": [mpf("0.9"), mpf("1.4"), mpf("2.2")],
                 "tau2": mpf("0.004"), "odds": mpf("1.8"), "pairs": mpf("0.7")}
        means, variances = posterior(smooth_covariance, other, wide, residual, noise, mean, wide_at)
        case["smooth"] = {"X": rounded(wide), "X_test": rounded(wide_at), **{name: rounded(value) for name, value in other.items()},
                          "F": rounded(objective(smooth_covariance, other, wide, residual, noise)),
                          "grad_F": rounded(gradient(smooth_covariance, other, wide, residual, noise)),
                          "mean": rounded(means), "var": rounded(variances)}

        case["mixture"] = mixture(components, back)
        cases.append(case)
    print(json.dumps({"name": "structures", "schema": 1,
                      "source": "tests/golden/make/structures.py: 50 significant digits, rounded once to 17. F is the log "
                                "marginal likelihood with its n/2 ln 2pi less the penalties of (11.3), of transformed answers "
                                "with the logarithm of the Jacobian; gradients in log a, log l, the logs of single and odds, log tau2; moments of "
                                "transformed answers by quadrature", "cases": cases}, indent=1))


def round_to(value, digits):
    return mpf(repr(round(float(value), digits)))


def rank_map(column):
    n = len(column)
    mean = sum(column) / n
    sd = sqrt(sum((v - mean) ** 2 for v in column) / n)
    nodes = []
    for value in sorted(set(column)):
        below, equal = sum(v < value for v in column), sum(v == value for v in column)
        score = normal_quantile((below + mpf(equal) / 2) / n)
        nodes.append((value, (value + mean + sd * score) / 2))

    def mapped(value):
        if value <= nodes[0][0]:
            return nodes[0][1] + (value - nodes[0][0]) / 2
        if value >= nodes[-1][0]:
            return nodes[-1][1] + (value - nodes[-1][0]) / 2
        for (x0, y0), (x1, y1) in zip(nodes, nodes[1:]):
            if value <= x1:
                return y0 + (value - x0) / (x1 - x0) * (y1 - y0)

    return mapped


def mixture(components, back):
    values = [value for value, _, _, _ in components]
    raw = [exp((value - max(values)) / 8) for value in values]
    weights = [one / sum(raw) for one in raw]
    result = {"weights": rounded(weights), "mean": [], "var": [], "low": [], "median": [], "high": []}
    for j in range(len(back)):
        parts = [back[j] if one[3] else (one[1][j], one[2][j]) for one in components]
        mean = sum(w * m for w, (m, _) in zip(weights, parts))
        result["mean"].append(rounded(mean))
        result["var"].append(rounded(sum(w * (s + (m - mean) ** 2) for w, (m, s) in zip(weights, parts))))

        def below(t):
            return sum(w * phi(((one[3].forward(t) if one[3] else t) - one[1][j]) / sqrt(one[2][j]))
                       for w, one in zip(weights, components))

        for name, share in (("low", mpf("0.025")), ("median", mpf("0.5")), ("high", mpf("0.975"))):
            start = mean + normal_quantile(share) * sqrt(mpf(result["var"][j]))
            left, right = start - 20, start + 20
            root = findroot(lambda t: below(t) - share, (left, right), solver="anderson", tol=mpf(10) ** -40, maxsteps=500)
            result[name].append(rounded(root))
    return result


if __name__ == "__main__":
    main()
