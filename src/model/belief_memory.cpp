#include "model/belief_memory.hpp"

#include <algorithm>
#include <typeinfo>

#include "base/checksum.hpp"
#include "data/as_size.hpp"
#include "data/cache_file.hpp"
#include "model/pool_tiles.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

enum MemoryPart : std::size_t {
  sizes_part,
  points_part,
  noise_part,
  rows_part,
  jitter_part,
  factor_part,
  bounds_part
};

thread_local std::shared_ptr<const BeliefMemory> remembered_here;

}  // namespace

RememberedBelief::RememberedBelief(std::shared_ptr<const BeliefMemory> memory)
    : before_(std::move(remembered_here)) {
  remembered_here = std::move(memory);
}

RememberedBelief::~RememberedBelief() {
  remembered_here = std::move(before_);
}

const BeliefMemory* RememberedBelief::current() {
  return remembered_here.get();
}

std::uint64_t prior_key(const Prior& prior, const PoolTiles& tiles) {
  constexpr Index most = 64;
  const Index count = std::min(most, tiles.size());
  Points some(count, count > 0 ? tiles.point(0).cols() : 0);
  for (Index i = 0; i < count; ++i) some.row(i) = tiles.point(i * tiles.size() / count);
  const Matrix covariance = prior.kernel->cross(some, some);
  const Vector parameters = prior.kernel->log_parameters();
  const Kernel& kernel = *prior.kernel;
  base::Checksum sum;
  for (Index row = 0; row < tiles.size(); ++row) {
    const Points x = tiles.point(row);
    sum.take(bytes_of(x.data(), at(x.size())));
  }
  sum.take(typeid(kernel).name());
  sum.take(numerics::kernels().instruction_set);
  sum.take(bytes_of(parameters.data(), at(parameters.size())));
  sum.take(bytes_of(covariance.data(), at(covariance.size())));
  return sum.value();
}

std::vector<std::string_view> parts_of(const BeliefMemory& memory) {
  const auto rows = at(memory.of.rows);
  return {bytes_of(&memory.of, 1),
          bytes_of(memory.points, rows * at(memory.of.inputs)),
          bytes_of(memory.noise, rows),
          bytes_of(memory.pool_rows, rows),
          bytes_of(memory.jittered, rows),
          bytes_of(memory.factor, rows * (rows + 1) / 2),
          bytes_of(memory.bounds, memory.bounds == nullptr ? 0 : at(memory.of.pool))};
}

std::shared_ptr<const BeliefMemory> memory_in(const std::vector<std::string_view>& parts,
                                              std::shared_ptr<const void> owner) {
  if (parts.size() != bounds_part + 1 || parts[sizes_part].size() != sizeof(BeliefMemory::Sizes))
    return nullptr;
  auto memory = std::make_shared<BeliefMemory>();
  memory->owner = std::move(owner);
  memory->of = *numbers_in<BeliefMemory::Sizes>(parts[sizes_part]);
  memory->points = numbers_in<double>(parts[points_part]);
  memory->noise = numbers_in<double>(parts[noise_part]);
  memory->pool_rows = numbers_in<std::int64_t>(parts[rows_part]);
  memory->jittered = parts[jitter_part].data();
  memory->factor = numbers_in<double>(parts[factor_part]);
  if (!parts[bounds_part].empty()) memory->bounds = numbers_in<double>(parts[bounds_part]);
  // What was stored is what was written, so that a size that does not fit is another format.
  const std::vector<std::string_view> expected = parts_of(*memory);
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].size() != expected[k].size()) return nullptr;
  return memory;
}

}  // namespace acuity
