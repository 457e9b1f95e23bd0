#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace acuity {

/// Something a person wrote (a study, a table, an option) is not usable. The message is one sentence that
/// says where, what was found and what is required.
class InputError : public std::invalid_argument {
 public:
  explicit InputError(const std::string& sentence);
};

/// The mathematics could not be carried out, although the input was well formed.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A log of events cannot be read or written, or is damaged. The message is one sentence.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The log is not what was written. Nothing was written to it.
class DamagedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// The study or the pool is not the one a campaign was made with.
class DifferentStudyError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Somebody else runs the campaign.
class OwnedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Throws std::invalid_argument "where: name is value, must be requirement" unless `holds`.
void require(bool holds, std::string_view where, std::string_view name, double value,
             std::string_view requirement);

/// Text from data as it may stand in a message: on one line, control characters as escapes such as \x1b, not
/// longer than it helps.
std::string printable(std::string_view text, std::size_t longest);

/// A number as people write it: the shortest text that reads back as the same double; `inf` for infinity.
std::string shortest(double value);

}  // namespace acuity
