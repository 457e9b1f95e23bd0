#include <algorithm>
#include <cmath>

#include "acuity/study/study.hpp"

namespace acuity {

namespace {

// Annotations by their inputs, for pool rows that may be the same point whatever their id: -0 equals 0.
class PlacesByInputs {
 public:
  PlacesByInputs(const std::vector<Annotation>& annotations, Index inputs) : inputs_(inputs) {
    for (const Annotation& annotation : annotations)
      if (!annotation.place.pool_row()) annotations_.push_back(&annotation);
    std::sort(annotations_.begin(), annotations_.end(),
              [](const Annotation* a, const Annotation* b) { return first(a) < first(b); });
  }

  bool empty() const { return annotations_.empty(); }

  // Calls visit(annotation) for those that were made at x.
  template <typename Visit>
  void at(const double* x, const Visit& visit) const {
    auto candidate = std::lower_bound(annotations_.begin(), annotations_.end(), x[0],
                                      [](const Annotation* a, double value) { return first(a) < value; });
    for (; candidate != annotations_.end() && first(*candidate) == x[0]; ++candidate)
      if (std::equal(x, x + inputs_, (*candidate)->place.coordinates().data())) visit(**candidate);
  }

 private:
  static double first(const Annotation* annotation) { return annotation->place.coordinates()(0); }

  Index inputs_;
  std::vector<const Annotation*> annotations_;  // by their first input
};

}  // namespace

Candidates Study::candidates_after(const std::vector<Annotation>& annotations,
                                   std::optional<double> remaining) const {
  Candidates candidates;
  candidates.step = annotations.size();
  double spent = 0.0;
  for (const Annotation& annotation : annotations) spent += annotation.cost;
  candidates.remaining = remaining.value_or(file_.budget.value_or(candidates.remaining) - spent);
  candidates.slack =
      1e-9 * file_.budget.value_or(std::isfinite(candidates.remaining) ? candidates.remaining : 0.0);

  candidates.open.assign(static_cast<std::size_t>(pool_.size()), 1);
  const auto close = [&](Index row, const Annotation& annotation) {
    if (!file_.repeat) candidates.open[static_cast<std::size_t>(row)] = 0;
    const bool sold =
        annotation.level && offer_.levels[static_cast<std::size_t>(*annotation.level)].repeats_itself;
    if (sold) candidates.sold.emplace(row, *annotation.level);
  };
  for (const Annotation& annotation : annotations)
    if (const std::optional<Index> row = annotation.place.pool_row()) close(*row, annotation);
  const PlacesByInputs places(annotations, pool_.points().cols());
  for (Index row = 0; !places.empty() && row < pool_.size(); ++row)
    places.at(pool_.point(row), [&](const Annotation& annotation) { close(row, annotation); });
  return candidates;
}

}  // namespace acuity
