#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/study/study_file.hpp"
#include "annotation/request.hpp"

namespace acuity {

/// The study's shell command, with {tokens} for numbers and ids.
///
/// A token is a brace, a name, a brace, with no `$` and no backslash before it: `{x}`, `{id}`. A name is the
/// name of an input or value, with any characters, or looks like an identifier; anything else is not a token,
/// so that `${HOME}`, `{a,b}`, `{}` and awk '{print $1}' are left unchanged. An unknown name that looks like
/// an identifier is an error: write `{ print}` for `{print}`. Text is inserted into the command only if it is
/// the name of a category or the cell of a text column of the pool, all of whose values are plain words, so
/// nothing needs quoting.
class CommandTemplate {
 public:
  /// A relative path of a program starts at `study_folder`. Throws InputError for tokens that are unknown or
  /// stand for text, and for inputs that have the same name in the environment.
  CommandTemplate(const StudyFile& study, const Pool& pool, const std::filesystem::path& study_folder);
  /// For a pool that has nothing but these inputs.
  CommandTemplate(const StudyFile& study, const std::vector<Input>& inputs,
                  const std::filesystem::path& study_folder);

  /// Another text of the study, which may also have the tokens `more`. `key` is its name in error messages.
  CommandTemplate(const StudyFile& study, const Pool& pool, std::string key, std::string_view text,
                  std::vector<std::string> more);

  std::string fill(const Request& request,
                   const std::map<std::string, std::string, std::less<>>& more = {}) const;
  bool has_token(std::string_view name) const;

 private:
  struct Piece {
    bool token = false;
    std::string text;
  };
  void split(const StudyFile& study, const Pool& pool, std::string_view command);

  std::string key_ = "annotator.command";
  std::vector<std::string> more_;  // further tokens
  std::vector<Piece> pieces_;
};

/// What is wrong with the program of the study's command, found without running it; empty: it exists, or only
/// the shell can tell.
std::string missing_program(const StudyFile& study, const std::filesystem::path& study_folder);

/// Quotes text as one shell word.
std::string shell_quoted(std::string_view text);
/// The same only if a shell would read something else in it.
std::string shell_argument(std::string_view text);

}  // namespace acuity
