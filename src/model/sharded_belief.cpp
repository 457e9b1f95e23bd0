#include "model/sharded_belief.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/byte_text.hpp"
#include "model/goal_covariances.hpp"

namespace acuity {

namespace {

using base::ByteReader;
using base::ByteWriter;

// `goal`: also the covariances with the goal points.
std::string to_bytes(const Marginals& marginals, bool goal) {
  ByteWriter bytes;
  bytes.put(marginals.mean);
  bytes.put(marginals.variance);
  bytes.put(marginals.errors.size());
  for (const LevelError& error : marginals.errors) {
    bytes.put(error.mean);
    bytes.put(error.variance);
    bytes.put(error.covariance);
  }
  bytes.put(marginals.earlier.size());
  for (const auto& [point, answers] : marginals.earlier) {
    bytes.put(point);
    bytes.put(answers.accuracy);
    std::vector<double> yes, no;
    for (const FlipChannel& channel : answers.pending) yes.push_back(channel.yes), no.push_back(channel.no);
    bytes.put(yes);
    bytes.put(no);
  }
  const auto* covariances = goal ? marginals.goal.get() : nullptr;
  bytes.put(covariances != nullptr);
  if (covariances == nullptr) return bytes.text();
  Vector column(covariances->weights().size());
  for (Index point = 0; point < marginals.mean.size(); ++point)
    for (std::size_t bias = 0; bias <= marginals.errors.size(); ++bias) {
      covariances->at(point, static_cast<int>(bias), column.data());
      bytes.put(column);
      bytes.put(covariances->weighted_squares(point, static_cast<int>(bias)));
    }
  return bytes.text();
}

// As their owners computed them: a sum that is made again may differ in its last bit.
class GatheredGoalCovariances final : public GoalCovariances {
 public:
  GatheredGoalCovariances(GoalBelief goal, std::vector<Matrix> covariances, Matrix squares)
      : goal_(std::move(goal)), covariances_(std::move(covariances)), squares_(std::move(squares)) {}

  const Vector& weights() const override { return goal_.weights; }
  const Vector& mean() const override { return goal_.mean; }
  const Vector& variance() const override { return goal_.variance; }
  const Vector& noise() const override { return goal_.noise; }
  void at(Index point, int bias, double* out) const override {
    const Matrix& c = covariances_[static_cast<std::size_t>(bias)];
    std::copy_n(c.col(point).data(), c.rows(), out);
  }
  double weighted_squares(Index point, int bias) const override { return squares_(bias, point); }

 private:
  GoalBelief goal_;
  std::vector<Matrix> covariances_;  // by bias
  Matrix squares_;                   // by bias and point
};

// The parts one after another, as the marginals of all their points.
class Joined {
 public:
  explicit Joined(Index points) : mean(points), variance(points) {}

  // Reads one message; `rows` are the places of its points in the whole.
  void take(ByteReader bytes, const std::vector<Index>& rows) {
    const Vector means = bytes.vector(), variances = bytes.vector();
    mean(rows) = means;
    variance(rows) = variances;
    const auto count = bytes.get<std::size_t>();
    if (errors.empty()) {
      const Vector none = Vector::Zero(mean.size());
      errors.assign(count, LevelError{none, none, none});
    }
    for (LevelError& error : errors) {
      error.mean(rows) = bytes.vector();
      error.variance(rows) = bytes.vector();
      error.covariance(rows) = bytes.vector();
    }
    for (auto points = bytes.get<std::size_t>(); points > 0; --points) {
      const Index row = rows[static_cast<std::size_t>(bytes.get<Index>())];
      EarlierAnswers& answers = earlier[row];
      answers.accuracy = bytes.get<double>();
      const Vector yes = bytes.vector(), no = bytes.vector();
      for (Index k = 0; k < yes.size(); ++k) answers.pending.emplace_back(yes(k), no(k));
    }
    if (!bytes.get<bool>()) return;
    covariances.resize(count + 1);
    squares.resize(static_cast<Index>(count) + 1, mean.size());
    for (const Index row : rows)
      for (std::size_t bias = 0; bias <= count; ++bias) {
        const Vector column = bytes.vector();
        Matrix& with_goal = covariances[bias];
        if (with_goal.size() == 0) with_goal.resize(column.size(), mean.size());
        with_goal.col(row) = column;
        squares(static_cast<Index>(bias), row) = bytes.get<double>();
      }
  }

