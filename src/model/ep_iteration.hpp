#pragma once

#include "model/ep_state.hpp"

namespace acuity {

/// Expectation propagation (math.md 3.5): finds the sites of an EpPosterior, sweep by sweep.
class EpIteration : private EpPosterior::State {
 public:
  EpIteration(Prior belief, const Observations& observations, const EpOptions& options);

  /// What was found; the iteration is of no use afterwards.
  EpPosterior::State&& result() && { return std::move(*this); }

 private:
  // What one look at site i changes, given the marginal of its f.
  struct SiteChange {
    double precision = 0.0, shift = 0.0;
  };

  // The posterior given the sites, by two Cholesky factors (math.md eq. (3.6)); false if it does not exist.
  bool factorise();
  SiteChange site_change(Index i, double mean, double variance) const;
  void begin(const EpOptions& options);
  bool extend(const State& before);
  bool sweep(double damping, double negligible);
  bool finish(const EpOptions& options);  // by small sweeps
  bool small_sweeps(const EpOptions& options);
  void run(const EpOptions& options);
  void run_damped(const EpOptions& options);
  bool damped_sweeps(const EpOptions& options, int most);
  void start_from_zero(SitePolicy wanted);
  bool has_proper_cavities() const;
  std::string describe_problem() const;
  void evaluate();

  bool factors_current_ = false;  // the factors, and all of Sigma, belong to the sites; during and after a
                                  // sweep only the lower triangle of Sigma is valid
  double log_determinant_ = 0.0;  // of I + K S
  double log_answers_ = 0.0;      // what the likelihoods have besides that of one accuracy per site
  double largest_change_ = 0.0;   // of a site in the last sweep
  double relative_change_ = 0.0;  // sum of the changes of precision times variance
  double largest_growth_ = 1.0;   // largest factor by which a variance changed in either direction
};

}  // namespace acuity
