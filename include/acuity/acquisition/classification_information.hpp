#pragma once

#include <span>

#include "acuity/base/public.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity ACUITY_PUBLIC {

// Mutual information in bits of one annotation in classification (docs/math.md 4.2). The clean class is +1
// with probability Phi(f); an answer of accuracy omega is the clean class with probability omega and the
// other one otherwise. Accuracies below 1/2 are valid: such an answer carries as much information as its
// opposite.
//
// All functions throw std::invalid_argument if the mean is not finite, the variance is negative or not
// finite, or an accuracy is not between 0 and 1.

/// Posterior mean and variance of f at one point.
struct LatentMarginal {
  double mean = 0.0;
  double variance = 0.0;
};

/// Probabilities of the two classes. They add up to 1; both are stored, so that a tiny one keeps its relative
/// accuracy.
struct ClassProbabilities {
  double positive = 0.5;
  double negative = 0.5;
};

/// Probabilities of the clean class.
ClassProbabilities clean_probabilities(const LatentMarginal& latent);

/// Probabilities of an answer of this accuracy.
ClassProbabilities answer_probabilities(const LatentMarginal& latent, double accuracy);
ClassProbabilities answer_probabilities(const LatentMarginal& latent, const FlipChannel& channel);

/// Variance of Phi(f), the part of the uncertainty about the clean class that is uncertainty about f.
double clean_probability_variance(const LatentMarginal& latent);

/// MI(answer; f), to about twelve digits, also of tiny values. Highest precision is BALD.
double class_model_information(const LatentMarginal& latent, double accuracy);

/// MI(answer; f) for several accuracies at one point, which share the work that does not depend on the
/// accuracy. `bits` is as long as `accuracies`.
void class_model_information(const LatentMarginal& latent, std::span<const double> accuracies,
                             std::span<double> bits);
/// The same of answers whose accuracy depends on the class (docs/math.md eq. (15.10)).
void class_model_information(const LatentMarginal& latent, std::span<const FlipChannel> channels,
                             std::span<double> bits);

/// MI(answer; f) of a further answer to a point whose class is the same for all answers (docs/math.md 15.2):
/// given f and the earlier answers the class is +1 with the probability of eq. (15.7) instead of Phi(f). The
/// mean over the outcomes of those that are pending. `latent` is the belief after all of them.
void class_model_information(const LatentMarginal& latent, const EarlierAnswers& earlier,
                             std::span<const double> accuracies, std::span<double> bits);
void class_model_information(const LatentMarginal& latent, const EarlierAnswers& earlier,
                             std::span<const FlipChannel> channels, std::span<double> bits);

/// By how much MI(answer; f) grows per unit of accuracy, in bits (docs/math.md 5.4); if the accuracy is
/// kappa + gamma * alpha, gamma times this per unit of alpha.
double class_model_information_slope(const LatentMarginal& latent, double accuracy);

/// The paper's approximation of MI(answer; f). Off by up to 0.01 bits, and negative at some points whose
/// class is nearly certain (docs/math.md 4.4): rank by it as it is, clamp it for reports only.
double class_model_information_taylor(const LatentMarginal& latent, double accuracy);

/// MI(answer; Y) if the answer is a noisy copy of Y, an answer of accuracy `top_accuracy` (graph b). Throws
/// std::invalid_argument if the answer would be the more accurate of the two.
double class_target_information_b(const LatentMarginal& latent, double accuracy, double top_accuracy);

/// MI(answer; Y) if answer and Y are independent given f (graph c).
double class_target_information_c(const LatentMarginal& latent, double accuracy, double top_accuracy);

/// MI(answer; Y) of graph c for several accuracies at one point.
void class_target_information_c(const LatentMarginal& latent, std::span<const double> accuracies,
                                double top_accuracy, std::span<double> bits);

}  // namespace acuity ACUITY_PUBLIC
