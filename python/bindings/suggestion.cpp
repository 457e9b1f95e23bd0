#include "acuity/selection/suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bindings.hpp"

namespace acuity::python {

namespace {

py::object name_of(const Level& level) {
  return level.name.empty() ? py::object(py::none()) : py::cast(level.name);
}

// A name, True or False, or a number.
py::object value_of(const NamedSuggestion& s, std::size_t k) {
  if (!s.names || k >= s.names->size()) return py::cast(s.inputs[k]);
  const Input& input = (*s.names)[k];
  if (input.type == InputType::yes_no) return py::bool_(s.inputs[k] != 0.0);
  return input.is_named() ? py::object(py::str(input.text(s.inputs[k]))) : py::cast(s.inputs[k]);
}

// Numbers as an array; a tuple if some inputs have names.
py::object inputs_by_place(const NamedSuggestion& s) {
  bool named = false;
  for (std::size_t k = 0; s.names && k < s.names->size(); ++k) named = named || (*s.names)[k].is_named();
  if (!named)
    return py::cast(Vector(Eigen::Map<const Vector>(s.inputs.data(), static_cast<Index>(s.inputs.size()))));
  py::list all;
  for (std::size_t k = 0; k < s.inputs.size(); ++k) all.append(value_of(s, k));
  return py::tuple(all);
}

std::string text_of(const NamedSuggestion& suggestion) {
  const Level& level = suggestion.level;
  const std::string how = level.alpha ? fmt::format("alpha={:.6g}", *level.alpha)
                                      : "level=" + py::repr(py::cast(level.name)).cast<std::string>();
  std::string where;
  for (std::size_t k = 0; k < suggestion.inputs.size(); ++k) {
    const bool named = suggestion.names && k < suggestion.names->size() && (*suggestion.names)[k].is_named();
    where += (where.empty() ? "" : ", ") + (named ? py::repr(value_of(suggestion, k)).cast<std::string>()
                                                  : fmt::format("{:.6g}", suggestion.inputs[k]));
  }
  return fmt::format("Suggestion(id={}, point={}, x=({}), {}, cost={:.6g}, information={:.6g})",
                     suggestion.id, py::repr(py::cast(suggestion.point)).cast<std::string>(), where, how,
                     suggestion.cost, suggestion.information);
}

py::object channel_of(const Suggestion& suggestion, bool flip) {
  if (const auto* gaussian = std::get_if<GaussianChannel>(&suggestion.channel))
    return flip ? py::object(py::none()) : py::cast(gaussian->noise_variance);
  return flip ? py::cast(std::get<FlipChannel>(suggestion.channel).accuracy()) : py::object(py::none());
}

// Type and names of the values of every input, for pickling.
std::vector<std::pair<int, std::vector<std::string>>> kinds_of(const NamedSuggestion& s) {
  std::vector<std::pair<int, std::vector<std::string>>> kinds;
  for (std::size_t k = 0; s.names && k < s.names->size(); ++k)
    kinds.emplace_back(static_cast<int>((*s.names)[k].type), (*s.names)[k].values);
  return kinds;
}

// Everything, for pickling.
py::tuple state_of(const NamedSuggestion& s) {
  return py::make_tuple(s.id, s.row, s.point, s.inputs, s.level.name, s.level.alpha, s.level.value,
                        channel_of(s, false), channel_of(s, true), s.cost, s.information, s.mean, s.variance,
                        s.names ? names_of(*s.names) : std::vector<std::string>(), kinds_of(s),
                        s.resume_from);
}

NamedSuggestion from_state(const py::tuple& state) {
  if (state.size() != 16) throw std::invalid_argument("the pickled state is not that of a Suggestion");
  NamedSuggestion s;
  const auto names = state[13].cast<std::vector<std::string>>();
  std::vector<Input> inputs(names.begin(), names.end());
  const auto kinds = state[14].cast<std::vector<std::pair<int, std::vector<std::string>>>>();
  for (std::size_t k = 0; k < std::min(kinds.size(), inputs.size()); ++k) {
    inputs[k].type = static_cast<InputType>(kinds[k].first);
    inputs[k].values = kinds[k].second;
  }
  s.names = std::make_shared<const std::vector<Input>>(std::move(inputs));
  s.resume_from = state[15].cast<std::optional<std::int64_t>>();
  s.id = state[0].cast<std::int64_t>();
  s.row = state[1].cast<Index>();
  s.point = state[2].cast<std::string>();
  s.inputs = state[3].cast<std::vector<double>>();
  s.level.name = state[4].cast<std::string>();
  s.level.alpha = state[5].cast<std::optional<double>>();
  s.level.value = state[6].cast<LevelValue>();
  if (state[8].is_none())
    s.channel = GaussianChannel{state[7].cast<double>()};
  else
    s.channel = FlipChannel{state[8].cast<double>()};
  s.cost = state[9].cast<double>();
  s.information = state[10].cast<double>();
  s.mean = state[11].cast<double>();
  s.variance = state[12].cast<double>();
  return s;
}

py::dict inputs_of(const NamedSuggestion& s) {
  py::dict inputs;
  for (std::size_t k = 0; s.names && k < std::min(s.inputs.size(), s.names->size()); ++k)
    inputs[py::str((*s.names)[k].name)] = value_of(s, k);
  return inputs;
}

py::object input_of(const NamedSuggestion& s, const py::object& name) {
  if (!py::isinstance<py::str>(name))
    throw py::type_error("an input is asked for by its name, s[\"angle\"]; by place it is in x, s.x[0]");
  const py::dict inputs = inputs_of(s);
  if (inputs.contains(name)) return inputs[name];
  throw py::key_error(
      fmt::format("there is no input \"{}\", must be one of {}", name.cast<std::string>(),
                  fmt::join(s.names ? names_of(*s.names) : std::vector<std::string>(), ", ")));
}

py::dict dictionary_of(const NamedSuggestion& s) {
  py::dict all(py::arg("id") = s.id, py::arg("point") = s.point);
  for (const auto& [name, value] : inputs_of(s)) all[name] = value;
  const auto put = [&](const char* name, const py::object& value) {
    if (!all.contains(name)) all[name] = value;
  };
  if (s.level.alpha)
    put("alpha", py::cast(*s.level.alpha));
  else
    put("level", name_of(s.level));
  put("value", py::cast(s.level.value));
  put("cost", py::cast(s.cost));
  put("information", py::cast(s.information));
  put("mean", py::cast(s.mean));
  put("variance", py::cast(s.variance));
  const bool flips = std::holds_alternative<FlipChannel>(s.channel);
  put(flips ? "accuracy" : "noise_variance", channel_of(s, flips));
  return all;
}

}  // namespace

void bind_suggestion(py::module_& module) {
  py::class_<Suggestion>(module, "NamelessSuggestion");
  py::class_<NamedSuggestion, Suggestion>(
      module, "Suggestion",
      "What to ask for: `point` (`row` of the pool, inputs `x`) at `level`, or at precision `alpha`, "
      "for `cost`.\n\n`s[\"angle\"]` is an input by its name, `inputs` all of them, `to_dict()` everything "
      "by name. `information` is what the answer is expected to tell; `mean` and `variance` "
      "the belief about f there before it; `noise_variance` or `accuracy` what the answer will be "
      "like; `value` is handed to the annotator.")
      .def_readonly("id", &Suggestion::id)
      .def_property_readonly("inputs", &inputs_of)
      .def("__getitem__", &input_of)
      .def("__contains__",
           [](const NamedSuggestion& s, const py::object& name) { return inputs_of(s).contains(name); })
      .def("to_dict", &dictionary_of)
      .def_readonly("row", &Suggestion::row)
      .def_readonly("point", &Suggestion::point)
      .def_property_readonly("x", &inputs_by_place)
      .def_property_readonly("level", [](const Suggestion& s) { return name_of(s.level); })
      .def_property_readonly("alpha", [](const Suggestion& s) { return s.level.alpha; })
      .def_property_readonly("value", [](const Suggestion& s) { return s.level.value; })
      .def_readonly("cost", &Suggestion::cost)
      .def_readonly("information", &Suggestion::information)
      .def_readonly("mean", &Suggestion::mean)
      .def_readonly("variance", &Suggestion::variance)
      .def_readonly("resume_from", &Suggestion::resume_from,
                    "The suggestion whose run is continued, and whose answer is replaced; None: a new run.")
      .def_property_readonly("noise_variance", [](const Suggestion& s) { return channel_of(s, false); })
      .def_property_readonly("accuracy", [](const Suggestion& s) { return channel_of(s, true); })
      .def_property_readonly("information_per_cost", &Suggestion::information_per_cost)
      .def("__repr__", &text_of)
      .def(
          "__eq__",
          [](const NamedSuggestion& one, const NamedSuggestion& other) {
            return state_of(one).equal(state_of(other));
          },
          py::is_operator())
      .def("__hash__",
           [](const NamedSuggestion& s) { return py::hash(py::make_tuple(s.id, s.row, s.point)); })
      .def(py::pickle(&state_of, &from_state));
}

}  // namespace acuity::python
