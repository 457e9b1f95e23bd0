#!/usr/bin/env python3
"""Reference values of docs/math.md 15.3 in arbitrary precision: python3 class_accuracy.py > ../class_accuracy.json (needs mpmath)."""

import json

from mpmath import beta, erf, exp, linspace, log, matrix, mp, mpf, pi, quad, sqrt

mp.dps = 30


def rounded(values):
    if isinstance(values, (list, tuple)):
        return [rounded(value) for value in values]
    return float(mp.nstr(values, 17))


def cdf(t):
    return (1 + erf(t / sqrt(2))) / 2


def pdf(t):
    return exp(-t * t / 2) / sqrt(2 * pi)


def logistic(t):
    return 1 / (1 + exp(-t))


# ---- The evidence of expectation propagation, with likelihoods alpha Phi(f) + alpha' Phi(-f) ----------------


def site_of(alpha, other, mean, variance):
    """log of the integral, precision and shift of one site."""
    root = sqrt(1 + variance)
    z = mean / root
    weight = other + (alpha - other) * cdf(z)
    slope = (alpha - other) * pdf(z) / (root * weight)
    second = -slope * z / root - slope**2
    new_variance = variance + variance**2 * second
    precision = -second / (1 + variance * second)
    return log(weight), precision, (mean + variance * slope) / new_variance - mean / variance


def log_evidence(kernel, likelihoods, sites={}):
    """log Z of EP, and z of every site at its fixed point. It starts from the sites that were found last."""
    n = len(likelihoods)
    precision, shift = sites.get(kernel[0, 1], ([mpf(0)] * n, [mpf(0)] * n))
    precision, shift = list(precision), list(shift)
    for _ in range(400):
        change = mpf(0)
        for i in range(n):
            sigma, mean = posterior(kernel, precision, shift)
            cavity = 1 / sigma[i, i] - precision[i]
            cavity_mean = (mean[i] / sigma[i, i] - shift[i]) / cavity
            _, new_precision, new_shift = site_of(*likelihoods[i], cavity_mean, 1 / cavity)
            change = max(change, abs(new_precision - precision[i]), abs(new_shift - shift[i]))
            precision[i], shift[i] = new_precision, new_shift
        if change < mpf(10) ** -26:
            break
    else:
        raise RuntimeError("EP does not converge")
    sites[kernel[0, 1]] = precision, shift
    sigma, mean = posterior(kernel, precision, shift)
    diagonal = matrix(n, n)
    for i in range(n):
        diagonal[i, i] = precision[i]
    total = -log(mp.det(mp.eye(n) + kernel * diagonal)) / 2
    total += sum(shift[i] * mean[i] for i in range(n)) / 2
    places = []
    for i in range(n):
        cavity = 1 / sigma[i, i] - precision[i]
        m, v = (mean[i] / sigma[i, i] - shift[i]) / cavity, 1 / cavity
        t, u = precision[i], shift[i]
        total += site_of(*likelihoods[i], m, v)[0]
        total -= -log(1 + t * v) / 2 + (u * u * v + 2 * u * m - t * m * m) / (2 * (1 + t * v))
        places.append(m / sqrt(1 + v))
    return total, places


def posterior(kernel, precision, shift):
    n = len(precision)
    b = mp.eye(n)
    for i in range(n):
        for j in range(n):
            b[i, j] += kernel[i, j] * precision[j]
    sigma = mp.inverse(b) * kernel
    return sigma, sigma * matrix(shift)


