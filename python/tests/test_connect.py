"""A campaign that `acuity serve` serves: the same from Python, whatever happens to the connection."""

import http.server
import json
import re
import subprocess
import threading
import time
import urllib.request

import numpy as np
import pytest
from campaigns import PROGRAM, program

import acuity

STUDY = """
[campaign]
name = "wing"
budget = {budget}
[pool]
file = "pool.csv"
id = "case"
[model]
amplitude = 1
lengthscale = 2
fit = "never"
mean = 0
[[level]]
name = "coarse"
noise_sd = 0.3
cost = 1
[[level]]
name = "fine"
noise_sd = 0.05
cost = 3
"""


class Server:
    """`acuity serve` on a free port, or again on the same one."""

    def __init__(self, folder, budget=12, port=0):
        self.folder, self.port = folder, port
        if not (folder / "c.acuity").exists():
            (folder / "pool.csv").write_text("case,x\n" + "".join(f"p{k},{k}\n" for k in range(30)))
            (folder / "study.toml").write_text(STUDY.format(budget=budget))
            program("init", folder / "c.acuity", "--study", folder / "study.toml")
            tokens = folder / "tokens"
            tokens.write_text("rob run robrobrobrobrobrobrobrob\nwim watch wimwimwimwimwimwimwimwim\nolga own olgaolgaolgaolgaolgaolga\n")
            tokens.chmod(0o600)

    def __enter__(self):
        words = [PROGRAM, "serve", self.folder / "c.acuity", "--listen", f"127.0.0.1:{self.port}", "--tokens", self.folder / "tokens"]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found.group(1))
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()

    def connect(self, name="rob", **more):
        return acuity.connect(f"http://127.0.0.1:{self.port}/", token=(name * 8)[:24], **more)


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path) as started:
        yield started


def test_the_verbs(server):
    campaign = server.connect()
    assert campaign.name == "wing" and campaign.inputs == ["x"] and not campaign.binary
    first = campaign.ask(worker="w")
    assert campaign.ask(worker="w").id == first.id
    assert campaign.tell(first, 0.5, noise_sd=0.2)["changes"]
    assert not campaign.tell(first, 0.5, noise_sd=0.2)["changes"]
    with pytest.raises(ValueError, match="amend"):
        campaign.tell(first, 0.75)
    second, third = campaign.ask(2, worker="v")
    assert campaign.heartbeat(second, third, lease="1h") == [second.id, third.id]
    campaign.fail(second, "diverged")
    assert campaign.release(third) == [third.id]
    assert campaign.status()["annotations"] == 1 and campaign.status()["failed"] == 1
    assert [row["y"] for row in campaign.annotations()] == [0.5]
    assert "Why this point" in campaign.explain(first)["text"]
    assert {"mean", "sd", "low", "high"} <= set(campaign.predict([{"x": 1.5}])[0])
    assert [event["event"] for event in campaign.events()][0] == "created"
    owner = server.connect("olga")
    owner.amend(first, 0.25, reason="typo")
    assert campaign.annotations()[0]["y"] == 0.25
    owner.retract(first, "wrong sample")
    assert campaign.annotations() == []


def test_rights_and_mistakes_are_errors_of_their_kind(server):
    watcher = server.connect("wim")
    assert watcher.status()["pending"] == 0
    with pytest.raises(PermissionError, match="role"):
        watcher.ask()
    with pytest.raises(PermissionError, match="not known"):
        server.connect("eve")
    with pytest.raises(PermissionError, match="own is required"):
        server.connect().amend(1, 0.5, reason="typo")
    with pytest.raises(ValueError, match="no suggestion 77"):
        server.connect().tell(77, 0.5)
    with pytest.raises(ValueError, match="without a token"):
        acuity.connect(f"http://127.0.0.1:{server.port}/#token=secret")
    with pytest.raises(ConnectionError):
        acuity.connect("http://127.0.0.1:1", patience=0.1)


def test_it_runs_until_the_budget_is_spent(server):
    campaign = server.connect()
    seen = []
    lock = threading.Lock()

    def annotator(suggestion):
        with lock:
            seen.append(suggestion.id)
        return {"y": suggestion.inputs["x"] / 10.0, "cost": suggestion.cost}

    given = campaign.run(annotator, workers=3, worker="w")
    assert given == len(seen) == len(set(seen)) == campaign.status()["annotations"]
    assert campaign.status()["spent"] <= 12
    with pytest.raises(acuity.Finished):
        campaign.ask()


def test_the_server_is_killed_and_comes_back_and_nothing_is_lost_or_doubled(tmp_path):
    with Server(tmp_path, budget=40) as server:
        campaign = server.connect(patience=60)
        answered = []

        def annotator(suggestion):
            time.sleep(0.02)
            answered.append(suggestion.id)
            return 0.1 * suggestion.inputs["x"]

        running = threading.Thread(target=campaign.run, args=(annotator,), kwargs={"workers": 2, "worker": "w"})
        running.start()
        for _ in range(2):
            time.sleep(0.4)
            server.kill()
            server.__enter__()
        running.join(120)
        assert not running.is_alive()
        rows = campaign.annotations()
        assert len({row["id"] for row in rows}) == len(rows)
        assert campaign.status()["pending"] == 0
        assert campaign.status()["spent"] == sum(row["cost"] for row in rows) <= 40
        assert set(answered) == {row["id"] for row in rows}


