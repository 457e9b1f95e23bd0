#include "model/panel_rows.hpp"

#include <algorithm>

namespace acuity {

void PanelRows::add(const Matrix& lower, Index first_length) {
  constexpr Index together = numerics::panel_rows;
  for (Index begin = 0; begin < lower.rows(); begin += together) {
    const Index count = std::min(together, lower.rows() - begin), length = first_length + begin + count - 1;
    lengths_.push_back(length);
    const std::size_t at = values_.size();
    values_.resize(at + static_cast<std::size_t>(length * together), 0.0);
    double* panel = values_.data() + at;
    for (Index r = 0; r < count; ++r)
      for (Index p = 0; p < first_length + begin + r; ++p) panel[p * together + r] = lower(begin + r, p);
  }
}

numerics::Panels PanelRows::panels() const {
  return {values_.data(), lengths_.data(), static_cast<std::ptrdiff_t>(lengths_.size())};
}

}  // namespace acuity
