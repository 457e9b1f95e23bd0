// Hand-made runs for which every claim comes out each way it can.
#include "experiments/paper_claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace acuity::paper_claims_test {
namespace {

using Runs = std::vector<ExperimentRun>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double exact = std::numeric_limits<double>::infinity();
constexpr int repeats = 15;

// What one method does in every repeat.
struct Behaviour {
  double error = 0.1;
  std::vector<double> alphas{1.0};
  std::string points = "p";  // of every annotation it buys
  int losses = 0;            // the last so many repeats end at `error_lost`
  double error_lost = 1.0;
};

void add(Runs& runs, const std::string& method, const Behaviour& behaviour) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    ExperimentRun run{.method = method, .repeat = repeat};
    // Initial annotations say nothing about what a method buys, whatever their precision.
    run.steps.push_back({.point = "i", .alpha = 0.3, .information = none, .spent = 1.0, .error = 1.0});
    for (const double alpha : behaviour.alphas)
      run.steps.push_back({.point = behaviour.points,
                           .alpha = alpha,
                           .information = 0.1,
                           .spent = run.steps.back().spent + 1.0,
                           .error = none});
    const bool lost = repeat >= repeats - behaviour.losses;
    run.steps.back().error = lost ? behaviour.error_lost : behaviour.error;
    runs.push_back(run);
  }
}

Runs make_runs(const std::map<std::string, Behaviour>& behaviours) {
  Runs runs;
  for (const auto& [method, behaviour] : behaviours) add(runs, method, behaviour);
  return runs;
}

using Evidence = std::map<std::string, Runs>;

PaperClaim find_claim(const Evidence& evidence, const std::string& experiment, const std::string& words) {
  std::vector<PaperClaim> found;
  for (const PaperClaim& claim : paper_claims(evidence))
    if (claim.experiment == experiment && claim.claim.find(words) != std::string::npos)
      found.push_back(claim);
  EXPECT_EQ(found.size(), 1U) << experiment << ": " << words;
  return found.empty() ? PaperClaim{} : found.front();
}

Verdict verdict(const Evidence& evidence, const std::string& experiment, const std::string& words) {
  return find_claim(evidence, experiment, words).verdict;
}

std::vector<double> mixed(int first_count, double first, int second_count, double second) {
  std::vector<double> alphas(static_cast<std::size_t>(first_count), first);
  alphas.insert(alphas.end(), static_cast<std::size_t>(second_count), second);
  return alphas;
}

TEST(PaperClaims, WithoutRunsNothingIsTested) {
  const std::vector<PaperClaim> claims = paper_claims({});
  EXPECT_GE(claims.size(), 30U);
  std::set<std::pair<std::string, std::string>> different;
  for (const PaperClaim& claim : claims) {
    EXPECT_EQ(claim.verdict, Verdict::not_tested) << claim.claim;
    EXPECT_TRUE(claim.found.starts_with("no runs of ")) << claim.found;
    different.insert({claim.experiment, claim.claim});
  }
  EXPECT_EQ(different.size(), claims.size());
}

TEST(PaperClaims, AMissingMethodLeavesItsClaimsUntestedAndSaysSo) {
  const Evidence evidence{
      {"sine-q0.2", make_runs({{"model", {.alphas = {exact}}}, {"target", {.alphas = {exact}}}})}};
  EXPECT_EQ(verdict(evidence, "sine-q0.2", "mostly"), Verdict::held);
  const PaperClaim similar = find_claim(evidence, "sine-q0.2", "similar");
  EXPECT_EQ(similar.verdict, Verdict::not_tested);
  EXPECT_EQ(similar.found, "no repeat of sine-q0.2 has all of model, target, bald");
}

