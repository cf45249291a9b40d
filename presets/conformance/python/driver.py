"""The wire of the conformance tests for clients in Python.

A client runs here against a server on loopback, and the test on the other end of stdin and stdout decides: each send
is told to it and gets the answer it names, and each sleep is told to it in place of being slept. So a run costs no
time, and the test's own clock says when each send came. One JSON object a line, each answered before anything else.
"""

import json
import os
import socket
import struct
import sys
import threading
import time

LONGEST = 2**63 / 1e9  # seconds; time.sleep takes no more


class Over(BaseException):
    """The test has seen enough of this run."""


class Wire:
    def __init__(self):
        self._in = sys.stdin.buffer
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        sys.stdout = sys.stderr  # whatever a library prints is no line of ours
        self._lock = threading.Lock()
        self._dialed = None
        self.now = 0.0
        self.refusing = False
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = "http://127.0.0.1:%d/v1/thing" % self._listener.getsockname()[1]
        self.host = self.url[: -len("/v1/thing")]
        threading.Thread(target=self._serve, daemon=True).start()

    def tell(self, **message):
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()

    def hear(self):
        line = self._in.readline()
        return json.loads(line) if line else None

    def ask(self, **message):
        with self._lock:
            self.tell(**message)
            return self.hear()

    def sleep(self, seconds):
        """Stands in for time.sleep, with its faults."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if seconds >= LONGEST:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        self.now += seconds
        if self.ask(op="sleep", ns=round(seconds * 1e9)).get("stop"):
            raise Over()

    def take(self):
        """Stops the clock: from here on it goes by sleeps alone."""
        time.sleep = self.sleep
        time.time = time.monotonic = lambda: self.now

    def call(self):
        """One send of a client that repeats a function."""
        answer = self.ask(op="call")
        if answer.get("error") == "refused":
            raise ConnectionRefusedError(111, "Connection refused")
        if answer.get("error"):
            raise ConnectionResetError(104, "Connection reset by peer")
        if answer["status"] >= 400:
            raise RuntimeError("the answer was %d" % answer["status"])

    def dial(self, connect):
        """A connect function of urllib3 that the test may refuse."""

        def dialed(*args, **kwargs):
            if self.refusing:
                answer = self.ask(op="call")
                if answer.get("error"):
                    raise ConnectionRefusedError(111, "Connection refused")
                self._dialed = answer
            return connect(*args, **kwargs)

        return dialed

    def _answer(self):
        answer, self._dialed = self._dialed, None
        return answer or self.ask(op="call")

    def _serve(self):
        while True:
            conn, _ = self._listener.accept()
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._talk, args=(conn,), daemon=True).start()

    def _talk(self, conn):
        with conn, conn.makefile("rb") as sent:
            while True:
                method = sent.readline().split(b" ")[0]
                if not method:
                    return
                length = 0
                while (line := sent.readline().strip()) != b"":
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                    if name.lower() == b"expect":
                        conn.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                sent.read(length)
                answer = self._answer()
                if answer.get("error"):
                    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                body = b"" if method == b"HEAD" else b"{}"
                head = ["HTTP/1.1 %d Status" % answer["status"], "Content-Type: application/json", "Content-Length: %d" % len(body)]
                head += ["%s: %s" % (k, v) for k, values in (answer.get("header") or {}).items() for v in values]
                conn.sendall("\r\n".join(head + ["", ""]).encode("latin-1") + body)

    def loop(self, clients, versions):
        """Runs jobs until the test has no more: clients are functions of the method by preset."""
        self.tell(clients=sorted(clients), versions=versions)
        while (job := self.hear()) is not None:
            self.now, self._dialed, self.refusing = float(job["now"]), None, job["refusing"]
            end = {"op": "end"}
            try:
                end["status"] = clients[job["client"]](job["method"]) or 0
            except Over:
                end["error"] = "stopped"
            except Exception as e:  # whatever comes out is what is told
                end["error"] = "%s: %s" % (type(e).__name__, e)
            self.tell(**end)
