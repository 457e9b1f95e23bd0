#pragma once

#include <pybind11/pybind11.h>

namespace acuity::python {

namespace py = pybind11;

/// The interpreter is going away and its threads are not waited for: work for it ends. Becomes a SystemExit,
/// which threads keep to themselves.
struct Exiting {};

/// Long work leaves the interpreter to others: its lock is free as long as this lives. A thread that came
/// back to an interpreter that is gone would be ended in the middle of C++, so none does: see
/// let_threads_leave().
class Released {
 public:
  Released();
  ~Released() noexcept(false);
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

/// Python is called from C++: with the interpreter's lock, from whichever thread.
class Called {
 public:
  Called() { ++depth(); }
  ~Called() { --depth(); }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;

  /// Whether this thread is in such a call.
  static bool inside() { return depth() > 0; }

 private:
  static int& depth();
  py::gil_scoped_acquire lock_;
};

/// Ends long work when the interpreter does; throws what a signal handler raised (Ctrl-C), or Exiting.
void check_interpreter();

/// Has all this set up: before the interpreter goes away, threads at work in C++ are asked to leave.
void bind_interpreter(py::module_& module);

}  // namespace acuity::python
