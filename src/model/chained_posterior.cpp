#include "model/chained_posterior.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <stdexcept>

#include "data/as_size.hpp"

namespace acuity {

namespace {

// In standard units of the column: far below any length scale of use, far above rounding.
constexpr double column_step = 1e-3;
constexpr int mixture_nodes = 11;

// Of Gauss and Hermite, for a standard normal weight: the eigenvalues of the Jacobi matrix.
struct NormalNodes {
  NormalNodes() {
    Matrix jacobi = Matrix::Zero(mixture_nodes, mixture_nodes);
    for (Index k = 1; k < mixture_nodes; ++k)
      jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(static_cast<double>(k));
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(jacobi);
    at = solver.eigenvalues();
    weights = solver.eigenvectors().row(0).cwiseAbs2().transpose();
    weights /= weights.sum();
  }
  Vector at, weights;
};

const NormalNodes& normal_nodes() {
  static const NormalNodes all;
  return all;
}

Prior check(Prior prior) {
  if (!prior.chain || prior.chain->links.empty())
    throw std::invalid_argument("ChainedPosterior: the prior has no chain, must have one");
  return prior;
}

// The derivative of a link's value by what the link `from` adds to it.
Vector derivative(const ChainedPoints& x, std::size_t from, std::size_t link) {
  Vector product = Vector::Ones(x.inputs.front().rows());
  for (std::size_t k = from + 1; k <= link; ++k) product = product.cwiseProduct(x.slopes[k]);
  return product;
}

Observations appended(const Observations& known, const Observations& more) {
  if (more.size() == 0) return known;
  Points points(known.size() + more.size(), more.points().cols());
  Vector values(points.rows());
  if (known.size() > 0) points.topRows(known.size()) = known.points();
  points.bottomRows(more.size()) = more.points();
  values << known.values(), more.values();
  std::vector<Channel> channels = known.channels();
  channels.insert(channels.end(), more.channels().begin(), more.channels().end());
  return {std::move(points), std::move(values), std::move(channels)};
}

}  // namespace

std::size_t link_of(const LevelChain& chain, int bias) {
  std::size_t link = 0;
  while (link < chain.links.size() && chain.links[link].bias != bias) ++link;
  return link;
}

Vector column_of(const ChainLink& link, const Vector& values) {
  return ((values.array() - link.centre) / link.spread).cwiseMax(link.low).cwiseMin(link.high);
}

Points with_column(const Points& points, const Vector& column) {
  Points all(points.rows(), points.cols() + 1);
  all.leftCols(points.cols()) = points;
  all.col(points.cols()) = column;
  return all;
}

Vector slopes_by_column(const GpPosterior& posterior, const Points& inputs, const ChainLink& before) {
  const Index column = inputs.cols() - 1;
  Points moved = inputs;
  const auto mean_beside = [&](double by) {
    moved.col(column) = (inputs.col(column).array() + by).cwiseMax(before.low).cwiseMin(before.high);
    return posterior.mean(moved);
  };
  const Vector above = mean_beside(column_step), below = mean_beside(-column_step);
  return (above - below) / (2.0 * column_step * before.spread);
}

ChainedPosterior::ChainedPosterior(Prior prior, const Observations& observations, int threads)
    : prior_(check(std::move(prior))), observations_(observations) {
  for (const Channel& channel : observations.channels())
    if (link_of(chain(), bias_of(channel)) > last())
      throw std::invalid_argument(
          fmt::format("ChainedPosterior: a channel has bias {}, must be that of a link", bias_of(channel)));
  links_.reserve(chain().links.size());
  for (std::size_t link = 0; link <= last(); ++link) add_link(link, threads);
}

// The uncertainty of the column is noise of the answers: its size depends on the slope, which depends on the
// noise. One iteration, from the slope without it (math.md 12.7).
void ChainedPosterior::add_link(std::size_t link, int threads) {
  std::vector<Index> rows;
  for (Index i = 0; i < observations_.size(); ++i)
    if (bias_of(observations_.channels()[acuity::at(i)]) == chain().links[link].bias) rows.push_back(i);
  const Points places = rows.empty() ? Points(0, observations_.points().cols())
                                     : Points(observations_.points()(rows, Eigen::all));
  Points x = scaled(places);
  const Vector values = observations_.values()(rows);
  Vector noise = observations_.noise()(rows);
  if (link > 0) {
    ChainedPoints before = at(places, link);
    const ChainLink& previous = chain().links[link - 1];
    x = with_column(x, column_of(previous, links_[link - 1].posterior.mean(before.inputs[link - 1])));
    const GpPosterior first(prior_of(link), Observations(x, values, noise), threads);
    const Vector slopes = slopes_by_column(first, x, previous);
    noise += slopes.cwiseAbs2().cwiseProduct(variance_of(link - 1, before));
  }
  Observations answers(std::move(x), values, noise);
  GpPosterior posterior(prior_of(link), answers, threads);
  links_.push_back({std::move(answers), std::move(rows), std::move(posterior)});
}

Prior ChainedPosterior::prior_of(std::size_t link) const {
  const ChainLink& one = chain().links[link];
  return {.kernel = one.kernel, .mean = one.mean, .scaling = {}, .biases = {}};
}

ChainedPoints ChainedPosterior::at(const PointsRef& x) const {
  return at(x, links_.size());
}

ChainedPoints ChainedPosterior::at(const PointsRef& x, std::size_t links) const {
  const Points inputs = scaled(x);
  ChainedPoints found;
  for (std::size_t link = 0; link < links; ++link) {
    if (link == 0) {
      found.inputs.push_back(inputs);
      found.slopes.emplace_back(Vector::Zero(x.rows()));
      continue;
    }
    const ChainLink& before = chain().links[link - 1];
    const Vector mean = links_[link - 1].posterior.mean(found.inputs.back());
    found.inputs.push_back(with_column(inputs, column_of(before, mean)));
    found.slopes.push_back(slopes_by_column(links_[link].posterior, found.inputs.back(), before));
  }
  return found;
}

Points ChainedPosterior::inputs_after(const PointsRef& x) const {
  const ChainedPoints here = at(x);
  const Vector mean = links_.back().posterior.mean(here.inputs.back());
  return with_column(here.inputs.front(), column_of(chain().links.back(), mean));
}

// math.md eq. (12.17).
Vector ChainedPosterior::variance_of(std::size_t link, const ChainedPoints& x) const {
  Vector variance = links_.front().posterior.predict(x.inputs.front()).variance;
  for (std::size_t k = 1; k <= link; ++k)
    variance =
        links_[k].posterior.predict(x.inputs[k]).variance + x.slopes[k].cwiseAbs2().cwiseProduct(variance);
  return variance;
}

Vector ChainedPosterior::noise_of_column(std::size_t link, const ChainedPoints& x) const {
  if (link == 0) return Vector::Zero(x.inputs.front().rows());
  return x.slopes[link].cwiseAbs2().cwiseProduct(variance_of(link - 1, x));
}

// math.md eq. (12.19).
Marginals ChainedPosterior::predict(const PointsRef& x, std::size_t link, int threads) const {
  const NormalNodes& normal = normal_nodes();
  const Points inputs = scaled(x);
  Marginals found = links_.front().posterior.predict(inputs, {.threads = threads});
  for (std::size_t k = 1; k <= link; ++k) {
    const ChainLink& before = chain().links[k - 1];
    const Vector sd = found.variance.cwiseMax(0.0).cwiseSqrt();
    Matrix means(mixture_nodes, x.rows());
    Vector variance = Vector::Zero(x.rows());
    for (Index q = 0; q < mixture_nodes; ++q) {
      const Points there = with_column(inputs, column_of(before, found.mean + normal.at(q) * sd));
      const Marginals given = links_[k].posterior.predict(there, {.threads = threads});
      means.row(q) = given.mean.transpose();
      variance += normal.weights(q) * given.variance;
    }
    found.mean = means.transpose() * normal.weights;
    found.variance =
        variance + (means.rowwise() - found.mean.transpose()).cwiseAbs2().transpose() * normal.weights;
  }
  return found;
}

Marginals ChainedPosterior::predict_after(const PointsRef& x, const Vector& answers) const {
  const Points inputs = scaled(x);
  if (last() == 0) return links_.back().posterior.predict(inputs);
  return links_.back().posterior.predict(with_column(inputs, column_of(chain().links[last() - 1], answers)));
}

Marginals ChainedPosterior::predict_part(const PointsRef& x, int bias, AnswerPart part) const {
  const std::size_t link = link_of(chain(), bias);
  if (link > last())
    throw std::invalid_argument(
        fmt::format("ChainedPosterior: the bias is {}, must be that of a link", bias));
  if (part == AnswerPart::all) return predict(x, link);
  if (link == last() || part == AnswerPart::offset) return {Vector::Zero(x.rows()), Vector::Zero(x.rows())};
  const ChainedPoints here = at(x);
  const Vector own = variance_of(link, here), whole = variance_of(last(), here);
  return {predict(x, link).mean - predict(x, last()).mean,
          (own + whole - 2.0 * derivative(here, link, last()).cwiseProduct(own)).cwiseMax(0.0)};
}

// What every link adds to what it is given is independent of what the others add (math.md eq. (12.16)).
JointPrediction ChainedPosterior::predict_answers(const Observations& answers) const {
  const ChainedPoints here = at(answers.points());
  const Index count = answers.size();
  JointPrediction found{Vector::Zero(count), Matrix::Zero(count, count)};
  for (std::size_t link = 0; link <= last(); ++link) {
    const Vector mean = links_[link].posterior.mean(here.inputs[link]);
    Vector effect = Vector::Zero(count);
    for (std::size_t of = link; of <= last(); ++of) {
      const Vector along = derivative(here, link, of);
      for (Index i = 0; i < count; ++i)
        if (link_of(chain(), bias_of(answers.channels()[acuity::at(i)])) == of) {
          effect(i) = along(i);
          if (of == link) found.mean(i) = mean(i);
        }
    }
    found.covariance +=
        (effect * effect.transpose())
            .cwiseProduct(links_[link].posterior.covariance(here.inputs[link], here.inputs[link]));
  }
  return found;
}

Matrix ChainedPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  const ChainedPoints left = at(a), right = at(b);
  Matrix covariance = Matrix::Zero(a.rows(), b.rows());
  for (std::size_t link = 0; link <= last(); ++link)
    covariance += (derivative(left, link, last()) * derivative(right, link, last()).transpose())
                      .cwiseProduct(links_[link].posterior.covariance(left.inputs[link], right.inputs[link]));
  return covariance;
}

