#pragma once

#include <functional>
#include <memory>

#include "acuity/base/job.hpp"
#include "conduct/annotator_pool.hpp"

namespace acuity {

/// Annotators that the processes of a job use as one: the leader makes them by `make` and lets them work, and
/// all processes get the outcomes. All call the same functions in the same order.
std::unique_ptr<AnnotatorPool> share_annotators(const Job& job,
                                                const std::function<std::unique_ptr<AnnotatorPool>()>& make);

}  // namespace acuity
