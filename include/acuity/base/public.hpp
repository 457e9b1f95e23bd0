#pragma once

/// Marks the declarations of a public header: `namespace acuity ACUITY_PUBLIC {`. The libraries hide
/// everything else, so that nothing outside depends on it.
#define ACUITY_PUBLIC __attribute__((visibility("default")))
