#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/study/study_file.hpp"
#include "annotation/request.hpp"

namespace acuity {

/// The study's line of shell, with {tokens} for numbers and ids.
///
/// A token is a brace, a name, a brace, with no `$` and no backslash before it: `{x}`, `{id}`. A name is what
/// is known here, whatever it is made of, or looks like an identifier; only then it is a token, so that
/// `${HOME}`,
/// `{a,b}`, `{}` and awk '{print $1}' stay as they are. An unknown one that looks like an identifier is an
/// error: `{print}` is written `{ print}`. Text is never put into the line: nothing needs quoting.
class CommandTemplate {
 public:
  /// A program given by a relative path is looked up from `study_folder`. Throws InputError for tokens that
  /// are unknown or stand for text, and for inputs whose names in the environment are the same.
  CommandTemplate(const StudyFile& study, const std::vector<std::string>& inputs,
                  const std::filesystem::path& study_folder);

  std::string fill(const Request& request) const;

 private:
  struct Piece {
    bool token = false;
    std::string text;
  };
  void split(const StudyFile& study, const std::vector<std::string>& inputs, std::string_view command);

  std::vector<Piece> pieces_;
};

/// Text as one word of the shell's.
std::string shell_quoted(std::string_view text);

}  // namespace acuity
