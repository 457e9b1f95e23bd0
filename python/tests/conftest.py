"""Read by pytest before the tests."""

import os

import absent_packages  # noqa: F401


def pytest_collection_modifyitems(items):
    """ACUITY_TESTS_PART="1/4" keeps every fourth test, from the second on: ctest runs the parts side by side."""
    part, _, parts = os.environ.get("ACUITY_TESTS_PART", "").partition("/")
    if parts:
        items[:] = items[int(part) :: int(parts)]
