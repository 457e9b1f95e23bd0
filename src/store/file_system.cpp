#include "store/file_system.hpp"

#include <sys/vfs.h>

#include <map>

namespace acuity {

// The numbers are those of statfs(2) and the kernel's magic.h, which does not have all of them.
std::optional<std::string> network_file_system(std::uint64_t type) {
  static const std::map<std::uint64_t, std::string> names{
      {0x6969, "NFS"},        {0x517B, "SMB"},       {0xFF534D42, "CIFS"},  {0xFE534D42, "SMB2"},
      {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},  {0x00C36400, "Ceph"},  {0x5346414F, "AFS"},
      {0x6B414653, "AFS"},    {0x73757245, "Coda"},  {0x01021997, "9P"},    {0x65735546, "FUSE"},
      {0x19830326, "BeeGFS"}, {0xAAD7AAEA, "PanFS"}, {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"},
      {0x564C, "NCP"}};
  const auto found = names.find(type & 0xFFFFFFFF);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> network_file_system(const std::filesystem::path& file) {
  struct statfs where{};
  if (statfs(file.c_str(), &where) != 0) return std::nullopt;
  return network_file_system(static_cast<std::uint64_t>(where.f_type));
}

}  // namespace acuity
