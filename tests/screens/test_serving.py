"""Who reaches the screens: this machine alone, unless whoever runs them says otherwise, and then with a warning."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
LISTENING = "0A"
"""The state of a listening socket in Linux's tables of sockets."""
LOOPBACK = re.compile(r"0100007F|[0-9A-F]{6}7F|00000000000000000000000001000000")
"""127.0.0.0/8 and ::1, as those tables write them."""


def listening(port: int) -> set[str]:
    """The addresses at which some process listens on a port, as Linux writes them."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == LISTENING]
    return {address for address, number in places if int(number, 16) == port}


def other_address() -> str | None:
    """An address of this machine that is not loopback, None where it has none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if address.startswith("127.") else address


def make(*words: str) -> str:
    done = subprocess.run(["make", "-n", "run", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the real app, started as anybody would, with no address given."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", "--server.port"]
    with (home / "app.log").open("w") as log:
        server = subprocess.Popen(
            [*command, str(number)], cwd=ROOT, env={**os.environ, "WORKBENCH_HOME": str(home)}, stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + PATIENCE
        while not listening(number) and time.monotonic() < until and server.poll() is None:
            time.sleep(0.1)
        yield number
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_the_configuration_names_this_machine() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "localhost"


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists its sockets in files")
def test_the_app_listens_on_this_machine_alone(port: int) -> None:
    addresses = listening(port)
    assert addresses and all(LOOPBACK.fullmatch(address) for address in addresses), addresses
    with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=10) as reply:
        assert reply.status == 200


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists its sockets in files")
def test_another_address_of_this_machine_refuses(port: int) -> None:
    address = other_address()
    if address is None:
        pytest.skip("this machine has no address but its own")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address, port), timeout=5)


def test_make_run_serves_this_machine_and_another_address_is_a_deliberate_choice() -> None:
    if "ADDRESS" in os.environ:
        pytest.skip("ADDRESS is set in the environment")
    assert '-m workbench app --address "localhost"' in make()
    assert '-m workbench app --address "0.0.0.0"' in make("ADDRESS=0.0.0.0")
