# %% [markdown]
# # Classes with three prices
#
# Does a part have a defect? Two measurements describe each of 300 parts, and the classes lie in two moons. Three people may
# be asked: a crowd worker for 1 cent, right three times out of four; a trained annotator for 3.8, wrong once in twenty; an
# expert for 25, who is never wrong. There are 120 cents. Whom to ask, and about which part?

# %% The parts
import sys
from pathlib import Path

import numpy as np

import acuity

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def two_moons(count, random):
    """Half of the points on one moon, half on the other: their places and classes."""
    turn, defect = random.uniform(0, np.pi, count), np.arange(count) % 2 == 1
    x = np.column_stack([np.cos(turn), np.sin(turn)])
    x[defect] = np.array([1.0, 0.4]) - x[defect]
    return x + random.normal(0, 0.15, x.shape), np.where(defect, "defect", "fine")


parts, classes = two_moons(300, np.random.default_rng(1))
others, their_classes = two_moons(2000, np.random.default_rng(2))  # to judge by, never asked about

# %% [markdown]
# A level is a name, how often it is right, and a price. `repeat=True` lets a part be shown to another of the crowd. How often
# people are right is measured on parts whose class is known; guessing it too high makes the model too sure of itself.

# %% Three prices
people = [
    acuity.Level("crowd", accuracy=0.75, cost=1),
    acuity.Level("trained", accuracy=0.95, cost=3.8),
    acuity.Level("expert", accuracy=1.0, cost=25),
]


def label(levels, seed=0):
    """Spends 120 cents on these people; gives the campaign."""
    random = np.random.default_rng(seed)
    campaign = acuity.create(
        pool=parts, levels=levels, budget=120, unit="cents", classes=["fine", "defect"], repeat=True,
    )
    for suggestion in campaign:
        says_the_truth = random.random() < suggestion.accuracy
        wrong = "defect" if classes[suggestion.row] == "fine" else "fine"
        campaign.tell(suggestion, classes[suggestion.row] if says_the_truth else wrong)
    return campaign


campaign = label(people)
for level in campaign.status()["levels"]:
    print(f"{level['level']}: {level['annotations']} labels for {level['spent']:g} cents")

# %% [markdown]
# The expert is never asked. At her price a label of hers is worth less than what 25 cents buy otherwise; `explain` says
# at which price that would change.

# %% Why not the expert?
why = campaign.explain(40)
print("The 40th choice:", *[line.strip() for line in why.text.splitlines() if '"expert"' in line])

# %% [markdown]
# What is it worth to have the choice? The same money, spent on one kind of people alone.

# %% The same money otherwise
print("Other parts classified correctly, median of 5:")
for who, levels in (("all three", people), *((f"{one.name} only", [one]) for one in people)):
    rights = [np.mean(label(levels, seed).predict(others) == their_classes) for seed in range(5)]
    print(f"  {np.median(rights):.1%} {who}")

# %% The picture
from picture import Picture  # noqa: E402

across, up = np.linspace(-1.4, 2.4, 58), np.linspace(-1.1, 1.5, 41)
grid = np.array([(a, b) for b in up for a in across])
probability = campaign.predict_proba(grid)[:, 1].reshape(len(up), len(across))
picture = Picture("Who was asked about what", "first measurement", "second measurement", (-1.4, 2.4), (-1.1, 1.5))
picture.cells(across, up, probability)
told = campaign.annotations(frame=False)
for who, shape in (("crowd", "circle"), ("trained", "square"), ("expert", "triangle")):
    for says, word, colour in ((-1, "fine", "blue"), (1, "defect", "orange")):
        those = (told["level"] == who) & (told["y"] == says)
        if those.any():
            x = np.column_stack([told["x1"], told["x2"]])[those]
            picture.points(x[:, 0], x[:, 1], colour, f"{who}: {word}", shape)
picture.save(out / "python-three-prices.svg")
print(f"Picture: {out / 'python-three-prices.svg'}")
