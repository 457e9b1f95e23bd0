"""Campaigns that learn from earlier ones."""
import numpy as np
import pytest

import acuity

X = np.linspace(0, 5, 12)[:, None]
LEVEL = acuity.Level("run", exact=True, cost=1)


def earlier(folder, shift=0.3):
    path = folder / "old.acuity"
    with acuity.create(path, pool=X + 0.1, levels=[LEVEL], budget=30, initial=3) as campaign:
        for row in range(8):
            campaign.add(X[row : row + 1] + 0.1, [float(np.sin(X[row, 0] + 0.1) + shift)], "run")
    return path


def test_answers_of_an_earlier_campaign_are_known_from_the_beginning(tmp_path):
    with acuity.create(tmp_path / "new.acuity", pool=X, levels=[LEVEL], budget=5, prior_campaigns={"2025": earlier(tmp_path)}) as new:
        assert new.status()["annotations"] == 8
        assert new.status()["spent"] == 0
        for suggestion in new:
            assert suggestion.level == "run"
            new.tell(suggestion, float(np.sin(suggestion.x[0])))
        assert np.abs(new.predict(X) - np.sin(X[:, 0])).max() < 0.1


def test_an_import_may_come_later_and_says_what_it_did(tmp_path):
    with acuity.create(tmp_path / "new.acuity", pool=X, levels=[LEVEL], budget=5) as new:
        done = new.import_campaign(earlier(tmp_path), as_level="2025", error_sd=0.4)
        assert done == {"answers": 8, "outside": 8, "other_levels": 0, "unknown": 0, "error_sd": 0.4}
        with pytest.raises(ValueError, match="there is a level"):
            new.import_campaign(tmp_path / "old.acuity", as_level="2025")


def test_nothing_is_created_if_the_campaigns_do_not_correspond(tmp_path):
    old = earlier(tmp_path)
    with pytest.raises(ValueError, match='it has no input "z"'):
        acuity.create(tmp_path / "new.acuity", pool={"z": X[:, 0]}, levels=[LEVEL], budget=5, prior_campaigns={"2025": old})
    assert not (tmp_path / "new.acuity").exists()
    with pytest.raises(ValueError, match="without a path"):
        acuity.create(pool=X, levels=[LEVEL], budget=5, prior_campaigns={"2025": old})
