#include "study/reported_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "study/noise_key.hpp"

namespace acuity {

namespace {

// Sums of logarithms of variances, over the answers of a level.
struct LogSums {
  std::string level;
  std::optional<double> alpha;
  double declared = 0.0, reported = 0.0, used = 0.0;
  std::int64_t count = 0;

  ReportedNoise means() const {
    const auto sd = [this](double sum) { return std::exp(0.5 * sum / static_cast<double>(count)); };
    return {.level = level,
            .alpha = alpha,
            .declared = sd(declared),
            .reported = sd(reported),
            .used = sd(used),
            .count = count};
  }
};

// All answers of a ladder.
ReportedNoise all_of(const std::vector<ReportedNoise>& found) {
  LogSums sums;
  for (const ReportedNoise& one : found) {
    const auto weight = 2.0 * static_cast<double>(one.count);
    sums.declared += weight * std::log(one.declared);
    sums.reported += weight * std::log(one.reported);
    sums.used += weight * std::log(one.used);
    sums.count += one.count;
  }
  return sums.means();
}

std::string sentence_on(const ReportedNoise& one, const Study& study) {
  const std::string who = study.is_ladder() ? "ladder" : "level " + one.level;
  const std::string noise =
      (study.offer().base_noise.highest() > 0.0 ? "total " : "") + noise_key(*study.file().target);
  const std::string whose = study.is_ladder() ? "their" : "its";
  const std::string used = study.file().fit.never()
                               ? fmt::format("choices use {:.3g}, because model.fit is \"never\"", one.used)
                               : fmt::format("choices use {:.3g}", one.used);
  if (!(one.declared > 0.0))
    return fmt::format("{}: answers report a {} of {:.3g}, the study says 0; {}", who,
                       noise_key(*study.file().target), one.reported, used);
  if (!one.differs())
    return fmt::format("{}: answers report {} {} ({:.3g}, declared {:.3g}); {}", who, whose, noise,
                       one.reported, one.declared, used);
  return fmt::format("{}: answers report {} {} {} ({:.3g} instead of {:.3g}); {}", who,
                     times_text(one.reported, one.declared), whose, noise, one.reported, one.declared, used);
}

}  // namespace

std::string times_text(double reported, double declared) {
  const double ratio = reported / declared;
  return ratio >= 0.995 ? fmt::format("{:.1f} times", ratio) : fmt::format("{:.2g} times", ratio);
}

bool ReportedNoise::differs() const {
  return !(std::abs(std::log(reported) - std::log(declared)) <= std::log(1.05));
}

std::vector<ReportedNoise> reported_noise(const Study& study, const StudyModel& model,
                                          const std::vector<Annotation>& annotations) {
  if (!study.file().target->has_noise() || study.file().target->is_counted()) return {};
  std::vector<LogSums> sums;
  if (!study.is_ladder())
    for (const Level& level : study.offer().levels) sums.push_back({.level = level.name, .alpha = {}});
  StudyModel without_nugget;
  without_nugget.learned = model.learned;
  without_nugget.reported = model.reported;
  for (const Annotation& annotation : annotations) {
    if (!annotation.reported || (study.is_ladder() ? !annotation.alpha : !annotation.level)) continue;
    auto found = sums.begin();
    if (study.is_ladder()) {
      found = std::find_if(sums.begin(), sums.end(),
                           [&](const LogSums& one) { return one.alpha == annotation.alpha; });
      if (found == sums.end()) found = sums.insert(found, {.level = {}, .alpha = annotation.alpha});
    } else {
      found += *annotation.level;
    }
    found->declared += std::log(annotation.base_noise + annotation.added_noise);
    found->reported += std::log(noise_variance(annotation.channel));
    found->used += std::log(noise_variance(StudyLearner(study).expected_channel(annotation, without_nugget)));
    ++found->count;
  }
  std::vector<ReportedNoise> reported;
  for (const LogSums& one : sums)
    if (one.count > 0) reported.push_back(one.means());
  return reported;
}

std::vector<std::string> reported_noise_sentences(const Study& study,
                                                  const std::vector<ReportedNoise>& found) {
  std::vector<std::string> sentences;
  if (study.is_ladder() && !found.empty()) return {sentence_on(all_of(found), study)};
  for (const ReportedNoise& one : found) sentences.push_back(sentence_on(one, study));
  return sentences;
}

std::vector<std::string> reported_noise_warnings(const Study& study,
                                                 const std::vector<ReportedNoise>& found) {
  // Single answers scatter: one that reports twice the noise says little about the next.
  constexpr std::int64_t fewest = 5;
  const auto is_worth_a_word = [](const ReportedNoise& one) { return one.count >= fewest && one.differs(); };
  if (study.is_ladder())
    return !found.empty() && is_worth_a_word(all_of(found)) ? reported_noise_sentences(study, found)
                                                            : std::vector<std::string>();
  std::vector<ReportedNoise> different;
  std::copy_if(found.begin(), found.end(), std::back_inserter(different), is_worth_a_word);
  return reported_noise_sentences(study, different);
}

}  // namespace acuity
