#include "acuity/base/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

class OneRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  std::vector<std::string> gather(std::string_view mine) override { return {std::string(mine)}; }
  std::string broadcast(std::string_view mine, int) override { return std::string(mine); }
  double highest(double mine) override { return mine; }
};

// What a rank's work came to: the first byte of its message.
enum class WorkStatus : char {
  done,
  input_error,
  invalid_argument,
  numerical_error,
  damaged_error,
  different_study_error,
  owned_error,
  store_error,
  out_of_memory,
  other_error
};

WorkStatus status_of(const std::exception& error) {
  const auto is = [&]<typename Kind>(const Kind*) { return dynamic_cast<const Kind*>(&error) != nullptr; };
  if (is(static_cast<const InputError*>(nullptr))) return WorkStatus::input_error;
  if (is(static_cast<const std::invalid_argument*>(nullptr))) return WorkStatus::invalid_argument;
  if (is(static_cast<const NumericalError*>(nullptr))) return WorkStatus::numerical_error;
  if (is(static_cast<const DamagedError*>(nullptr))) return WorkStatus::damaged_error;
  if (is(static_cast<const DifferentStudyError*>(nullptr))) return WorkStatus::different_study_error;
  if (is(static_cast<const OwnedError*>(nullptr))) return WorkStatus::owned_error;
  if (is(static_cast<const StoreError*>(nullptr))) return WorkStatus::store_error;
  if (is(static_cast<const std::bad_alloc*>(nullptr))) return WorkStatus::out_of_memory;
  return WorkStatus::other_error;
}

[[noreturn]] void throw_as(WorkStatus status, const std::string& sentence) {
  switch (status) {
    case WorkStatus::input_error:
      throw InputError(sentence);
    case WorkStatus::invalid_argument:
      throw std::invalid_argument(sentence);
    case WorkStatus::numerical_error:
      throw NumericalError(sentence);
    case WorkStatus::damaged_error:
      throw DamagedError(sentence);
    case WorkStatus::different_study_error:
      throw DifferentStudyError(sentence);
    case WorkStatus::owned_error:
      throw OwnedError(sentence);
    case WorkStatus::store_error:
      throw StoreError(sentence);
    case WorkStatus::out_of_memory:
      throw std::bad_alloc();
    case WorkStatus::done:
    case WorkStatus::other_error:
      break;
  }
  throw std::runtime_error(sentence);
}

}  // namespace

double Ranks::highest(double mine) {
  double result = mine;
  for (const std::string& bytes : gather({reinterpret_cast<const char*>(&mine), sizeof mine})) {
    double other = 0.0;
    std::memcpy(&other, bytes.data(), sizeof other);
    result = std::max(result, other);
  }
  return result;
}

Ranks& one_rank() {
  static OneRank only;
  return only;
}

std::vector<std::string> gather_from_all(Ranks& ranks, const std::function<std::string()>& work) {
  if (ranks.count() == 1) return {work()};
  std::string message(1, static_cast<char>(WorkStatus::done));
  std::exception_ptr own_error;
  try {
    message += work();
  } catch (const std::exception& error) {
    own_error = std::current_exception();
    message = static_cast<char>(status_of(error)) + std::string(error.what());
  } catch (...) {
    own_error = std::current_exception();
    message = static_cast<char>(WorkStatus::other_error) + std::string("unknown error");
  }
  std::vector<std::string> results = ranks.gather(message);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto status = static_cast<WorkStatus>(results[k].front());
    results[k].erase(0, 1);
    if (status == WorkStatus::done) continue;
    if (own_error && static_cast<int>(k) == ranks.rank()) std::rethrow_exception(own_error);
    throw_as(status, results[k]);
  }
  return results;
}

void on_all_ranks(Ranks& ranks, const std::function<void()>& work) {
  gather_from_all(ranks, [&] {
    work();
    return std::string();
  });
}

}  // namespace acuity
