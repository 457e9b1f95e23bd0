#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace acuity::testing {

/// What a run of the program left behind.
struct ProgramResult {
  int exit_code = -1;
  std::string out, err;
};

/// Runs the built program in `folder` with these words.
ProgramResult run_acuity(const std::vector<std::string>& words, const std::filesystem::path& folder);
/// Runs a line of shell in `folder`, the program on the path.
ProgramResult run_shell(const std::string& line, const std::filesystem::path& folder);

/// The commands that a page of help lists, in its order; none if it is the page of a command without any.
std::vector<std::string> commands_in(const std::string& help);

/// A new folder that is removed at the end of the scope.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// CSV text as a list of rows, each by column name. For results of the program, which need no quotes.
std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text);
double value(const std::map<std::string, std::string>& row, const std::string& column);

}  // namespace acuity::testing
