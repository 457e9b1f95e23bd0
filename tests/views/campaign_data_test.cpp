#include "views/campaign_data.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/leave_one_out.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "store/memory_event_store.hpp"
#include "support/memory_campaigns.hpp"
#include "views/campaign_course.hpp"

namespace acuity::campaign_data_test {
namespace {

using testing::MemoryCampaign;

constexpr int pool_points = 60;

// A function drawn from the prior of the study, at the points of the pool, and answers with the noise of
// their level times `noise`.
class World {
 public:
  World(std::uint32_t seed, double noise) : draws_(7, numerics::Purpose::data, seed), noise_(noise) {
    const Points x = Vector::LinSpaced(pool_points, 0.0, 12.0);
    Matrix covariance = StationaryKernel().cross(x, x);
    covariance.diagonal().array() += 1e-9;
    Vector white(pool_points);
    for (double& value : white) value = draws_.normal();
    f_ = Eigen::LLT<Matrix>(covariance).matrixL() * white;
  }
  double operator()(const Suggestion& asked) {
    return f_(asked.row) + noise_ * std::sqrt(noise_variance(asked.channel)) * draws_.normal();
  }

  double truth(Index row) const { return f_(row); }

 private:
  numerics::Draws draws_;
  double noise_;
  Vector f_;
};

CampaignData data_of(World world, int steps) {
  MemoryCampaign campaign(
      testing::two_level_study("budget = 400\nunit = \"runs\"\nseed = 2", "", "repeat = true"),
      testing::pool_on_a_line(pool_points, 12.0));
  campaign.go(steps, [&](const Suggestion& asked) { return world(asked); });
  return campaign_data(*campaign);
}

bool mentions(const CampaignData& data, const std::string& words) {
  for (const std::string& warning : data.warnings)
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

TEST(CampaignData, HasTheErrorThatIsPredictedAtTheGoal) {
  World world(3, 1.0);
  MemoryCampaign campaign(testing::two_level_study("budget = 400\nseed = 2", "", "repeat = true") +
                              "[goal]\nbox = { x = [4, 6] }\n",
                          testing::pool_on_a_line(pool_points, 12.0));
  campaign.go(30, [&](const Suggestion& asked) { return world(asked); });
  const CampaignData data = campaign_data(*campaign);
  ASSERT_GT(data.course.errors.size(), 2U);
  const Goal& goal = *campaign->study().goal();
  const StudyModel model = campaign->model();
  const Vector variance =
      GpPosterior(model.prior, Observations(model.observations, campaign->study().pool().points()))
          .predict(goal.points)
          .variance;
  EXPECT_NEAR(*data.course.errors.back().at_goal, std::sqrt(variance.mean()), 1e-9);
  EXPECT_LT(*data.course.errors.back().at_goal, 0.5 * *data.course.errors.front().at_goal);
  for (const CoursePoint& point : data_of(World(3, 1.0), 10).course.errors) EXPECT_FALSE(point.at_goal);
}

TEST(CampaignData, CoverageIsMetOnDataDrawnFromTheModel) {
  std::array<Index, 3> inside{}, count{};
  int alarms = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const CampaignData data = data_of(World(seed, 1.0), 40);
    for (std::size_t k = 0; k < 3; ++k) {
      inside[k] += data.calibration.scores[0].coverages[k].inside;
      count[k] += data.calibration.scores[0].coverages[k].count;
    }
    alarms += mentions(data, "error bars");
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Coverage all{std::array{0.5, 0.8, 0.95}[k], inside[k], count[k]};
    EXPECT_FALSE(all.is_off()) << all.nominal << ": " << all.share() << " ± " << all.sampling_error();
  }
  EXPECT_LE(alarms, 5);
}

TEST(CampaignData, WarnsOfErrorBarsThatAreTooNarrowOrTooWide) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(mentions(data_of(World(seed, 4.0), 60), "intervals are too narrow")) << seed;
    EXPECT_TRUE(mentions(data_of(World(seed, 0.1), 60), "intervals are too wide")) << seed;
  }
}