TEST(PaperClaims, MethodsOfDifferentRepeatsAreNotCompared) {
  Runs runs = make_runs({{"model", {}}, {"bald", {}}});
  for (ExperimentRun& run : runs)
    if (run.method == "bald") run.repeat += 100;
  EXPECT_EQ(verdict({{"sine-skewed-w3", runs}}, "sine-skewed-w3", "model better"), Verdict::not_tested);
}

TEST(PaperClaims, LowestPrecisionAtQ2) {
  const auto evidence = [](std::vector<double> alphas, int losses) {
    return Evidence{{"sine-q2", make_runs({{"model", {.alphas = alphas, .losses = losses}},
                                           {"target", {.alphas = alphas, .losses = losses}},
                                           {"bald", {.error = 0.2}}})}};
  };
  const std::string words = "only the lowest";
  const PaperClaim claim = find_claim(evidence(mixed(99, 1.0, 1, 7.0), 3), "sine-q2", words);
  EXPECT_EQ(claim.verdict, Verdict::held);
  EXPECT_EQ(claim.found,
            "model: 99.0 % of 1500 annotations at the lowest precision, better than bald in 12 of 15, median "
            "paired "
            "difference -0.1 (-50.0 %); target: 99.0 % of 1500 annotations at the lowest precision, better "
            "than bald "
            "in 12 of 15, median paired difference -0.1 (-50.0 %)");
  EXPECT_EQ(verdict(evidence(mixed(98, 1.0, 2, 7.0), 0), "sine-q2", words), Verdict::partly);
  EXPECT_EQ(verdict(evidence({1.0}, 4), "sine-q2", words), Verdict::partly);
  EXPECT_EQ(verdict(evidence({1.0}, 9), "sine-q2", words), Verdict::partly);
  EXPECT_EQ(verdict(evidence({exact}, 9), "sine-q2", words), Verdict::not_held);
}

TEST(PaperClaims, APrecisionBetweenLevelsCountsAsTheNearerOne) {
  const auto share = [](double alpha) {
    return verdict(
        {{"sine-q0.2", make_runs({{"model", {.alphas = {alpha}}}, {"target", {.alphas = {alpha}}}})}},
        "sine-q0.2", "mostly");
  };
  EXPECT_EQ(share(1.0 / 0.005), Verdict::held);
  EXPECT_EQ(share(1.0 / 0.006), Verdict::not_held);
}

TEST(PaperClaims, LargestGainAtQ2) {
  // Errors of model where bald has 1; the last of a method's repeats are lost.
  const auto largest = [](double q2, int losses, double q1) {
    Evidence evidence;
    for (const char* name : {"sine-q0.2", "sine-q0.8", "sine-q1", "sine-q2"}) {
      const bool is_q2 = name == std::string("sine-q2");
      evidence[name] = make_runs({{"bald", {.error = 1.0}},
                                  {"model",
                                   {.error = is_q2                            ? q2
                                             : name == std::string("sine-q1") ? q1
                                                                              : 1.1,
                                    .losses = is_q2 ? losses : 0,
                                    .error_lost = 2.0}}});
    }
    return find_claim(evidence, "sine-q2", "largest gain");
  };
  EXPECT_EQ(largest(0.5, 0, 0.6).verdict, Verdict::held);
  EXPECT_EQ(largest(0.5, 0, 0.6).found,
            "median gain of model over bald: 50.0 % in sine-q2, 40.0 % in sine-q1, -10.0 % in sine-q0.8, "
            "-10.0 % in "
            "sine-q0.2");
  EXPECT_EQ(largest(0.5, 0, 0.4).verdict, Verdict::partly);
  EXPECT_EQ(largest(0.5, 6, 0.6).verdict, Verdict::partly);
  EXPECT_EQ(largest(0.5, 6, 0.4).verdict, Verdict::not_held);
}

TEST(PaperClaims, Q1HasNumbersButNoVerdict) {
  const PaperClaim claim = find_claim({{"sine-q1", make_runs({{"model", {}}, {"target", {}}, {"bald", {}}})}},
                                      "sine-q1", "without a statement");
  EXPECT_EQ(claim.verdict, Verdict::not_tested);
  EXPECT_NE(claim.found.find("100.0 % of 15 annotations"), std::string::npos);
}

