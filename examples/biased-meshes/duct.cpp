// Highest concentration in a duct: a substance is released around `release`, carried along with speed
// `speed`, spread by diffusion and consumed with rate `decay`, in units of the duct's length and diffusivity:
//   -u'' + speed u' + decay u = source(x),  u(0) = 0,  u'(1) = 0.
// First-order upwind differences on a mesh of equal cells: the coarser the mesh, the more the scheme smears.
// The error is the same every time and a smooth function of the inputs, not noise.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: duct SPEED DECAY RELEASE CELLS\n");
    return 2;
  }
  const double speed = std::atof(arguments[1]), decay = std::atof(arguments[2]),
               release = std::atof(arguments[3]);
  const int cells = std::atoi(arguments[4]);
  const double h = 1.0 / cells;
  // Tridiagonal equations for u at h, 2 h, ..., 1, solved by elimination.
  std::vector<double> above(cells), u(cells);
  double previous_above = 0.0, previous_u = 0.0;
  for (int i = 0; i < cells; ++i) {
    const double x = (i + 1) * h, distance = (x - release) / 0.08;
    const bool last = i + 1 == cells;
    const double lower = -1.0 / (h * h) - speed / h - (last ? 1.0 / (h * h) : 0.0);
    const double upper = last ? 0.0 : -1.0 / (h * h);
    const double diagonal = 2.0 / (h * h) + speed / h + decay - (i == 0 ? 0.0 : lower * previous_above);
    const double source = 100.0 * std::exp(-0.5 * distance * distance);
    above[i] = upper / diagonal;
    u[i] = (source - (i == 0 ? 0.0 : lower * previous_u)) / diagonal;
    previous_above = above[i];
    previous_u = u[i];
  }
  for (int i = cells - 2; i >= 0; --i) u[i] -= above[i] * u[i + 1];
  double highest = 0.0;
  for (const double value : u) highest = std::fmax(highest, value);
  std::printf("{\"y\": %.12g}\n", highest);
}
