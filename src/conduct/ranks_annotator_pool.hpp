#pragma once

#include <memory>

#include "acuity/base/ranks.hpp"
#include "conduct/annotator_pool.hpp"

namespace acuity {

/// Annotators that several ranks use as one: those of the first rank (`annotators`; null on the others) do
/// the work, and all ranks get the outcomes. All call the same functions in the same order.
std::unique_ptr<AnnotatorPool> share_annotators(std::shared_ptr<Ranks> ranks,
                                                std::unique_ptr<AnnotatorPool> annotators);

}  // namespace acuity