// Classes drawn from the model of the study, told by people who are right with this probability; the study
// says 0.95.
CampaignData labels_told(double accuracy, std::uint32_t seed) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 400\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[target]\nkind = \"binary\"\n"
      "[model]\namplitude = 3.0\n[[level]]\nname = \"crowd\"\naccuracy = 0.95\ncost = 1\n",
      testing::pool_on_a_line(pool_points, 12.0));
  World world(seed, 0.0);
  numerics::Draws draws(9, numerics::Purpose::data, seed);
  campaign.go(120, [&](const Suggestion& asked) {
    const double clean = draws.uniform() < numerics::normal_cdf(3.0 * world.truth(asked.row)) ? 1.0 : -1.0;
    return draws.uniform() < accuracy ? clean : -clean;
  });
  return campaign_data(*campaign);
}

double surprise_of(const CampaignData& data) {
  Vector probabilities(static_cast<Index>(data.answers.all.size())), labels(probabilities.size());
  for (Index i = 0; i < labels.size(); ++i) {
    probabilities(i) = data.answers.all[static_cast<std::size_t>(i)].expected;
    labels(i) = data.answers.all[static_cast<std::size_t>(i)].value;
  }
  return excess_surprise(probabilities, labels);
}

// Judged by what was said before a label was told. Afterwards the model has made room for wrong labels by a
// flatter f (math.md 3.9), which few campaigns of this size would have been warned of.
TEST(CampaignData, WrongLabelsAreSurprisingAndRightOnesAreNot) {
  double wrong = 0.0;
  int warned = 0;
  constexpr int campaigns = 10;
  for (std::uint32_t seed = 0; seed < campaigns; ++seed) {
    const CampaignData right = labels_told(0.95, seed);
    EXPECT_FALSE(mentions(right, "probabilities are too")) << seed;
    EXPECT_LT(std::abs(surprise_of(right)), 2.5) << seed;
    const CampaignData bad = labels_told(0.65, seed);
    warned += mentions(bad, "probabilities are too sure") ? 1 : 0;
    wrong += surprise_of(bad) / campaigns;
  }
  EXPECT_GT(wrong, 2.5);
  EXPECT_GE(warned, 7);
}

TEST(CampaignData, MoneyAddsUp) {
  const CampaignData data = data_of(World(1, 1.0), 30);
  double by_level = 0.0, by_answer = 0.0;
  for (const LevelTotal& level : data.books.levels) by_level += level.spent;
  for (const ReportedAnswer& answer : data.answers.all) by_answer += answer.cost;
  EXPECT_EQ(data.answers.all.size(), 30U);
  EXPECT_DOUBLE_EQ(by_level, data.books.spent);
  EXPECT_DOUBLE_EQ(by_answer, data.books.spent);
  EXPECT_DOUBLE_EQ(data.answers.all.back().spent, data.books.spent);
  EXPECT_DOUBLE_EQ(data.course.money.back().spent, data.books.spent);
  EXPECT_EQ(data.books.levels.front().name, "fine");
}

TEST(CampaignData, AnswersThatReportTheirNoiseStayWithTheirLevel) {
  MemoryCampaign campaign(testing::two_level_study("budget = 400", "fit = 1000\n", "repeat = true"),
                          testing::pool_on_a_line(pool_points, 12.0));
  World world(4, 2.0);
  for (int k = 0; k < 18; ++k) {
    const Suggestion asked = campaign->ask().suggestions.at(0);
    Answer answer;
    answer.id = asked.id;
    answer.level = campaign->study().level_named(k % 3 == 0 ? "fine" : "coarse");
    answer.values = {world(asked)};
    if (k % 2 == 0) answer.channel = GaussianChannel{k % 3 == 0 ? 0.04 : 1.0};
    campaign->tell({answer});
  }
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.books.levels.size(), 2U);
  EXPECT_EQ(data.books.levels[0].name, "fine");
  EXPECT_EQ(data.books.levels[0].answers, 6);
  EXPECT_EQ(data.books.levels[1].name, "coarse");
  EXPECT_EQ(data.books.levels[1].answers, 12);
  EXPECT_TRUE(mentions(data, "level coarse: answers report 2.0 times its noise_sd (1 instead of 0.5)"));
}

