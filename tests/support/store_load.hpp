#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acuity/store/campaign_address.hpp"

namespace acuity::testing {

/// What many clients of one log did and found.
struct StoreLoad {
  std::int64_t acknowledged = 0;  ///< transactions
  std::int64_t in_log = 0;        ///< events, without the first
  std::vector<double> latencies;  ///< seconds of each transaction, ascending
  double seconds = 0.0;
  /// What is wrong, one sentence each: an event lost, doubled or out of order, a sum that is not that of what
  /// was acknowledged.
  std::vector<std::string> problems;

  double rate() const { return static_cast<double>(acknowledged) / seconds; }
  /// The latency below which this part of the transactions stayed.
  double latency(double part) const;
};

/// So many clients, each with its own connection, ask and tell in turn for so many seconds: an ask reserves
/// money under the next free number, a tell pays. `meanwhile` runs beside them and may disturb them. Then the
/// books of the log are compared with what the clients were told. The log must not exist.
StoreLoad load_store(const CampaignAddress& address, int clients, double seconds,
                     const std::function<void()>& meanwhile = {});

}  // namespace acuity::testing
