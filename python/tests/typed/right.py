"""What people write: mypy --strict must find nothing."""

import acuity
import numpy as np
X = np.linspace(0, 1, 5)[:, None]
levels = [acuity.Level("a", noise_sd=0.1, cost=1)]
model = acuity.GPRegressor().fit(X, X[:, 0])
twice: float = 2 * model.lengthscale_
campaign = acuity.create(pool=X, levels=levels, budget=3)
one = campaign.ask()
many = campaign.ask(3)
print(one.level, many[0].id, acuity.select(X, model, levels, n=2)[0].id, acuity.select(X, model, levels).id, acuity.select(X, model, levels, None, 3)[0].row)
campaign.run(lambda s: 3)
print(model.predict(X).reshape(-1), campaign.predict(X).mean())
acuity.create(study="x.toml", kernel="matern52")
async def answer(s: acuity.Suggestion) -> float:
    return 1.0
campaign.run(answer, workers=3, n=3, timeout=5.0, progress=True)
