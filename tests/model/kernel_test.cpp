#include "acuity/model/kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "support/golden.hpp"

namespace acuity::kernel_test {
namespace {

using testing::close;

// The slow twin: math.md 2.2 as printed, one pair at a time.
double covariance(const StationaryKernelOptions& o, const Vector& a, const Vector& b) {
  double square = 0.0;
  for (Index k = 0; k < a.size(); ++k) {
    const double l = o.lengthscale.size() == 1 ? o.lengthscale(0) : o.lengthscale(k);
    square += (a(k) - b(k)) * (a(k) - b(k)) / (l * l);
  }
  const double rho = std::sqrt(square), v = o.amplitude * o.amplitude;
  switch (o.family) {
    case KernelFamily::rbf:
      return v * std::exp(-square / 2);
    case KernelFamily::matern32:
      return v * (1 + std::sqrt(3.0) * rho) * std::exp(-std::sqrt(3.0) * rho);
    case KernelFamily::matern52:
      return v * (1 + std::sqrt(5.0) * rho + 5.0 / 3.0 * square) * std::exp(-std::sqrt(5.0) * rho);
  }
  return 0.0;
}

std::vector<StationaryKernelOptions> examples() {
  std::vector<StationaryKernelOptions> all;
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52}) {
    all.push_back({.family = family, .amplitude = 1.3, .lengthscale = Vector::Constant(1, 0.8)});
    all.push_back({.family = family, .amplitude = 0.7, .lengthscale = Vector{{0.5, 2.0, 1.1}}});
  }
  return all;
}

TEST(StationaryKernel, IsTheFormulaOfTheBook) {
  const Points a = Points::Random(9, 3) * 2.0, b = Points::Random(5, 3) * 2.0;
  for (const StationaryKernelOptions& options : examples()) {
    const StationaryKernel kernel(options);
    const Matrix k = kernel.cross(a, b);
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < b.rows(); ++j)
        EXPECT_TRUE(testing::close_relative(k(i, j), covariance(options, a.row(i), b.row(j)), 1e-14));
    EXPECT_EQ(kernel.diagonal(a), Vector::Constant(9, options.amplitude * options.amplitude));
  }
}

TEST(StationaryKernel, GradientIsTheSlopeInTheLogParameters) {
  const Points x = Points::Random(7, 3) * 2.0;
  const Matrix half = Matrix::Random(7, 7), weights = half + half.transpose();
  for (const StationaryKernelOptions& options : examples()) {
    const StationaryKernel kernel(options);
    const Vector theta = kernel.log_parameters(), gradient = kernel.weighted_gradient(x, weights);
    ASSERT_EQ(gradient.size(), theta.size());
    for (Index p = 0; p < theta.size(); ++p) {
      constexpr double h = 1e-5;
      Vector up = theta, down = theta;
      up(p) += h;
      down(p) -= h;
      const Matrix slope =
          (kernel.with_log_parameters(up)->cross(x, x) - kernel.with_log_parameters(down)->cross(x, x)) /
          (2 * h);
      EXPECT_TRUE(close(gradient(p), slope.cwiseProduct(weights).sum(), 1e-8));
    }
  }
}

TEST(StationaryKernel, GradientsOfTheLikelihoodAreGolden) {
  for (const auto& data : testing::golden("gp_regression").at("cases")) {
    if (data.at("near_singular")) continue;
    const Points x = testing::points(data.at("X"));
    const Vector noise =
        testing::vector(data.at("n0")) + data.at("gamma").get<double>() * testing::vector(data.at("beta"));
    const Vector r = testing::vector(data.at("y")).array() - data.at("prior_mean").get<double>();
    for (const auto& model : data.at("models")) {
      const StationaryKernel kernel({.family = testing::kernel_family(model.at("kernel")),
                                     .amplitude = model.at("a"),
                                     .lengthscale = testing::vector(model.at("l"))});
      Matrix inverse = kernel.cross(x, x);
      inverse.diagonal() += noise;
      inverse = inverse.inverse().eval();
      const Vector weights = inverse * r;
      const Vector gradient = kernel.weighted_gradient(x, 0.5 * (inverse - weights * weights.transpose()));
      EXPECT_TRUE(close(gradient(0), model.at("grad_log_a"), 1e-10));
      for (Index k = 0; k < x.cols(); ++k)
        EXPECT_TRUE(close(gradient(1 + k), model.at("grad_log_l")[static_cast<std::size_t>(k)], 1e-10));
    }
  }
}

