"""Rows of `run` that are commands of the program, each in a process of its own, as users type them."""
import os, subprocess, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("ACUITY_PROGRAM", os.path.join(ROOT, "build", "release", "bin", "acuity"))  # or another version
KEYS_OF_0_2 = '[model]\nstructure = "plain"\n{model}[acquisition]\ninformation = "model"\n{acquisition}'


def acuity(folder, *words):
    """Runs a command; returns the megabytes that it needed."""
    process = subprocess.Popen([PROGRAM, *words], cwd=folder, stdout=subprocess.DEVNULL,
                               env=dict(os.environ, ACUITY_THREADS="1"))
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"acuity {' '.join(words)} has failed")
    return used.ru_maxrss / 1024


def study(pool="", model="", acquisition="", initial=""):
    return (f'[campaign]\nbudget = 100000\n{initial}[pool]\nfile = "pool.csv"\n{pool}'
            '[[level]]\nname = "one"\nnoise_sd = 0.1\ncost = 1\n' + KEYS_OF_0_2.format(model=model, acquisition=acquisition))


def write_table(folder, name, header, lines):
    with open(os.path.join(folder.name, name), "w") as table:
        table.write(header + "\n")
        table.writelines(line + "\n" for line in lines)


def as_text(row):
    return ",".join(f"{value:.9f}" for value in row)


def names(inputs):
    return ",".join(f"x{k}" for k in range(inputs))


def begin(folder, text):
    with open(os.path.join(folder.name, "study.toml"), "w") as file:
        file.write(text)
    acuity(folder.name, "init", "C", "--study", "study.toml")
    return folder


def campaign(points, text, answered, repeats=1):
    """A folder with a campaign C about these points, of which some have been answered."""
    from workload_data import noisy_values
    folder = tempfile.TemporaryDirectory()
    write_table(folder, "pool.csv", names(points.shape[1]), map(as_text, points))
    write_table(folder, "answers.csv", "id,y,level",
                (f"{point},{value},one" for k in range(repeats)
                 for point, value in zip(answered, noisy_values(100 + k, points[answered], 0.1))))
    return begin(folder, text)


def command(make, *words, before=()):
    """The work is one command; those before it do not count."""
    def prepare():
        folder = make()
        for earlier in before:
            acuity(folder.name, *earlier)

        def work():
            with folder:
                needed = acuity(folder.name, *words)
                cache = os.path.join(folder.name, "C", "cache")
                kept = sum(os.path.getsize(os.path.join(cache, f)) for f in os.listdir(cache)) if os.path.isdir(cache) else 0
                return f"{' '.join(words)}: {needed:.0f} MB by itself, {kept / 1e6:.0f} MB in cache/"
        return work
    return prepare


def csv_pool(size):
    def make():
        from workload_data import box
        some = [as_text(row) for row in box(31, 5000, 19, 0.0, 1.0)]
        rows = size(1_000_000, 40_000)
        folder = tempfile.TemporaryDirectory()
        write_table(folder, "pool.csv", names(20), (f"{row / rows:.9f},{some[row % 5000]}" for row in range(rows)))
        return begin(folder, study())

    def numpy_reads():
        import numpy as np
        folder = make()

        def work():
            with folder:
                table = np.loadtxt(os.path.join(folder.name, "pool.csv"), delimiter=",", skiprows=1)
            return f"numpy.loadtxt, {len(table)} rows"
        return work
    return {"acuity status": command(make, "status", "C"), "acuity ask": command(make, "ask", "C"),
            "acuity tell": command(make, "tell", "C", "1", "0.5", before=[["ask", "C"]]),
            "acuity init": command(make, "init", "D", "--study", "study.toml"), "numpy": numpy_reads}


def replicates(size):
    def make():
        import numpy as np
        from workload_data import box
        places = size(1000, 60)
        text = study("repeat = true\n", initial='[campaign.initial]\nfile = "answers.csv"\n')
        return campaign(box(32, places, 3, 0.0, 2.0), text, np.arange(places), size(10, 3))
    return {"acuity ask": command(make, "ask", "C"),
            "acuity report": command(make, "report", "C", "--out", "report.html", before=[["ask", "C"]])}


def warm(size):
    def make():
        import numpy as np
        from workload_data import box
        points, answers = size(20_000, 9_000), size(5000, 300)
        fixed = 'kernel = "matern52"\nfit = "never"\nlengthscale = 1.0\namplitude = 1.0\nmean = 0.0\n'
        text = study('standardise = "none"\n', fixed, 'plan = "none"\n', '[campaign.initial]\nfile = "answers.csv"\n')
        return campaign(box(33, points, 8, 0.0, 2.0), text, np.arange(answers) * (points // answers))

    def scipy_factor():
        import numpy as np
        from scipy.linalg import cholesky, solve_triangular
        from numpy_campaign_learning import matern52
        from workload_data import box
        pool = box(33, size(20_000, 9_000), 8, 0.0, 2.0)
        x = pool[:: size(4, 30)]
        theta = np.zeros(10)

        def work():
            factor = matern52(theta, x, x)
            factor[np.diag_indices(len(x))] += 0.01
            factor = cholesky(factor, lower=True, overwrite_a=True, check_finite=False)
            lowest = 1.0
            for begin in range(0, len(pool), 2000):
                v = solve_triangular(factor, matern52(theta, x, pool[begin : begin + 2000]), lower=True, overwrite_b=True,
                                     check_finite=False)
                lowest = min(lowest, np.einsum("ij,ij->j", v, v).min())
            return "factor and whole pool"
        return work
    told = [["ask", "C"], ["tell", "C", str(size(5000, 300) + 1), "0.5"]]
    return {"acuity second ask": command(make, "ask", "C", before=told), "acuity first ask": command(make, "ask", "C"),
            "acuity status": command(make, "status", "C", before=[*told, ["status", "C"]]),
            "acuity tell": command(make, "tell", "C", str(size(5000, 300) + 1), "0.5", before=[["ask", "C"]]),
            "scipy": scipy_factor}


def add_rows(row):
    row("csv-pool", "commands of a campaign whose pool is a CSV table of 1,000,000 rows with 20 inputs, 240 MB",
        floors={"acuity status": 0.3, "acuity ask": 0.3, "acuity tell": 0.3})(csv_pool)
    row("replicates", "10,000 answers at 1000 places, 3 inputs: the first ask learns the model; with the keys of version "
        "0.2",
        floors={"acuity ask": 10.0, "acuity report": 8.0})(replicates)
    row("warm", "5000 answers at different points, 20,000 points, 8 inputs, a fixed model: commands of new "
        "processes after an ask",
        floors={"acuity second ask": 1.0, "acuity status": 0.3, "acuity tell": 0.2})(warm)
