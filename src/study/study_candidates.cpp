#include <algorithm>
#include <limits>

#include "acuity/study/study.hpp"

namespace acuity {

namespace {

// Finds annotations given by their inputs for pool rows with equal inputs; -0 equals 0.
class PlacesByInputs {
 public:
  PlacesByInputs(const std::vector<Annotation>& annotations, Index inputs) : inputs_(inputs) {
    for (const Annotation& annotation : annotations)
      if (!annotation.place.pool_row()) annotations_.push_back(&annotation);
    std::sort(annotations_.begin(), annotations_.end(),
              [](const Annotation* a, const Annotation* b) { return first(a) < first(b); });
  }

  bool empty() const { return annotations_.empty(); }

  // Calls visit(annotation) for the annotations at x.
  template <typename Visit>
  void at(const double* x, const Visit& visit) const {
    auto found = std::lower_bound(annotations_.begin(), annotations_.end(), x[0],
                                  [](const Annotation* a, double value) { return first(a) < value; });
    for (; found != annotations_.end() && first(*found) == x[0]; ++found)
      if (std::equal(x, x + inputs_, (*found)->place.coordinates().data())) visit(**found);
  }

 private:
  static double first(const Annotation* annotation) { return annotation->place.coordinates()(0); }

  Index inputs_;
  std::vector<const Annotation*> annotations_;  // by their first input
};

}  // namespace

Candidates Study::candidates_after(const std::vector<Annotation>& annotations,
                                   std::optional<double> remaining) const {
  const double budget = file_.budget.value_or(std::numeric_limits<double>::infinity());
  Candidates candidates(offer_, {.budget = budget,
                                 .repeat_points = file_.repeat || file_.closes_pairs,
                                 .step = annotations.size(),
                                 .most_per_level = file_.closes_pairs ? 1 : file_.people.max_per_item,
                                 .held = shared_.own_part(pool_.size())});
  double spent = 0.0;
  for (const Annotation& annotation : annotations) spent += annotation.cost;
  candidates.set_money(remaining.value_or(budget - spent), budget);
  for (const Annotation& annotation : annotations)
    if (const std::optional<Index> row = annotation.place.pool_row())
      candidates.close_bought(*row, annotation.level);
  const PlacesByInputs places(annotations, pool_.points().cols());
  for (Index row = 0; !places.empty() && row < pool_.size(); ++row)
    places.at(pool_.point(row),
              [&](const Annotation& annotation) { candidates.close_bought(row, annotation.level); });
  return candidates;
}

}  // namespace acuity
