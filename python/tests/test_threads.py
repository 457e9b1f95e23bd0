"""Threads, signals, forks and the end of the interpreter."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sizes import THOROUGH

import acuity
from acuity import GPRegressor, Level, Selector

LEVELS = [Level("coarse", noise_sd=0.5, cost=1), Level("fine", noise_sd=0.1, cost=4)]


def data(count, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(0, 6, (count, 3))
    return X, np.sin(X).sum(axis=1) + 0.1 * draw.standard_normal(count)


def ticks_during(work):
    """How often another thread got to run, and for how long it could have."""
    ticks, end = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not end.is_set():
            ticks += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    work()
    took = time.monotonic() - begin
    end.set()
    thread.join()
    return ticks, took


def long_fit():
    GPRegressor(restarts=4).fit(*data(500))


def long_choice():
    model = GPRegressor(optimiser=None).fit(*data(300), noise_variance=0.01)
    selector = Selector(data(20000, 1)[0], model, acuity.Ladder(0.09, acuity.costs.power(9, 1)), noise_variance=0.01)
    selector.next(150)


def long_ask():
    campaign = acuity.create(pool=data(2000, 1)[0], levels=LEVELS, budget=1e6, lengthscale=0.5)
    campaign.ask(800)


@pytest.mark.parametrize("work", [long_fit, long_choice, long_ask])
def test_others_run_meanwhile(work):
    work()  # whatever is done once
    ticks, took = ticks_during(work)
    assert took > 0.05, "too fast to tell"
    # Where the lock is kept there are two or three. Threads may be starved on a machine that is busy.
    assert ticks > 3 + took / 0.005 / 50


def together(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "it hangs"
    if errors:
        raise errors[0]


def test_threads_share_a_selector():
    pool = data(400, 1)[0]
    selector = Selector(pool, GPRegressor(), LEVELS, budget=1000, threads=2)
    done, guard = [], threading.Lock()

    def work(i):
        for step in range(15):
            found = selector.next()
            if step % 5 == 4:
                selector.expect(found)
                selector.release(found)
                continue
            if step % 3 == 0:
                selector.expect(found)
                selector.scores(), selector.belief()
            selector.tell(found, float(np.sin(found.x[0])))
            with guard:
                done.append(found)

    together(4, work)
    assert len(done) == 4 * 12
    assert selector.remaining == pytest.approx(1000 - sum(s.cost for s in done))
    assert len({s.id for s in done}) == len(done)
    model = GPRegressor(optimiser=None).fit(
        np.array([s.x for s in done]), [np.sin(s.x[0]) for s in done], noise_variance=[s.noise_variance for s in done]
    )
    mean, sd = model.predict(pool, return_std=True)
    np.testing.assert_allclose(selector.belief()[0], mean, atol=1e-6)
    np.testing.assert_allclose(selector.belief()[1], sd**2, atol=1e-6)


@pytest.mark.parametrize("stored", [False, True])
def test_threads_share_a_campaign(tmp_path, stored):
    campaign = acuity.create(tmp_path / "c" if stored else None, pool=data(60, 1)[0], levels=LEVELS, budget=40, lengthscale=2.0)
    told, guard = [], threading.Lock()

    def work(i):
        while True:
            try:
                found = campaign.ask(worker=str(i))
            except acuity.Finished:
                return
            except acuity.NothingNow:
                time.sleep(0.01)
                continue
            status = campaign.status()
            assert status["spent"] + status["escrow"] <= 40 + 1e-6
            if len(told) % 7 == 3:
                campaign.release(found)
            else:
                campaign.tell(found, float(np.sin(found.x[0])))
            campaign.pending(), campaign.predict(campaign.pool[:3])
            with guard:
                told.append(found)

    together(4, work)
    status = campaign.status()
    assert status["pending"] == 0 and 36 < status["spent"] <= 40 + 1e-6
    answers = campaign.annotations(frame=False)
    assert len(set(answers["id"])) == status["annotations"] and status["spent"] == pytest.approx(answers["cost"].sum())
    campaign.close()


def test_threads_share_a_model():
    X, y = data(120)
    model = GPRegressor(optimiser=None).fit(X, y, noise_variance=0.01)
    expected = model.predict(X)
    blank = pickle.loads(pickle.dumps(model))  # whose belief is made by whoever comes first

    def work(i):
        for _ in range(10):
            np.testing.assert_array_equal(blank.predict(X), expected)
            blank.sample_y(X[:5], 3, random_state=i), blank.predict(X, return_std=True)

    together(4, work)


def test_a_kernel_in_python_may_be_called_by_many_threads():
    X, y = data(80)

    def kernel(a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))

    expected = GPRegressor(optimiser=None).fit(X, y, noise_variance=0.1).predict(X)

    def work(i):
        model = GPRegressor(kernel, optimiser=None).fit(X, y, noise_variance=0.1)
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-8)
        selector = Selector(X, model, LEVELS, threads=2)
        for _ in range(5):
            selector.tell(selector.next(), 0.0)

    together(4, work)


def test_money_can_be_read_while_another_thread_is_in_a_python_kernel():
    """Waiting for the selector with the interpreter's lock would be a deadlock: the kernel needs that lock."""
    run = script("""
        import threading, time
        import numpy as np
        import acuity

        inside = threading.Event()

        def kernel(a, b):
            inside.set()
            time.sleep(0.02)  # lets the other thread go on
            return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))

        X = np.linspace(0, 6, 50)[:, None]
        selector = acuity.Selector(X, acuity.GPRegressor(kernel, optimiser=None), [acuity.Level("a", noise_sd=0.3, cost=1)],
                                   budget=9, threads=1)
        first = selector.next()
        inside.clear()
        thread = threading.Thread(target=lambda: selector.tell(first, 0.0))
        thread.start()
        inside.wait()
        print(selector.remaining)
        thread.join()
        """, timeout=60)
    assert run.returncode == 0 and run.stdout.strip() == "8.0", run.stderr


