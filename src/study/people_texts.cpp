#include "study/people_texts.hpp"

#include "acuity/data/table.hpp"
#include "base/text.hpp"
#include "settings/study_keys.hpp"

namespace acuity {

std::string people_question(const std::string& study) {
  return one_line(study_text(study, "people.question"));
}

std::string people_instructions(const std::string& study, const std::filesystem::path& folder) {
  const std::string given = study_text(study, "people.instructions");
  if (given.empty() || given.find('\n') != std::string::npos) return given;
  std::string text = read_regular_file(folder / given);
  if (text.find('\n') == std::string::npos) text += '\n';  // a text, not a name, from now on
  return text;
}

}  // namespace acuity
