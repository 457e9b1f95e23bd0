#include "open_campaign.hpp"
#include "views/campaign_data.hpp"

namespace acuity::python {

namespace {

py::list curves(const std::vector<BeliefCurve>& all) {
  py::list list;
  for (const BeliefCurve& one : all)
    list.append(py::dict(py::arg("input") = one.input, py::arg("x") = one.x, py::arg("middle") = one.middle,
                         py::arg("low") = one.low, py::arg("high") = one.high, py::arg("names") = one.names,
                         py::arg("logarithmic") = one.logarithmic));
  return list;
}

py::list errors(const CampaignCourse& course) {
  py::list list;
  for (const CoursePoint& one : course.errors)
    list.append(py::make_tuple(one.spent, one.error, one.expected));
  return list;
}

// (level, standard score) of numbers, (probability, label) of classes.
py::list scores(const CampaignData& data, bool binary) {
  py::list list;
  for (const ReportedAnswer& one : data.answers.all) {
    const std::string& level = data.books.levels[one.level].name;
    list.append(binary ? py::make_tuple(level, one.expected, one.value)
                       : py::make_tuple(level, one.score(), one.expected_sd));
  }
  return list;
}

py::list biases(const std::vector<BiasView>& views) {
  py::list list;
  for (const BiasView& view : views) {
    const EstimatedBias& e = view.estimate;
    py::list differences;
    for (const DifferenceCurve& one : view.curves)
      differences.append(py::dict(py::arg("input") = one.input, py::arg("x") = one.x,
                                  py::arg("middle") = one.middle, py::arg("low") = one.low,
                                  py::arg("high") = one.high));
    list.append(py::dict(py::arg("level") = e.level, py::arg("reference") = e.reference,
                         py::arg("difference") = e.difference, py::arg("sd") = e.difference_sd,
                         py::arg("curves") = differences));
  }
  return list;
}

py::dict pictured(const CampaignData& data, bool binary) {
  py::list levels, importance;
  for (const LevelTotal& one : data.books.levels)
    levels.append(py::make_tuple(one.name, one.answers, one.spent));
  for (const Importance& one : data.importance)
    importance.append(py::make_tuple(one.input, one.first, one.total, one.total_error));
  return py::dict(py::arg("curves") = curves(data.belief.curves), py::arg("errors") = errors(data.course),
                  py::arg("error_measure") = data.books.error_measure,
                  py::arg("error_source") = data.course_source, py::arg("levels") = levels,
                  py::arg("scores") = scores(data, binary), py::arg("importance") = importance,
                  py::arg("biases") = biases(data.biases));
}

}  // namespace

void bind_pictures(py::class_<OpenCampaign>& campaign) {
  campaign.def("pictures", [](OpenCampaign& open) {
    py::dict found;
    open.with([&](Campaign& c) {
      c.refresh();
      const CampaignData data = campaign_data(c);
      const py::gil_scoped_acquire lock;
      found = pictured(data, c.study().file().binary());
    });
    return found;
  });
}

}  // namespace acuity::python
