#pragma once

#include <memory>
#include <string>
#include <vector>

namespace acuity::numerics {

/// A user's formula in named variables. Parsed once, evaluated often; concurrent evaluations wait for each
/// other.
class Expression {
 public:
  /// Throws InputError with a sentence about the expression; the caller adds the file and the key.
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
