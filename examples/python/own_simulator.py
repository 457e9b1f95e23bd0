# %% [markdown]
# # Driving your own simulator
#
# A shop buys `stock` loaves in the morning for 1 each and sells them at `price`. How many customers come is random and
# depends on the price; what is left in the evening is thrown away. A Monte Carlo code plays some days and gives the mean
# profit of a day. More days, less noise, more computing: which stocks and prices to try, with how many days each?
#
# The campaign is kept in a folder. Python may be stopped at any moment, the program `acuity` looks at the same folder, and
# the next run goes on where this one ended.

# %% The simulator: yours goes here
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import acuity

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def profit(stock, price, days, random):
    """The mean profit of a day."""
    customers = random.poisson(60 * np.exp(-0.35 * price), days)
    return np.mean(price * np.minimum(customers, stock) - stock)


# %% [markdown]
# How noisy is a day? That is the number to measure and not to guess. A pilot: at 30 settings of the pool, one day twice. A run
# costs a start-up of 1 second, and 0.001 for every day.

# %% What can be bought
pool = np.array([(stock, price) for stock in range(4, 41, 2) for price in np.arange(1.5, 6.01, 0.25)])
random = np.random.default_rng(7)
differences = [profit(*x, 1, random) - profit(*x, 1, random) for x in random.choice(pool, 30)]
pilot = np.sqrt(np.mean(np.square(differences)) / 2)
levels = [
    acuity.Level(f"{days} days", value=days, noise_sd=pilot / np.sqrt(days), cost=1 + 0.001 * days)
    for days in (100, 1000, 10000)
]
print(f"Pilot: the profit of one day has a standard deviation of {pilot:.1f}. Pool: {len(pool)} settings.")

# %% [markdown]
# Nothing is said about the model: inputs are standardised by the pool, and amplitude, length scales and undeclared noise
# are learned from the answers.

# %% The campaign, in a folder
folder = out / "shop.acuity"
if folder.exists():
    shutil.rmtree(folder)  # left by the last run
campaign = acuity.create(
    folder, pool=pool, inputs=["stock", "price"], levels=levels, budget=120, name="shop", unit="s", seed=1,
)


def annotator(suggestion):
    """One run. `value` is the setting of the level; the id of the suggestion is the seed."""
    stock, price = suggestion.x
    return profit(stock, price, suggestion.value, np.random.default_rng(suggestion.id))


# %% [markdown]
# Ctrl-C is pressed in the middle of the 21st run:

# %% Interrupted
def impatient(suggestion):
    if suggestion.id == 21:
        raise KeyboardInterrupt
    return annotator(suggestion)


try:
    campaign.run(impatient)
except KeyboardInterrupt:
    status = campaign.status()
    print(f"Stopped: {status['annotations']} answers, {status['spent']:.2f} s spent, {status['pending']} pending.")
campaign.close()

# %% [markdown]
# All recorded answers are in the folder. The program shows the same:

# %% Looked at with the program
program = shutil.which("acuity") or Path(__file__).resolve().parents[2] / "build/release/bin/acuity"
if Path(program).exists():
    print(subprocess.run([program, "status", folder, "--details"], check=True, capture_output=True, text=True).stdout)

# %% [markdown]
# In another process, a day later: `open`, `run`, and the pending run is done first. Two threads are at work; NumPy and
# programs that are started leave the interpreter to each other.

# %% Resumed
with acuity.open(folder) as campaign:
    print("Resumed:", campaign.run(annotator, workers=2))
    status = campaign.status()
    stocks = np.arange(4, 41)
    curves = {price: campaign.predict([(s, price) for s in stocks], return_std=True) for price in (2.0, 3.0, 5.0)}
    mean, sd = campaign.predict(pool, return_std=True)
print(f"In the end: {status['annotations']} answers, {status['spent']:.2f} of {status['budget']:g} s spent.")
for level in status["levels"]:
    print(f"  {level['level']}: {level['annotations']} runs, {level['spent']:.2f} s")

# %% [markdown]
# One page about all of it; `campaign.report("shop.html")` makes the same.

# %% The report of the program
if Path(program).exists():
    subprocess.run([program, "report", folder, "--out", out / "shop.html"], check=True, capture_output=True)
    print(f"A page about the campaign: {out / 'shop.html'}")

# %% [markdown]
# The shop is simple enough to be computed without Monte Carlo, so the belief can be judged.

# %% Right?
def exact_profit(stock, price):
    rate, sold, probability = 60 * np.exp(-0.35 * price), 0.0, np.exp(-60 * np.exp(-0.35 * price))
    for customers in range(200):
        sold += probability * min(customers, stock)
        probability *= rate / (customers + 1)
    return price * sold - stock


truth = np.array([exact_profit(stock, price) for stock, price in pool])
best = int(mean.argmax())
error = np.sqrt(np.mean((mean - truth) ** 2))
print("Best: stock {:g} at price {:g}".format(*pool[best]), f"brings {mean[best]:.2f}, in truth {truth[best]:.2f}.")
print(f"Root mean squared error: {error:.2f}, where profits go from {truth.min():.0f} to {truth.max():.0f}.")

# %% The picture
from picture import Picture  # noqa: E402

picture = Picture("Profit of a day", "stock", "profit", (4, 40), (0, 40))
for (price, (m, s)), colour, dashes in zip(curves.items(), ("blue", "green", "orange"), ("none", "8 3", "3 3")):
    picture.band(stocks, m - 2 * s, m + 2 * s, colour)
    picture.line(stocks, m, colour, f"price {price:g}", dashes)
    picture.points(stocks[::4], [exact_profit(stock, price) for stock in stocks[::4]], colour)
picture.points([], [], "grey", "truth")
picture.save(out / "python-own-simulator.svg")
print(f"Picture: {out / 'python-own-simulator.svg'}")