LeaveOneOut ChainedPosterior::leave_one_out() const {
  LeaveOneOut all{Vector(observations_.size()), Vector(observations_.size())};
  for (std::size_t link = 0; link <= last(); ++link) {
    const LeaveOneOut own = acuity::leave_one_out(prior_of(link), links_[link].answers);
    for (std::size_t i = 0; i < links_[link].rows.size(); ++i) {
      all.mean(links_[link].rows[i]) = own.mean(static_cast<Index>(i));
      all.variance(links_[link].rows[i]) = own.variance(static_cast<Index>(i));
    }
  }
  return all;
}

ChainedPosterior ChainedPosterior::given(const Observations& more) const {
  return {prior_, appended(observations_, more)};
}

double ChainedPosterior::log_marginal_likelihood() const {
  double sum = 0.0;
  for (const Link& link : links_) sum += link.posterior.log_marginal_likelihood();
  return sum;
}

double ChainedPosterior::log_determinant() const {
  double sum = 0.0;
  for (const Link& link : links_) sum += link.posterior.log_determinant();
  return sum;
}

double ChainedPosterior::quadratic_form() const {
  double sum = 0.0;
  for (const Link& link : links_) sum += link.posterior.quadratic_form();
  return sum;
}

Index ChainedPosterior::jittered() const {
  Index sum = 0;
  for (const Link& link : links_) sum += link.posterior.jittered();
  return sum;
}

}  // namespace acuity