TEST(PaperClaims, SharpeningAtQ08) {
  // 1/alpha of the first nine, the next fifty, and the rest.
  const auto sharpening = [](double first, double middle, double last, int count) {
    std::vector<double> alphas = mixed(9, 1.0 / first, 50, 1.0 / middle);
    alphas.resize(static_cast<std::size_t>(count), 1.0 / last);
    const Behaviour behaviour{.alphas = alphas};
    return find_claim({{"sine-q0.8", make_runs({{"model", behaviour}, {"target", behaviour}})}}, "sine-q0.8",
                      "sharpens");
  };
  EXPECT_EQ(sharpening(1.0, 0.4, 0.2, 80).verdict, Verdict::held);
  EXPECT_EQ(sharpening(1.0, 0.4, 0.2, 80).found,
            "model: mean 1/alpha 1.00, 0.40, 0.20 at annotation 1, 10, 60; target: mean 1/alpha 1.00, 0.40, "
            "0.20 at "
            "annotation 1, 10, 60");
  EXPECT_EQ(sharpening(1.0, 0.4, 0.0, 60).verdict, Verdict::held);
  EXPECT_EQ(sharpening(0.8, 0.4, 0.2, 80).verdict, Verdict::partly);  // does not start low
  EXPECT_EQ(sharpening(1.0, 0.7, 0.6, 80).verdict, Verdict::partly);  // does not end sharp
  EXPECT_EQ(sharpening(1.0, 0.1, 0.4, 80).verdict, Verdict::partly);  // turns back
  EXPECT_EQ(sharpening(1.0, 1.0, 1.0, 80).verdict, Verdict::not_held);
  EXPECT_EQ(sharpening(0.2, 0.4, 1.0, 80).verdict, Verdict::not_held);
  EXPECT_EQ(sharpening(1.0, 0.4, 0.2, 59).verdict, Verdict::not_tested);
}

TEST(PaperClaims, MostlyHighestPrecisionAtQ02) {
  const auto mostly = [](int highest) {
    const Behaviour behaviour{.alphas = mixed(highest, exact, 100 - highest, 2.0)};
    return verdict({{"sine-q0.2", make_runs({{"model", behaviour}, {"target", behaviour}})}}, "sine-q0.2",
                   "mostly");
  };
  EXPECT_EQ(mostly(90), Verdict::held);
  EXPECT_EQ(mostly(89), Verdict::partly);
  EXPECT_EQ(mostly(50), Verdict::not_held);
  const Evidence nothing_bought{
      {"sine-q0.2", make_runs({{"model", {.alphas = {}}}, {"target", {.alphas = {}}}})}};
  EXPECT_EQ(verdict(nothing_bought, "sine-q0.2", "mostly"), Verdict::not_tested);
}

TEST(PaperClaims, SimilarMeansCloseOrNotToldApart) {
  const auto similar = [](double error, int losses) {
    const Behaviour behaviour{.error = error, .losses = losses, .error_lost = error > 1.0 ? 0.9 : 1.1};
    return verdict(
        {{"sine-q0.2", make_runs({{"model", behaviour}, {"target", behaviour}, {"bald", {.error = 1.0}}})}},
        "sine-q0.2", "similar");
  };
  for (const double side : {1.0, -1.0}) {
    EXPECT_EQ(similar(1.0 + 0.09 * side, 0), Verdict::held);
    EXPECT_EQ(similar(1.0 + 0.2 * side, 6), Verdict::held);
    EXPECT_EQ(similar(1.0 + 0.2 * side, 0), Verdict::partly);
    EXPECT_EQ(similar(1.0 + 0.3 * side, 6), Verdict::partly);
    EXPECT_EQ(similar(1.0 + 0.3 * side, 0), Verdict::not_held);
  }
}

