#include "interpreter.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace acuity::python {

namespace {

using Clock = std::chrono::steady_clock;

enum class Phase { running, leaving, left };

std::atomic<Phase> phase = Phase::running;
std::atomic<int> at_work = 0;                 // threads within Released
std::atomic<std::thread::id> exiting_thread;  // which goes on when the others have left

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;  // the public name came with Python 3.13
#endif
}

bool is_another_thread() {
  return exiting_thread.load() != std::this_thread::get_id();
}

// Called by Python's atexit, when the interpreter is whole and threads that are waited for have ended. Those
// that are not ("daemon") get a while to come out of C++, and no thread but this one comes in again.
void let_threads_leave() {
  exiting_thread = std::this_thread::get_id();
  phase = Phase::leaving;
  {
    const py::gil_scoped_release unlocked;
    const Clock::time_point limit = Clock::now() + std::chrono::seconds(5);
    // No condition variable: a fork may leave one in any state.
    while (at_work > 0 && Clock::now() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  phase = Phase::left;
}

}  // namespace

Released::Released() {
  if (phase != Phase::running && is_another_thread()) throw Exiting();
  ++at_work;
  state_ = PyEval_SaveThread();
}

Released::~Released() noexcept(false) {
  if (is_finalizing() && is_another_thread())
    while (true) ::pause();  // it was asked to leave and could not hear: it ends with the process
  PyEval_RestoreThread(state_);
  --at_work;
}

int& Called::depth() {
  thread_local int depth = 0;
  return depth;
}

// Not too often: the interpreter's lock has its price. Only the main thread hears of signals.
void check_interpreter() {
  if (phase == Phase::leaving) throw Exiting();
  thread_local Clock::time_point last = Clock::now();
  const Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(20)) return;
  last = now;
  if (Py_IsInitialized() == 0 || is_finalizing()) return;
  const Called call;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void bind_interpreter(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Exiting&) {
      PyErr_SetNone(PyExc_SystemExit);
    }
  });
  py::module_::import("atexit").attr("register")(py::cpp_function(&let_threads_leave));
  // A forked process has one thread, and that one is here.
  py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") =
                                                         py::cpp_function([] { at_work = 0; }));
}

}  // namespace acuity::python
