"""A real browser without a window, driven over its debugging pipe: a page is loaded, keys are pressed, values are read."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-pipe",
)
SECONDS = 30


class Page:
    """One page.

    Attributes:
        requests: addresses that it asked for.
        said: what went to its console, errors and broken policies included.
    """

    def __init__(self, write: int, read: int) -> None:
        self._write = write
        self._read = os.fdopen(read, "rb", buffering=0)
        self._numbers = count(1)
        self._rest = b""
        self._session: str | None = None
        self.requests: list[str] = []
        self.said: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]  # fmt: skip
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command of the DevTools protocol; returns its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda got: got.get("id") == number)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path: Path, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:  # fmt: skip
        """Load a file, and wait until it is there."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        self.requests.clear()
        self.said.clear()
        self.send("Page.navigate", url=path.as_uri())
        self._until(lambda got: got.get("method") == "Page.loadEventFired")

    def value(self, script: str) -> Any:
        """What a script comes to; a promise is waited for."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until a condition of the page holds."""
        look = f"const look = () => ({condition}) ? done(true) : setTimeout(look, 20)"
        late = f"setTimeout(() => done(false), {SECONDS * 1000})"
        assert self.value(f"new Promise(done => {{ {look}; look(); {late} }})"), condition

    def press(self, key: str) -> None:
        """Press a key, as a person would."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Tab": 9, "Escape": 27}.get(key, ord(key[0].upper()))
        known = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **known)
        self.send("Input.dispatchKeyEvent", type="keyUp", **known)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what is seen into a PNG file."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _until(self, wanted: Callable[[Any], bool]) -> Any:
        while True:
            while b"\0" not in self._rest:
                got = self._read.read(1 << 16)
                assert got, "the browser is gone"
                self._rest += got
            text, _, self._rest = self._rest.partition(b"\0")
            message = json.loads(text)
            self._note(message)
            if wanted(message):
                return message

    def _note(self, message: Any) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(params))


@contextmanager
def browsing(program: Path) -> Iterator[Page]:
    """A page of a browser that is started for it, and ended after it."""
    to_browser, of_page = os.pipe()
    of_browser, to_page = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = f'exec "$0" "$@" 3<&{to_browser} 4>&{to_page}'
        started = subprocess.Popen(
            ["bash", "-c", command, str(program), *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(to_browser, to_page),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(to_page)
        page = None
        try:
            page = Page(of_page, of_browser)
            yield page
        finally:
            os.close(of_page)  # it ends when its pipe does
            try:
                started.wait(SECONDS)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
            if page is not None:
                page._read.close()
