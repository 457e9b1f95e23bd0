#pragma once

#include <string>
#include <vector>

namespace acuity {

enum class Verdict { held, partly, not_held, not_tested };

/// What the paper says beside what came out here.
struct PaperClaim {
  std::string experiment;  ///< name of the experiment that speaks to it
  std::string claim;
  std::string found;
  Verdict verdict;
};

struct PageFigure {
  std::string svg;
  std::string caption;
};

/// The first cell of a row names it.
struct PageTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct PageExperiment {
  std::string name;
  std::string what;
  std::string settings;
  std::vector<PageFigure> figures;
  PageTable finals;
  std::string rerun;  ///< the command that makes it again
};

struct ReproductionPage {
  std::string title;
  std::string version;
  std::string command;
  std::vector<PaperClaim> claims;
  std::vector<PageExperiment> experiments;
};

/// One HTML file that needs nothing else: no network, no script, figures inside. It is well-formed XML too.
std::string reproduction_page(const ReproductionPage& page);

}  // namespace acuity