TEST(PaperClaims, ClearlyBetterThanRandomOnSkewedPools) {
  const auto clearly = [](double error, int losses) {
    const Behaviour behaviour{.error = error, .losses = losses, .error_lost = 2.0};
    return verdict({{"sine-skewed-w5",
                     make_runs({{"model", behaviour}, {"bald", behaviour}, {"random", {.error = 1.0}}})}},
                   "sine-skewed-w5", "clearly better");
  };
  EXPECT_EQ(clearly(0.79, 3), Verdict::held);
  EXPECT_EQ(clearly(0.85, 0), Verdict::partly);
  EXPECT_EQ(clearly(0.5, 4), Verdict::partly);
  EXPECT_EQ(clearly(0.5, 8), Verdict::not_held);
  EXPECT_EQ(clearly(1.5, 0), Verdict::not_held);
}

// Model against `over` with so many losses, and the verdict on a claim of "better".
Verdict better(const std::string& experiment, const std::string& over, const std::string& words, int losses) {
  return verdict({{experiment, make_runs({{"model", {.losses = losses}},
                                          {"bald", {.error = 0.2}},
                                          {"target", {.error = over == "target" ? 0.2 : 0.1}},
                                          {"random", {.error = 0.2}}})}},
                 experiment, words);
}

TEST(PaperClaims, BetterIsDecidedByTheSignTest) {
  for (const auto& [experiment, over, words] :
       {std::tuple("sine-skewed-w3", "bald", "model better than BALD"),
        std::tuple("sine-skewed-w5", "bald", "model better than BALD"),
        std::tuple("toy-v1", "bald", "weak annotations help"),
        std::tuple("toy-v2", "bald", "weak annotations help"),
        std::tuple("toy-v3", "bald", "weak annotations help"),
        std::tuple("toy-v1", "target", "model better than target"),
        std::tuple("toy-v2", "target", "model better than target"),
        std::tuple("uci-concrete", "bald", "best method"),
        std::tuple("uci-superconductivity", "bald", "best method")}) {
    EXPECT_EQ(better(experiment, over, words, 3), Verdict::held) << experiment;
    EXPECT_EQ(better(experiment, over, words, 4), Verdict::partly) << experiment;
    EXPECT_EQ(better(experiment, over, words, 7), Verdict::partly) << experiment;
    EXPECT_EQ(better(experiment, over, words, 8), Verdict::not_held) << experiment;
  }
}

TEST(PaperClaims, TheBestMethodBeatsBothOthers) {
  const auto best = [](double bald, double random) {
    return verdict(
        {{"uci-concrete",
          make_runs({{"model", {.error = 1.0}}, {"bald", {.error = bald}}, {"random", {.error = random}}})}},
        "uci-concrete", "best method");
  };
  EXPECT_EQ(best(2.0, 3.0), Verdict::held);
  EXPECT_EQ(best(0.5, 3.0), Verdict::partly);
  EXPECT_EQ(best(2.0, 0.5), Verdict::partly);
  EXPECT_EQ(best(0.5, 0.5), Verdict::not_held);
}

TEST(PaperClaims, MoreGainAtHighFrequency) {
  const auto growing = [](double w3, double w5, double w7, int losses) {
    const auto runs = [](double error, int lost) {
      return make_runs(
          {{"model", {.error = error, .losses = lost, .error_lost = 2.0}}, {"bald", {.error = 1.0}}});
    };
    return verdict({{"sine-skewed-w3", runs(w3, 0)},
                    {"sine-skewed-w5", runs(w5, 0)},
                    {"sine-skewed-w7", runs(w7, losses)}},
                   "sine-skewed-w7", "more so at high frequency");
  };
  EXPECT_EQ(growing(0.9, 0.8, 0.7, 0), Verdict::held);
  EXPECT_EQ(growing(0.9, 0.8, 0.7, 6), Verdict::partly);  // gain, but not told apart at w7
  EXPECT_EQ(growing(0.9, 0.95, 0.7, 0), Verdict::partly);
  EXPECT_EQ(growing(0.7, 0.8, 0.9, 0), Verdict::not_held);
  EXPECT_EQ(growing(0.7, 0.7, 0.7, 0), Verdict::not_held);
}

