#include "model/pool_success.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/parallel.hpp"

namespace acuity {

PoolSuccess::PoolSuccess(std::shared_ptr<RunBelief> belief, Points points, int threads)
    : belief_(std::move(belief)),
      points_(std::move(points)),
      threads_(threads > 0 ? threads : base::default_threads()) {
  const Points& runs = belief_->runs().places;
  std::set<double> levels;
  for (Index i = 0; i < runs.rows(); ++i) levels.insert(runs(i, runs.cols() - 1));
  for (const double level : levels) views_.push_back({.level = level, .latent = {}, .reach = {}});
  views_.push_back({.level = any_other_level, .latent = {}, .reach = {}});
  const Index size = points_.rows();
  for (View& view : views_) {
    view.latent = {Vector(size), Vector(size)};
    view.reach.resize(size, 0);
    for_each_chunk([&](Index begin, Index count) {
      const Marginals part = belief_->latent(places(view.level, begin, count));
      view.latent.mean.segment(begin, count) = part.mean;
      view.latent.variance.segment(begin, count) = part.variance;
    });
  }
}

template <typename Task>
void PoolSuccess::for_each_chunk(const Task& task) const {
  constexpr Index size = 512;
  const Index points = points_.rows();
  base::parallel_for((points + size - 1) / size, threads_,
                     [&](Index chunk) { task(chunk * size, std::min(size, points - chunk * size)); });
}

Points PoolSuccess::places(double level, Index begin, Index count) const {
  Points all(count, points_.cols() + 1);
  all.leftCols(points_.cols()) = points_.middleRows(begin, count);
  all.rightCols(1).setConstant(level);
  return all;
}

// A level that has no run yet is like any other, until it has one.
PoolSuccess::View& PoolSuccess::view_of(double level) {
  const auto found =
      std::find_if(views_.begin(), views_.end(), [&](const View& view) { return view.level == level; });
  if (found != views_.end()) return *found;
  View own = views_.back();
  own.level = level;
  return *views_.insert(views_.end() - 1, std::move(own));
}

void PoolSuccess::expect(const Vector& place) {
  view_of(place(place.size() - 1));
  belief_->expect(place);
  const Index t = belief_->expected() - 1;
  for (View& view : views_) {
    Matrix reach(points_.rows(), t + 1);
    reach.leftCols(t) = view.reach;
    for_each_chunk([&](Index begin, Index count) {
      Matrix part = reach.block(begin, 0, count, t);
      Vector variance = view.latent.variance.segment(begin, count);
      belief_->take_begun(t, places(view.level, begin, count), part, variance);
      reach.block(begin, t, count, 1) = part.col(t);
      view.latent.variance.segment(begin, count) = variance;
    });
    view.reach = std::move(reach);
  }
}

Vector PoolSuccess::probability(Index level) const {
  const auto found = std::find_if(views_.begin(), views_.end(),
                                  [&](const View& view) { return view.level == static_cast<double>(level); });
  return belief_->probability(found != views_.end() ? found->latent : views_.back().latent);
}

}  // namespace acuity