TEST(CampaignData, TheCourseEndsWhereTheCampaignStands) {
  MemoryCampaign campaign(
      testing::two_level_study("budget = 400\nunit = \"runs\"\nseed = 2", "", "repeat = true"),
      testing::pool_on_a_line(pool_points, 12.0));
  World world(2, 1.0);
  campaign.go(50, [&](const Suggestion& asked) { return world(asked); });
  const CampaignData data = campaign_data(*campaign);
  EXPECT_GE(data.course.errors.size(), 15U);
  EXPECT_LE(data.course.errors.size(), 21U);
  EXPECT_EQ(data.course.errors.back().answers, 50);
  EXPECT_DOUBLE_EQ(data.course.errors.back().spent, data.books.spent);
  const StudyModel model = campaign->model();
  const Observations seen(model.observations, campaign->study().pool().points());
  const Vector left_out = leave_one_out(model.prior, seen).mean;
  EXPECT_NEAR(data.course.errors.back().error, std::sqrt((seen.values() - left_out).squaredNorm() / 50.0),
              1e-12);
  EXPECT_FALSE(data.is_held_out);
}

TEST(CampaignData, MeasuresOnTheTestThatIsGiven) {
  MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(30, 6.0));
  campaign.go(12, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  const testing::Folder folder;
  const HeldOut test = read_held_out(folder.write("test.csv", "x,y\n1,2\n2,3\n"), campaign->study());
  const CampaignData data = campaign_data(*campaign, test);
  EXPECT_TRUE(data.is_held_out);
  EXPECT_EQ(data.course_source, "test.csv (2 points)");
  EXPECT_NEAR(data.course.errors.back().error,
              std::sqrt((std::pow(2 - std::sin(1), 2) + std::pow(3 - std::sin(2), 2)) / 2), 0.3);
}

// Averaged over hyperparameters, as `predict`.
TEST(CampaignData, TheErrorOnATestIsOfWhatPredictSays) {
  MemoryCampaign campaign(
      testing::two_level_study("budget = 200", "fit = 5\naverage = 8\nprior = \"weak\"\n"),
      testing::pool_on_a_line(30, 6.0));
  campaign.go(14, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  HeldOut test{.source = "here", .points = Points(3, 1), .values = Vector(3), .name = "here"};
  test.noise = HeldOut::Noise::exact;
  test.points << 0.55, 2.45, 5.15;
  test.values = test.points.col(0).array().sin();
  const StudyModel model = campaign->model();
  const Vector mean = StudyLearner(campaign->study())
                          .averaged(model, campaign->annotations(), 1)
                          .predict(test.points)
                          .marginals.mean;
  const Vector unaveraged =
      StudyLearner(campaign->study()).unaveraged(model).predict(test.points).marginals.mean;
  ASSERT_GT((mean - unaveraged).norm(), 1e-9);
  EXPECT_NEAR(campaign_data(*campaign, test).course.errors.back().error,
              std::sqrt((mean - test.values).squaredNorm() / 3.0), 1e-9);
}

TEST(CampaignData, SurvivesACampaignWithoutAnswers) {
  MemoryCampaign campaign(testing::two_level_study("budget = 9"), testing::pool_on_a_line(5, 1.0));
  const CampaignData nothing = campaign_data(*campaign);
  EXPECT_TRUE(nothing.answers.all.empty());
  EXPECT_TRUE(nothing.course.errors.empty());
  EXPECT_EQ(nothing.belief.curves.size(), 1U);
  EXPECT_TRUE(nothing.warnings.empty());
}

TEST(CampaignData, WarnsOfAnOverrunAndOfABiasedLevel) {
  MemoryCampaign campaign(testing::two_level_study("budget = 20", "", "repeat = true"),
                          testing::pool_on_a_line(5, 40.0));
  campaign.tell(1, "coarse", 9.0);
  campaign.tell(1, "fine", 0.0);
  const Suggestion asked = campaign->ask().suggestions.at(0);
  Answer dear;
  dear.id = asked.id;
  dear.values = {0.0};
  dear.cost = 50.0;
  campaign->tell({dear});
  const CampaignData data = campaign_data(*campaign);
  EXPECT_TRUE(mentions(data, "overrun"));
  EXPECT_TRUE(mentions(data, "coarse reads 9 above fine"));
}

TEST(CampaignData, LongLaddersAreShownInRanges) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[noise]\nvariance = 0.01\n[precision]\n"
      "alpha = { from = 1, to = inf, count = 40 }\ngamma = 0.09\ncost = { form = \"power\", c = 9.0, q = 0.8 "
      "}\n",
      testing::pool_on_a_line(60, 12.0));
  for (int k = 0; k < 12; ++k)
    for (const Suggestion& asked : campaign->ask().suggestions) {
      Answer answer;
      answer.id = asked.id;
      answer.values = {0.0};
      answer.row = k;
      answer.level = campaign->study().level_of(1.0 + k);
      campaign->tell({answer});
    }
  const CampaignData data = campaign_data(*campaign);
  EXPECT_LE(data.books.levels.size(), 6U);
  EXPECT_EQ(data.books.levels.front().name, "1/α 0.00 to 0.17");
  EXPECT_EQ(data.books.levels.back().name, "1/α 0.83 to 1.00");
  std::int64_t answers = 0;
  for (const LevelTotal& level : data.books.levels) answers += level.answers;
  EXPECT_EQ(answers, 12);
}

