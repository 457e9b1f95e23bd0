#include "base/first_rank.hpp"

namespace acuity {

std::string from_first_rank(Ranks* ranks, const std::function<std::string()>& work) {
  if (ranks == nullptr || ranks->count() == 1) return work();
  constexpr char done = '1', interrupted = '0';
  std::string result = gather_from_all(*ranks, [&]() -> std::string {
                         if (ranks->rank() != 0) return "";
                         try {
                           return done + work();
                         } catch (const Interrupted&) {
                           return {interrupted};
                         }
                       }).front();
  if (result.front() == interrupted) throw Interrupted();
  return result.erase(0, 1);
}

void on_first_rank(Ranks* ranks, const std::function<void()>& work) {
  from_first_rank(ranks, [&] {
    work();
    return std::string();
  });
}

bool as_first_rank_says(Ranks* ranks, bool mine) {
  return from_first_rank(ranks, [&] { return std::string(mine ? "1" : "0"); }) == "1";
}

}  // namespace acuity