class Problem:
    def __init__(self, case):
        self.case = case
        x = [mpf(str(one[0])) for one in case["X"]]
        n = len(x)
        self.kernel = matrix(n, n)
        for i in range(n):
            for j in range(n):
                self.kernel[i, j] = mpf(str(case["a"])) ** 2 * exp(-((x[i] - x[j]) / mpf(str(case["l"][0]))) ** 2 / 2)

    def given(self, channel, y):
        """P(y | +1) and P(y | -1)."""
        yes, no = channel
        return (yes, 1 - no) if y > 0 else (1 - yes, no)

    def likelihoods(self, w):
        found = [[mpf(1), mpf(1)] for _ in self.case["X"]]
        for answer in self.case["answers"]:
            p = 2 * answer["person"]
            plus, minus = self.given((w[p], w[p + 1]), answer["y"])
            found[answer["item"]][0] *= plus
            found[answer["item"]][1] *= minus
        return found

    def pseudo(self):
        for k, prior in enumerate(self.case["prior"]):
            guess, weight = mpf(str(prior["guess"])), mpf(str(prior["weight"]))
            yield k, guess * weight + prior["gold_right"], (1 - guess) * weight + prior["gold_wrong"]

    def objective(self, w):
        value = log_evidence(self.kernel, self.likelihoods(w))[0]
        return value, value + sum(a * log(w[k]) + b * log(1 - w[k]) for k, a, b in self.pseudo())

    def gradient(self, w):
        """Of the evidence and of the objective: sites do not move it."""
        likelihoods = self.likelihoods(w)
        _, places = log_evidence(self.kernel, likelihoods)
        slopes = [mpf(0)] * len(w)
        for answer in self.case["answers"]:
            i, p, y = answer["item"], 2 * answer["person"], answer["y"]
            alpha, other = likelihoods[i]
            weight = alpha * cdf(places[i]) + other * cdf(-places[i])
            plus = alpha * cdf(places[i]) / weight  # the class is +1
            slopes[p] += plus / w[p] if y > 0 else -plus / (1 - w[p])
            slopes[p + 1] += -(1 - plus) / (1 - w[p + 1]) if y > 0 else (1 - plus) / w[p + 1]
        return slopes, [s + a / w[k] - b / (1 - w[k]) for s, (k, a, b) in zip(slopes, self.pseudo())]

    def logit_gradient(self, t):
        w = [logistic(one) for one in t]
        return [g * one * (1 - one) for g, one in zip(self.gradient(w)[1], w)]

    def hessian(self, t):
        n, step = len(t), mpf(10) ** -9
        found = matrix(n, n)
        for j in range(n):
            up, down = list(t), list(t)
            up[j] += step
            down[j] -= step
            for i, (a, b) in enumerate(zip(self.logit_gradient(up), self.logit_gradient(down))):
                found[i, j] = (a - b) / (2 * step)
        return found

    def maximum(self):
        t = [log(mpf(4)) for _ in self.case["prior"]]
        for _ in range(12):
            step = mp.lu_solve(self.hessian(t), matrix(self.logit_gradient(t)))
            t = [one - s for one, s in zip(t, step)]
            if max(abs(s) for s in step) < mpf(10) ** -15:
                break
        w = [logistic(one) for one in t]
        covariance = mp.inverse(-self.hessian(t))
        return {
            "w": rounded(w),
            "objective": rounded(self.objective(w)[1]),
            "sd_logit": rounded([sqrt(covariance[k, k]) for k in range(len(w))]),
            "covariance_first_two": rounded(covariance[0, 1]),
        }


def objective_case(name, x, a, l, answers, prior, places):
    case = {"name": name, "a": a, "l": l, "X": [[one] for one in x], "answers": answers, "prior": prior}
    problem = Problem(case)
    case["at"] = []
    for w in places:
        w = [mpf(str(one)) for one in w]
        evidence, value = problem.objective(w)
        slopes, of_objective = problem.gradient(w)
        step = mpf(10) ** -9
        for k in range(len(w)):
            up, down = list(w), list(w)
            up[k] += step
            down[k] -= step
            difference = (problem.objective(up)[1] - problem.objective(down)[1]) / (2 * step)
            assert abs(difference - of_objective[k]) < mpf(10) ** -13
        case["at"].append(
            {
                "w": rounded(w),
                "log_z": rounded(evidence),
                "objective": rounded(value),
                "grad_w": rounded(slopes),
                "grad_objective_w": rounded(of_objective),
            }
        )
    case["maximum"] = problem.maximum()
    return case


def objective_cases():
    x = [-1.3, -0.9, -0.2, 0.3, 0.8, 1.4]
    answers = [{"item": i, "person": 0, "y": y} for i, y in enumerate([-1, -1, 1, 1, 1, 1])]
    answers += [{"item": i, "person": 1, "y": y} for i, y in [(0, 1), (1, -1), (2, 1), (4, 1), (5, 1)]]
    yield objective_case(
        "two_people",
        x,
        2.0,
        [0.9],
        answers,
        [
            {"guess": 0.8, "weight": 10.0, "gold_right": 0, "gold_wrong": 0},
            {"guess": 0.8, "weight": 10.0, "gold_right": 0, "gold_wrong": 0},
            {"guess": 0.85, "weight": 6.0, "gold_right": 3, "gold_wrong": 0},
            {"guess": 0.75, "weight": 6.0, "gold_right": 1, "gold_wrong": 1},
        ],
        [[0.8, 0.8, 0.85, 0.75], [0.95, 0.4, 0.7, 0.66]],
    )
    once = [{"item": i, "person": 0, "y": y} for i, y in enumerate([1, -1, 1, 1, -1, 1])]
    yield objective_case(
        "one_answer_each",
        x,
        1.5,
        [1.1],
        once,
        [
            {"guess": 0.9, "weight": 8.0, "gold_right": 0, "gold_wrong": 0},
            {"guess": 0.7, "weight": 8.0, "gold_right": 0, "gold_wrong": 0},
        ],
        [[0.9, 0.7], [0.55, 0.95]],
    )


