"""Runs on executors: processes, one of them killed, and those of other packages where they are installed."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from campaigns import answer, make

import acuity


def killed_at_the_third(suggestion):
    """The worker is killed, as by the system when memory runs out."""
    if suggestion.id == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(suggestion)


def failing_at_the_third(suggestion):
    if suggestion.id == 3:
        raise RuntimeError("does not converge")
    return {"y": answer(suggestion), "cost": suggestion.cost}


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_a_run_on_an_executor(tmp_path, kind):
    with make(tmp_path / "c.acuity") as campaign, kind(2) as executor:
        assert campaign.run(failing_at_the_third, executor=executor) == "the budget is spent"
        status = campaign.status()
        assert (status["spent"], status["failed"], status["pending"]) == (30.0, 1, 0)
        assert executor.submit(int, "7").result() == 7, "it is the caller's and goes on"


def test_a_worker_that_is_killed_is_no_failure_of_the_annotator(tmp_path):
    with make(tmp_path / "c.acuity") as campaign:
        with ProcessPoolExecutor(2) as executor:
            with pytest.raises(acuity.Stopped, match="the executor failed with BrokenProcessPool.*the next run begins with it"):
                campaign.run(killed_at_the_third, executor=executor)
            status, pending = campaign.status(), [s.id for s in campaign.pending()]
            assert status["failed"] == 0 and 3 in pending and status["owner"] is None
            assert status["annotations"] + len(pending) == len([e for e in campaign.events() if e["event"] == "asked"])
            with pytest.raises(acuity.Stopped, match="the executor failed"):
                campaign.run(answer, executor=executor)
        begun = []
        with ThreadPoolExecutor(1) as executor:
            campaign.run(lambda s: begun.append(s.id) or answer(s), executor=executor)
        assert begun[: len(pending)] == pending and campaign.status()["spent"] == 30.0


class Never(ThreadPoolExecutor):
    """Work that is never begun, as in a long queue."""

    def submit(self, *_):
        self.futures = [*getattr(self, "futures", []), Future()]
        if len(self.futures) == 3:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return self.futures[-1]


def test_ctrl_c_leaves_what_has_not_begun_pending():
    with make() as campaign, Never(3) as executor:
        with pytest.raises(KeyboardInterrupt):
            campaign.run(answer, executor=executor)
        assert all(future.cancelled() for future in executor.futures)
        assert len(campaign.pending()) == 3 and campaign.status()["failed"] == 0


def test_what_is_no_executor_is_refused():
    class Nameless:
        def submit(self, *_):
            raise AssertionError

    with make() as campaign:
        with pytest.raises(ValueError, match="executor is 3, must be a concurrent.futures.Executor"):
            campaign.run(answer, executor=3)
        with pytest.raises(ValueError, match="workers is missing, must be given with this executor"):
            campaign.run(answer, executor=Nameless())


@pytest.fixture
def dask_client():
    """Of two workers; a task whose worker dies is not run again by Dask itself."""
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed (Debian: python3-distributed)")
    import dask

    settings = {"distributed.scheduler.allowed-failures": 0, "distributed.comm.timeouts.connect": "2s"}
    with dask.config.set(settings):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster) as client:
            yield client


def test_dask(tmp_path, dask_client):
    with make(tmp_path / "c.acuity") as campaign:
        campaign.run(answer, executor=dask_client.get_executor(pure=False), workers=2)
        assert campaign.status()["spent"] == 30.0 and campaign.status()["failed"] == 0


def test_a_worker_of_dask_that_is_killed_is_no_failure_of_the_annotator(dask_client):
    with make() as campaign:
        with pytest.raises(acuity.Stopped, match="the executor failed with KilledWorker"):
            campaign.run(killed_at_the_third, executor=dask_client.get_executor(pure=False), workers=2)
        assert campaign.status()["failed"] == 0 and 3 in [s.id for s in campaign.pending()]
        campaign.run(answer, executor=dask_client.get_executor(pure=False), workers=2)
        assert campaign.status()["spent"] == 30.0


def killing_the_scheduler_at_the_third(scheduler, suggestion):
    if suggestion.id == 3:
        os.kill(scheduler, signal.SIGKILL)
        time.sleep(60)  # its answer would have nowhere to go
    return answer(suggestion)


def test_a_scheduler_of_dask_that_is_killed_is_no_failure_of_the_annotator(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed (Debian: python3-distributed)")
    import dask

    where = ["--scheduler-file", str(tmp_path / "scheduler.json"), "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}

    def start(role, *more):
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *where, *more]
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with dask.config.set({"distributed.comm.timeouts.connect": "2s"}):
        started = [start("scheduler", "--port", "0", "--host", "127.0.0.1")]
        try:
            started.append(start("worker", "--nthreads", "2", "--no-nanny", "--death-timeout", "60"))
            with distributed.Client(scheduler_file=where[1], timeout="60s") as client, make(tmp_path / "c.acuity") as campaign:
                client.wait_for_workers(1)
                annotator = functools.partial(killing_the_scheduler_at_the_third, started[0].pid)
                with pytest.raises(acuity.Stopped, match="the executor failed with CancelledError.*the next run begins with it"):
                    campaign.run(annotator, executor=client.get_executor(pure=False), workers=2)
                status, pending = campaign.status(), [s.id for s in campaign.pending()]
                assert status["failed"] == 0 and 3 in pending and status["owner"] is None
                campaign.run(answer)
                assert campaign.status()["spent"] == 30.0 and campaign.status()["failed"] == 0
        finally:
            for process in started:
                process.kill()
                process.wait()


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (Debian: python3-mpi4py)")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun (Debian: openmpi-bin)")
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\n"
        "from campaigns import answer, make\n"
        "if __name__ == '__main__':\n"
        "    from mpi4py.futures import MPIPoolExecutor\n"
        "    with make() as campaign, MPIPoolExecutor() as executor:\n"
        "        campaign.run(answer, executor=executor, workers=2)\n"
        "        print(campaign.status()['spent'])\n"
    )
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.split()[-1] == "30.0", done.stderr
