#include "options.hpp"

#include <cmath>

namespace acuity {

namespace {

// Bytes, with K, M, G or T for powers of 1024.
std::size_t to_bytes(const std::string& word) {
  constexpr std::string_view suffixes = "KMGT";
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
  const std::size_t power = rest.empty() ? 0 : suffixes.find(rest.front()) + 1;  // 0: unknown
  const double bytes = number * std::exp2(10.0 * static_cast<double>(power));
  if (error != std::errc() || rest.size() > 1 || (rest.size() == 1 && power == 0) || !(bytes >= 1.0) ||
      !(bytes < std::exp2(60.0)))
    throw CLI::ValidationError(
        "--memory is \"" + word +
        "\", must be a number of bytes, or one with K, M, G or T (powers of 1024), above 0");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

bool is_float(const std::string& option, const std::string& word) {
  if (word != "double" && word != "float")
    throw CLI::ValidationError(option + " is \"" + word + "\", must be double or float");
  return word == "float";
}

void add_threads(CLI::App& command, int& threads) {
  const auto take = [&threads](const std::string& word) {
    threads = number_in<int>(word).value_or(-1);
    if (threads < 0 || threads > 1024)
      throw CLI::ValidationError("--threads is \"" + word + "\", must be a whole number from 0 to 1024");
  };
  command
      .add_option_function<std::string>(
          "--threads", take, "Threads; 0, the default, means all cores. Results do not depend on it")
      ->option_text("N");
}

void add_pool_work(CLI::App& command, PoolWork& work) {
  command
      .add_option_function<std::string>(
          "--memory", [&work](const std::string& word) { work.storage.memory = to_bytes(word); },
          "Bytes for what is computed about the pool, with K, M, G or T for powers of 1024 (default: what it "
          "takes). What does not fit is computed again when it is needed, with the same result. The pool "
          "itself, a "
          "few numbers a point and the annotations come on top. Real targets only")
      ->option_text("SIZE");
  command
      .add_option_function<std::string>(
          "--pool-precision",
          [&work](const std::string& word) {
            work.storage.single_precision = is_float("--pool-precision", word);
          },
          "float: half the memory, about twice the speed. Means and variances in tables are then off by "
          "about 1e-6 of "
          "the prior's, so that rows whose scores are that close may change places; the first of --top is "
          "decided in "
          "double precision. Real targets only (default double)")
      ->option_text("double|float");
  add_threads(command, work.threads);
}

}  // namespace acuity