// By what the study declares: answers at hard points report more noise, whatever their level.
TEST(CampaignData, TheOrderOfLevelsDoesNotDependOnReportedNoise) {
  MemoryCampaign campaign(testing::two_level_study("budget = 400", "", "repeat = true"),
                          testing::pool_on_a_line(60, 12.0));
  for (int k = 0; k < 6; ++k)
    for (const Suggestion& asked : campaign->ask().suggestions) {
      Answer answer;
      answer.id = asked.id;
      answer.values = {0.0};
      answer.row = k;
      answer.level = campaign->study().level_named(k % 2 == 0 ? "coarse" : "fine");
      answer.channel = GaussianChannel{k % 2 == 0 ? 1e-4 : 1.0};
      campaign->tell({answer});
    }
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.books.levels.size(), 2U);
  EXPECT_EQ(data.books.levels.front().name, "fine");
}

TEST(CampaignData, SpendingOverTimeAddsUpToWhatEveryLevelCost) {
  const CampaignData data = data_of(World(1, 1.0), 30);
  ASSERT_EQ(data.course.spending.size(), 31U);
  for (std::size_t k = 1; k < data.course.spending.size(); ++k) {
    double all = 0.0;
    for (std::size_t level = 0; level < data.books.levels.size(); ++level) {
      const double more = data.course.spending[k].spent[level] - data.course.spending[k - 1].spent[level];
      EXPECT_DOUBLE_EQ(more, data.answers.all[k - 1].level == level ? data.answers.all[k - 1].cost : 0.0);
      all += data.course.spending[k].spent[level];
    }
    EXPECT_DOUBLE_EQ(all, data.answers.all[k - 1].spent);
    EXPECT_EQ(data.course.spending[k].answers, static_cast<std::int64_t>(k));
    EXPECT_DOUBLE_EQ(data.course.spending[k].time, data.answers.all[k - 1].told_at - data.books.created_at);
  }
  for (std::size_t level = 0; level < data.books.levels.size(); ++level)
    EXPECT_DOUBLE_EQ(data.course.spending.back().spent[level], data.books.levels[level].spent);
}

TEST(CampaignData, LearnedNoiseIsThatOfTheModel) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\nseed = 2\n[pool]\nfile = \"pool.csv\"\n[model]\nfit = 6\nfit_noise = true\n"
      "[noise]\nvariance = \"0.02 * (1 + x)\"\n[precision]\nalpha = [1, 4]\ngamma = 0.3\n"
      "cost = { form = \"power\", c = 9.0, q = 0.8 }\n",
      testing::pool_on_a_line(31, 12.0));
  World world(3, 1.0);
  campaign.go(24, [&](const Suggestion& asked) { return world(asked); });
  campaign->ask();
  const CampaignData data = campaign_data(*campaign);
  const StudyModel model = campaign->model();
  ASSERT_EQ(data.course.fits.size(), 4U);
  EXPECT_NEAR(*data.course.fits.back().noise, model.offer.base_noise(15),
              1e-12);  // the middle point has the median
  EXPECT_NEAR(*data.course.fits.back().gamma, noise_variance(model.offer.levels[0].channel), 1e-12);
  EXPECT_NE(*data.course.fits.back().gamma, 0.3);
  EXPECT_FALSE(data.course.fits.back().kappa);
}

