# %% [markdown]
# # The sine curve in 20 lines
#
# A curve between 0 and 5 is unknown. An answer at one place can be precise, for 1, or noisy, down to ten times the noise
# variance for a tenth of the price, or anything in between. Which places, and how precisely?
# This is the first study of the paper behind acuity, with 50 to spend.
#
# Run it as a script, `python3 sine_curve.py [FOLDER]`, or cell by cell in an editor that knows `# %%`.

# %% The 20 lines
import sys
from pathlib import Path

import numpy as np

import acuity

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
pool = np.linspace(0, 5, 1000)[:, None]
truth = 0.2 * pool[:, 0] * np.sin(3 * pool[:, 0])


def study(alpha=None, seed=0):
    """Spends 50; gives the campaign, and after every answer what is spent and how far the belief is off."""
    answers, course = np.random.default_rng(seed), []
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(c=9, q=1), alpha=alpha)
    paper = {"kernel": "rbf", "amplitude": 1, "lengthscale": 1, "mean": 0, "standardise": False, "fit": "never"}
    campaign = acuity.create(pool=pool, levels=ladder, budget=50, noise_variance="0.01 * (1 + (x/5)^2)", **paper)
    for suggestion in campaign:
        noise = answers.normal(0, np.sqrt(suggestion.noise_variance))
        campaign.tell(suggestion, truth[suggestion.row] + noise)
        course.append((campaign.status()["spent"], np.mean((campaign.belief()[0] - truth) ** 2)))
    return campaign, np.array(course)


campaign, course = study()

# %% [markdown]
# `study()` may choose the precision, `study(alpha=[inf])` has the finest only: the same rule without the choice. Once is an
# anecdote, so each is done six times, with other noise.

# %% Against always the finest
repeats = 6
chosen = [course] + [study(seed=seed)[1] for seed in range(1, repeats)]
finest = [study(alpha=[np.inf], seed=seed)[1] for seed in range(repeats)]
money = np.linspace(5, 50, 91)


def error_at(courses):
    """Quartiles of the error once so much was spent."""
    errors = [course[np.searchsorted(course[:, 0], money + 1e-9, side="right") - 1, 1] for course in courses]
    return np.quantile(errors, [0.25, 0.5, 0.75], axis=0)


a, b = error_at(chosen), error_at(finest)
better = np.sum([one[-1, 1] < other[-1, 1] for one, other in zip(chosen, finest)])
print(f"50 bought {len(chosen[0])} answers of chosen precision, or {len(finest[0])} of the finest.")
print(f"Mean squared error: {a[1, -1]:.5f} chosen, {b[1, -1]:.5f} finest; chosen is better in {better} of {repeats}.")

# %% The pictures
from picture import Picture  # noqa: E402

picture = Picture("Error against money", "spent", "mean squared error", (5, 50), (1e-3, 0.2), log_y=True)
courses = ((b, "blue", "6 4", "always the finest"), (a, "orange", "none", "precision chosen"))
for quartiles, colour, dashes, label in courses:
    picture.band(money, quartiles[0], quartiles[2], colour)
    picture.line(money, quartiles[1], colour, label, dashes)
picture.save(out / "python-sine-error.svg")

mean, sd = campaign.predict(pool, return_std=True)
told = campaign.annotations(frame=False)
picture = Picture("What 50 bought", "x", "f(x)", (0, 5), (-1.5, 1.5))
picture.band(pool[::5, 0], (mean - 2 * sd)[::5], (mean + 2 * sd)[::5], "orange")
picture.points(told["x"], told["y"], "grey", f"{len(told['y'])} answers")
picture.line(pool[::5, 0], truth[::5], "blue", "truth", "6 4")
picture.line(pool[::5, 0], mean[::5], "orange", "belief, and two standard deviations")
picture.save(out / "python-sine-belief.svg")
print(f"Pictures: {out / 'python-sine-error.svg'}, {out / 'python-sine-belief.svg'}")
