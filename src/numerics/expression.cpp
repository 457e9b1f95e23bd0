#include "numerics/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <mutex>
#include <numbers>
#include <utility>

#include "acuity/base/errors.hpp"

namespace acuity::numerics {

struct Expression::Parser {
  std::string text;
  std::vector<double> values;  // muParser reads variables through pointers into here
  mu::Parser parser;
  std::mutex busy;  // the parser uses internal buffers
};

namespace {

// A lone "=" assigns, which is never what a formula means.
bool assigns(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i == 0 || std::string("<>!").find(text[i - 1]) == std::string::npos) return true;
  }
  return false;
}

}  // namespace

Expression::Expression(const std::string& text, const std::vector<std::string>& variables)
    : parser_(std::make_unique<Parser>()) {
  parser_->text = text;
  parser_->values.resize(variables.size());
  std::vector<std::string> usable;
  // An input with the name of a constant replaces the constant.
  parser_->parser.ClearConst();
  for (const auto& [name, value] : {std::pair("_pi", std::numbers::pi), std::pair("_e", std::numbers::e)})
    if (std::find(variables.begin(), variables.end(), name) == variables.end())
      parser_->parser.DefineConst(name, value);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    try {
      parser_->parser.DefineVar(variables[k], &parser_->values[k]);
      usable.push_back(variables[k]);
    } catch (const mu::ParserError&) {
      // A column called "x-1" or "sin" cannot be used in an expression; an expression that uses it is refused
      // below.
    }
  }
  const std::string allowed = usable.empty() ? "numbers" : fmt::format("{}", fmt::join(usable, ", "));
  const std::string shown = fmt::format("expression \"{}\"", printable(text, 80));
  if (assigns(text)) throw InputError(shown + " assigns with \"=\", must compare with \"==\" or not at all");
  try {
    parser_->parser.SetExpr(text);
    parser_->parser.Eval();
    if (parser_->parser.GetNumResults() != 1) throw InputError(shown + " is a list, must be one formula");
  } catch (const mu::ParserError& error) {
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
      throw InputError(
          fmt::format("{} names \"{}\", must use {} only", shown, printable(error.GetToken(), 40), allowed));
    throw InputError(fmt::format("{} does not parse (near position {}), must be a formula in {}", shown,
                                 error.GetPos() + 1, allowed));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

const std::string& Expression::text() const {
  return parser_->text;
}

double Expression::operator()(const double* values) const {
  const std::lock_guard lock(parser_->busy);
  std::copy(values, values + parser_->values.size(), parser_->values.begin());
  return parser_->parser.Eval();
}

}  // namespace acuity::numerics
