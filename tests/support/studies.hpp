#pragma once

#include <stdexcept>
#include <string>

namespace acuity::testing {

/// A complete small study with a ladder; [precision] comes last, so that keys can be appended to it.
inline std::string ladder_study() {
  return "[pool]\nfile = \"pool.csv\"\n"
         "[noise]\nvariance = \"0.01 * (1 + (x/5)^2)\"\n"
         "[precision]\nalpha = { from = 1, to = inf, count = 5, spacing = \"inverse\" }\ngamma = 0.09\n"
         "cost = { form = \"power\", c = 9.0, q = 0.8 }\n";
}

/// The same with two named levels.
inline std::string price_list_study() {
  return "[pool]\nfile = \"pool.csv\"\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 10\n";
}

/// The study with another value for the key that stands at the start of a line.
inline std::string with(const std::string& study, const std::string& key, const std::string& value) {
  const std::size_t begin = ("\n" + study).find("\n" + key + " = ");
  if (begin == std::string::npos) throw std::invalid_argument("the study has no key " + key);
  return study.substr(0, begin) + key + " = " + value + study.substr(study.find('\n', begin));
}

}  // namespace acuity::testing
