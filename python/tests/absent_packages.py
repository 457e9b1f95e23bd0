"""Optional packages that ACUITY_TESTS_WITHOUT names ("pandas sklearn") cannot be imported, as on a machine that lacks them.

Imported before anything else: by conftest.py, and by programs that the tests start.
"""

import os
import sys

for name in os.environ.get("ACUITY_TESTS_WITHOUT", "").split():
    sys.modules[name] = None  # type: ignore[assignment]  # import then raises ModuleNotFoundError
