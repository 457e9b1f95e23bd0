"""What compare.py and scaling.py share: starting programs, describing the machine, tables, results in files. Needs
nothing beyond Python itself.
"""
import datetime, json, os, platform, shlex, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARIES = os.path.join(ROOT, "build", "release", "benchmarks", "peers")
WORKLOADS = os.path.join(BINARIES, "acuity_workloads")


class Failed(Exception):
    pass


def run_program(command, environment=None):
    """The line of JSON that a program prints."""
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])


def cpu_flags():
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("flags"):
            return set(line.split(":")[1].split())
    return set()


def cpu_model():
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _lines(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except OSError:
        return []


def compiler():
    for line in _lines(os.path.join(ROOT, "build", "release", "CMakeCache.txt")):
        if line.startswith("CMAKE_CXX_COMPILER:"):
            return _output([line.split("=", 1)[1], "--version"]).partition("\n")[0]
    return "unknown"


def _output(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()
    except OSError:
        return ""


def system_name():
    for line in _lines("/etc/os-release"):
        if line.startswith("PRETTY_NAME="):
            return line.split("=", 1)[1].strip('"')
    return platform.system()


def commit():
    name = _output(["git", "rev-parse", "--short", "HEAD"]) or "unknown"
    return name + (" with changes" if _output(["git", "status", "--porcelain", "--untracked-files=no"]) else "")


def load_average():
    return " ".join(f"{x:.1f}" for x in os.getloadavg())


def machine(load_before):
    """Lines about where and when a result came to be."""
    return [f"- machine: {cpu_model()}, {os.cpu_count()} cores, {system_name()}",
            f"- load average: {load_before} before, {load_average()} after",
            f"- date: {datetime.datetime.now().astimezone().isoformat(timespec='minutes')}",
            f"- compiler: {compiler()}; acuity at commit {commit()}"]


def command_line(name, arguments):
    return " ".join([name, *map(shlex.quote, arguments)])


def table(header, rows):
    """Markdown whose columns stand under each other."""
    rows = [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    line = lambda cells: "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths)) + " |"
    return "\n".join([line(header), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)])


def write(text, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as file:
        file.write(text + "\n")
    print(f"written to {os.path.relpath(path)}", file=sys.stderr)


def default_path(name):
    return os.path.join(ROOT, "benchmarks", "runs", f"{datetime.date.today().isoformat()}-{name}.md")
