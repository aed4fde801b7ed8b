"""What a request costs a service: processor time from the process's own clock, one request at a time.

The clock is that of POSIX's clock_getcpuclockid: nanoseconds of all threads, ended ones included. It is
read after each answer when no thread runs any more, so that work which continues after an answer counts
too. A request over the bound is sent again in three variants that differ in a byte, with rests between
them, and the least counts: the machine may be shared.
"""

import os
import socket
import time
from typing import NamedTuple

BOUND = float(os.environ.get("GEOQ_COST_MS", "50")) / 1000
# seconds for an answer; more for the larger bound of a debug build
PATIENCE = max(2.0, 20 * BOUND)
# noise never costs this many times the bound: such a request is not sent again
CLEARLY = 10


class Request(NamedTuple):
    """Bytes to send, `@PORT@` for the service's port."""

    data: bytes
    # on its own connection, half-closed: a broken request must not wait for its end
    is_alone: bool = False
    # statuses above 499 that are right for it
    allowed: tuple = ()


class Unanswered(Exception):
    """The answer did not come, or not to its end, in time."""


class Client:
    """Sends requests one by one, on a connection that it keeps while the service does."""

    def __init__(self, port):
        self.port, self.socket, self.rest = port, None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.rest = None, b""

    def ask(self, request):
        """The status; None if the service closed the connection without an answer."""
        if request.is_alone or not self.is_open():
            self.close()
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.end = time.monotonic() + PATIENCE
        try:
            self.send(request)
            status, closes = self.answer(request)
        except (ConnectionError, BrokenPipeError):
            self.close()
            return None
        except (TimeoutError, Unanswered) as error:
            self.close()
            raise Unanswered(str(error) or "no answer in time") from None
        if closes or request.is_alone or self.rest:
            self.close()
        return status

    def is_open(self):
        """Whether the connection is there and silent: the service may have closed it meanwhile."""
        if not self.socket:
            return False
        try:
            self.socket.setblocking(False)
            self.socket.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def send(self, request):
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.sendall(request.data.replace(b"@PORT@", b"%d" % self.port))
            if request.is_alone:
                self.socket.shutdown(socket.SHUT_WR)
        except (ConnectionError, BrokenPipeError):
            # what is answered before all was sent: the answer may still be there
            pass

    def more(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise Unanswered("no whole answer in time")
        self.socket.settimeout(left)
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise EOFError
        return piece

    def answer(self, request):
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    data += self.more()
                head, data = data.split(b"\r\n\r\n", 1)
                status = int(head[9:12])
                if status >= 200:
                    break
        except EOFError:
            if data:
                raise Unanswered(f"the head ends early: {data[:80]!r}") from None
            raise ConnectionResetError from None
        fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
        try:
            self.rest = self.body(data, fields, status, request)
        except EOFError:
            raise Unanswered(f"the answer with status {status} ends early") from None
        return status, b"close" in fields.get(b"connection", b"")

    def body(self, data, fields, status, request):
        """Reads the body to its end, and gives what follows it."""
        if status in (204, 304) or request.data.lstrip(b"\r\n").startswith(b"HEAD "):
            return data
        if b"chunked" in fields.get(b"transfer-encoding", b""):
            while not data.endswith(b"0\r\n\r\n"):
                data += self.more()
            return b""
        length, parts = int(fields.get(b"content-length", b"0")), [data]
        count = len(data)
        while count < length:
            parts.append(self.more())
            count += len(parts[-1])
        return b"".join(parts)[length:] if count > length else b""


class Meter:
    """Measures requests to a process that answers on a port."""

    def __init__(self, pid, port):
        self.pid, self.clock_id = pid, (~pid << 3) | 2
        self.client = Client(port)
        self.last = self.clock()

    def clock(self):
        return time.clock_gettime(self.clock_id)

    def take(self, request):
        """Cost in seconds, with what goes on after the answer, and status; raises Unanswered."""
        status = self.client.ask(request)
        before, self.last = self.last, self.rested()
        return self.last - before, status

    def rested(self):
        """The clock when no thread runs any more: nearly always at once."""
        for pause in (0.0001, 0.0002, 0.0005, 0.001, 0.002):
            before = self.clock()
            # a thread that woke another one during the look has stopped since, which the clock shows
            if not self.runs() and self.clock() == before:
                return before
            time.sleep(pause)
        return self.settle()

    def settle(self, patience=5.0):
        """The clock when the process has been at rest for 10 ms, or after that many seconds."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            before = self.clock()
            time.sleep(0.01)
            if self.clock() - before < 0.0005 and not self.runs():
                break
        return self.clock()

    def runs(self):
        """Whether a thread runs, or would if the machine let it."""
        tasks = f"/proc/{self.pid}/task"
        for task in os.listdir(tasks):
            try:
                with open(f"{tasks}/{task}/stat", "rb", buffering=0) as file:
                    if b") R " in file.read(64):
                        return True
            except OSError:
                pass
        return False

    def alone(self, request):
        """Cost of a request with rests around it; one that is not answered costs what it costs."""
        self.last = self.settle()
        try:
            return self.take(request)[0]
        except Unanswered:
            before, self.last = self.last, self.settle()
            return self.last - before

    def least(self, make, seed):
        """The least cost of three variants, or the first within the bound."""
        least = None
        for turn in range(3):
            # what else slows the machine may pass
            time.sleep(4 * turn)
            cost = self.alone(make(seed + 1_000_003 * (turn + 1)))
            least = cost if least is None else min(least, cost)
            if least <= BOUND or least > CLEARLY * BOUND:
                break
        return least
