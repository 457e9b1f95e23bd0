// Somebody else's program that runs a campaign in a folder: knows acuity's headers and nothing else of the
// project.
#include <acuity/campaign/campaign.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  std::ofstream pool(folder / "pool.csv");
  pool << "x\n";
  for (int i = 0; i < 50; ++i) pool << i / 10.0 << '\n';
  pool.close();
  std::ofstream(folder / "study.toml") << "[pool]\nfile = \"pool.csv\"\n"
                                          "[campaign]\nbudget = 30\n"
                                          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
                                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 5\n";
  acuity::Campaign::create(folder / "campaign.acuity", folder / "study.toml");
  acuity::Campaign campaign = acuity::Campaign::open(folder / "campaign.acuity");
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
  return bought >= 6 && campaign.annotations().size() == bought ? 0 : 1;
}
