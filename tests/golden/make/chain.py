#!/usr/bin/env python3
"""Reference values of docs/math.md 12.7 with 60 digits: python3 chain.py > ../chain.json (needs nothing else)."""

import json
import random
from decimal import Decimal, getcontext

getcontext().prec = 60
D = Decimal
FIVE = D(5)


def solve(a, b):
    """a^-1 b by Gauss, with pivots; b is a list of columns."""
    n = len(a)
    rows = [list(a[i]) + [column[i] for column in b] for i in range(n)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [u - factor * v for u, v in zip(rows[k], rows[i])]
    return [[rows[i][n + j] / rows[i][i] for i in range(n)] for j in range(len(b))]


def hermite_rule(n):
    """Nodes and weights for the standard normal density, by Newton steps on He_n."""
    def he(x):
        before, now = D(1), x
        for k in range(1, n):
            before, now = now, x * now - k * before
        return now, before  # He_n, He_{n-1}

    factorial = D(1)
    for k in range(2, n + 1):
        factorial *= k
    nodes = []
    grid = [D(k) / 200 for k in range(-1400, 1401)]
    for left, right in zip(grid, grid[1:]):
        if left == 0 or he(left)[0] * he(right)[0] < 0:
            x = D(0) if left == 0 else (left + right) / 2
            for _ in range(60):
                value, before = he(x)
                x -= value / (n * before)  # He_n' = n He_{n-1}
            nodes.append(x)
    assert len(nodes) == n
    return [(x, factorial / (D(n) ** 2 * he(x)[1] ** 2)) for x in nodes]


RULE = hermite_rule(11)


class Gp:
    def __init__(self, link, x, y, noise):
        self.link, self.x, self.y = link, x, y
        self.k = [[self.covariance(a, b) + (noise[i] if i == j else 0) for j, b in enumerate(x)]
                  for i, a in enumerate(x)]
        self.weights = solve(self.k, [[v - link["mean"] for v in y]])[0] if x else []

    def covariance(self, a, b):
        rho = sum(((u - v) / l) ** 2 for u, v, l in zip(a, b, self.link["l"])).sqrt()
        root = FIVE.sqrt() * rho
        return self.link["a"] ** 2 * (1 + root + root * root / 3) * (-root).exp()

    def mean(self, x):
        return self.link["mean"] + sum(self.covariance(x, p) * w for p, w in zip(self.x, self.weights))

    def posterior_covariance(self, a, b):
        left, right = [self.covariance(a, p) for p in self.x], [self.covariance(b, p) for p in self.x]
        return self.covariance(a, b) - sum(u * v for u, v in zip(left, solve(self.k, [right])[0]))

    def variance(self, x):
        return self.posterior_covariance(x, x)


STEP = D("0.001")


class Chain:
    def __init__(self, links, answers):
        self.links, self.gps = links, []
        for j, link in enumerate(links):
            own = [a for a in answers if a["bias"] == link["bias"]]
            x, y, noise = [a["x"] for a in own], [a["y"] for a in own], [a["noise"] for a in own]
            inputs = [self.inputs(p, j) for p in x]
            if j > 0:
                first = Gp(link, inputs, y, noise)
                noise = [n + self.slope(first, z, j) ** 2 * self.variance(p, j - 1)
                         for n, z, p in zip(noise, inputs, x)]
            self.gps.append(Gp(link, inputs, y, noise))

    def column(self, j, value):
        link = self.links[j]
        return min(max((value - link["centre"]) / link["spread"], link["low"]), link["high"])

    def inputs(self, x, j):
        if j == 0:
            return list(x)
        return list(x) + [self.column(j - 1, self.gps[j - 1].mean(self.inputs(x, j - 1)))]

    def slope(self, gp, z, j):
        before = self.links[j - 1]
        inside = lambda c: min(max(c, before["low"]), before["high"])
        above, below = z[:-1] + [inside(z[-1] + STEP)], z[:-1] + [inside(z[-1] - STEP)]
        return (gp.mean(above) - gp.mean(below)) / (2 * STEP * before["spread"])

    def slope_at(self, x, j):
        return self.slope(self.gps[j], self.inputs(x, j), j)

    def effect(self, x, j, to):
        product = D(1)
        for k in range(j + 1, to + 1):
            product *= self.slope_at(x, k)
        return product

    def variance(self, x, j):
        own = self.gps[j].variance(self.inputs(x, j))
        return own if j == 0 else own + self.slope_at(x, j) ** 2 * self.variance(x, j - 1)

    def mean(self, x, j):
        return self.gps[j].mean(self.inputs(x, j))

    def predict(self, x, j):
        mean, variance = self.gps[0].mean(list(x)), self.gps[0].variance(list(x))
        for k in range(1, j + 1):
            found = []
            for node, weight in RULE:
                z = list(x) + [self.column(k - 1, mean + node * variance.sqrt())]
                found.append((weight, self.gps[k].mean(z), self.gps[k].variance(z)))
            mean = sum(w * m for w, m, _ in found)
            variance = sum(w * (v + (m - mean) ** 2) for w, m, v in found)
        return mean, variance

    def with_goal(self, x, r, j):
        """Covariance of what an answer of link j at x tells with f at r: math.md eq. (12.18)."""
        own = self.gps[j].posterior_covariance(self.inputs(x, j), self.inputs(r, j))
        return own * self.effect(r, j, len(self.links) - 1)


def case(seed, count, inputs):
    draw = random.Random(seed)
    number = lambda low, high: D(str(round(draw.uniform(low, high), 6)))
    last = len(count) - 1
    links = []
    for j in range(len(count)):
        links.append({"bias": 0 if j == last else (last - j if seed % 2 else j + 1), "a": number(0.7, 1.4),
                      "l": [number(0.5, 1.5) for _ in range(inputs)] + ([number(0.8, 2.0)] if j else []),
                      "mean": number(-0.5, 0.5), "centre": number(-0.3, 0.3), "spread": number(0.6, 1.2),
                      "low": number(-1.4, -1.0), "high": number(1.0, 1.4)})
    places = [[number(-1.5, 1.5) for _ in range(inputs)] for _ in range(max(count))]
    answers = []
    for j, n in enumerate(count):
        for x in places[:n]:
            wave = (x[0] * 2).exp() / (1 + (x[0] * 2).exp())
            y = 2 * wave - 1 + x[-1] / 3 if j == 0 else (1 + x[0] / 5) * (2 * wave - 1 + x[-1] / 3) ** 2 * (j + 1)
            answers.append({"bias": links[j]["bias"], "x": x, "y": round(y, 8), "noise": number(0.001, 0.02)})
    draw.shuffle(answers)
    pool = [[number(-1.7, 1.7) for _ in range(inputs)] for _ in range(4)]
    goal = [[number(-1.5, 1.5) for _ in range(inputs)] for _ in range(3)]
    weights = [D("0.5"), D("0.3"), D("0.2")]
    chain = Chain(links, answers)
    levels = []
    for j, link in enumerate(links):
        predicted = [chain.predict(x, j) for x in pool]
        levels.append({
            "bias": link["bias"],
            "mean": [chain.mean(x, j) for x in pool],
            "variance": [chain.variance(x, j) for x in pool],
            "covariance_with_f": [chain.effect(x, j, last) * chain.variance(x, j) for x in pool],
            "worth": [sum(w * chain.with_goal(x, r, j) ** 2 for w, r in zip(weights, goal)) for x in pool],
            "predicted_mean": [p[0] for p in predicted], "predicted_variance": [p[1] for p in predicted]})
    return {"links": links, "answers": answers, "pool": pool, "goal": goal, "weights": weights,
            "goal_variance": [chain.variance(r, last) for r in goal], "levels": levels}


def as_floats(value):
    if isinstance(value, dict):
        return {key: as_floats(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_floats(one) for one in value]
    return float(value) if isinstance(value, Decimal) else value


if __name__ == "__main__":
    cases = [case(1, [7, 4], 1), case(2, [6, 5], 2), case(3, [8, 6, 4], 2)]
    source = ("tests/golden/make/chain.py: 60 significant digits, rounded once. variance, covariance_with_f and worth to "
              "first order (12.16)-(12.18); predicted by 11 nodes (12.19); worth is the weighted sum of squares (12.18)")
    print(json.dumps({"name": "chain", "schema": 1, "source": source, "cases": as_floats(cases)}, indent=1))