def test_a_failing_annotator_stops(server):
    def annotator(suggestion):
        raise RuntimeError("no licence")

    with pytest.raises(acuity.Stopped):
        server.connect().run(annotator, max_failures=3)
    assert server.connect().status()["failed"] >= 3


@pytest.mark.parametrize("refused", [{"y": 0.1, "cost": 1e308}, {"y": 0.1, "cost": -1.0}, float("nan"), 1e300])
def test_an_answer_that_the_server_refuses_counts_as_a_failure(server, refused):
    with pytest.raises(acuity.Stopped, match="3 annotations failed in a row"):
        server.connect().run(lambda suggestion: refused, max_failures=3)
    status = server.connect().status()
    assert status["failed"] == 3 and status["pending"] == 0 and status["spent"] == 0


def test_a_point_that_failed_twice_is_not_asked_for_again(tmp_path):
    with Server(tmp_path, budget=1000) as server:
        campaign, tries = server.connect(), []

        def annotator(suggestion):
            tries.append(suggestion.point)
            if suggestion.inputs["x"] == 3:
                raise RuntimeError("diverged")
            return 0.5

        given = campaign.run(annotator, max_failures=3)
        bad = [point for point in tries if tries.count(point) == 2]
        assert len(set(bad)) == 1 and campaign.status()["failed"] == 2 and given == campaign.status()["annotations"] > 2


def test_an_answer_after_that_of_another_worker_is_no_failure(server):
    campaign = server.connect()

    def late(suggestion):
        if suggestion.id == 1:
            campaign.tell(suggestion, 0.25)
        return 0.5

    campaign.run(late)
    assert campaign.status()["failed"] == 0 and campaign.annotations()[0]["y"] == 0.25


NUMBERS = '[campaign]\nbudget = 20\n[pool]\nfile = "pool.csv"\nid = "case"\ninputs = ["x"]\n{more}[[level]]\nname = "only"\nnoise_sd = 0.1\ncost = 1\n'
KINDS = {
    "a constant noise": NUMBERS.format(more="[noise]\nvariance = 0.04\n"),
    "a noise by formula": NUMBERS.format(more='[noise]\nvariance = "0.01 + 0.001 * x"\n'),
    "a noise in a column": NUMBERS.format(more='[noise]\nvariance = { column = "s2" }\n'),
    "a logarithmic target": NUMBERS.format(more='[target]\nscale = "log"\n').replace("noise_sd", "noise_relative"),
    "classes": '[campaign]\nbudget = 20\n[pool]\nfile = "pool.csv"\nid = "case"\ninputs = ["x"]\n'
    '[target]\nkind = "binary"\n[[level]]\nname = "only"\naccuracy = 0.9\ncost = 1\n',
}


@pytest.mark.parametrize("kind", KINDS)
def test_program_server_and_python_predict_the_same(kind, tmp_path):
    (tmp_path / "pool.csv").write_text("case,x,s2\n" + "".join(f"p{k},{k},{0.01 + 0.001 * k}\n" for k in range(30)))
    (tmp_path / "study.toml").write_text(KINDS[kind])
    program("init", tmp_path / "c.acuity", "--study", tmp_path / "study.toml")
    with acuity.open(tmp_path / "c.acuity") as campaign:
        for k in range(6):
            campaign.tell(campaign.ask(), [1.0, 2.0, 0.5, 1.5, 3.0, 0.25][k] if kind != "classes" else (-1) ** k)
        found = campaign.prediction([[0.5], [6.25]])
    (tmp_path / "new.csv").write_text("x\n0.5\n6.25\n")
    expected = json.loads(program("predict", tmp_path / "c.acuity", "--at", tmp_path / "new.csv", "--format", "json"))["rows"]
    (tmp_path / "tokens").write_text("wim watch wimwimwimwimwimwimwimwim\n")
    (tmp_path / "tokens").chmod(0o600)
    with Server(tmp_path) as server:
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.port}/v1/predict",
            json.dumps({"points": [{"x": 0.5}, {"x": 6.25}]}).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer wimwimwimwimwimwimwimwim"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            served = json.load(reply)["rows"]
    names = [name for name in ("mean", "median", "variance", "sd", "low", "high", "answer_sd", "probability") if name in expected[0]]
    assert len(names) == 6
    for row in range(2):
        assert {name: served[row][name] for name in names} == {name: expected[row][name] for name in names}
        for name in set(names) - {"variance"}:
            mine = getattr(found, name)[row]
            assert (np.isnan(mine) if expected[row][name] is None else mine == pytest.approx(expected[row][name], rel=1e-12)), name
    assert (expected[0].get("answer_sd", 0.0) is None) == (kind == "a noise in a column")


def test_many_points_are_predicted_in_several_requests(server):
    campaign = server.connect()
    points = [{"x": 0.01 * k} for k in range(1001)]
    rows = campaign.predict(points)
    assert [row["x"] for row in rows] == [point["x"] for point in points]
    assert rows[1000] == campaign.predict(points[1000:])[0]


@pytest.mark.parametrize("reply", [b"[" * 200000 + b"]" * 200000, b"nonsense", b"\xff\xfe"])
def test_a_reply_that_cannot_be_read_is_a_sentence(reply):
    class Strange(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Strange) as strange:
        threading.Thread(target=strange.handle_request, daemon=True).start()
        with pytest.raises(ValueError, match="must be JSON of acuity serve"):
            acuity.connect(f"http://127.0.0.1:{strange.server_address[1]}")
