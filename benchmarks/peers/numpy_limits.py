"""How fast numpy multiplies matrices here, and by which BLAS. One line of JSON."""
import json, time

import numpy as np

from workload_data import blas_core

SIZE = 1500


def main():
    a, b = np.random.default_rng(1).random((2, SIZE, SIZE))
    c, best = np.empty_like(a), float("inf")
    for _ in range(5):
        start = time.process_time()
        np.dot(a, b, out=c)
        best = min(best, time.process_time() - start)
    print(json.dumps({"dgemm_gflops": 2e-9 * SIZE**3 / best, "blas": blas_core()}))


main()
