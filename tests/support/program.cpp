#include "support/program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace acuity::testing {

namespace {

std::string quoted(const std::string& word) {
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? "'\\''" : std::string(1, c);
  return safe + "'";
}

std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  // At once: byte by byte, tests that are compiled without optimisation would take seconds for a large file.
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "acuity-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder for a test");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path_ / name;
}

std::string Folder::read(const std::string& name) const {
  return slurp(path_ / name);
}

ProgramResult run_shell(const std::string& line, const std::filesystem::path& folder) {
  const Folder outputs;
  const std::string bin = std::filesystem::path(ACUITY_PROGRAM).parent_path().string();
  const std::string command = "cd " + quoted(folder.string()) + " && PATH=" + quoted(bin) +
                              ":\"$PATH\" && { " + line + "\n} >" +
                              quoted((outputs.path() / "out").string()) + " 2>" +
                              quoted((outputs.path() / "err").string()) + " </dev/null";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = outputs.read("out"),
          .err = outputs.read("err")};
}

ProgramResult run_acuity(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  std::string line = quoted(ACUITY_PROGRAM);
  for (const std::string& word : words) line += " " + quoted(word);
  return run_shell(line, folder);
}

std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> commands;
  if (help.find(" COMMAND [OPTIONS]\n") == std::string::npos) return commands;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const bool is_entry = line.size() > 2 && line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z';
    if (is_entry) commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    rows.emplace_back();
    for (std::size_t k = 0; k < header.size(); ++k) rows.back()[header[k]] = k < cells.size() ? cells[k] : "";
  }
  return rows;
}

double value(const std::map<std::string, std::string>& row, const std::string& column) {
  return std::strtod(row.at(column).c_str(), nullptr);
}

}  // namespace acuity::testing
