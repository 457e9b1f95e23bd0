#include "command_line.hpp"

#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <stdexcept>

#include "acuity/base/errors.hpp"
#include "acuity/store/campaign_address.hpp"
#include "base/text.hpp"
#include "colour.hpp"
#include "store/postgres_session.hpp"

namespace acuity {

namespace {

template <typename Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

// The first that fits is used: a type precedes those it is derived from. Everything else is a bug.
struct ErrorCode {
  bool (*fits)(const std::exception&);
  ExitCode code;
};
constexpr ErrorCode error_codes[] = {
    {is<DifferentStudyError>, ExitCode::different_study},
    {is<DamagedError>, ExitCode::damaged},
    {is<OwnedError>, ExitCode::damaged},
    {is<UnreachableError>, ExitCode::internal_error},
    {is<StoreError>, ExitCode::input_error},
    {is<NumericalError>, ExitCode::input_error},
    {is<std::invalid_argument>, ExitCode::input_error},
    {is<std::filesystem::filesystem_error>, ExitCode::input_error},
};

ExitCode code_for(const std::exception& error) {
  for (const ErrorCode& known : error_codes)
    if (known.fits(error)) return known.code;
  return ExitCode::internal_error;
}

std::string sentence_for(const std::exception& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return file->path1().string() + ": " + file->code().message();
  if (is<std::bad_alloc>(error)) return "acuity: not enough memory for this problem";
  if (code_for(error) == ExitCode::internal_error && !is<UnreachableError>(error))
    return std::string("acuity: internal error: ") + error.what();
  return error.what();
}

// A password may be in a word that is out of place.
std::string without_passwords(std::string sentence, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string shown = DatabaseAddress::without_secrets(word);
    if (shown == word) continue;
    for (std::size_t at; (at = sentence.find(word)) != std::string::npos;)
      sentence.replace(at, word.size(), shown);
  }
  return sentence;
}

}  // namespace

void hide_passwords(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string shown = DatabaseAddress::without_secrets(argv[k]);
    const std::size_t length = std::strlen(argv[k]);
    if (shown == argv[k]) continue;
    for (std::size_t c = 0; c < length; ++c) argv[k][c] = c < shown.size() ? shown[c] : ' ';
  }
}

// Results appear whole or not at all: they are collected first, so bad input leaves standard output empty.
ExitCode run_command_line(Program& program, const std::vector<std::string>& words, std::ostream& out,
                          std::ostream& log) {
  std::ostringstream results;
  ExitCode code = ExitCode::done;
  try {
    const Program::Invocation invocation = program.parse(words);
    code = invocation.act(invocation.output == Output::at_once ? out : results, log);
  } catch (const std::exception& error) {
    log << coloured(one_line(without_passwords(sentence_for(error), words)), Colour::red, log) << '\n';
    return code_for(error);
  }
  out << results.view() << std::flush;
  if (!out) {
    log << "acuity: standard output cannot be written\n";
    return ExitCode::internal_error;
  }
  return code;
}

}  // namespace acuity
