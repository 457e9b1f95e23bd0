#include "model/coin_probability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace acuity {

namespace {

constexpr double coins = 1.0 / 3.0;  // the share of people who answer without looking, as in crowds
constexpr int cells = 60;            // per accuracy

// A product of many probabilities, which would underflow.
class Product {
 public:
  void multiply(double factor) {
    value_ *= factor;
    if (value_ > 1e-200) return;
    log_ += std::log(value_);
    value_ = 1.0;
  }
  double log() const { return log_ + std::log(value_); }

 private:
  double value_ = 1.0, log_ = 0.0;
};

double log_beta_density(const AccuracyGuess& guess, double x) {
  const double a = guess.right(), b = guess.wrong();
  return a * std::log(x) + b * std::log1p(-x) - std::log(x * (1.0 - x));
}

double log_likelihood(const CoinEvidence& evidence, const FlipChannel& channel) {
  const double yes_if[2] = {1.0 - channel.no, channel.yes}, no_if[2] = {channel.no, 1.0 - channel.yes};
  Product all;
  for (std::size_t k = 0; k < evidence.answers.size(); ++k) {
    const double positive = evidence.positive[k];
    const double* given = evidence.answers[k] > 0.0 ? yes_if : no_if;
    all.multiply(positive * given[1] + (1.0 - positive) * given[0]);
  }
  return all.log();
}

double log_of_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double one : logs) sum += std::exp(one - top);
  return top + std::log(sum);
}

// Over both accuracies under their prior, where their sum is at least 1.
double log_evidence_of_looking(const CoinEvidence& evidence) {
  std::vector<double> weighted, weights;
  for (int i = 0; i < cells; ++i)
    for (int j = cells - 1 - i; j < cells; ++j) {
      const FlipChannel channel((i + 0.5) / cells, (j + 0.5) / cells);
      weights.push_back(log_beta_density(evidence.yes, channel.yes) +
                        log_beta_density(evidence.no, channel.no));
      weighted.push_back(weights.back() + log_likelihood(evidence, channel));
    }
  return log_of_sum(weighted) - log_of_sum(weights);
}

}  // namespace

// A frequency that may be anything has the evidence B(1 + n+, 1 + n-).
CoinProbability coin_probability(const CoinEvidence& evidence) {
  const auto count = static_cast<double>(evidence.answers.size());
  const double yes = 0.5 * (count + std::accumulate(evidence.answers.begin(), evidence.answers.end(), 0.0)),
               no = count - yes;
  const double as_coin = std::lgamma(1.0 + yes) + std::lgamma(1.0 + no) - std::lgamma(2.0 + count);
  const double odds = std::exp(log_evidence_of_looking(evidence) - as_coin) * (1.0 - coins) / coins;
  return {.probability = 1.0 / (1.0 + odds), .positive = (1.0 + yes) / (2.0 + count)};
}

}  // namespace acuity