TEST(PaperClaims, TargetIsPoorUnderGraphB) {
  const auto poor = [](double alpha, double error) {
    return verdict({{"sine-skewed-w7", make_runs({{"target", {.error = error, .alphas = {alpha}}},
                                                  {"random", {.error = 1.0}}})}},
                   "sine-skewed-w7", "poor");
  };
  EXPECT_EQ(poor(exact, 1.2), Verdict::held);
  EXPECT_EQ(poor(exact, 0.9), Verdict::held);  // better, but not clearly
  EXPECT_EQ(poor(exact, 0.5), Verdict::partly);
  EXPECT_EQ(poor(1.0, 1.2), Verdict::partly);
  EXPECT_EQ(poor(1.0, 0.5), Verdict::not_held);
}

Evidence learned(const std::map<std::string, double>& fixed,
                 const std::map<std::string, double>& with_learning) {
  Runs runs;
  for (const auto& [method, error] : fixed) add(runs, method + " fixed", {.error = error});
  for (const auto& [method, error] : with_learning) add(runs, method, {.error = error});
  return {{"sine-learned-w3", runs}};
}

TEST(PaperClaims, LearningLowersTheErrorSlightly) {
  const std::map<std::string, double> fixed{{"random", 4.0}, {"bald", 3.0}, {"target", 2.0}, {"model", 1.0}};
  const auto slightly = [&](double random, double bald, double target, double model) {
    return verdict(learned(fixed, {{"random", random}, {"bald", bald}, {"target", target}, {"model", model}}),
                   "sine-learned-w3", "slightly");
  };
  EXPECT_EQ(slightly(3.1, 2.9, 1.9, 0.9), Verdict::held);
  EXPECT_EQ(slightly(2.0, 2.9, 1.9, 0.9), Verdict::partly);  // not slight for random
  EXPECT_EQ(slightly(3.1, 2.9, 1.9, 1.1), Verdict::partly);
  EXPECT_EQ(slightly(4.1, 3.1, 2.1, 1.1), Verdict::not_held);
}

TEST(PaperClaims, LearningKeepsTheRanking) {
  const std::map<std::string, double> fixed{{"random", 4.0}, {"bald", 2.0}, {"target", 2.0}, {"model", 1.0}};
  const auto ranking = [&](double random, double bald, double target, double model) {
    return find_claim(
        learned(fixed, {{"random", random}, {"bald", bald}, {"target", target}, {"model", model}}),
        "sine-learned-w3", "same ranking");
  };
  EXPECT_EQ(ranking(3, 2, 1, 0.5).verdict, Verdict::held);  // equals may fall apart either way
  EXPECT_EQ(ranking(3, 2, 1, 0.5).found,
            "of 6 pairs of methods 5 are told apart in the same order with and without learning, 0 in the "
            "reverse one");
  EXPECT_EQ(ranking(1, 1, 1, 1).verdict, Verdict::partly);
  EXPECT_EQ(ranking(3, 2, 1, 2.5).verdict, Verdict::not_held);
}

TEST(PaperClaims, LearningWithoutItsFixedTwinIsNotTested) {
  const Evidence evidence{
      {"sine-learned-w5", make_runs({{"random", {}}, {"bald", {}}, {"target", {}}, {"model", {}}})}};
  EXPECT_EQ(verdict(evidence, "sine-learned-w5", "slightly"), Verdict::not_tested);
  EXPECT_EQ(verdict(evidence, "sine-learned-w5", "same ranking"), Verdict::not_tested);
}

