#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// The processes that share a pool among them, such as those of an MPI job, seen from one of them. All call
/// the same functions in the same order; a call returns when every rank has made it, and what it returns is
/// the same on every rank, bit for bit. A rank that throws between two calls would leave the others waiting:
/// work that may throw belongs into gather_from_all() or on_all_ranks().
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;   ///< 0, 1, ..., count() - 1
  virtual int count() const = 0;  ///< 1 or more

  /// The bytes of every rank, in the order of ranks. They may be of different lengths.
  virtual std::vector<std::string> gather(std::string_view mine) = 0;
  /// The bytes of rank `from`, which is the same on every rank; those of other ranks are ignored.
  virtual std::string broadcast(std::string_view mine, int from) = 0;
  /// The highest of all ranks' numbers, none of which is not a number.
  virtual double highest(double mine);
};

/// The only rank there is.
Ranks& one_rank();

/// Calls work() on every rank and returns what each of them returned, in the order of ranks. If it throws on
/// some ranks, every rank throws the exception of the lowest of these: itself on that rank, and one of the
/// same kind (InputError, NumericalError, ...) with the same message on the others.
std::vector<std::string> gather_from_all(Ranks& ranks, const std::function<std::string()>& work);

/// The same for work without a result.
void on_all_ranks(Ranks& ranks, const std::function<void()>& work);

}  // namespace acuity ACUITY_PUBLIC