  Vector mean, variance;
  std::vector<LevelError> errors;
  std::map<Index, EarlierAnswers> earlier;
  std::vector<Matrix> covariances;  // by bias; empty without a goal
  Matrix squares;
};

}  // namespace

ShardedBelief::ShardedBelief(const PointsRef& pool, const std::vector<Observation>& observations,
                             SharedPool shared, const Make& make)
    : pool_(pool), shared_(std::move(shared)), shard_(shared_.own_part(pool.rows())) {
  shared_.job().together([&] {
    std::vector<Observation> known = observations;
    for (Observation& one : known) one.place = here(one.place);
    const WholePool whole{.rows = pool_.rows(), .first_point = pool_.row(0).transpose()};
    local_ = shard_.rows > 0 ? make(pool_.middleRows(shard_.first, shard_.rows), known, whole)
                             : make(pool_.topRows(1), known, whole);
  });
}

// Points of other ranks are known by their inputs, too.
Place ShardedBelief::here(const Place& place) const {
  const std::optional<Index> row = place.pool_row();
  if (!row) return place;
  if (shard_.contains(*row)) return shard_.local(*row);
  if (*row < 0 || *row >= shard_.whole)
    throw std::invalid_argument("ShardedBelief: pool row is " + std::to_string(*row) + ", must be below " +
                                std::to_string(shard_.whole));
  return Place::in_other_shard(*row, pool_.row(*row).transpose());
}

const Marginals& ShardedBelief::marginals() const {
  Joined joined(shard_.whole);
  const std::vector<std::string> parts = shared_.job().gather(
      [&] { return shard_.rows == 0 ? std::string() : to_bytes(local_->marginals(), false); });
  for (int rank = 0; rank < shared_.job().count(); ++rank) {
    const PoolShard part = shard_of(shard_.whole, rank, shared_.job().count());
    std::vector<Index> rows(static_cast<std::size_t>(part.rows));
    for (Index row = 0; row < part.rows; ++row) rows[static_cast<std::size_t>(row)] = part.global(row);
    if (!rows.empty()) joined.take(ByteReader(parts[static_cast<std::size_t>(rank)]), rows);
  }
  whole_ = {std::move(joined.mean), std::move(joined.variance), std::move(joined.errors)};
  whole_.earlier = std::move(joined.earlier);
  whole_.known_variance = local_->marginals().known_variance;
  return whole_;
}

Marginals ShardedBelief::marginals_at(std::span<const Index> rows) {
  // The places in `rows` that every rank answers for.
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(shared_.job().count()));
  std::vector<Index> mine;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places[static_cast<std::size_t>(owner_of(rows[i], shard_.whole, shared_.job().count()))].push_back(
        static_cast<Index>(i));
    if (shard_.contains(rows[i])) mine.push_back(shard_.local(rows[i]));
  }
  Joined joined(static_cast<Index>(rows.size()));
  const std::vector<std::string> parts = shared_.job().gather(
      [&] { return mine.empty() ? std::string() : to_bytes(local_->marginals_at(mine), true); });
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    if (!places[rank].empty()) joined.take(ByteReader(parts[rank]), places[rank]);
  Marginals result{std::move(joined.mean), std::move(joined.variance), std::move(joined.errors)};
  result.earlier = std::move(joined.earlier);
  result.known_variance = local_->marginals().known_variance;
  if (joined.covariances.empty()) return result;
  // What is known about the goal points themselves is the same on every rank.
  const std::vector<Index> any{0};
  const auto goal = local_->marginals_at(any).goal;
  result.goal = std::make_shared<GatheredGoalCovariances>(
      GoalBelief{goal->weights(), goal->mean(), goal->variance(), goal->noise()},
      std::move(joined.covariances), std::move(joined.squares));
  return result;
}

AnnotationHandle ShardedBelief::condition(const Place& place, const Channel& channel,
                                          std::optional<double> answer) {
  std::optional<AnnotationHandle> added;
  try {
    shared_.job().together([&] { added = local_->condition(here(place), channel, answer); });
  } catch (...) {
    if (added) local_->cancel(*added);
    throw;
  }
  return *added;
}

void ShardedBelief::answer(AnnotationHandle annotation, double value) {
  shared_.job().together([&] { local_->answer(annotation, value); });
}

void ShardedBelief::cancel(AnnotationHandle annotation) {
  shared_.job().together([&] { local_->cancel(annotation); });
}

void ShardedBelief::cancel_all(std::span<const AnnotationHandle> annotations) {
  shared_.job().together([&] { local_->cancel_all(annotations); });
}

void ShardedBelief::change_prior_mean(double mean) {
  shared_.job().together([&] { local_->change_prior_mean(mean); });
}

bool ShardedBelief::is_finite() {
  bool finite = true;
  for (const std::string& one :
       shared_.job().gather([&] { return std::string(local_->is_finite() ? "1" : "0"); }))
    finite = finite && one == "1";
  return finite;
}

}  // namespace acuity
