#include "acuity/numerics/errors.hpp"
#include "campaign/campaign_parts.hpp"
#include "campaign/crash_point.hpp"
#include "campaign/study_change.hpp"
#include "campaign/unfinished_folder.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<std::string> Campaign::would_change(const fs::path& study, bool reinterpret) {
  refresh();
  Parts& p = *parts_;
  if (p.folder.empty()) p.complain("the campaign has no folder, so its study cannot be changed");
  const StudyComparison comparison = compare_study(study, p.folder, p.study, p.state, p.options.tables);
  const std::vector<Event> events = change_events(comparison, p.study, p.state, reinterpret);
  return std::get<StudyChanged>(events.front()).changes;
}

std::vector<std::string> Campaign::change(const fs::path& study, bool reinterpret) {
  std::vector<std::string> changes = would_change(study, reinterpret);  // throws without a transaction
  Parts& p = *parts_;
  if (changes.empty()) return changes;
  const auto copies = [&](const StudyComparison& comparison) {
    std::map<std::string, std::string> written = comparison.tables;
    if (!comparison.pool.empty()) written[p.state.created().pool_file] = comparison.pool;
    if (comparison.text != p.state.created().study) written["study.toml"] = comparison.text;
    return written;
  };
  std::vector<std::string> names;
  try {
    const std::vector<StoredEvent> added = p.store->add(p.state.sequence(), [&](const auto& news) {
      p.apply(news);
      p.require_ownership();
      const StudyComparison comparison = compare_study(study, p.folder, p.study, p.state, p.options.tables);
      std::vector<Event> events = change_events(comparison, p.study, p.state, reinterpret);
      changes = std::get<StudyChanged>(events.front()).changes;
      if (changes.empty()) return std::vector<Event>();
      for (const auto& [name, content] : copies(comparison)) {
        write_file(p.folder / next_copy(name), content);
        names.push_back(name);
        crash_point();
      }
      try {
        p.require_replayable_after(events, names);
      } catch (const InputError& error) {  // as a sentence about the file that was given
        std::string sentence = error.what();
        const std::string aside = (p.folder / next_copy("study.toml")).string();
        if (sentence.starts_with(aside)) sentence.replace(0, aside.size(), study.string());
        throw InputError(sentence);
      }
      return events;
    });
    if (added.empty()) return changes;
    for (const StoredEvent& stored : added) p.state.apply(stored);
    p.load_study();  // renames the copies
    if (p.options.watch)
      for (const StoredEvent& stored : added) p.options.watch(stored, p.state);
  } catch (const InputError&) {
    for (const std::string& name : names) fs::remove(p.folder / next_copy(name));
    throw;
  }
  return changes;
}

}  // namespace acuity
