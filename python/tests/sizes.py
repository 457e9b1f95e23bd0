"""How large the tests are: ./run-tests --thorough sets ACUITY_THOROUGH."""

import os

import pytest

THOROUGH = bool(os.environ.get("ACUITY_THOROUGH"))
thorough_only = pytest.mark.skipif(not THOROUGH, reason="run by ./run-tests --thorough")
