#include "annotation/rehearsal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/checksum.hpp"

namespace acuity {

namespace {

/// The known value of a point at a level, without noise.
using Known = std::function<TruthTable::Entry(const Suggestion&)>;

numerics::Draws draws_for(std::uint64_t seed, const Suggestion& asked) {
  if (!asked.level.repeats_itself)
    return numerics::Draws(seed, numerics::Purpose::answer, 0, static_cast<std::uint32_t>(asked.id));
  base::Fnv1a level;
  level.take(asked.level.name);
  return numerics::Draws(seed, numerics::Purpose::repeated_answer, static_cast<std::uint32_t>(asked.row),
                         static_cast<std::uint32_t>(level.value()));
}

class Rehearsal : public Annotator {
 public:
  Rehearsal(Known known, std::uint64_t seed, std::shared_ptr<const Target> target)
      : known_(std::move(known)), seed_(seed), target_(std::move(target)) {}

  double annotate(const Suggestion& suggestion) override {
    const TruthTable::Entry entry = known_(suggestion);
    if (std::isnan(entry.value)) return entry.value;  // the run fails
    if (entry.has_noise) return target_->to_answer(entry.value);
    numerics::Draws draws = draws_for(seed_, suggestion);
    const Channel channel = entry.noise ? Channel(GaussianChannel{*entry.noise}) : suggestion.channel;
    if (target_->is_counted() && noise_variance(channel) > 0.0)
      return counted_answer(target_->scale(), target_->to_answer(entry.value), channel, draws);
    return target_->to_answer(noisy_answer(entry.value, channel, draws));
  }

 private:
  Known known_;
  std::uint64_t seed_;
  std::shared_ptr<const Target> target_;
};

Known sine(std::shared_ptr<const Target> target) {
  return [target = std::move(target)](const Suggestion& asked) -> TruthTable::Entry {
    return {.value = sine_truth(asked.inputs.at(0), *target)};
  };
}

}  // namespace

double sine_truth(double x, const Target& target) {
  return target.clean_answer(0.2 * x * std::sin(3.0 * x));
}

std::unique_ptr<Annotator> make_rehearsal(const Study& study) {
  const AnnotatorSetting& setting = study.file().annotator;
  switch (setting.kind) {
    case AnnotatorSetting::Kind::sine:
      if (const Input& first = study.pool().columns().front(); first.is_named())
        study.file().complain(
            fmt::format("annotator.simulated is \"sine\", a function of the first input, and input \"{}\" "
                        "has names; must be "
                        "\"truth\", or the first input a number",
                        first.name));
      return std::make_unique<Rehearsal>(sine(study.file().target), study.file().seed, study.file().target);
    case AnnotatorSetting::Kind::truth:
      return make_rehearsal(std::make_shared<const TruthTable>(setting.truth, study), study.file().seed,
                            study.file().target);
    case AnnotatorSetting::Kind::none:
    case AnnotatorSetting::Kind::command:
      break;
  }
  throw std::invalid_argument("make_rehearsal: the study's annotator is not a simulated one");
}

std::unique_ptr<Annotator> make_rehearsal(std::shared_ptr<const TruthTable> truth, std::uint64_t seed,
                                          std::shared_ptr<const Target> target) {
  return std::make_unique<Rehearsal>(
      [truth = std::move(truth)](const Suggestion& asked) { return truth->at(asked.row, asked.level.name); },
      seed, std::move(target));
}

}  // namespace acuity
