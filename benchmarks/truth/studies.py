"""The study files that are compared. Each method is a few lines of TOML; what is the same for all is added here."""
import dataclasses

# The study file that docs/guide.md teaches: the keys of [pool] besides `file`, and [model]. `check` compares them with the guide.
# {ones} becomes a list with one 1.0 per input.
GUIDE_POOL = ""
GUIDE_MODEL = ""

# The guide's study file at commit e6c5b5e, with every key written, so that later defaults do not change it. Its random choice at
# the finest level is the base of all RMSE ratios. `mean` and [noise] are for real targets only; see `Keys` for the keys that
# not every version knows.
OLD_POOL = """standardise = "pool"
"""
OLD_MODEL = """kernel = "matern52"
amplitude = 1.0
lengthscale = {ones}
fit = 10
optimiser = "lbfgs"
restarts = 4
fit_noise = false
"""

# The paper's rule for its tables: one length scale, Adam from a = l = 1 at every answer.
PAPER_POOL = """standardise = "annotations"
"""
PAPER_MODEL = """kernel = "rbf"
amplitude = 1.0
lengthscale = 1.0
fit = "every"
optimiser = "adam"
"""

# Maximum likelihood with the noise taken as known, at once on all answers.
LIKELIHOOD_MODEL = OLD_MODEL.replace("fit = 10", 'fit = "every"')


@dataclasses.dataclass
class Keys:
    """Which keys of later versions the program knows (program.py finds out)."""
    prior: bool = False
    average: bool = False
    nugget: bool = False
    plan: bool = False
    structure: bool = False


@dataclasses.dataclass
class Method:
    name: str
    pool: str = ""
    model: str = ""
    information: str = ""   # empty: the default
    criterion: str = ""     # of the goal, which is the pool; empty: the default
    plan: str = ""          # of the budget; empty: the default
    structure: str = ""     # of the model; empty: the default
    level: str = ""         # the only level on offer; empty: all
    explicit: bool = False  # write the keys of later versions such that nothing of theirs is used
    real_only: bool = False
    only_named: bool = False  # run only if --methods names it
    initial: str = '{ file = "initial.csv" }'


def default_rule(name, **options):
    """A study file without [model]."""
    return Method(name, **options)


def old_rule(name, **options):
    return Method(name, pool=OLD_POOL, model=OLD_MODEL, explicit=True, **options)


BASE = "old random"
RANDOM, PLAIN_RANDOM = "random", "plain random"  # at each level; summary.py finds the best one
EARLIER = "earlier default"                      # a study file without [model], under the program of --earlier
DEFAULT_RULE = default_rule("default")
LIKELIHOOD_RULE = Method("likelihood", pool=OLD_POOL, model=LIKELIHOOD_MODEL, explicit=True, real_only=True)


def acuity_methods(level_names):
    """The plain structure is the model of 0.2.0; a program that does not know the key has no other."""
    named = {"only_named": True}
    return [old_rule(BASE, information="random", level=level_names[-1]),
            DEFAULT_RULE,
            default_rule("model", information="model", structure="plain"),
            default_rule("goal", information="goal", criterion="variance", real_only=True),
            default_rule("prediction", information="goal", criterion="prediction", plan="none", real_only=True),
            *[default_rule(f"{RANDOM} at {name}", information="random", level=name) for name in level_names],
            *[default_rule(f"{PLAIN_RANDOM} at {name}", information="random", structure="plain", level=name) for name in level_names],
            default_rule("plain", structure="plain", **named),
            default_rule("without plan", plan="none", **named),
            default_rule("goal without plan", information="goal", criterion="variance", plan="none", real_only=True, **named),
            Method("guide", pool=GUIDE_POOL, model=GUIDE_MODEL, **named),
            old_rule("old guide", **named),
            Method("paper", pool=PAPER_POOL, model=PAPER_MODEL, explicit=True, real_only=True, **named),
            default_rule("bald", information="bald", level=level_names[-1], **named),
            *[default_rule(f"choice at {name}", level=name, **named) for name in level_names]]


def toml_level(problem, index):
    level = problem.levels[index]
    quality = f"accuracy = {level.noise!r}" if problem.binary else f"noise_sd = {problem.noise_sd(index)!r}"
    return f'[[level]]\nname = "{level.name}"\n{quality}\ncost = {level.cost!r}\n'


def level_indices(method, problem):
    return [k for k, level in enumerate(problem.levels) if method.level in ("", level.name)]


def model_lines(method, problem, keys):
    text = method.model.replace("{ones}", str([1.0] * problem.pool.shape[1]))
    if problem.binary:
        text = "".join(line for line in text.splitlines(True) if not line.startswith(("mean", "fit_noise")))
    elif method.explicit:
        text += 'mean = "annotations"\n'
    if method.explicit:
        text += 'prior = "none"\n' * keys.prior + "average = 1\n" * keys.average
    structure = "plain" if method.explicit else method.structure
    return text + f'structure = "{structure}"\n' * bool(structure and keys.structure)


def study_text(method, problem, budget, keys):
    """The whole file; its tables are initial.csv, pool.csv and truth.csv beside it."""
    parts = [f'[campaign]\nname = "{problem.table}"\nbudget = {budget!r}\nseed = {problem.seed}\n'
             f'initial = {method.initial}\n',
             f'[pool]\nfile = "pool.csv"\n{method.pool}']
    if problem.binary:
        parts.append('[target]\nkind = "binary"\n')
    model = model_lines(method, problem, keys)
    if model:
        parts.append("[model]\n" + model)
    if method.explicit and keys.nugget and not problem.binary:
        parts.append("[noise]\nnugget = 0\n")
    parts += [toml_level(problem, k) for k in level_indices(method, problem)]
    if method.criterion:
        parts.append(f'[goal]\ncriterion = "{method.criterion}"\n')
    acquisition = f'information = "{method.information}"\n' if method.information else ""
    if method.plan:
        acquisition += f'plan = "{method.plan}"\n'
    if method.explicit and keys.plan and not method.information:
        acquisition += 'information = "model"\nplan = "none"\n'
    if acquisition:
        parts.append("[acquisition]\n" + acquisition)
    parts.append('[annotator]\nsimulated = "truth"\ntruth = "truth.csv"\n')
    return "\n".join(parts)
