// A separate program that runs campaigns, in a folder and in memory: knows acuity's headers and nothing else
// of the project.
#include <acuity/campaign/campaign.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

const char* const settings =
    "[campaign]\nbudget = 30\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 5\n";

// Whether at least six answers were bought and recorded.
bool run(acuity::Campaign campaign) {
  std::size_t bought = 0;
  for (auto asked = campaign.ask(); !asked.suggestions.empty(); asked = campaign.ask())
    for (const acuity::Suggestion& suggestion : asked.suggestions) {
      acuity::Answer answer;
      answer.id = suggestion.id;
      answer.values = {std::sin(suggestion.inputs[0])};
      campaign.tell({answer});
      ++bought;
    }
  std::printf("%zu annotations are recorded\n", campaign.annotations().size());
  return bought >= 6 && campaign.annotations().size() == bought;
}

bool run_in_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream pool(folder / "pool.csv");
  pool << "x\n";
  for (int i = 0; i < 50; ++i) pool << i / 10.0 << '\n';
  pool.close();
  std::ofstream(folder / "study.toml") << "[pool]\nfile = \"pool.csv\"\n" << settings;
  acuity::Campaign::create(folder / "campaign.acuity", folder / "study.toml");
  return run(acuity::Campaign::open(folder / "campaign.acuity"));
}

// The same without any file.
bool run_in_memory() {
  acuity::Points points(50, 1);
  for (int i = 0; i < 50; ++i) points(i, 0) = i / 10.0;
  acuity::Study study = acuity::Study::make(acuity::read_study_text(settings), acuity::Pool(points, {"x"}));
  return run(acuity::Campaign(std::move(study), acuity::make_memory_event_store()));
}

}  // namespace

int main(int, char** arguments) {
  return run_in_folder(arguments[1]) && run_in_memory() ? 0 : 1;
}