TEST(StationaryKernel, CoincidentAndFarPointsAreHarmless) {
  Points x(3, 1);
  x << 0.0, 0.0, 1e6;
  for (const StationaryKernelOptions& options : examples()) {
    if (options.lengthscale.size() > 1) continue;
    const StationaryKernel kernel(options);
    const Matrix k = kernel.cross(x, x);
    EXPECT_EQ(k(0, 1), k(0, 0));
    EXPECT_EQ(k(0, 2), 0.0);                           // zero, not a denormal
    EXPECT_EQ(kernel.cross(x * 1e200, x)(2, 0), 0.0);  // nor zero times infinity
    EXPECT_TRUE(kernel.weighted_gradient(x, Matrix::Ones(3, 3)).allFinite());
  }
}

TEST(StationaryKernel, RefusesWhatMakesNoSense) {
  EXPECT_THROW(StationaryKernel({.amplitude = 0.0}), std::invalid_argument);
  EXPECT_THROW(StationaryKernel({.amplitude = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(StationaryKernel({.lengthscale = Vector{{1.0, -1.0}}}), std::invalid_argument);
  EXPECT_THROW(StationaryKernel({.lengthscale = Vector(0)}), std::invalid_argument);
  EXPECT_THROW(
      StationaryKernel({.lengthscale = Vector{{1.0, 1.0}}}).cross(Points::Zero(1, 3), Points::Zero(1, 3)),
      std::invalid_argument);
}

// A user's own kernel: a straight line through the origin.
class LineKernel : public Kernel {
 public:
  Matrix cross(const PointsRef& a, const PointsRef& b) const override { return a * b.transpose(); }
  Vector diagonal(const PointsRef& x) const override { return x.rowwise().squaredNorm(); }
  Vector log_parameters() const override { return Vector(0); }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector&) const override {
    return std::make_shared<LineKernel>();
  }
  Vector weighted_gradient(const PointsRef&, const Matrix&) const override { return Vector(0); }
};

TEST(Kernel, AUsersOwnServesEveryModel) {
  Points x(2, 1), pool(1, 1);
  x << 1.0, 2.0;
  pool << 3.0;
  const Prior prior{.kernel = std::make_shared<LineKernel>()};
  const Marginals m =
      GpPosterior(prior, Observations(x, Vector{{2.0, 4.0}}, Vector::Constant(2, 1e-6))).predict(pool);
  EXPECT_NEAR(m.mean(0), 6.0, 1e-4);
  GpPoolBelief belief(prior, pool);
  belief.condition(Place(Vector::Constant(1, 1.0)), GaussianChannel{1e-6}, 2.0);
  EXPECT_NEAR(belief.marginals().mean(0), 6.0, 1e-4);
}

// Of a user who has the two points of cross() the wrong way round, or forgets that there are many.
class WrongKernel final : public Kernel {
 public:
  explicit WrongKernel(bool transposed) : transposed_(transposed) {}
  Matrix cross(const PointsRef& a, const PointsRef& b) const override {
    return transposed_ ? Matrix::Ones(b.rows(), a.rows()) : Matrix::Ones(a.rows(), b.rows());
  }
  Vector diagonal(const PointsRef&) const override { return Vector::Ones(1); }
  Vector log_parameters() const override { return {}; }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector&) const override {
    return std::make_shared<WrongKernel>(*this);
  }
  Vector weighted_gradient(const PointsRef&, const Matrix&) const override { return {}; }

 private:
  bool transposed_;
};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Kernel, OfAUserWithWrongShapesOrNoneAtAllIsRefused) {
  const Points x = Points::Random(6, 2);
  const Observations numbers(x, Vector::Ones(6), Vector::Constant(6, 0.1));
  const Observations labels(x, Vector::Ones(6), std::vector<Channel>(6, FlipChannel{0.9}));
  const auto refusals = [&](const std::shared_ptr<const Kernel>& kernel) {
    const Prior prior{.kernel = kernel};
    return std::vector<std::string>{
        refusal([&] { GpPosterior(prior, numbers); }), refusal([&] { EpPosterior(prior, labels); }),
        refusal([&] { GpPoolBelief(prior, x); }), refusal([&] { EpPoolBelief(prior, x); }),
        refusal([&] { learn(prior, numbers); })};
  };
  for (const std::string& words : refusals(nullptr))
    EXPECT_NE(words.find("the prior has no kernel (null), must have one"), std::string::npos) << words;
  for (const std::string& words : refusals(std::make_shared<WrongKernel>(true)))
    EXPECT_NE(words.find("the kernel's cross() of 2 and 3 points is 3 x 2, must be 2 x 3"), std::string::npos)
        << words;
  for (const std::string& words : refusals(std::make_shared<WrongKernel>(false)))
    EXPECT_NE(words.find("the kernel's diagonal() of 3 points has 1 variances, must have 3"),
              std::string::npos)
        << words;
}

}  // namespace
}  // namespace acuity::kernel_test
