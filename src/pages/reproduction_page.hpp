#pragma once

#include <string>
#include <vector>

#include "experiments/paper_claims.hpp"
#include "pages/html_page.hpp"

namespace acuity {

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
  std::string rules;  ///< how claims are judged
  std::vector<PageExperiment> experiments;
};

/// One HTML file that needs nothing else: no network, no script, figures inside. It is well-formed XML too.
std::string reproduction_page(const ReproductionPage& page);

}  // namespace acuity
