"""Campaigns in a PostgreSQL database: the same calls with an address instead of a path."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from campaigns import POOL, answer, make, program

import acuity

PASSWORD = "secret-word"


@pytest.fixture(scope="module")
def database():
    """The address of a database on a server of this module's own."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs or not os.path.exists(programs[-1] + "/initdb"):
        pytest.skip("PostgreSQL is not installed")
    step_down = []
    if os.geteuid() == 0:  # the server refuses to run as root
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("there is no user postgres to run the server as")
        step_down = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    folder = tempfile.mkdtemp(prefix="acuity-test-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    Path(folder, "password").write_text(PASSWORD + "\n")
    if step_down:
        shutil.chown(folder, "postgres", "postgres")
        shutil.chown(folder + "/password", "postgres", "postgres")
    data = folder + "/data"
    calls = dict(check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(
        [*step_down, programs[-1] + "/initdb", "-D", data, "-U", "acuity", "-A", "scram-sha-256", "--pwfile", folder + "/password",
         "-N"], **calls)
    control = [*step_down, programs[-1] + "/pg_ctl", "-D", data, "-w"]
    subprocess.run(
        [*control, "-l", folder + "/log", "-o", f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off", "start"], **calls)
    try:
        yield f"postgresql://acuity:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, cwd="/", stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_python_and_the_program_share_a_campaign(database, tmp_path):
    address = database + "/c"
    with make(address) as campaign:
        assert campaign.path is None and campaign.name == "c"
        assert campaign.address == address.replace(":" + PASSWORD, "")
        for suggestion in campaign.ask(3):
            campaign.tell(suggestion, answer(suggestion))
        for shown in (repr(campaign), campaign._repr_html_(), str(campaign.events()), str(campaign.status())):
            assert PASSWORD not in shown
        assert campaign.address in repr(campaign)
        campaign.report(tmp_path / "report.html")
    assert PASSWORD not in (tmp_path / "report.html").read_text()
    program("tell", address, program("ask", address, "--format", "csv").splitlines()[1].split(",")[0], "0.5")
    with acuity.open(address) as campaign:
        assert campaign.status()["annotations"] == 4
        assert campaign.run(answer) == "the budget is spent"


def test_choices_are_those_of_a_folder(database, tmp_path):
    points = []
    for where in (database + "/choices", tmp_path / "c.acuity"):
        with make(where) as campaign:
            asked = []
            for _ in range(4):
                suggestion = campaign.ask()
                asked.append((suggestion.row, suggestion.level))
                campaign.tell(suggestion, answer(suggestion))
        points.append(asked)
    assert points[0] == points[1]


def test_open_or_create_goes_on(database):
    study = {"pool": np.linspace(0, 5, 20)[:, None], "levels": [acuity.Level("one", noise_sd=0.1, cost=1)], "budget": 5}
    for count in (1, 2):
        with acuity.open_or_create(database + "/again", **study) as campaign:
            campaign.tell(campaign.ask(), 0.5)
            assert campaign.status()["annotations"] == count
    with pytest.raises(acuity.DifferentStudyError):
        acuity.open_or_create(database + "/again", **{**study, "pool": np.linspace(0, 6, 20)[:, None]})


def test_mistakes_are_said_without_the_password(database):
    for wrong in (database, database + "/nosuch", database.replace("127.0.0.1", "nohost.invalid") + "/c",
                  database.replace(PASSWORD, PASSWORD + "x") + "/c"):
        with pytest.raises((ValueError, acuity.StoreError)) as error:
            acuity.open(wrong)
        assert PASSWORD not in str(error.value)
    with pytest.raises(ValueError, match="must be a text"):
        acuity.open(Path(database + "/c"))
    with pytest.raises(ValueError):
        acuity.create(database + "/c/d", pool=POOL, levels=[acuity.Level("one", noise_sd=0.1, cost=1)])
