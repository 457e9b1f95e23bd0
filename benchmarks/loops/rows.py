"""The rows of `run`. A row is a function that returns its systems: {name: prepare}, acuity's first. prepare() makes the data,
which does not count, and returns the work, a function that returns a note. Every system runs in a process of its own.

    @row("name", "what it is", floors={"acuity": 8.0})
    def name(size):
        return {"acuity": lambda: work, "scikit-learn": lambda: other_work}

size(large, small) is the first number, or the second if `run` was called with --quick. Programs that the work starts count:
CPU seconds are those of the process and of its children that have ended, memory is the largest of any of them.
"""
import argparse, json, os, resource, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "peers")]

ROWS = {}


def row(name, what, floors=None):
    """`floors`: the CPU seconds that each of acuity's systems may take."""
    def add(function):
        ROWS[name] = {"name": name, "what": what, "floors": floors or {}, "systems": function}
        return function
    return add


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak_mb():
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def measured(work):
    """What work() took. Its note may be a function, which is called afterwards and does not count."""
    begin = cpu_seconds()
    note = work()
    used = {"cpu": cpu_seconds() - begin, "memory": peak_mb()}
    return {**used, "note": note() if callable(note) else note or "-"}


# ---- A loop of choices that learns: the campaign as users of the package write it, beside a model that is fitted at every
# answer and predicts the pool by the library.

LEVELS = [("rough", 0.2, 1.0), ("middle", 0.1, 1.5), ("fine", 0.05, 2.0)]  # standard deviation of the noise, cost
KEYS_OF_0_2 = {"structure": "plain", "information": "model"}


class LoopData:
    def __init__(self, size):
        import numpy as np
        from workload_data import box, noisy_values, uniform
        self.initial, self.last = size(20, 10), size(300, 24)
        self.pool = box(11, size(10_000, 400), 8, 0.0, 2.0)
        self.truth = noisy_values(111, self.pool, 0.0)
        self.noise = uniform(112, 0, 12 * self.last).reshape(-1, 12).sum(axis=1) - 6.0  # nearly standard normal
        self.variance = np.array([sd**2 for _, sd, _ in LEVELS])
        self.cost = np.array([cost for _, _, cost in LEVELS])
        self.budget = 2.0 * self.last  # for as many answers at the finest level

    def answer(self, count, point, level):
        """The answer that is the `count`-th of the loop."""
        return self.truth[point] + LEVELS[level][1] * self.noise[count]

    def error(self, predicted):
        import numpy as np
        return f"error {np.sqrt(np.mean((predicted - self.truth[:500]) ** 2)):.4f}"


def acuity_loop(size, **keys):
    def prepare():
        import acuity
        data = LoopData(size)
        levels = [acuity.Level(name, noise_sd=sd, cost=cost) for name, sd, cost in LEVELS]
        numbers = {name: k for k, (name, _, _) in enumerate(LEVELS)}

        def work():
            campaign = acuity.create(pool=data.pool, levels=levels, budget=data.budget, seed=1, threads=1,
                                     initial={"count": data.initial, "level": "middle"}, **keys)
            try:
                for count in range(data.last):
                    asked = campaign.ask()
                    campaign.tell(asked, data.answer(count, asked.row, numbers[asked.level]))
            except acuity.Finished:
                pass
            return lambda: note(campaign)

        def note(campaign):
            events = [event["event"] for event in campaign.events()]
            return (f"{events.count('told')} answers, {events.count('fitted')} fits, {events.count('planned')} plans, "
                    + data.error(campaign.predict(data.pool[:500])))
        return work
    return prepare


class Choices:
    """Information per cost of all open points and levels, as users of other libraries write it."""

    def __init__(self, data):
        import numpy as np
        self.data, self.rows, self.levels, self.values, self.spent = data, [], [], [], 0.0
        self.open = np.ones(len(data.pool), bool)
        for row in np.linspace(0, len(data.pool) - 1, data.initial).astype(int):
            self.ask(int(row), 1)

    def ask(self, row, level):
        self.values.append(self.data.answer(len(self.values), row, level))
        self.rows.append(row)
        self.levels.append(level)
        self.open[row] = False
        self.spent += self.data.cost[level]

    def may_go_on(self):
        return len(self.rows) < self.data.last and self.spent + self.data.cost.min() <= self.data.budget

    def choose(self, variance, own_noise):
        import numpy as np
        score = 0.5 * np.log1p(variance[:, None] / (own_noise + self.data.variance)) / self.data.cost
        score[~self.open] = -np.inf
        score[:, self.spent + self.data.cost > self.data.budget] = -np.inf
        self.ask(*map(int, np.unravel_index(np.argmax(score), score.shape)))


