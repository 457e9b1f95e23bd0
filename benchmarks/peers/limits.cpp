// What one core of this machine can do, compiled for one instruction set: products of matrices, reading
// memory, exponentials. One line of JSON.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <vector>

#include "measure.hpp"

namespace {

using acuity::workloads::cpu_seconds;

volatile double sink;  // what is written here must have been computed

// The best of several: the machine is shared, and a limit is what it can do when left alone.
template <typename Work>
double shortest(int times, const Work& work) {
  double best = 1e300;
  for (int i = 0; i < times; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

double product_gigaflops() {
  constexpr int n = 1500;
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n), b = Eigen::MatrixXd::Random(n, n);
  Eigen::MatrixXd c(n, n);
  const double seconds = shortest(5, [&] {
    c.noalias() = a * b;
    sink = c(1, 2);
  });
  return 2e-9 * n * n * n / seconds;
}

double read_gigabytes() {
  const std::vector<double> values(std::size_t{1} << 26U, 1.0);  // 512 MB: no cache holds it
  const double seconds = shortest(5, [&] {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i];
    sink = sum;
  });
  return 8e-9 * static_cast<double>(values.size()) / seconds;
}

double exponentials_millions() {
  constexpr int size = 1024, rounds = 20000;  // stays in the first cache
  std::vector<double> in(size), out(size);
  for (int i = 0; i < size; ++i) in[i] = -0.01 * i;
  const double seconds = shortest(5, [&] {
    for (int round = 0; round < rounds; ++round) {
      in[0] = -1e-6 * round;
#pragma omp simd
      for (int i = 0; i < size; ++i) out[i] = std::exp(in[i]);
      sink = out[round % size];
    }
  });
  return 1e-6 * size * rounds / seconds;
}

}  // namespace

int main() {
  const double gigaflops = product_gigaflops(), gigabytes = read_gigabytes(),
               millions = exponentials_millions();
  std::printf("{\"dgemm_gflops\": %.4g, \"read_gbytes\": %.4g, \"exp_millions\": %.4g}\n", gigaflops,
              gigabytes, millions);
}
