"""W1 with OpenTURNS: kriging with known noise, recomputed in every step."""
import numpy as np
import openturns as ot

from workload_data import Chooser, Regression, measure, parse_arguments


def main():
    problem = Regression(parse_arguments())
    ot.TBB.Disable()
    ot.Log.Show(ot.Log.NONE)
    pool = ot.Sample(problem.pool)
    covariance = ot.SquaredExponential([problem.lengthscale], [1.0])

    def fit(points, noise):
        algorithm = ot.KrigingAlgorithm(ot.Sample(problem.pool[points]), ot.Sample(problem.values[points][:, None]),
                                        covariance, ot.Basis(0))
        algorithm.setNoise(noise)
        algorithm.setOptimizeParameters(False)
        algorithm.run()
        return algorithm.getResult()

    def variance_of(result):
        return np.maximum(np.asarray(result.getConditionalMarginalVariance(pool)).ravel(), 0.0)

    def work():
        points, noise = list(range(problem.initial)), list(problem.noise[:problem.initial])
        chooser = Chooser(problem)
        for _ in range(problem.annotations - problem.initial):
            point, level = chooser.choose(variance_of(fit(points, noise)))
            points.append(point)
            noise.append(problem.noise[point] + problem.added[level])
        result = fit(points, noise)
        mean = np.asarray(result.getMetaModel()(pool))
        return {**chooser.report(), "mean_sum": mean.sum(), "variance_sum": variance_of(result).sum()}

    measure("OpenTURNS", problem, work)


main()
