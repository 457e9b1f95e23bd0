#include "campaign_model.hpp"

#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "views/campaign_status.hpp"

namespace acuity::python {

namespace {

// Quantiles on the scale of answers; mean and variance stay on the scale of the model, if it is another.
void to_answers(AveragedMarginals& f, const Target& target) {
  const auto to_answer = [&](double value) { return target.to_answer(value); };
  for (Vector* quantile : {&f.low, &f.median, &f.high}) *quantile = quantile->unaryExpr(to_answer);
  if (!target.is_mapped()) f.mean = f.mean.unaryExpr(to_answer);  // within target.range
}

}  // namespace

CampaignModel model_of(Campaign& campaign, int threads) {
  const Study& study = campaign.study();
  const StudyModel model = model_for_predictions(campaign, threads);
  const std::vector<Annotation> annotations = campaign.annotations();
  CampaignModel found{.model = StudyLearner(study).averaged(model, annotations, threads),
                      .status = status_json(campaign)};
  const auto count = static_cast<Index>(annotations.size());
  found.points.resize(count, static_cast<Index>(study.pool().inputs().size()));
  found.values.resize(count);
  found.channel.resize(count);
  for (Index i = 0; i < count; ++i) {
    const Annotation& one = annotations[static_cast<std::size_t>(i)];
    const std::optional<Index> row = one.place.pool_row();
    found.points.row(i) =
        row ? Eigen::RowVectorXd(study.pool().points().row(*row)) : one.place.coordinates().transpose();
    found.values(i) = one.value;
    const Channel channel = StudyLearner(study).channel_of(one, model);
    const auto* flip = std::get_if<FlipChannel>(&channel);
    found.channel(i) = flip != nullptr ? flip->accuracy() : noise_variance(channel);
  }
  const auto* constant = std::get_if<double>(&study.file().noise);
  const double scale = model.learned ? model.learned->base_scale : 1.0;
  found.noise = constant != nullptr ? scale * *constant : std::nan("");
  found.target = study.file().target;
  return found;
}

void bind_campaign_model(py::module_& module) {
  py::class_<CampaignModel>(module, "CampaignModel")
      .def_readonly("status", &CampaignModel::status)
      .def_readonly("points", &CampaignModel::points)
      .def_readonly("values", &CampaignModel::values)
      .def_readonly("channel", &CampaignModel::channel)
      .def_readonly("noise", &CampaignModel::noise)
      .def("predict", [](const CampaignModel& model, const PointsRef& x, int threads) {
        AveragedModel::Predicted found;
        {
          const Released unlocked;
          found = model.model.predict(x, threads);
          to_answers(found.marginals, *model.target);
        }
        return py::make_tuple(std::move(found.marginals.mean), std::move(found.marginals.variance),
                              std::move(found.marginals.low), std::move(found.marginals.high),
                              std::move(found.marginals.probability), std::move(found.marginals.nugget),
                              std::move(found.marginals.median), std::move(found.convergence_problem));
      });
}

}  // namespace acuity::python
