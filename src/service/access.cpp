#include "service/access.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

constexpr std::array<const char*, 4> role_names{"watch", "label", "run", "own"};
constexpr std::size_t shortest_token = 20;
constexpr std::size_t most_clients = 10000;

// The time does not depend on where the two differ.
bool are_equal(const std::string& a, const std::string& b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < a.size(); ++k)
    difference = static_cast<unsigned char>(difference | (a[k] ^ b[b.empty() ? 0 : k % b.size()]));
  return difference == 0;
}

std::string new_token() {
  std::array<unsigned char, 24> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw StoreError("the system has no random numbers for a token");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string bearer_token(const std::string& authorization) {
  const std::string scheme = "Bearer ";
  return authorization.starts_with(scheme) ? authorization.substr(scheme.size()) : std::string();
}

bool is_json(const std::string& content_type) {
  return content_type == "application/json" || content_type.starts_with("application/json;");
}

}  // namespace

std::string role_name(Role role) {
  return role_names[static_cast<std::size_t>(role)];
}

std::optional<Role> role_named(const std::string& name) {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  if (found == role_names.end()) return std::nullopt;
  return static_cast<Role>(found - role_names.begin());
}

Tokens Tokens::read(const std::string& file) {
  struct stat facts{};
  std::ifstream stream(file);
  if (!stream || ::stat(file.c_str(), &facts) != 0)
    throw InputError(
        fmt::format("{}: cannot be read, must be a file with one line NAME ROLE TOKEN per caller", file));
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw InputError(
        fmt::format("{}: others may read it, must be its owner's alone; chmod 600 makes it so", file));
  Tokens tokens;
  std::set<std::string> seen;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto complain = [&](const std::string& what) {
      throw InputError(fmt::format("{}:{}: {}", file, number, what));
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, role, token, more;
    if (!(words >> name)) continue;
    if (!(words >> role >> token) || words >> more)
      complain("it does not have three words, must be NAME ROLE TOKEN");
    const std::optional<Role> known = role_named(role);
    if (!known)
      complain(fmt::format("role is \"{}\", must be watch, label, run or own", printable(role, 20)));
    if (token.size() < shortest_token)
      complain(
          fmt::format("the token of {} has {} characters, must have at least {}; openssl rand -hex 24 "
                      "makes one",
                      printable(name, 40), token.size(), shortest_token));
    if (!seen.insert(token).second)
      complain(fmt::format("the token of {} is that of another line, must be its own", printable(name, 40)));
    tokens.entries_.push_back({{name, *known}, token});
  }
  if (tokens.entries_.empty())
    throw InputError(fmt::format("{}: has no token, must have one line NAME ROLE TOKEN per caller", file));
  return tokens;
}

Tokens Tokens::with_new_owner() {
  Tokens tokens;
  tokens.entries_.push_back({{"owner", Role::own}, new_token()});
  return tokens;
}

std::optional<Caller> Tokens::find(const std::string& token) const {
  std::optional<Caller> found;
  for (const Entry& entry : entries_)
    if (are_equal(entry.token, token)) found = entry.caller;
  return found;
}

std::vector<Caller> Tokens::callers() const {
  std::vector<Caller> callers;
  for (const Entry& entry : entries_) callers.push_back(entry.caller);
  return callers;
}

Gate::Gate(Tokens tokens, AccessRules rules) : tokens_(std::move(tokens)), rules_(std::move(rules)) {}

Caller Gate::caller_of(const HttpRequest& request) const {
  if (std::find(rules_.hosts.begin(), rules_.hosts.end(), request.host) == rules_.hosts.end())
    throw HttpProblem(
        421, fmt::format("the request is for the host \"{}\", which this server is not; --name adds one",
                         printable(request.host, 60)));
  // Behind a proxy the page is encrypted although this connection is not.
  if (!request.origin.empty() && request.origin != "https://" + request.host &&
      (rules_.is_encrypted || request.origin != "http://" + request.host))
    throw HttpProblem(403, "the request comes from a page of another origin");
  if (request.method == "POST" && !is_json(request.content_type))
    throw HttpProblem(415, "the body has another type, must be application/json");
  if (request.authorization.empty()) {
    if (rules_.open_to == OpenTo::everybody) return {};
    if (rules_.open_to == OpenTo::this_machine && !request.is_forwarded) return {};
    throw HttpProblem(401, "a token is required: header field Authorization: Bearer TOKEN");
  }
  const std::optional<Caller> caller = tokens_.find(bearer_token(request.authorization));
  if (!caller) throw HttpProblem(401, "the token is not known to this server");
  return *caller;
}

double RateLimit::wait_of(const std::string& client, std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  // Whoever has not come for a while has a full bucket again and need not be remembered.
  if (buckets_.size() > most_clients)
    std::erase_if(buckets_, [&](const auto& one) {
      return std::chrono::duration<double>(now - one.second.at).count() * per_second_ >= burst_;
    });
  if (buckets_.size() > most_clients && !buckets_.contains(client)) return 1.0;
  const auto [place, is_new] = buckets_.try_emplace(client, Bucket{burst_, now});
  Bucket& bucket = place->second;
  bucket.tokens =
      std::min(burst_, bucket.tokens + per_second_ * std::chrono::duration<double>(now - bucket.at).count());
  bucket.at = now;
  if (bucket.tokens < 1.0) return (1.0 - bucket.tokens) / per_second_;
  bucket.tokens -= 1.0;
  return 0.0;
}

}  // namespace acuity
