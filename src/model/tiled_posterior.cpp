#include "model/tiled_posterior.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "acuity/base/interruption.hpp"
#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/noise_floor.hpp"

namespace acuity {

TiledPosterior::TiledPosterior(Prior prior, const PointsRef& pool, int threads, const PoolStorage& storage)
    : prior_(std::move(prior)),
      threads_(threads > 0 ? threads : base::default_threads()),
      tiles_(PoolTiles::make(prior_, pool, storage)) {
  now_.points.resize(0, pool.cols());
}

const Marginals& TiledPosterior::marginals() {
  for_each_tile(*tiles_, threads_, [this](Index tile) { tiles_->catch_up(tile, side()); });
  return tiles_->marginals();
}

Index TiledPosterior::jittered() const {
  return std::count(now_.jittered.begin(), now_.jittered.end(), 1);
}

FactorRow TiledPosterior::row(const Place& place, const Channel& channel,
                              std::optional<double> answer) const {
  if (answer && !std::isfinite(*answer))
    throw std::invalid_argument("GpPoolBelief: the answer is not finite, must be a finite number");
  FactorRow row{.x = {}, .pool_row = place.pool_row(), .noise = noise_variance(channel), .answer = answer};
  require_valid_noise(row.noise);
  if (row.pool_row) {
    const Index j = *row.pool_row, pool = tiles_->size();
    if (j < 0 || j >= pool)
      throw std::invalid_argument("GpPoolBelief: pool row is " + std::to_string(j) + ", must be below " +
                                  std::to_string(pool));
    row.x = tiles_->point(j);
  } else {
    const Index inputs = place.coordinates().size();
    if (inputs != now_.points.cols())
      throw std::invalid_argument("GpPoolBelief: the place has " + std::to_string(inputs) +
                                  " inputs, must have " + std::to_string(now_.points.cols()));
    row.x = prior_.scaling.apply(Points(place.coordinates().transpose()));
    if (place.row_elsewhere()) {
      row.pool_row = tiles_->guest(*place.row_elsewhere(), row.x);
      row.x = tiles_->point(*row.pool_row);
    }
  }
  return row;
}

void TiledPosterior::append(const FactorRow& row) {
  const Index first = first_pending(now_), before = size();
  push(now_, row, solve_by_tiles(row));
  tiles_->follow(side(), before);
  if (!row.answer || first == before) return;
  impute_all(now_, first);
  means_have_changed();
}

// The new rows are computed beside the old ones, because the kernel may throw; what follows calls no kernel.
namespace {

// Pool points that are all different, as many as a tile has columns; at least one row.
std::size_t end_of_block(const std::vector<FactorRow>& rows, std::size_t begin) {
  std::vector<Index> pool_rows;
  std::size_t end = begin;
  for (; end < rows.size() && static_cast<Index>(pool_rows.size()) < PoolTiles::width; ++end) {
    const std::optional<Index>& row = rows[end].pool_row;
    if (!row || std::find(pool_rows.begin(), pool_rows.end(), *row) != pool_rows.end()) break;
    pool_rows.push_back(*row);
  }
  return std::max(end, begin + 1);
}

}  // namespace

void TiledPosterior::replace_from(Index first, const std::vector<FactorRow>& rows) {
  replace_from(first, rows, nullptr);
}

void TiledPosterior::begin_with(const std::vector<FactorRow>& rows, const BeliefMemory* memory) {
  const bool fits = memory != nullptr && !rows.empty() && tiles_->error() == 0.0 &&
                    memory->of.pool == tiles_->size() && memory->of.inputs == rows.front().x.cols() &&
                    memory->of.prior == prior_key(prior_, *tiles_);
  replace_from(0, rows, fits ? memory : nullptr);
  if (!fits || memory->bounds == nullptr || recalled_ < memory->of.rows) return;
  tiles_->start_from(memory->bounds, recalled_);
  began_with_bounds_ = true;
}

namespace {

bool is_same_row(const FactorRow& row, const BeliefMemory& memory, Index i) {
  const double* x = memory.points + i * memory.of.inputs;
  return row.noise == memory.noise[i] && row.pool_row.value_or(-1) == memory.pool_rows[i] &&
         std::memcmp(row.x.data(), x, at(memory.of.inputs) * sizeof(double)) == 0;
}

}  // namespace

// How many of the rows were there, in this order.
std::size_t TiledPosterior::recall(Factored& factored, const std::vector<FactorRow>& rows,
                                   const BeliefMemory& memory) const {
  const Index most = std::min<Index>(memory.of.rows, static_cast<Index>(rows.size()));
  Index i = 0;
  for (; i < most && is_same_row(rows[at(i)], memory, i); ++i) {
    const double* row = memory.factor + i * (i + 1) / 2;
    push(factored, rows[at(i)],
         {.l = Eigen::Map<const Vector>(row, i), .diagonal = row[i], .jittered = memory.jittered[i] != 0});
  }
  return at(i);
}

BeliefMemory TiledPosterior::memory() const {
  struct Numbers {
    std::vector<double> points, noise;
    std::vector<std::int64_t> pool_rows;
  };
  const auto numbers = std::make_shared<Numbers>();
  for (const FactorRow& row : now_.rows) {
    numbers->points.insert(numbers->points.end(), row.x.data(), row.x.data() + row.x.size());
    numbers->noise.push_back(row.noise);
    numbers->pool_rows.push_back(row.pool_row.value_or(-1));
  }
  BeliefMemory memory;
  memory.owner = numbers;
  memory.of = {.prior = prior_key(prior_, *tiles_),
               .rows = size(),
               .inputs = now_.points.cols(),
               .pool = tiles_->size()};
  memory.points = numbers->points.data();
  memory.noise = numbers->noise.data();
  memory.pool_rows = numbers->pool_rows.data();
  memory.jittered = now_.jittered.data();
  memory.factor = now_.factor.packed();
  return memory;
}

void TiledPosterior::replace_from(Index first, const std::vector<FactorRow>& rows,
                                  const BeliefMemory* memory) {
  Factored next;
  if (!rows.empty()) next = first_rows(first);
  std::size_t begin = memory != nullptr ? recall(next, rows, *memory) : 0;
  recalled_ = static_cast<Index>(begin);
  while (begin < rows.size()) {
    const std::size_t end = tiles_->error() == 0.0 ? end_of_block(rows, begin) : begin + 1;
    if (end == begin + 1)
      push(next, rows[begin], solve(next, rows[begin]));
    else
      push_block(next, std::span(rows).subspan(begin, end - begin));
    begin = end;
  }
  impute_all(next);

  const Uninterrupted commit;
  if (first < size()) cuts_.push_back(first);
  finite_rows_ = std::min(finite_rows_, first);
  if (rows.empty()) {
    now_.factor.cut(first);
    now_.rows.resize(at(first));
    now_.jittered.resize(at(first));
    now_.z.conservativeResize(first);
    impute_all(now_);
  } else {
    now_ = std::move(next);
  }
  for_each_tile(*tiles_, threads_, [&](Index tile) { tiles_->cut(tile, side(), first); });
  means_have_changed();
  tiles_->follow(side(), first);
}

// Several rows at once: what the rows before them contribute is computed together, which is several times as
// fast, and gives the same bits.
void TiledPosterior::push_block(Factored& factored, std::span<const FactorRow> rows) const {
  std::vector<Index> pool_rows;
  for (const FactorRow& row : rows) pool_rows.push_back(*row.pool_row);
  const std::unique_ptr<PoolTiles::GrowingColumns> columns = tiles_->growing_columns(pool_rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    columns->extend(factored.side(z_version_));
    const auto column = static_cast<Index>(k);
    const double prior_variance = prior_.kernel->diagonal(rows[k].x)(0);
    push(factored, rows[k],
         new_row(rows[k], columns->variance(column), prior_variance, columns->column(column)));
  }
}

void TiledPosterior::answer(Index row, std::optional<double> value) {
  const Index first = std::min(row, first_pending(now_));
  now_.rows[at(row)].answer = value;
  impute_all(now_, first);
  means_have_changed();
}

void TiledPosterior::change_prior_mean(double mean) {
  prior_.mean = mean;
  tiles_->change_prior_mean(mean);
  impute_all(now_);
  means_have_changed();
}

// Tiles fold their means again when they catch up.
void TiledPosterior::means_have_changed() {
  solved_ = {};
  ++z_version_;
}

// math.md eq. (2.3). If the tile of a pool point is up to date, l and s are in it; the other tiles may lag.
TiledPosterior::NewRow TiledPosterior::solve_by_tiles(const FactorRow& row) const {
  const Index n = size();
  if (!row.pool_row || tiles_->error() > 0.0) return solve(now_, row);
  const double prior_variance = prior_.kernel->diagonal(row.x)(0);
  Vector l(n);
  if (!tiles_->is_guest(*row.pool_row) && is_current(*row.pool_row / PoolTiles::width) &&
      tiles_->column(*row.pool_row, l.data(), n))
    return new_row(row, tiles_->marginals().variance(*row.pool_row), prior_variance, std::move(l));
  const auto known = [&] { return std::find(solved_.rows.begin(), solved_.rows.end(), *row.pool_row); };
  if (solved_.v.rows() != n || known() == solved_.rows.end()) exact_at(std::span(&*row.pool_row, 1));
  const Index k = known() - solved_.rows.begin();
  return new_row(row, solved_.marginals.variance(k), prior_variance, solved_.v.col(k));
}

// The same bits from the factor alone.
TiledPosterior::NewRow TiledPosterior::solve(const Factored& before, const FactorRow& row) const {
  const double prior_variance = prior_.kernel->diagonal(row.x)(0);
  if (row.pool_row && tiles_->error() == 0.0) {
    const PoolTiles::Columns column =
        tiles_->columns_of(std::span(&*row.pool_row, 1), before.side(z_version_));
    return new_row(row, column.marginals.variance(0), prior_variance, column.v.col(0));
  }
  Vector l = prior_.kernel->cross(before.points.topRows(before.size()), row.x);
  before.factor.solve(l.data());
  const double variance = prior_variance - l.squaredNorm();
  return new_row(row, variance, prior_variance, std::move(l));
}

TiledPosterior::NewRow TiledPosterior::new_row(const FactorRow& row, double variance, double prior_variance,
                                               Vector l) const {
  const Pivot p = pivot(variance, row.noise, prior_variance);
  return {.l = std::move(l), .diagonal = std::sqrt(p.squared), .jittered = p.jittered};
}

void TiledPosterior::push(Factored& factored, const FactorRow& row, const NewRow& entries) const {
  const Index n = factored.size();
  const double z = z_entry(factored.z, entries.l, entries.diagonal, row.answer);
  if (n == factored.points.rows())
    factored.points.conservativeResize(std::max<Index>(16, 2 * n), Eigen::NoChange);
  factored.points.row(n) = row.x;
  factored.rows.push_back(row);
  factored.jittered.push_back(entries.jittered ? 1 : 0);
  factored.factor.append(entries.l.data(), entries.diagonal);
  factored.z.conservativeResize(n + 1);
  factored.z(n) = z;
}

TiledPosterior::Factored TiledPosterior::first_rows(Index count) const {
  Factored first{.rows = {now_.rows.begin(), now_.rows.begin() + count},
                 .jittered = {now_.jittered.begin(), now_.jittered.begin() + count},
                 .points = now_.points.topRows(count),
                 .factor = {},
                 .z = now_.z.head(count)};
  for (Index i = 0; i < count; ++i) first.factor.append(now_.factor.row(i), now_.factor.row(i)[i]);
  return first;
}

Index TiledPosterior::unchanged_since(Index removals) const {
  const auto shortest = std::min_element(cuts_.begin() + removals, cuts_.end());
  return shortest == cuts_.end() ? size() : *shortest;
}

// With finite distances every covariance is a number, and a mean is a product of a row whose norm is that of
// the prior at most (math.md 2.4) and z. Nothing is known about a user's kernel.
bool TiledPosterior::surely_finite() const {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(prior_.kernel.get());
  if (kernel == nullptr || tiles_->size() == 0) return false;
  Vector lowest = tiles_->lowest(), highest = tiles_->highest();
  if (size() > 0) {
    lowest = lowest.cwiseMin(now_.points.topRows(size()).colwise().minCoeff().transpose());
    highest = highest.cwiseMax(now_.points.topRows(size()).colwise().maxCoeff().transpose());
  }
  constexpr double far = 1e15;  // its square is a float, too
  const Vector extent = (highest - lowest).cwiseProduct(kernel->inverse_lengthscales(now_.points.cols()));
  if (!(extent.norm() < far)) return false;
  for (; finite_rows_ < size(); ++finite_rows_)
    if (!Eigen::Map<const Vector>(now_.factor.row(finite_rows_), finite_rows_ + 1).allFinite()) return false;
  const double largest = std::abs(prior_.mean) + kernel->options().amplitude * now_.z.head(size()).norm();
  return std::isfinite(2.0 * largest) && lagging().mean.allFinite() && lagging().variance.allFinite();
}

Marginals TiledPosterior::exact_at(std::span<const Index> pool_rows) const {
  const Index n = size(), count = static_cast<Index>(pool_rows.size());
  Marginals marginals{Vector(count), Vector(count)};
  if (tiles_->error() > 0.0) {
    for (Index k = 0; k < count; ++k) {
      const Points x = tiles_->point(pool_rows[at(k)]);
      Vector v = prior_.kernel->cross(now_.points.topRows(n), x);
      now_.factor.solve(v.data());
      marginals.mean(k) = prior_.mean + v.dot(now_.z);
      marginals.variance(k) = std::max(prior_.kernel->diagonal(x)(0) - v.squaredNorm(), 0.0);
    }
    return marginals;
  }
  if (solved_.v.rows() == n && count <= PoolTiles::width) {
    Index k = 0;
    for (; k < count; ++k) {
      const auto found = std::find(solved_.rows.begin(), solved_.rows.end(), pool_rows[at(k)]);
      if (found == solved_.rows.end()) break;
      marginals.mean(k) = solved_.marginals.mean(found - solved_.rows.begin());
      marginals.variance(k) = solved_.marginals.variance(found - solved_.rows.begin());
    }
    if (k == count) return marginals;
  }
  for (Index begin = 0; begin < count; begin += PoolTiles::width) {
    const Index some = std::min(PoolTiles::width, count - begin);
    solved_ = tiles_->columns_of(pool_rows.subspan(at(begin), at(some)), side());
    marginals.mean.segment(begin, some) = solved_.marginals.mean;
    marginals.variance.segment(begin, some) = solved_.marginals.variance;
  }
  return marginals;
}

// The last line of math.md eq. (2.3). A pending answer after all known ones is imputed by its expectation.
double TiledPosterior::z_entry(const Vector& z, const Vector& l, double diagonal,
                               const std::optional<double>& answer) const {
  if (!answer) return 0.0;
  double mean = prior_.mean;
  mean += l.dot(z.head(l.size()));
  return (*answer - mean) / diagonal;
}

// The number of rows if none is pending.
Index TiledPosterior::first_pending(const Factored& factored) {
  const auto found = std::find_if(factored.rows.begin(), factored.rows.end(),
                                  [](const FactorRow& row) { return !row.answer; });
  return found - factored.rows.begin();
}

// z from the answers there are. If no answer follows a pending row, this gives the bits that appending gave.
// The entries before `from` are what they have to be: imputing changes none before the first pending row.
void TiledPosterior::impute_all(Factored& factored, Index from) const {
  const Index n = factored.size();
  Index last_answered = n - 1;
  while (last_answered >= 0 && !factored.rows[at(last_answered)].answer) --last_answered;
  std::vector<Index> pending;  // those before it
  for (Index i = 0; i < last_answered; ++i)
    if (!factored.rows[at(i)].answer) pending.push_back(i);
  for (Index i = from; i < n; ++i) {
    const Vector l = Eigen::Map<const Vector>(factored.factor.row(i), i);
    factored.z(i) = z_entry(factored.z, l, factored.factor.row(i)[i], factored.rows[at(i)].answer);
  }
  if (!pending.empty()) impute(factored, last_answered, pending);
}

// So far a pending answer is imputed by its expectation given the answers before it; here by that given all
// known ones, so that means are those of the known answers alone (math.md 7): the change of the imputed
// answers that makes |z| least. By QR, which unlike the normal equations does not square the condition
// number.
void TiledPosterior::impute(Factored& factored, Index last_answered,
                            const std::vector<Index>& pending) const {
  const Index first = pending.front(), n = last_answered + 1 - first;
  Matrix w(n, static_cast<Index>(pending.size()));  // L^-1 of the pending unit vectors, which begins with 0
  for (Index k = 0; k < w.cols(); ++k) {
    Vector unit = Vector::Unit(factored.size(), pending[at(k)]);
    factored.factor.solve(unit.data(), pending[at(k)]);
    w.col(k) = unit.segment(first, n);
  }
  const Vector change = w.householderQr().solve(-factored.z.segment(first, n));
  factored.z.segment(first, n) += w * change;
}

}  // namespace acuity
