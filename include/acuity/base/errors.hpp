#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// User input (a study, a table, an option) is invalid. The message is one sentence that says where, what was
/// found and what is required.
class InputError : public std::invalid_argument {
 public:
  explicit InputError(const std::string& sentence);
};

/// A computation failed although the input is valid.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An event log cannot be read or written, or is damaged. The message is one sentence.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The event log is damaged: its contents differ from what was written. Nothing was changed in it.
class DamagedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// The study or the pool differs from the one that the campaign was created with.
class DifferentStudyError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Another process runs the campaign.
class OwnedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Throws std::invalid_argument "where: name is value, must be requirement" unless `holds`.
void require(bool holds, std::string_view where, std::string_view name, double value,
             std::string_view requirement);

/// Makes text from data safe for a message: one line, control characters escaped as in \x1b, shortened if
/// long.
std::string printable(std::string_view text, std::size_t longest);

/// The shortest text that reads back as the same double; `inf` for infinity.
std::string shortest(double value);

}  // namespace acuity ACUITY_PUBLIC
