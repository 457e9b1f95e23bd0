#include "acuity/base/errors.hpp"
#include "campaign/campaign_parts.hpp"
#include "campaign/imported_answers.hpp"
#include "campaign/study_change.hpp"
#include "store/crash_point.hpp"
#include "store/kept_files.hpp"
#include "store/unfinished_folder.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

// The copies that a change of the study writes before it is recorded: beside the old ones in a campaign's
// folder, otherwise in a folder of their own, from where the store gets them.
class NextCopies {
 public:
  NextCopies(const fs::path& copies, const std::string& pool_file, bool beside)
      : copies_(copies), pool_file_(pool_file) {
    if (!beside) aside_.emplace(copies);
  }

  void write(const FilesByName& files) {
    remove();
    for (const auto& [name, content] : files) {
      names_.push_back(name);
      write_file(path(name), content);
      crash_point();
    }
    if (!aside_) return;
    for (const char* name : names_of_copies)  // tables that stay are looked for beside the study
      if (!files.contains(name) && fs::exists(copies_ / name)) fs::create_symlink(copies_ / name, path(name));
  }

  FrozenFiles files() const {
    FrozenFiles files{copies_ / "study.toml", copies_ / pool_file_, {}};
    if (aside_) files.study = path("study.toml");
    for (const std::string& name : names_) {
      if (name == "study.toml")
        files.study = path(name);
      else if (name == pool_file_)
        files.pool = path(name);
      else
        files.tables[name] = path(name);
    }
    return files;
  }

  void remove() {
    for (const std::string& name : names_) fs::remove(path(name));
    names_.clear();
    if (!aside_) return;
    for (const char* name : names_of_copies) fs::remove(path(name));
  }

  fs::path path(const std::string& name) const {
    return aside_ ? aside_->path() / name : copies_ / next_copy(name);
  }

 private:
  const fs::path& copies_;  // changes if others have changed the study
  std::string pool_file_;
  std::optional<UnfinishedFolder> aside_;  // removed with this object
  std::vector<std::string> names_;
};

// The files that a change replaces, by name.
FilesByName changed_files(const StudyComparison& comparison, const Created& created) {
  FilesByName files = comparison.tables;
  if (!comparison.pool.empty()) files[created.pool_file] = comparison.pool;
  if (comparison.text != created.study) files["study.toml"] = comparison.text;
  return files;
}

}  // namespace

std::vector<std::string> Campaign::would_change(const fs::path& study, bool reinterpret) {
  refresh();
  Parts& p = *parts_;
  if (p.copies.empty()) p.complain("the campaign is in memory, so its study cannot be changed");
  const StudyComparison comparison = compare_study(study, p.copies, p.study, p.state, p.options.tables);
  const std::vector<Event> events = change_events(comparison, p.study, p.state, reinterpret);
  return std::get<StudyChanged>(events.front()).changes;
}

// Copies are written before the log and renamed after it: a crash in between leaves those of the log.
void Campaign::Parts::update_study(const fs::path& file, const std::function<StudyUpdate()>& decide) {
  const bool in_store = store->keeps_files();
  NextCopies next(copies, state.created().pool_file, !in_store);
  try {
    const std::vector<StoredEvent> added = store->add(state.sequence(), [&](const auto& news) {
      apply(news);
      require_ownership();
      StudyUpdate update = decide();
      next.remove();
      if (update.events.empty()) return update.events;
      next.write(update.files);
      try {
        if (update.more) add_events_of_next_study(update, next.files());
        require_replayable_after(update.events, next.files());
      } catch (const InputError& error) {  // as a sentence about the file that was given
        std::string sentence = error.what();
        const std::string aside = next.path("study.toml").string();
        if (sentence.starts_with(aside)) sentence.replace(0, aside.size(), file.string());
        throw InputError(sentence);
      }
      if (in_store)
        for (const auto& [name, content] : with_list(update.files, copies)) store->put_file(name, content);
      return update.events;
    });
    if (added.empty()) return;
    for (const StoredEvent& stored : added) state.apply(stored);
    load_study();  // renames the copies in a folder
    if (options.watch)
      for (const StoredEvent& stored : added) options.watch(stored, state);
  } catch (const InputError&) {
    next.remove();
    throw;
  }
}

void Campaign::Parts::add_events_of_next_study(StudyUpdate& update, const FrozenFiles& files) const {
  State after = state;
  for (const Event& event : update.events) after.apply({after.sequence() + 1, now(), event});
  for (Event& event : update.more(open_frozen_study(files), after)) update.events.push_back(std::move(event));
}

std::vector<std::string> Campaign::change(const fs::path& study, bool reinterpret) {
  std::vector<std::string> changes = would_change(study, reinterpret);  // throws without a transaction
  if (changes.empty()) return changes;
  Parts& p = *parts_;
  p.update_study(study, [&]() -> Parts::StudyUpdate {
    const StudyComparison comparison = compare_study(study, p.copies, p.study, p.state, p.options.tables);
    std::vector<Event> events = change_events(comparison, p.study, p.state, reinterpret);
    changes = std::get<StudyChanged>(events.front()).changes;
    if (changes.empty()) return {};
    return {std::move(events), changed_files(comparison, p.state.created())};
  });
  return changes;
}

// The answers of the earlier campaign are read once: what it gets meanwhile belongs to a later import.
ImportResult Campaign::import_campaign(const CampaignAddress& earlier, const ImportOptions& chosen) {
  refresh();
  Parts& p = *parts_;
  if (p.copies.empty()) p.complain("the campaign is in memory, so no level can be added to its study");
  if (earlier.text() == p.address.text())
    p.complain("a campaign cannot be imported into itself, must be an earlier one");
  ImportedAnswers known = imported_answers(open(earlier, Access::read), p.study, chosen);
  p.update_study(p.copies / "study.toml", [&]() -> Parts::StudyUpdate {
    const StudyComparison comparison = comparison_of_import(known, p.study, p.state, earlier.text());
    return {change_events(comparison, p.study, p.state, false),
            {{"study.toml", comparison.text}},
            [&](const Study& next, const State& after) { return told_by(known, next, after); }};
  });
  return known.result;
}

}  // namespace acuity