# ---- What an answer tells ----------------------------------------------------------------------------------


def entropy(p):
    return mpf(0) if p <= 0 or p >= 1 else -(p * log(p) + (1 - p) * log(1 - p)) / log(2)


def information(mean, variance, yes, no):
    mean, variance, yes, no = (mpf(str(one)) for one in (mean, variance, yes, no))
    deviation = sqrt(variance)
    total = entropy(1 - no + (yes + no - 1) * cdf(mean / sqrt(1 + variance)))
    ends = linspace(mean - 14 * deviation, mean + 14 * deviation, 29)
    inner = quad(
        lambda f: pdf((f - mean) / deviation) / deviation * entropy(1 - no + (yes + no - 1) * cdf(f)), ends, maxdegree=8
    )
    return total - inner


def capacity(yes, no):
    yes, no = mpf(str(yes)), mpf(str(no))

    def told(share):
        return entropy(1 - no + (yes + no - 1) * share) - share * entropy(yes) - (1 - share) * entropy(no)

    low, high = mpf(0), mpf(1)
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if told(a) < told(b) else (low, b)
    return told((low + high) / 2)


# ---- Whether somebody answers without looking ------------------------------------------------------------


def coin_evidence(answers, positive, yes, no):
    """The evidence of both explanations."""

    def likelihood(s, c):
        product = mpf(1)
        for y, q in zip(answers, positive):
            q = mpf(str(q))
            product *= q * (s if y > 0 else 1 - s) + (1 - q) * (1 - c if y > 0 else c)
        return product

    def density(s, c):
        a, b = [mpf(str(one)) for one in yes], [mpf(str(one)) for one in no]
        return (
            s ** (a[0] * a[1] - 1) * (1 - s) ** ((1 - a[0]) * a[1] - 1)
            * c ** (b[0] * b[1] - 1) * (1 - c) ** ((1 - b[0]) * b[1] - 1)
        )

    def integral(f):
        return quad(lambda s: quad(lambda c: f(s, c), [1 - s, 1]), linspace(0, 1, 3))

    old = mp.dps
    mp.dps = 15
    looking = integral(lambda s, c: density(s, c) * likelihood(s, c)) / integral(density)
    mp.dps = old
    said_yes = sum(1 for y in answers if y > 0)
    return looking, beta(1 + said_yes, 1 + len(answers) - said_yes)


def coin_cases():
    for name, answers, positive in [
        ("says_yes", [1] * 12, [0.9, 0.1, 0.2, 0.95, 0.05, 0.8, 0.3, 0.9, 0.1, 0.85, 0.15, 0.7]),
        ("looks", [1, -1, -1, 1, -1, 1, -1, 1], [0.9, 0.1, 0.2, 0.95, 0.05, 0.8, 0.3, 0.9]),
        ("guesses", [1, -1, 1, 1, -1, -1, 1, -1, -1, 1], [0.9, 0.9, 0.2, 0.95, 0.05, 0.8, 0.3, 0.9, 0.1, 0.1]),
    ]:
        looking, coin = coin_evidence(answers, positive, (0.8, 10), (0.8, 10))
        share = mpf(1) / 3
        yield {
            "name": name,
            "answers": answers,
            "positive": positive,
            "probability": rounded(share * coin / (share * coin + (1 - share) * looking)),
        }


def main():
    channels = [(0.9, 0.8), (0.97, 0.3), (0.5, 1.0), (0.62, 0.99), (0.75, 0.75)]
    points = [(0.0, 1.0), (0.7, 0.4), (-1.5, 2.0), (2.5, 30.0), (-0.3, 0.01)]
    result = {
        "name": "class_accuracy",
        "objective": list(objective_cases()),
        "information": [
            {"mean": m, "variance": s, "yes": a, "no": b, "bits": rounded(information(m, s, a, b))}
            for m, s in points
            for a, b in channels
        ],
        "capacity": [{"yes": a, "no": b, "bits": rounded(capacity(a, b))} for a, b in channels],
        "coin": list(coin_cases()),
    }
    print(json.dumps(result, indent=1))


main()