def sklearn_loop(size):
    """The library alone: a fit on from the last one and a prediction of the pool at every answer."""
    def prepare():
        import warnings
        import numpy as np
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
        warnings.simplefilter("ignore", ConvergenceWarning)
        data = LoopData(size)

        def work():
            choices, fits = Choices(data), 0
            kernel = (ConstantKernel(1.0, (1e-5, 1e5)) * Matern(np.ones(8), (1e-3, 1e5), nu=2.5)
                      + WhiteKernel(0.05, (1e-6, 1e2)))
            while True:
                values = np.array(choices.values)
                model = GaussianProcessRegressor(kernel, alpha=data.variance[choices.levels])
                model.fit(data.pool[choices.rows], values - values.mean())
                kernel, fits = model.kernel_, fits + 1
                if not choices.may_go_on():
                    break
                deviation = model.predict(data.pool, return_std=True)[1]
                own = kernel.k2.noise_level  # is in the variance that is predicted
                choices.choose(np.maximum(deviation**2 - own, 0.0), own)
            predicted = model.predict(data.pool[:500]) + values.mean()
            return lambda: f"{len(choices.rows)} answers, {fits} fits, {data.error(predicted)}"
        return work
    return prepare


def numpy_loop(size):
    """The same with an exact gradient and one factor per evaluation, as a careful user writes it."""
    def prepare():
        import numpy as np
        from scipy.linalg import cholesky, solve_triangular
        from scipy.optimize import minimize
        from numpy_campaign_learning import matern52, negative_likelihood
        data = LoopData(size)
        bounds = [np.log([1e-5, 1e5])] + [np.log([1e-3, 1e5])] * 8 + [np.log([1e-6, 1e2])]

        def work():
            choices, fits, theta = Choices(data), 0, np.array([0.0] * 9 + [np.log(0.05)])
            while True:
                values, x = np.array(choices.values), data.pool[choices.rows]
                centred, noise = values - values.mean(), data.variance[choices.levels]
                theta, fits = minimize(negative_likelihood, theta, (x, centred, noise), "L-BFGS-B", jac=True,
                                       bounds=bounds).x, fits + 1
                factor = matern52(theta, x, x)
                factor[np.diag_indices(len(x))] += np.exp(theta[-1]) + noise
                factor = cholesky(factor, lower=True, overwrite_a=True, check_finite=False)
                if not choices.may_go_on():
                    break
                v = solve_triangular(factor, matern52(theta, x, data.pool), lower=True, overwrite_b=True,
                                     check_finite=False)
                choices.choose(np.maximum(np.exp(theta[0]) - np.einsum("ij,ij->j", v, v), 0.0), np.exp(theta[-1]))
            weights = solve_triangular(factor, solve_triangular(factor, centred, lower=True), lower=True, trans=1)
            predicted = values.mean() + matern52(theta, data.pool[:500], x) @ weights
            return lambda: f"{len(choices.rows)} answers, {fits} fits, {data.error(predicted)}"
        return work
    return prepare


@row("loop", "280 choices from 20 answers on, among 10,000 points with 8 inputs and three levels; learned at every 15 % more "
     "answers (the peers: at every answer). The first two with the keys of version 0.2", floors={"acuity": 8.0})
def loop(size):
    return {"acuity": acuity_loop(size, **KEYS_OF_0_2), "acuity, no plan": acuity_loop(size, plan="none", **KEYS_OF_0_2),
            "acuity, all defaults": acuity_loop(size), "scikit-learn": sklearn_loop(size),
            "numpy, scipy": numpy_loop(size)}


@row("loop-every", "the same, learned at every answer", floors={"acuity": 12.0})
def loop_every(size):
    return {"acuity": acuity_loop(size, fit="every", **KEYS_OF_0_2),
            "acuity, no plan": acuity_loop(size, fit="every", plan="none", **KEYS_OF_0_2),
            "scikit-learn": sklearn_loop(size), "numpy, scipy": numpy_loop(size)}


# ---- Choices for a goal, with a fixed model.

def goal_steps(size, **keys):
    def prepare():
        import acuity
        from workload_data import box, noisy_values
        pool, steps = box(21, size(100_000, 2000), 8, 0.0, 2.0), size(100, 10)
        truth = noisy_values(121, pool, 0.1)
        levels = [acuity.Level(name, noise_sd=sd, cost=cost) for name, sd, cost in LEVELS]

        def work():
            campaign = acuity.create(pool=pool, levels=levels, initial=10, seed=1, kernel="matern52", amplitude=1.0,
                                     lengthscale=2.0, standardise="none", mean=0.0, nugget=0.01, fit="never", threads=1,
                                     **({"goal": pool} if keys["information"] == "goal" else {}), **keys)
            for _ in range(10 + steps):
                asked = campaign.ask()
                campaign.tell(asked, truth[asked.row])
            return f"{steps} choices"
        return work
    return prepare


@row("goal", "100 choices for a goal that is the whole pool, 100,000 points with 8 inputs, three levels, a fixed model",
     floors={"acuity": 4.0})
def goal(size):
    return {"acuity": goal_steps(size, information="goal", criterion="variance"),
            "acuity, prediction": goal_steps(size, information="goal", criterion="prediction"),
            "acuity, information about f": goal_steps(size, information="model")}


import commands  # its rows are commands of the program
commands.add_rows(row)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("row", nargs="?")
    parser.add_argument("system", nargs="?")
    arguments = parser.parse_args()
    size = (lambda large, small: small) if arguments.quick else (lambda large, small: large)
    if arguments.list:
        print(json.dumps([{**one, "systems": list(one["systems"](size))} for one in ROWS.values()]))
        return
    print(json.dumps(measured(ROWS[arguments.row]["systems"](size)[arguments.system]())))


if __name__ == "__main__":
    main()