TEST(PaperClaims, EspeciallyOnConcrete) {
  const auto especially = [](double concrete, double superconductivity) {
    const auto runs = [](double error) {
      return make_runs({{"model", {.error = error}}, {"bald", {.error = 1.0}}});
    };
    return verdict({{"uci-concrete", runs(concrete)}, {"uci-superconductivity", runs(superconductivity)}},
                   "uci-concrete", "especially");
  };
  EXPECT_EQ(especially(0.5, 0.9), Verdict::held);
  EXPECT_EQ(especially(0.9, 0.5), Verdict::partly);
  EXPECT_EQ(especially(1.1, 1.2), Verdict::partly);
  EXPECT_EQ(especially(1.2, 0.5), Verdict::not_held);
}

TEST(PaperClaims, TheCheckerBoardIsComparedInPointsOfAccuracy) {
  const auto runs = [](double model, double target) {
    return make_runs({{"model", {.error = model}}, {"target", {.error = target}}});
  };
  const auto checker_board = [&](double v3) {
    return find_claim({{"toy-v1", runs(0.01, 0.04)}, {"toy-v2", runs(0.01, 0.01)}, {"toy-v3", runs(v3, 0.4)}},
                      "toy-v3", "checker board");
  };
  // A smaller share of the error than on v1, but more points.
  EXPECT_EQ(checker_board(0.35).verdict, Verdict::held);
  EXPECT_EQ(
      checker_board(0.35).found,
      "median gain of model over target: 5.0 points in toy-v3, 3.0 points in toy-v1, 0.0 points in toy-v2");
  EXPECT_EQ(checker_board(0.38).verdict, Verdict::partly);
  EXPECT_EQ(checker_board(0.45).verdict, Verdict::not_held);
}

TEST(PaperClaims, HalfFlipSetsBuyTheHighestPrecisionAndEqualBald) {
  for (const char* experiment : {"toy-v1-half", "toy-v2-half", "toy-v3-half"}) {
    const auto identical = [&](double alpha, int other_points) {
      Runs runs = make_runs({{"model", {.alphas = {alpha, alpha}}}, {"bald", {.alphas = {1.0, 1.0}}}});
      for (ExperimentRun& run : runs)
        if (run.method == "model" && run.repeat < other_points) run.steps.back().point = "another";
      return find_claim({{experiment, runs}}, experiment, "identical");
    };
    EXPECT_EQ(identical(1.0, 0).verdict, Verdict::held);
    EXPECT_EQ(identical(1.0, 0).found,
              "100.0 % of 30 annotations at the highest precision, the same points as bald in 15 of 15");
    EXPECT_EQ(identical(1.0, 1).verdict, Verdict::partly);
    EXPECT_EQ(identical(1.0, 15).verdict, Verdict::partly);
    EXPECT_EQ(identical(0.0, 0).verdict, Verdict::partly);
    EXPECT_EQ(identical(0.0, 15).verdict, Verdict::not_held);
  }
}

TEST(PaperClaims, HalfFlipTargetIsSimilarToModel) {
  const auto similar = [](double target) {
    return verdict({{"toy-v2-half", make_runs({{"model", {.error = 0.1}}, {"target", {.error = target}}})}},
                   "toy-v2-half", "similar");
  };
  EXPECT_EQ(similar(0.105), Verdict::held);
  EXPECT_EQ(similar(0.12), Verdict::partly);
  EXPECT_EQ(similar(0.2), Verdict::not_held);
}

TEST(PaperClaims, VerdictsHaveWords) {
  EXPECT_EQ(to_string(Verdict::held), "held");
  EXPECT_EQ(to_string(Verdict::partly), "partly");
  EXPECT_EQ(to_string(Verdict::not_held), "not held");
  EXPECT_EQ(to_string(Verdict::not_tested), "not tested");
}

}  // namespace
}  // namespace acuity::paper_claims_test
