#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace acuity::testing {

/// The study with every key of its model that it does not have: rbf, amplitude and length scale 1, mean 0,
/// nothing standardised, nothing learned but what it says, by plain maximum likelihood. Golden numbers and
/// what people compute by hand belong to such models. Sections must begin a line.
inline std::string with_given_model(std::string study) {
  const bool binary = study.find("kind = \"binary\"") != std::string::npos;
  const auto add = [&](const std::string& section, const std::string& key, const std::string& value) {
    const std::string header = "[" + section + "]\n";
    std::size_t at = study.starts_with(header) ? 0 : study.find("\n" + header);
    if (at == std::string::npos)
      study = header + study, at = 0;
    else if (study[at] == '\n')
      ++at;
    const std::size_t begin = at + header.size(), end = study.find("\n[", begin - 1);
    const std::string lines = "\n" + study.substr(begin, end == std::string::npos ? end : end - begin + 1);
    if (lines.find("\n" + key + " ") == std::string::npos &&
        lines.find("\n" + key + "=") == std::string::npos)
      study.insert(begin, key + " = " + value + "\n");
  };
  if (!binary) add("noise", "nugget", "0");
  for (const auto& [key, value] :
       {std::pair("average", "1"), std::pair("prior", "\"none\""), std::pair("fit", "\"never\""),
        std::pair("mean", "0.0"), std::pair("lengthscale", "1.0"), std::pair("amplitude", "1.0"),
        std::pair("kernel", "\"rbf\"")})
    add("model", key, value);
  add("pool", "standardise", "\"none\"");
  return study;
}

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
