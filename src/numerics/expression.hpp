#pragma once

#include <memory>
#include <string>
#include <vector>

namespace acuity::numerics {

/// A formula in named variables, written by a user. Parsed once, evaluated often; threads take turns.
class Expression {
 public:
  /// Throws InputError with a sentence about the expression (no file, no key: the caller knows those).
  Expression(const std::string& text, const std::vector<std::string>& variables);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// values: one per variable, in the order given.
  double operator()(const double* values) const;

  const std::string& text() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace acuity::numerics
