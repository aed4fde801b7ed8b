"""The control: a small HTTP server whose costs are known.

    python3 Tests/cost/stub.py SECONDS

Prints its port. A body of n bytes costs SECONDS * (n / 1 MiB)^2 of processor time on three paths:
/before its answer, /after it, and in a /thread that has ended by then. Every other path is cheap.
"""

import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.rfile.read(length)
        cost = float(sys.argv[1]) * (length / (1 << 20)) ** 2
        if self.path == "/before":
            burn(cost)
        if self.path == "/thread":
            thread = threading.Thread(target=burn, args=(cost,))
            thread.start()
            thread.join()
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        try:
            self.wfile.write(b"ok")
            self.wfile.flush()
        except ConnectionError:
            # who measures does not wait for an answer that is too late
            pass
        if self.path == "/after":
            threading.Thread(target=burn, args=(cost,)).start()

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
