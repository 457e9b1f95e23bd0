"""The loop: workers, failures, interruptions, owners."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from campaigns import answer, campaign, make  # noqa: F401

import acuity


def test_a_run_asks_until_the_money_is_spent(campaign):
    seen = []
    campaign.run(answer, on_told=lambda suggestion, told: seen.append((suggestion.id, told["charge"])))
    assert [id for id, _ in seen] == list(range(1, len(seen) + 1))
    assert sum(charge for _, charge in seen) == campaign.status()["spent"] == 30.0
    assert campaign.status()["owner"] is None


def test_an_answer_of_a_run_may_be_a_dictionary(campaign):
    campaign.run(lambda s: {"y": answer(s), "cost": 2 * s.cost, "noise_variance": 0.5})
    rows = campaign.annotations(frame=False)
    assert set(rows["noise_variance"]) == {0.5} and rows["cost"].min() >= 2.0


def test_several_workers_are_at_work_at_once_and_keep_to_the_budget(campaign):
    together, threads = threading.Barrier(3, timeout=60), set()

    def annotator(suggestion):
        if suggestion.id <= 3:
            together.wait()  # breaks unless three are at work at the same time
        threads.add(threading.current_thread().name)
        return answer(suggestion)

    campaign.run(annotator, workers=3)
    status = campaign.status()
    assert status["spent"] == 30.0 and status["failed"] == status["pending"] == 0
    assert len(threads) == 3


def test_what_an_annotator_raises_is_a_failed_attempt(campaign):
    tries = []

    def clumsy(suggestion):
        tries.append(suggestion.id)
        if suggestion.id == 2:
            raise OSError("no disk")
        return float("nan") if suggestion.id == 3 else answer(suggestion)

    campaign.run(clumsy)
    assert campaign.status()["failed"] == 2 and campaign.status()["spent"] == 30.0
    reasons = [event["reason"] for event in campaign.events() if event["event"] == "failed"]
    assert reasons[0] == "OSError: no disk" and "must be a finite number" in reasons[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_too_many_failures_in_a_row_stop_the_run(campaign, workers):
    def broken(suggestion):
        raise RuntimeError("no licence")

    with pytest.raises(acuity.Stopped, match="4 annotations failed in a row, the last one with RuntimeError"):
        campaign.run(broken, workers=workers, max_failures=4)
    status = campaign.status()
    assert 4 <= status["failed"] <= 5 and status["spent"] == 0 and status["pending"] == 0
    assert campaign.run(answer) == "the budget is spent"


def test_failed_points_may_be_excluded(campaign):
    def never_at_first(suggestion):
        if suggestion.id <= 3:
            raise RuntimeError("does not converge")
        return answer(suggestion)

    campaign.run(never_at_first, exclude_on_fail=True)
    asked = [event["point"] for event in campaign.events() if event["event"] == "asked"]
    assert not set(asked[:3]) & set(asked[3:]) and campaign.status()["excluded"] == 3


def test_an_interrupted_run_leaves_its_work_pending_and_the_next_begins_with_it(campaign):
    at_work = []

    def interrupted(suggestion):
        at_work.append(suggestion.id)
        if suggestion.id == 5:
            raise KeyboardInterrupt
        return answer(suggestion)

    with pytest.raises(KeyboardInterrupt):
        campaign.run(interrupted)
    assert [s.id for s in campaign.pending()] == [5] and campaign.status()["annotations"] == 4
    assert campaign.status()["owner"] is None
    begun = []
    campaign.run(lambda s: begun.append(s.id) or answer(s))
    assert begun[0] == 5 and campaign.status()["pending"] == 0 and campaign.status()["spent"] == 30.0


def test_what_others_have_at_work_is_theirs(campaign):
    theirs = campaign.ask(worker="ann")
    with pytest.raises(acuity.NothingNow):
        campaign.run(answer)
    assert [s.id for s in campaign.pending()] == [theirs.id]


def test_answers_of_other_workers_are_kept_when_a_run_ends_early(campaign):
    second_at_work = threading.Event()

    def annotator(suggestion):
        if suggestion.id == 1:
            second_at_work.wait(60)
            raise KeyboardInterrupt
        second_at_work.set()
        return answer(suggestion)

    with pytest.raises(KeyboardInterrupt):
        campaign.run(annotator, workers=2)
    told = campaign.annotations(frame=False)["id"].tolist()
    assert 2 in told and 1 not in told
    assert [s.id for s in campaign.pending()] == [1], "nothing that was done has to be done again"


def test_one_owner_at_a_time(tmp_path):
    at_work, go_on, ends = threading.Event(), threading.Event(), []

    def slow(suggestion):
        at_work.set()
        go_on.wait(60)
        return answer(suggestion)

    with make(tmp_path / "c.acuity") as campaign, acuity.open(tmp_path / "c.acuity") as other:
        thread = threading.Thread(target=lambda: ends.append(campaign.run(slow)))
        thread.start()
        try:
            assert at_work.wait(60)
            with pytest.raises(acuity.OwnedError, match="already being run by process"):
                other.run(answer)
            other.tell(other.ask(), 0.1)  # single verbs are always allowed
        finally:
            go_on.set()
            thread.join(60)
        assert ends == ["the budget is spent"] and other.status()["spent"] == 30.0


def test_a_callable_that_is_called_may_use_its_campaign(campaign):
    """on_told and annotators look at the campaign that runs them, also from threads."""
    spent = []
    campaign.run(
        lambda s: campaign.status()["escrow"] and answer(s), workers=2,
        on_told=lambda s, told: spent.append(campaign.status()["spent"]),
    )
    assert spent[-1] == 30.0 and spent == sorted(spent)


def test_ctrl_c_ends_a_run_within_moments_and_loses_nothing(tmp_path):
    folder = tmp_path / "c.acuity"
    make(folder).close()
    script = (
        "import acuity, sys, time\n"
        "def annotator(s):\n"
        "    if s.id < 4: return 0.1 * s.id\n"
        "    print('at work', flush=True)\n"
        "    time.sleep(120)\n"
        "acuity.open(sys.argv[1]).run(annotator)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "at work\n"
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in complaint
    with acuity.open(folder) as campaign:
        assert campaign.status()["annotations"] == 3 and [s.id for s in campaign.pending()] == [4]
        assert campaign.status()["owner"] is None
        campaign.run(answer)
        assert campaign.status()["pending"] == 0 and campaign.status()["spent"] == 30.0


class Slow:
    """A number that sends SIGINT to its process when it is read: the answer was computed, and is not recorded yet."""

    sent = False

    def __init__(self, value):
        self.value = value

    def __float__(self):
        import os

        if not Slow.sent:
            Slow.sent = True
            os.kill(os.getpid(), signal.SIGINT)
        return self.value


@pytest.mark.parametrize("workers", [1, 3])
def test_an_answer_that_was_computed_when_ctrl_c_came_is_recorded(campaign, workers):
    Slow.sent = False
    with pytest.raises(KeyboardInterrupt):
        campaign.run(lambda s: Slow(0.5) if s.id == 4 else answer(s), workers=workers)
    rows = campaign.annotations(frame=False)
    assert 4 in rows["id"] and rows["y"][rows["id"] == 4] == 0.5
    assert campaign.status()["failed"] == 0 and campaign.status()["owner"] is None
    campaign.run(answer)
    assert campaign.status()["spent"] == 30.0


def test_ctrl_c_at_any_moment_loses_no_answer(tmp_path):
    """The annotator counts, in C and so quickly that it is never interrupted: no number that it returned may be missing."""
    script = (
        "import acuity, functools, itertools, os, signal, sys, threading, warnings\n"
        "import numpy as np\n"
        "warnings.simplefilter('ignore')\n"
        "levels = [acuity.Level('a', noise_sd=0.1, cost=1)]\n"
        "campaign = acuity.create(pool=np.linspace(0, 1, 20)[:, None], levels=levels, fit='never', amplitude=1.0,\n"
        "                         lengthscale=0.3, repeat=True)\n"
        "annotator = functools.partial(next, itertools.count())\n"
        "for k in range(int(sys.argv[1])):\n"
        "    timer = threading.Timer(0.003 + 0.0003 * k, os.kill, (os.getpid(), signal.SIGINT))\n"
        "    try:\n"
        "        timer.start()\n"
        "        campaign.run(annotator)\n"
        "    except KeyboardInterrupt:\n"
        "        pass\n"
        "    assert len(campaign.pending()) <= 1\n"
        "y = campaign.annotations(frame=False)['y']\n"
        "assert sorted(y) == list(range(len(y))) and len(y) > 20, y\n"
    )
    done = subprocess.run([sys.executable, "-c", script, "40"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_one_bad_point_does_not_end_a_run(campaign):
    bad = campaign.ask().row
    campaign.release(1)

    def solver(suggestion):
        if suggestion.row == bad:
            raise RuntimeError("diverged")
        return 0.5

    campaign.change_budget(1000)
    reason = campaign.run(solver, max_failures=3)
    assert "; 1 point that failed twice is left, the last is " in reason and "fail(..., exclude=True) excludes it" in reason
    assert campaign.status()["failed"] == 2 and campaign.status()["annotations"] > 5


def test_every_point_that_failed_is_tried_once_more(campaign):
    """As with `acuity run`: a second bad point is not forgotten because the first one was given up."""
    tries = []

    def solver(suggestion):
        tries.append(suggestion.row)
        if suggestion.row in (1, 4):
            raise RuntimeError("diverged")
        return 0.5

    campaign.change_budget(1000)
    reason = campaign.run(solver, max_failures=3)
    assert "; 2 points that failed twice are left, the last is " in reason
    assert tries.count(1) == tries.count(4) == 2 and campaign.status()["failed"] == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_but_failures_is_no_finished_campaign(campaign, workers):
    def broken(suggestion):
        raise RuntimeError("no licence")

    with pytest.raises(acuity.Stopped, match="annotations failed in a row, the last one with RuntimeError"):
        campaign.run(broken, workers=workers, max_failures=1000)
    failed = [event["id"] for event in campaign.events() if event["event"] == "failed"]
    points = {event["id"]: event["point"] for event in campaign.events() if event["event"] == "asked"}
    tries = [points[id] for id in failed]
    assert all(tries.count(point) == 2 for point in tries) and campaign.status()["pending"] == 0


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("refused", [{"y": 0.1, "cost": 1e308}, {"y": 0.1, "cost": -1.0}, float("nan"), float("inf"), 1e300])
def test_an_answer_that_is_refused_counts_as_a_failure(campaign, workers, refused):
    with pytest.raises(acuity.Stopped, match="3 annotations failed in a row, the last one with ValueError"):
        campaign.run(lambda suggestion: refused, workers=workers, max_failures=3)
    status = campaign.status()
    assert 3 <= status["failed"] <= 4 and status["spent"] == 0 and status["pending"] == 0
    with pytest.raises(ValueError, match="must be at most 1e15"):
        campaign.tell(campaign.ask(), 0.1, cost=1e308)


def test_where_runs_fail_is_learned():
    """An exception tells something about its point, an answer that is refused does not."""
    x = np.linspace(0, 1, 12)
    pool = np.array([(a, b) for a in x for b in x])
    campaign = acuity.create(
        pool=pool, levels=[acuity.Level("solver", cost=1, noise_sd=0.02)], budget=200, seed=3, initial=8, plan="none"
    )

    def solver(suggestion):
        if suggestion.id == 2:
            return float("nan")
        if suggestion.x.sum() > 1.22:
            raise RuntimeError("diverged")
        return np.sin(4 * suggestion.x[0]) + suggestion.x[1] ** 2

    for _ in range(60):
        suggestion = campaign.ask()
        try:
            campaign.tell(suggestion, solver(suggestion))
        except ValueError as error:
            campaign.fail(suggestion, str(error), cost=1, inconclusive=True)
        except RuntimeError as error:
            campaign.fail(suggestion, str(error), cost=1)
    status = campaign.status()
    assert status["failures"]["active"] and 0.1 < status["failures"]["share"] < 0.45
    assert status["failures"]["count"] == status["failed"] - 1 <= 20  # "wait" tries point by point what fails, about 50


def test_an_answer_that_comes_too_late_is_no_failure(campaign):
    def late(suggestion):
        if suggestion.id == 1:
            campaign.tell(suggestion, 0.25)  # another process would do so
        return 0.5

    campaign.run(late)
    assert campaign.status()["failed"] == 0 and campaign.annotations(frame=False)["y"][0] == 0.25


def generator(suggestion):
    yield 0.5


@pytest.mark.parametrize("what, words", [
    (3, "the annotator is 3, must be a function of a suggestion"),
    (generator, "generator function .*, must return the answer instead of yielding it"),
    (dict, "the annotator is the class dict, must be a function, or an instance of it"),
])
def test_what_is_no_annotator_is_refused_before_anything_is_asked(campaign, what, words):
    with pytest.raises(ValueError, match=words):
        campaign.run(what)
    assert [event["event"] for event in campaign.events() if event["event"] in ("asked", "failed")] == []
    assert campaign.status()["owner"] is None


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("answered, words", [
    (lambda s: {"y": 1.0, "cots": 3}, "a dictionary with the key 'cots'; here it is 'cost', must be of y, cost"),
    (lambda s: {"value": 1.0}, "a dictionary with the key 'value', must be of y, cost"),
    (lambda s: {"cost": 1.0}, "must have the key 'y'"),
    (lambda s: (one for one in [1.0]), "the annotator returned <generator .*, must be the answer"),
])
def test_a_misspelt_key_is_a_mistake_and_no_failure(campaign, workers, answered, words):
    with pytest.raises(ValueError, match=words):
        campaign.run(answered, workers=workers)
    status = campaign.status()
    assert status["failed"] == status["annotations"] == 0 and 1 <= status["pending"] <= workers
    assert campaign.run(answer) == "the budget is spent"


@pytest.mark.parametrize("workers", [1, 4])
def test_an_annotator_may_be_async(campaign, workers):
    import asyncio

    loops, at_work, together = set(), [], asyncio.Event()

    async def asks_a_server(suggestion):
        loops.add(id(asyncio.get_running_loop()))
        at_work.append(suggestion.id)
        if len(at_work) == workers:
            together.set()
        await asyncio.wait_for(together.wait(), 60)  # unless so many are at work at the same time
        if suggestion.id == 2:
            raise OSError("connection refused")
        return {"y": answer(suggestion)}

    assert campaign.run(asks_a_server, workers=workers) == "the budget is spent"
    assert len(loops) == 1
    assert campaign.status()["failed"] == 1 and campaign.status()["spent"] == 30.0


def test_a_coroutine_of_a_plain_function_is_refused_in_a_sentence(campaign):
    async def asks_a_server(suggestion):
        return 0.5

    with pytest.raises(ValueError, match="the annotator returned <coroutine .*an annotator that awaits is an `async def`"):
        campaign.run(lambda s: asks_a_server(s))
    assert campaign.status()["failed"] == 0


def test_what_an_executor_cannot_take_is_refused_before_anything_is_asked(campaign):
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

    class Client:
        def submit(self):
            pass

        def get_executor(self):
            pass

    async def asks_a_server(suggestion):
        return 0.5

    with ProcessPoolExecutor(1) as processes, pytest.raises(ValueError, match="the annotator cannot be sent to other processes .*no lambda"):
        campaign.run(lambda s: 0.5, executor=processes)
    with pytest.raises(ValueError, match=r"executor is a Dask client, must be its executor: client.get_executor\(pure=False\)"):
        campaign.run(answer, executor=Client())
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match="executor is given and the annotator is async"):
        campaign.run(asks_a_server, executor=threads)
    assert campaign.status()["pending"] == campaign.status()["failed"] == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_ends_after_n_answers_or_when_the_time_is_over(campaign, workers):
    assert campaign.run(answer, n=4, workers=workers) == "4 answers were asked for, and are recorded"
    assert campaign.status()["annotations"] == 4 and campaign.status()["pending"] == 0
    assert campaign.run(answer, timeout=0, workers=workers) == "the time is over (timeout)"
    assert campaign.status()["annotations"] == 4
    assert campaign.run(answer, timeout=600, workers=workers) == "the budget is spent"
    for wrong in ({"n": 0}, {"timeout": -1}, {"timeout": "5"}, {"retries": -1}, {"progress": 3}):
        with pytest.raises(ValueError):
            campaign.run(answer, **wrong)


def test_an_exception_is_retried_before_it_is_a_failure(campaign):
    tries = []

    def flaky(suggestion):
        tries.append(suggestion.id)
        if tries.count(suggestion.id) < 3:
            raise OSError("busy")
        return answer(suggestion)

    campaign.run(flaky, retries=2, n=2)
    assert campaign.status()["failed"] == 0 and tries.count(tries[0]) == 3


def test_progress_is_told_or_shown(campaign, capsys, monkeypatch):
    import acuity._progress as shown

    seen = []
    campaign.run(answer, n=3, progress=lambda status: seen.append(status["annotations"]))
    assert seen == [1, 2, 3]
    monkeypatch.setattr(shown, "_can_import", lambda name: False)
    monkeypatch.delitem(sys.modules, "tqdm", raising=False)
    campaign.run(answer, n=2, progress=True)
    assert "5 answers, 0 failed" in capsys.readouterr().err


def test_money_that_is_reserved_is_said_to_be(campaign):
    campaign.ask(100)
    with pytest.raises(acuity.NothingNow, match="are reserved for [0-9]+ pending suggestions: tell, fail or release them"):
        campaign.ask()


def test_a_campaign_says_how_other_processes_have_it(campaign):
    import pickle

    with pytest.raises(TypeError, match="a campaign cannot be pickled; other processes open it again"):
        pickle.dumps(campaign)
    one = campaign.ask()
    assert pickle.loads(pickle.dumps(one)) == one and {one: 1}[pickle.loads(pickle.dumps(one))] == 1 and one != 3
