#include "study/batch_presets.hpp"

#include <algorithm>

namespace acuity {

namespace {

// Options on the command line win over lines of the script, so a preamble cannot change a job's identity.
// `singleton` keeps two jobs of one name from running at the same time. Jobs that are held, or wait for
// something that never comes, are listed by squeue for ever and give no result. The exit status is squeue's,
// not that of a pipe's last part: if it fails, nothing is known.
BatchSetting slurm() {
  BatchSetting batch;
  batch.submit =
      "sbatch --parsable --job-name={name} --dependency=singleton --chdir={folder} --output=batch.log "
      "--open-mode=append {time} {script}";
  batch.time_limit = "--time={minutes}";
  batch.alive =
      "jobs=$(squeue --noheader --user=\"$(id -un)\" --format='%j|%T|%r') || exit 1\n"
      "printf '%s\\n' \"$jobs\" | "
      "awk -F'|' '!($2 == \"PENDING\" && tolower($3) ~ /held|never/) { print $1 }'";
  batch.cancel = "scancel --user=\"$(id -un)\" --name={name}";
  return batch;
}

// Jobs may end between qselect and qstat, which then fails although it has printed the others; only qselect
// says whether the server answers. H: held.
BatchSetting pbs() {
  BatchSetting batch;
  batch.submit = "qsub -N {name} -S /bin/sh -V -j oe -o {folder}/batch.log {time} {script}";
  batch.time_limit = "-l walltime={minutes}:00";
  batch.alive =
      "ids=$(qselect -u \"$(id -un)\") || exit 1\n"
      "[ -z \"$ids\" ] || qstat -f $ids 2>/dev/null | awk '$1 == \"Job_Name\" { name = $3 } "
      "$1 == \"job_state\" && $3 !~ /^[HCFX]$/ { print name }'";
  batch.cancel = "ids=$(qselect -u \"$(id -un)\" -N {name}) && { [ -z \"$ids\" ] || qdel $ids; }";
  return batch;
}

// Without any job, bjobs may fail. PSUSP: suspended by its owner before it began.
BatchSetting lsf() {
  BatchSetting batch;
  batch.submit = "bsub -J {name} -cwd {folder} -o {folder}/batch.log {time} < {script}";
  batch.time_limit = "-W {minutes}";
  batch.alive =
      "jobs=$(bjobs -noheader -o 'stat name' 2>&1) || case $jobs in *'No unfinished job'*) exit 0;; *) exit "
      "1;; "
      "esac\n"
      "printf '%s\\n' \"$jobs\" | awk '$1 != \"PSUSP\" { print $2 }'";
  batch.cancel = "bkill -J {name}";
  return batch;
}

}  // namespace

const std::vector<std::string>& batch_preset_names() {
  static const std::vector<std::string> names{"slurm", "pbs", "lsf"};
  return names;
}

std::optional<BatchSetting> batch_preset(std::string_view name) {
  if (name == "slurm") return slurm();
  if (name == "pbs") return pbs();
  if (name == "lsf") return lsf();
  return std::nullopt;
}

}  // namespace acuity