TEST(CampaignData, LearnedAccuraciesAreThoseOfTheModel) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[target]\nkind = \"binary\"\n"
      "[model]\nfit = 12\nfit_noise = true\n[precision]\nalpha = [0, 1]\ngamma = 0.2\nkappa = 0.75\n"
      "cost = { form = \"linear\", b = 0.5, c = 0.5 }\n",
      testing::pool_on_a_line(20, 6.0));
  campaign.go(36, [](const Suggestion& asked) { return asked.inputs[0] > 3.0 ? 1.0 : -1.0; });
  campaign->ask();
  const CampaignData data = campaign_data(*campaign);
  const std::vector<Level> levels = campaign->model().offer.levels;
  ASSERT_GE(data.course.fits.size(), 2U);
  const FitPoint& last = data.course.fits.back();
  EXPECT_NEAR(*last.kappa, std::get<FlipChannel>(levels[0].channel).accuracy(), 1e-12);
  EXPECT_NEAR(*last.kappa + *last.gamma, std::get<FlipChannel>(levels[1].channel).accuracy(), 1e-12);
  EXPECT_FALSE(last.noise);
}

TEST(CampaignData, WithoutLearningNoiseThereIsNoneToShow) {
  MemoryCampaign campaign(testing::two_level_study("budget = 60", "fit = 4"),
                          testing::pool_on_a_line(20, 6.0));
  campaign.go(9, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  ASSERT_FALSE(data.course.fits.empty());
  EXPECT_FALSE(data.course.fits.back().noise || data.course.fits.back().gamma ||
               data.course.fits.back().kappa);
}

double root_mean_square(const Vector& values) {
  return std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
}

TEST(CampaignData, ARehearsalWithTheSineIsMeasuredOnTheSine) {
  MemoryCampaign campaign(testing::two_level_study() + "[annotator]\nsimulated = \"sine\"\n",
                          testing::pool_on_a_line(30, 6.0));
  campaign.go(12,
              [](const Suggestion& asked) { return 0.2 * asked.inputs[0] * std::sin(3 * asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  EXPECT_TRUE(data.is_held_out);
  EXPECT_EQ(data.course_source, "the curve of the rehearsal (30 points)");
  Vector away = campaign->belief().marginals().mean;
  for (Index row = 0; row < 30; ++row) {
    const double x = 6.0 * static_cast<double>(row) / 29;
    away(row) -= 0.2 * x * std::sin(3 * x);
  }
  EXPECT_NEAR(data.course.errors.back().error, root_mean_square(away), 1e-9);
}

std::optional<HeldOut> truth_of_table(const std::string& column, bool exact) {
  const testing::Folder folder;
  folder.write("pool.csv", testing::pool_on_a_line(3, 2.0));
  folder.write("truth.csv", "id,y@coarse," + column + "\n0,9,1\n1,9,2\n2,9,3\n");
  return truth_of(Study::open(folder.write(
      "study.toml",
      std::string("[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
                  "[[level]]\nname = \"fine\"\ncost = 6\n") +
          (exact ? "exact = true\n" : "noise_sd = 0.1\n") + "[annotator]\nsimulated = \"truth\"\n")));
}

TEST(CampaignData, OnlyWhatIsExactCountsAsTheTruth) {
  EXPECT_FALSE(truth_of_table("y@fine", false));
  EXPECT_EQ(truth_of_table("y", false)->values.sum(), 6.0);
  EXPECT_EQ(truth_of_table("y@fine", true)->values.sum(), 6.0);
}

// The log of a campaign with so many answers, which is answered without being asked by the model.
std::vector<StoredEvent> long_log(const Campaign& campaign, int answers) {
  std::vector<StoredEvent> events = campaign.events();
  const Study& study = campaign.study();
  numerics::Draws draws(3, numerics::Purpose::resampling, 0);
  for (int k = 0; k < answers; ++k) {
    const Index row = (37 * k) % study.pool().size(), level = k % 3 == 0 ? 1 : 0;
    Asked asked;
    asked.id = k + 1;
    asked.row = row;
    asked.point = study.pool().id(row);
    asked.level = study.offer().levels[static_cast<std::size_t>(level)].name;
    asked.channel = study.offer().channel(row, level);
    asked.cost = study.offer().levels[static_cast<std::size_t>(level)].cost;
    asked.variance = 1.0;
    asked.worker = "run";
    Told told;
    told.id = asked.id;
    told.values = {std::sin(study.pool().point(row)[0]) +
                   std::sqrt(noise_variance(asked.channel)) * draws.normal()};
    told.cost = asked.cost;
    for (Event event : {Event(asked), Event(told)})
      events.push_back({events.back().sequence + 1, events.back().time + 1.0, std::move(event)});
  }
  return events;
}

// A campaign with a log of so many answers.
Campaign with_log(MemoryCampaign& campaign, int answers) {
  return {campaign->study().variant({}), make_memory_event_store(long_log(*campaign, answers)),
          CampaignOptions{.threads = 1}};
}

std::string repeated_study(const std::string& model) {
  return testing::two_level_study("budget = 1e6\nseed = 2", model, "repeat = true");
}

TEST(PrequentialScores, AreThePredictionsFromAllAnswersBefore) {
  // With a given mean the slow way is exact: a posterior of all answers before, for each of them.
  MemoryCampaign empty(repeated_study("mean = 0.2\n"), testing::pool_on_a_line(pool_points, 12.0));
  const Campaign campaign = with_log(empty, 150);
  const std::vector<PrequentialScore> scores = prequential_scores(campaign, 100);
  ASSERT_EQ(scores.size(), 100U);
  const StudyModel model = campaign.model();
  const Observations all(model.observations, campaign.study().pool().points());
  for (const PrequentialScore& score : scores) {
    const Index i = score.before;
    EXPECT_EQ(score.id, i + 1);
    const std::vector<Observation> known(model.observations.begin(), model.observations.begin() + i);
    const Marginals slow = GpPosterior(model.prior, Observations(known, campaign.study().pool().points()))
                               .predict(all.points().row(i));
    EXPECT_EQ(score.value, all.values()(i));
    EXPECT_NEAR(score.mean, slow.mean(0), 1e-9) << score.id;
    EXPECT_NEAR(score.sd, std::sqrt(slow.variance(0) + all.noise()(i)), 1e-9) << score.id;
  }
}

TEST(PrequentialScores, ContainTheBiasOfTheLevel) {
  const std::string study =
      "[campaign]\nbudget = 1e6\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[model]\nmean = 0\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nbias = { offset_sd = 0.5, smooth_sd = 0.3 }\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 6\n";
  MemoryCampaign empty(study, testing::pool_on_a_line(pool_points, 12.0));
  const Campaign campaign = with_log(empty, 90);
  const StudyModel model = campaign.model();
  ASSERT_TRUE(model.prior.has_bias());
  const Points pool = campaign.study().pool().points();
  int of_coarse = 0;
  for (const PrequentialScore& score : prequential_scores(campaign, 25)) {
    const auto i = static_cast<std::size_t>(score.before);
    const std::vector<Observation> known(model.observations.begin(),
                                         model.observations.begin() + score.before);
    const Observation& next = model.observations[i];
    const Marginals slow = GpPosterior(model.prior, Observations(known, pool))
                               .predict_part(pool.row(*next.place.pool_row()), bias_of(next.channel));
    of_coarse += bias_of(next.channel) > 0 ? 1 : 0;
    EXPECT_NEAR(score.mean, slow.mean(0), 1e-9) << score.id;
    EXPECT_NEAR(score.sd, std::sqrt(slow.variance(0) + noise_variance(next.channel)), 1e-9) << score.id;
  }
  EXPECT_GT(of_coarse, 5);
}

TEST(CampaignCourse, OfManyAnswersStaysWhereItWasMeasured) {
  MemoryCampaign empty(repeated_study(""), testing::pool_on_a_line(pool_points, 12.0));
  const Campaign earlier = with_log(empty, 1100), later = with_log(empty, 1180);
  MeasuredCourse kept;
  const CampaignData before = campaign_data(earlier, kept), after = campaign_data(later, kept),
                     alone = campaign_data(later);
  EXPECT_EQ(alone.course_note, "Measured after every 125 answers and after the last one.");
  ASSERT_EQ(alone.course.errors.size(), 10U);
  ASSERT_EQ(before.course.errors.size(), 9U);
  for (std::size_t k = 0; k < alone.course.errors.size(); ++k) {
    // What was kept is what is measured without it.
    EXPECT_EQ(after.course.errors[k].answers, alone.course.errors[k].answers);
    EXPECT_EQ(after.course.errors[k].spent, alone.course.errors[k].spent);
    EXPECT_EQ(after.course.errors[k].error, alone.course.errors[k].error);
    EXPECT_EQ(after.course.errors[k].expected, alone.course.errors[k].expected);
    if (k < 8U) {
      EXPECT_EQ(before.course.errors[k].error, alone.course.errors[k].error);
    }
    if (k < 9U) {
      EXPECT_EQ(alone.course.errors[k].answers, static_cast<std::int64_t>(125 * (k + 1)));
    }
  }
  EXPECT_EQ(alone.course.errors.back().answers, 1180);
  // The last point is the leave-one-out error of all answers.
  const CampaignModel model(later.study(), later.state());
  const LeaveOneOut slow = leave_one_out(model.study_model().prior, model.observations());
  const Vector error = model.observations().values() - slow.mean;
  EXPECT_NEAR(alone.course.errors.back().error, std::sqrt(error.squaredNorm() / 1180.0), 1e-12);
}

TEST(CampaignData, OfAnEarlierModelHasTheBooksOfNow) {
  World world(5, 1.0);
  MemoryCampaign campaign(testing::two_level_study("budget = 400\nseed = 2", "", "repeat = true"),
                          testing::pool_on_a_line(pool_points, 12.0));
  const auto answers = [&](const Suggestion& asked) { return world(asked); };
  campaign.go(30, answers);
  const CampaignData earlier = campaign_data(*campaign);
  // Of the same log it is the whole.
  const CampaignData same = with_model_parts(quick_campaign_data(*campaign), earlier);
  ASSERT_EQ(same.answers.all.size(), earlier.answers.all.size());
  for (std::size_t k = 0; k < same.answers.all.size(); ++k) {
    EXPECT_EQ(same.answers.all[k].expected, earlier.answers.all[k].expected);
    EXPECT_EQ(same.answers.all[k].expected_sd, earlier.answers.all[k].expected_sd);
    EXPECT_EQ(same.answers.all[k].predicted, earlier.answers.all[k].predicted);
    EXPECT_EQ(same.answers.all[k].spent, earlier.answers.all[k].spent);
  }
  campaign.go(5, answers);
  campaign->amend(3, {7.5}, "typo");
  const CampaignData later = with_model_parts(quick_campaign_data(*campaign), earlier);
  EXPECT_TRUE(later.is_complete);
  EXPECT_EQ(later.books.spent, campaign->state().spent());
  EXPECT_EQ(later.course.spending.size(), earlier.course.spending.size() + 5);
  EXPECT_EQ(later.course.errors.size(), earlier.course.errors.size());
  EXPECT_EQ(later.verdict.text(), earlier.verdict.text());
  ASSERT_EQ(later.answers.all.size(), earlier.answers.all.size() + 5);
  for (std::size_t k = 0; k < later.answers.all.size(); ++k) {
    if (k < earlier.answers.all.size() && later.answers.all[k].id != 3) {
      EXPECT_EQ(later.answers.all[k].expected, earlier.answers.all[k].expected);
    }
    if (later.answers.all[k].id == 3) {
      EXPECT_EQ(later.answers.all[k].value, 7.5);
    }
  }
}

}  // namespace
}  // namespace acuity::campaign_data_test
