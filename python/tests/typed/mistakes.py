"""Every line that has a comment is a mistake that mypy --strict must find."""

import acuity
import numpy as np
X = np.linspace(0, 1, 5)[:, None]
levels = [acuity.Level("a", noise_sd=0.1, cost=1)]
model = acuity.GPRegressor().fit(X, X[:, 0])
campaign = acuity.create(pool=X, levels=levels, budget=3)
campaign.tell(1, 0.3, csot=3)  # mistake
acuity.create(pool=X, levels=levels, budget="60")  # mistake
for s in campaign:
    print(s.idd)  # mistake
acuity.Level("b", noise_sd="x", cost=1)  # mistake
campaign.run(lambda: 3)  # mistake
print(campaign.tell(1, 2.0).surprse)  # mistake
acuity.GPRegressor(kernel="rfb")  # mistake
campaign.ask().levle  # mistake
acuity.select(X, model, levels, bugdet=3)  # mistake
acuity.GPRegressor(optimiser="lbgfs")  # mistake
model.predict(X).reshap(3)  # mistake
acuity.create(pool=X, levels=levels, information="modle")  # mistake
campaign.ask(3).id  # mistake
