#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "service/access.hpp"
#include "service/http_server.hpp"

namespace acuity {

struct CampaignServerOptions {
  ListenAddress listen;
  std::optional<TlsFiles> tls;
  std::vector<std::string> names;  ///< further values of the header Host, such as those of a proxy
  bool behind_proxy = false;
  /// Otherwise only requests that come straight from this machine, of a server that has no proxy, may look
  /// without a token.
  bool watch_without_token = false;
  bool only_watch = false;  ///< nothing is changed, and the campaign may be run by another process
  double lease = 900.0;     ///< seconds, if a request names none
  std::filesystem::path items, images;  ///< of LabelItems; empty: none
  CampaignOptions campaign;
  std::filesystem::path runs;  ///< of annotators, for the output of failed attempts
  std::string notify;          ///< where news are posted (Notifier); empty: nowhere
  std::function<void(const std::string&)> complain = {};  ///< about news that could not be posted
  HttpLimits limits;
  double requests_per_second = 200.0;  ///< of each caller or address, in the long run
};

/// Answers HTTP requests about one campaign: the page, labelling and the verbs (docs/openapi.json).
class CampaignServer {
 public:
  /// Owns the campaign from now on unless it only watches. Throws InputError, OwnedError, StoreError.
  CampaignServer(const CampaignAddress& address, Tokens tokens, CampaignServerOptions options);
  ~CampaignServer();
  CampaignServer(const CampaignServer&) = delete;
  CampaignServer& operator=(const CampaignServer&) = delete;

  int port() const;
  /// Notices what other processes have done. Throws OwnedError if one of them has taken the campaign over.
  void look_at_log();
  /// Ends computations for readers, and refuses further requests. Any thread may call it.
  void refuse_more();
  /// Finishes the asks and answers that are being answered, and no more; then gives the campaign up.
  void stop();

  struct Parts;

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity
