#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>

#include "acuity/campaign/campaign_address.hpp"
#include "acuity/numerics/errors.hpp"
#include "colour.hpp"
#include "commands.hpp"
#include "data/mapped_file.hpp"
#include "detached_program.hpp"
#include "numerics/text.hpp"
#include "program.hpp"

namespace acuity {

namespace {

void add_commands(Program& program) {
#define ACUITY_GROUP(heading) program.begin_group(heading);
#define ACUITY_COMMAND(name) add_##name(program);
#include "commands.inc"
#undef ACUITY_COMMAND
#undef ACUITY_GROUP
}

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
  if (code_for(error) == ExitCode::internal_error)
    return std::string("acuity: internal error: ") + error.what();
  return error.what();
}

// Other users can see the words of a command line, as long as the process runs.
void hide_password(char* word) {
  const std::string shown = DatabaseAddress::without_secrets(word);
  const std::size_t length = std::strlen(word);
  if (shown == word) return;
  for (std::size_t k = 0; k < length; ++k) word[k] = k < shown.size() ? shown[k] : ' ';
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

// Results appear whole or not at all: they are collected first, so bad input leaves standard output empty.
ExitCode run(const std::vector<std::string>& words) {
  std::ostringstream results;
  ExitCode code = ExitCode::done;
  try {
    Program program;
    add_commands(program);
    const Program::Invocation invocation = program.parse(words);
    code = invocation.act(invocation.output == Output::at_once ? std::cout : results, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << coloured(one_line(without_passwords(sentence_for(error), words)), Colour::red, std::cerr)
              << '\n';
    return code_for(error);
  }
  std::cout << results.view() << std::flush;
  if (!std::cout) {
    std::cerr << "acuity: standard output cannot be written\n";
    return ExitCode::internal_error;
  }
  return code;
}

}  // namespace

}  // namespace acuity

int main(int argc, char** argv) {
  acuity::exit_if_a_mapped_file_shrinks();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  acuity::remember_command_line(std::vector<std::string>(argv, argv + argc));
  for (int k = 1; k < argc; ++k) acuity::hide_password(argv[k]);
  return static_cast<int>(acuity::run(words));
}
