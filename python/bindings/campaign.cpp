#include "acuity/campaign/campaign.hpp"

#include "acuity/study/study.hpp"
#include "bindings.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/imported_answers.hpp"
#include "campaign_model.hpp"
#include "open_campaign.hpp"

namespace acuity::python {

namespace {

// Points where the model must be good, with a weight each or none; no points: no goal.
std::shared_ptr<const Goal> goal_of(Points points, Vector weights) {
  if (points.rows() == 0) return nullptr;
  return std::make_shared<const Goal>(Goal{std::move(points), std::move(weights), Vector()});
}

// Settings as TOML and a pool: an id for every point or none, sigma^2 for every point or none, and the names
// that the numbers of a category stand for, none for other inputs.
Study made_study(std::string text, Points points, std::vector<std::string> inputs,
                 std::vector<std::string> ids, Vector noise_variance, Points goal, Vector goal_weights,
                 const std::vector<std::vector<std::string>>& values) {
  StudyFile settings = read_study_text(std::move(text));
  Pool pool(std::move(points), std::move(inputs), std::move(ids));
  if (!settings.input_settings.empty()) {
    std::vector<Input> described = settings.input_settings;
    for (std::size_t k = 0; k < described.size() && k < values.size(); ++k)
      if (described[k].values.empty()) described[k].values = values[k];
    pool = pool.described(std::move(described));
  }
  return Study::make(std::move(settings), std::move(pool), std::move(noise_variance),
                     goal_of(std::move(goal), std::move(goal_weights)));
}

}  // namespace

void bind_campaign(py::module_& module) {
  py::class_<Study>(module, "Study")
      .def_static(
          "open", [](const std::string& file) { return Study::open(file); }, Unlocked())
      .def_static(
          "from_text",
          [](std::string text, Points goal, Vector goal_weights) {
            return Study::open(read_study_text(std::move(text)),
                               goal_of(std::move(goal), std::move(goal_weights)));
          },
          Unlocked())
      .def_static("make", &made_study, Unlocked());
  module.def(
      "create_campaign",
      [](const std::string& address, const Study& study) { Campaign::create(address, study); }, Unlocked());
  module.def(
      "require_importable",
      [](const Study& study, const std::string& earlier, const std::string& as_level) {
        imported_answers(Campaign::open(earlier, Access::read), study, {.as_level = as_level});
      },
      Unlocked());
  module.def(
      "require_same_study",
      [](const std::string& address, const Study& study) {
        require_same(Campaign::open(address, Access::read), study);
      },
      Unlocked());
  module.def(
      "require_same_file",
      [](const std::string& address, const std::string& study) {
        require_same(Campaign::open(address, Access::read), std::filesystem::path(study));
      },
      Unlocked());
  bind_campaign_model(module);
  module.def(
      "is_campaign", [](const std::string& address) { return Campaign::recognises(address); }, Unlocked());
  module.def("is_in_database", [](const std::string& text) { return DatabaseAddress::recognises(text); });
  module.def("name_in_database", [](const std::string& address) { return CampaignAddress(address).name(); });
  py::class_<OpenCampaign> campaign(module, "Campaign");
  campaign.def_static("open", &OpenCampaign::open, Unlocked())
      .def_static("in_memory", &OpenCampaign::in_memory, Unlocked())
      .def("close", &OpenCampaign::close);
  bind_verbs(campaign);
  bind_views(campaign);
  bind_pictures(campaign);
}

}  // namespace acuity::python