def script(code, *arguments, timeout=120, **options):
    """Python in a process of its own, whose stderr tells of crashes."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *arguments],
        capture_output=True, text=True, timeout=timeout, **options,
    )


PREAMBLE = """
import os, sys, threading, time
import numpy as np
import acuity
draw = np.random.default_rng(0)
def data(count, inputs=3):
    X = draw.uniform(0, 6, (count, inputs))
    return X, np.sin(X).sum(axis=1) + 0.1 * draw.standard_normal(count)
levels = [acuity.Level("coarse", noise_sd=0.5, cost=1), acuity.Level("fine", noise_sd=0.1, cost=4)]
X, y = data(1200)
"""

LONG = {
    "fit": ("""
        model = acuity.GPRegressor(restarts=1000, threads=THREADS)
        work = lambda: model.fit(X, y)
        """, "assert not hasattr(model, 'X_train_'); model.set_params(restarts=0).fit(X[:50], y[:50]).predict(X)"),
    "fit by adam": ("""
        model = acuity.GPRegressor(optimiser="adam", threads=THREADS)
        X, y = data(2500)
        work = lambda: [model.fit(X, y) for _ in range(1000)]
        """, "model.fit(X[:50], y[:50]).predict(X)"),
    "posterior": ("""
        model = acuity.GPRegressor(optimiser=None, threads=THREADS)
        X, y = data(9000)
        work = lambda: [model.fit(X, y, noise_variance=0.1) for _ in range(1000)]
        """, "model.fit(X[:50], y[:50], noise_variance=0.1).predict(X)"),
    "classifier": ("""
        model = acuity.GPClassifier(restarts=1000, threads=THREADS)
        X, y = X[:400], y[:400] > 0
        work = lambda: model.fit(X, y, accuracy=0.9)
        """, "model.set_params(restarts=0).fit(X[:50], y[:50]).predict(X)"),
    "own kernel": ("""
        class K(acuity.Kernel):
            def __init__(self, l=1.0): self.l = l
            def covariance(self, a, b): return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2) / self.l)
            def log_parameters(self): return [np.log(self.l)]
            def with_log_parameters(self, p): return K(np.exp(p[0]))
        model = acuity.GPRegressor(K(), restarts=100, threads=THREADS)
        work = lambda: model.fit(X, y)
        """, "model.set_params(restarts=0).fit(X[:50], y[:50]).predict(X)"),
    "next": ("""
        pool = data(30000)[0]
        model = acuity.GPRegressor(optimiser=None).fit(X[:400], y[:400], noise_variance=0.01)
        ladder = acuity.Ladder(0.09, acuity.costs.power(9, 1))
        selector = acuity.Selector(pool, model, ladder, 1e6, noise_variance=0.01, threads=THREADS)
        first = selector.next()
        work = lambda: selector.next(5000)
        """, "assert selector.next().row == first.row and selector.remaining == 1e6; selector.tell(first, 1.0); selector.next()"),
    "tell": ("""
        model = acuity.GPRegressor(optimiser=None).fit(X[:300], y[:300], noise_variance=0.01)
        selector = acuity.Selector(data(8000)[0], model, levels, 1e6, repeat=True, threads=THREADS)
        told = []
        def step():
            told.append(selector.next())
            selector.tell(told[-1], float(told[-1].x[0]))
        step()  # a busy machine may begin no other before the signal
        def work():
            while True: step()
        """, """
        # The last of them may have been taken in or not, but not by half.
        if selector.remaining != 1e6 - sum(s.cost for s in told): told.pop()
        assert selector.remaining == 1e6 - sum(s.cost for s in told)
        model.add([s.x for s in told], [s.x[0] for s in told], noise_variance=[s.noise_variance for s in told])
        rows = [s.row for s in told]
        found = selector.belief()
        expected = model.predict(np.array([s.x for s in told]), return_std=True)
        assert np.allclose(found[0][rows], expected[0], atol=1e-5) and np.allclose(found[1][rows], expected[1] ** 2, atol=1e-5)
        selector.next()
        """),
    "ask": ("""
        campaign = acuity.create(pool=data(6000)[0], levels=levels, budget=1e9, lengthscale=0.3, repeat=True, threads=THREADS)
        campaign.tell(campaign.ask(), 0.5)
        work = lambda: campaign.ask(5000)
        """, "status = campaign.status(); assert status['pending'] == 0, status; campaign.tell(campaign.ask(), 0.5)"),
    "stored ask": ("""
        import tempfile
        folder = tempfile.TemporaryDirectory()
        path = folder.name + "/c"
        campaign = acuity.create(path, pool=data(6000)[0], levels=levels, budget=1e9, lengthscale=0.3, repeat=True, threads=THREADS)
        campaign.tell(campaign.ask(), 0.5)
        work = lambda: campaign.ask(5000)
        """, """
        assert campaign.status()['pending'] == 0
        campaign.tell(campaign.ask(), 0.5)
        with acuity.open(path) as other: assert other.status()['annotations'] == 2
        campaign.close()
        """),
    "run": ("""
        campaign = acuity.create(pool=X, levels=levels, budget=1e9, repeat=True, threads=THREADS)
        work = lambda: campaign.run(lambda s: float(s.x[0]), workers=THREADS)
        """, """
        assert campaign.status()['annotations'] > 0
        campaign.change_budget(-campaign.status()['free'] + 3.0)
        campaign.run(lambda s: float(s.x[0]))
        """),
    "information": ("""
        mean = np.linspace(-3, 3, 20_000_000)
        work = lambda: [acuity.information(mean=mean, variance=1.0, accuracy=0.9) for _ in range(1000)]
        """, "acuity.information(mean=0.0, variance=1.0, accuracy=0.9)"),
    "draws": ("""
        model = acuity.GPRegressor(optimiser=None).fit(X, y, noise_variance=0.1)
        pool = data(5000)[0]
        work = lambda: [model.predict(pool, return_cov=True) for _ in range(1000)]
        """, "model.predict(X)"),
}


EVERY = [*[(kind, 2) for kind in LONG], ("fit", 1), ("next", 1), ("tell", 1), ("ask", 1)]
FEW = [("fit", 2), ("classifier", 2), ("next", 2), ("stored ask", 2), ("run", 2), ("ask", 1)]


@pytest.mark.parametrize("kind, threads", EVERY if THOROUGH else FEW)
def test_ctrl_c_ends_long_work(kind, threads):
    setup, afterwards = LONG[kind]
    code = (
        PREAMBLE + f"THREADS = {threads}\n" + textwrap.dedent(setup)
        + textwrap.dedent("""
            print("ready", flush=True)
            try:
                work()
                print("it ended by itself", flush=True)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            """)
        + textwrap.dedent(afterwards) + '\nprint("works", flush=True)\n'
    )
    child = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    guard = threading.Timer(120, child.kill)
    guard.start()
    try:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        time.sleep(0.4)
        child.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert child.stdout.readline() == "interrupted\n"
        took = time.monotonic() - begin
        out, errors = child.stdout.read(), child.stderr.read()
        assert (out, errors, child.wait()) == ("works\n", "", 0)
        print(f"{kind}, {threads}: {took:.2f} s")
        assert took < 5.0  # less than a second on a machine of its own
    finally:
        guard.cancel()
        child.kill()
        child.communicate()


def test_what_a_signal_handler_raises_comes_out():
    code = PREAMBLE + textwrap.dedent("""
        import signal
        class Alarm(Exception): pass
        def handler(*_): raise Alarm
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            acuity.GPRegressor(restarts=1000).fit(X, y)
        except Alarm:
            print("alarm")
        """)
    done = script(code)
    assert (done.stdout, done.stderr, done.returncode) == ("alarm\n", "", 0)


def test_a_signal_handler_may_not_use_what_it_interrupts():
    code = PREAMBLE + textwrap.dedent("""
        import signal
        selector = acuity.Selector(data(20000)[0], acuity.GPRegressor(), levels, 1e6)
        def handler(*_): selector.remaining
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            selector.next(20000)
        except RuntimeError as error:
            print(error)
        """)
    done = script(code)
    assert "at work" in done.stdout and (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_work_after_threads_did(tmp_path, method):
    (tmp_path / "job.py").write_text(textwrap.dedent("""
        import numpy as np, acuity
        levels = [acuity.Level("coarse", noise_sd=0.5, cost=1), acuity.Level("fine", noise_sd=0.1, cost=4)]
        X = np.linspace(0, 6, 300)[:, None]
        def job(seed):
            model = acuity.GPRegressor(random_state=seed, threads=2).fit(X, np.sin(X[:, 0]))
            found = acuity.select(np.linspace(0, 9, 3000)[:, None], model, levels, threads=2)
            campaign = acuity.create(pool=X, levels=levels, budget=5)
            campaign.run(lambda s: 0.1, workers=2)
            return found.row, round(model.log_marginal_likelihood_, 6)
        """))
    (tmp_path / "main.py").write_text(textwrap.dedent("""
        import multiprocessing, sys, threading
        import acuity, numpy as np
        from job import job, X
        if __name__ == "__main__":
            expected = job(1)
            end = threading.Event()
            def busy():
                while not end.is_set():
                    acuity.GPRegressor(restarts=1).fit(X, np.sin(X[:, 0]))
            thread = threading.Thread(target=busy)
            thread.start()
            with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
                found = pool.map(job, [1, 1, 1, 1], chunksize=1)
            end.set()
            thread.join()
            assert found == [expected] * 4, (found, expected)
            print("done")
        """))
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "main.py", method], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_models_and_selectors_are_inherited_by_forks():
    code = PREAMBLE + textwrap.dedent("""
        model = acuity.GPRegressor(optimiser=None).fit(X[:200], y[:200], noise_variance=0.1)
        selector = acuity.Selector(X, model, levels, threads=2)
        first, mean = selector.next(), model.predict(X)
        child = os.fork()
        if child == 0:
            assert np.array_equal(model.predict(X), mean) and selector.next().row == first.row
            selector.tell(first, 0.5)
            selector.next(5)
            sys.exit(17)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
        selector.tell(first, 0.5)
        """)
    done = script(code)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_stored_campaign_is_not_used_on_both_sides_of_a_fork(tmp_path):
    code = PREAMBLE + textwrap.dedent("""
        campaign = acuity.create(sys.argv[1], pool=X[:50], levels=levels, budget=50)
        campaign.tell(campaign.ask(), 0.5)
        child = os.fork()
        if child == 0:
            try:
                campaign.ask()
            except ValueError as error:
                assert "fork" in str(error)
                with acuity.open(campaign.path) as own:
                    own.tell(own.ask(), 0.25)
                campaign.close()
                del campaign
                sys.exit(17)
            sys.exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
        assert campaign.status()["annotations"] == 2
        campaign.tell(campaign.ask(), 0.125)
        campaign.close()
        """)
    done = script(code, os.fspath(tmp_path / "c"))
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


ENDS = {
    "live objects": """
        campaign = acuity.create(pool=X, levels=levels, budget=50)
        stored = acuity.create(sys.argv[1], pool=X, levels=levels, budget=50)
        first, second = campaign.ask(), stored.ask()
        selector = acuity.Selector(X, acuity.GPRegressor(lambda a, b: np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2))), levels)
        selector.next()
        """,
    "a thread that fits": """
        def work():
            while True:
                acuity.GPRegressor(restarts=2).fit(X[:200], y[:200])
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        """,
    "threads that choose": """
        selector = acuity.Selector(data(20000)[0], acuity.GPRegressor(), levels, repeat=True)
        def work():
            while True:
                selector.tell(selector.next(), 0.5)
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        """,
    "a thread with a kernel in Python": """
        def kernel(a, b):
            return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2))
        def work():
            while True:
                model = acuity.GPRegressor(kernel, optimiser=None, threads=2).fit(X[:300], y[:300], noise_variance=0.1)
                acuity.Selector(X, model, levels, threads=2).next(5)
        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        """,
    "threads that share a campaign": """
        campaign = acuity.create(sys.argv[1], pool=X, levels=levels, budget=1e9, repeat=True)
        def work():
            while True:
                campaign.tell(campaign.ask(), 0.5)
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        """,
    "one long call": """
        threading.Thread(target=lambda: acuity.GPRegressor(restarts=1000).fit(X, y), daemon=True).start()
        time.sleep(0.5)
        """,
    "work at exit": """
        import atexit
        model = acuity.GPRegressor(restarts=2)
        def last():
            model.fit(X[:200], y[:200])
            assert acuity.select(X, model, levels, threads=2).row >= 0
        atexit.register(last)
        threading.Thread(target=lambda: acuity.GPRegressor(restarts=1000).fit(X, y), daemon=True).start()
        time.sleep(0.3)
        """,
}


@pytest.mark.parametrize("kind", ENDS if THOROUGH else ["live objects", "threads that choose", "work at exit"])
def test_the_interpreter_ends_quietly(tmp_path, kind):
    for i in range(2 if THOROUGH else 1):  # it is a matter of luck when a thread is met
        done = script(PREAMBLE + textwrap.dedent(ENDS[kind]), os.fspath(tmp_path / f"c{i}"))
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_work_at_exit_is_done_also_after_the_package_has_let_threads_go():
    code = """
        import atexit, threading, time
        def last():
            model.fit(X, np.sin(X[:, 0]))
            print(acuity.select(X, model, [acuity.Level("a", noise_sd=0.5, cost=1)], threads=2).row >= 0)
        atexit.register(last)  # before the import, so that it is called after what the package has registered
        import acuity, numpy as np
        X = np.linspace(0, 6, 400)[:, None]
        model = acuity.GPRegressor(restarts=2)
        threading.Thread(target=lambda: acuity.GPRegressor(restarts=1000).fit(X, np.sin(X[:, 0])), daemon=True).start()
        time.sleep(0.3)
        """
    done = script(code)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


def test_threads_are_those_of_the_processors_that_may_be_used():
    """In a job that has one processor of many, no other thread is started."""
    code = textwrap.dedent("""
        import os, sys
        import numpy as np, acuity
        if sys.argv[1] == "one": os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        random = np.random.default_rng(1)
        X, pool = random.uniform(0, 9, (400, 2)), random.uniform(0, 9, (20000, 2))
        before = len(os.listdir("/proc/self/task"))
        model = acuity.GPRegressor(optimiser=None).fit(X, X[:, 0], noise_variance=0.1)
        model.predict(pool, return_std=True)
        print(len(os.listdir("/proc/self/task")) - before, len(os.sched_getaffinity(0)))
        """)
    for which in ("one", "all"):
        done = subprocess.run([sys.executable, "-c", code, which], capture_output=True, text=True, check=True, timeout=120)
        started, processors = map(int, done.stdout.split())
        assert started <= processors - 1 and (processors == 1 or started > 0), (which, started, processors)
