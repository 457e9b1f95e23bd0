#pragma once

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acuity/data/channel.hpp"
#include "acuity/data/input.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/selection/suggestion.hpp"
#include "interpreter.hpp"

// Shared by the files that make up acuity._core. They translate and nothing else: defaults, checks of shape
// and everything a person reads is in python/acuity.

namespace acuity::python {

void bind_errors(py::module_& module);
void bind_failure_policy(py::module_& module);
void bind_numerics(py::module_& module);
void bind_model(py::module_& module);
void bind_learning(py::module_& module);
void bind_acquisition(py::module_& module);
void bind_suggestion(py::module_& module);
void bind_selection(py::module_& module);
void bind_campaign(py::module_& module);

/// The channels of labels that are right with these probabilities.
inline std::vector<Channel> flips(const Vector& accuracy) {
  std::vector<Channel> channels;
  for (const double right : accuracy) channels.emplace_back(FlipChannel{right});
  return channels;
}

/// A belief as Python gets it: (mean, variance).
inline py::tuple mean_and_variance(Marginals marginals) {
  return py::make_tuple(std::move(marginals.mean), std::move(marginals.variance));
}

/// A suggestion as Python gets it: with the names of its inputs, and of their values if they have names.
using InputNames = std::shared_ptr<const std::vector<Input>>;
struct NamedSuggestion : Suggestion {
  InputNames names;
};

inline std::vector<NamedSuggestion> with_names(const std::vector<Suggestion>& suggestions,
                                               const InputNames& names) {
  std::vector<NamedSuggestion> named;
  for (const Suggestion& one : suggestions) named.push_back({one, names});
  return named;
}

/// The function leaves the interpreter to others.
using Unlocked = py::call_guard<Released>;

/// An object that changes is used by one thread at a time; the others wait, without the interpreter's lock.
/// A callable that comes back to the object which is calling it, perhaps on another thread, would wait for
/// ever: it gets an exception, as from any object that is at work.
class Turn {
 public:
  class Holder {
   public:
    explicit Holder(Turn& turn) : turn_(turn) {
      if (turn_.owner_ == std::this_thread::get_id() || (Called::inside() && !turn_.mutex_.try_lock()))
        throw std::runtime_error("it is at work already, a callable that it calls must not use it");
      if (!Called::inside()) turn_.mutex_.lock();
      turn_.owner_ = std::this_thread::get_id();
    }
    ~Holder() {
      turn_.owner_ = std::thread::id();
      turn_.mutex_.unlock();
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    Turn& turn_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_;
};

/// Something of Python's that C++ keeps. It may be let go by any thread.
class Kept {
 public:
  explicit Kept(py::object object) : object_(new py::object(std::move(object)), &forget) {}
  /// With the interpreter's lock only.
  const py::object& get() const { return *object_; }

 private:
  static void forget(py::object* object) {
    if (Py_IsInitialized() == 0) return;  // its memory is gone with the interpreter
    const py::gil_scoped_acquire lock;
    delete object;
  }
  std::shared_ptr<py::object> object_;
};

}  // namespace acuity::python
