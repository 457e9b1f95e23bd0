# The temperature in a slab that heats itself: u'' + d exp(u) = 0, u = 0 at both sides, by repeated solution on so many
# cells. Without a steady state (d above 0.88, thermal runaway) the iteration diverges: then only what it cost is printed.
function solve(rate, thickness, cells,    n, h, d, i, k, m, change, new) {
  n = cells; h = 1 / n; d = 4 * rate * thickness * thickness * h * h
  for (i = 0; i <= n; ++i) u[i] = 0
  for (k = 1; k <= 400; ++k) {
    c[1] = -0.5; f[1] = 0.5 * d * exp(u[1])
    for (i = 2; i < n; ++i) { m = 2 + c[i - 1]; c[i] = -1 / m; f[i] = (d * exp(u[i]) + f[i - 1]) / m }
    change = 0; new = 0
    for (i = n - 1; i >= 1; --i) {
      new = f[i] - c[i] * new
      if ((new - u[i]) * (new - u[i]) > change) change = (new - u[i]) * (new - u[i])
      u[i] = new
    }
    if (new != new || u[n / 2] > 8) return -1
    if (change < 1e-18) return u[n / 2]
  }
  return -1
}
BEGIN {
  peak = solve(ARGV[1], ARGV[2], ARGV[3])
  price = ARGV[3] / 10
  if (peak < 0) { printf "{\"cost\": %g}\n", price; exit 1 }
  printf "{\"y\": %.8g, \"cost\": %g}\n", peak, price
}
