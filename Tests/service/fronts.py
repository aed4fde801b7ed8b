"""Do nginx and HAProxy see the same requests as the service after them? Smuggling, strict and lax.

    python3 Tests/service/fronts.py .build/release/geoq

Each form is a request whose end can be seen in two places, followed by one for /hidden: as a body, as a request of its
own, or as neither. It is sent raw through each proxy, as Debian ships it (strict) and with its checks relaxed (lax); the
connection to the service is shared. What the proxy logs and what the service logs must be the same requests in
the same order, and an answer must not reach another client: a good request after each form gets its own.

Prints a line for each proxy. Exits with 1 on a difference. Takes 10 s.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from crowd import make_database
from harness import end, held_port, wait_for

LONG = "0" * 20
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"


def forms():
    """Names and bytes; @ is replaced by the form's number."""
    chunked = "Transfer-Encoding: chunked"
    framings = {
        "CL and TE": ["Content-Length: 6", chunked], "TE and CL": [chunked, "Content-Length: 6"],
        "two CL": ["Content-Length: 0", "Content-Length: 60"], "a list of CL": ["Content-Length: 0, 60"], "equal CL": ["Content-Length: 5, 5"],
        "CL with a sign": ["Content-Length: +5"], "CL in hexadecimal": ["Content-Length: 0x5"], "CL with a zero": ["Content-Length: 05"],
        "CL with spaces": ["Content-Length: 5 0"], "CL negative": ["Content-Length: -1"], "CL of many digits": [f"Content-Length: {LONG}5"],
        "CL of 2^64": ["Content-Length: 18446744073709551621"], "CL empty": ["Content-Length:"],
        "space before the colon": ["Transfer-Encoding : chunked", "Content-Length: 5"], "tab before the colon": ["Transfer-Encoding\t: chunked", "Content-Length: 5"],
        "TE xchunked": ["Transfer-Encoding: xchunked", "Content-Length: 5"], "TE chunked twice": [chunked, chunked],
        "TE identity": ["Transfer-Encoding: identity", "Content-Length: 5"], "TE chunked, identity": ["Transfer-Encoding: chunked, identity"],
        "TE gzip, chunked": ["Transfer-Encoding: gzip, chunked"], "TE in capitals": ["TRANSFER-ENCODING: CHUNKED"],
        "TE after a tab": ["Transfer-Encoding:\tchunked", "Content-Length: 5"], "TE with a vertical tab": ["Transfer-Encoding: \x0bchunked", "Content-Length: 5"],
        "TE in quotes": ['Transfer-Encoding: "chunked"', "Content-Length: 5"], "TE with a parameter": ["Transfer-Encoding: chunked;a=b", "Content-Length: 5"],
        "TE in a folded line": ["X: a\r\n Transfer-Encoding: chunked", "Content-Length: 5"], "folded TE": ["Transfer-Encoding:\r\n chunked", "Content-Length: 5"],
        "TE after a bare CR": ["X: a\rTransfer-Encoding: chunked", "Content-Length: 5"], "TE after a bare LF": ["X: a\nTransfer-Encoding: chunked"],
        "TE after NUL": ["X: a\0Transfer-Encoding: chunked", "Content-Length: 5"], "TE with an underscore": ["Transfer_Encoding: chunked", "Content-Length: 5"],
        "no field": [], "Upgrade": ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAAP__"],
        "Connection names CL": ["Content-Length: 5", "Connection: Content-Length"], "Expect": ["Expect: 100-continue", "Content-Length: 5"],
    }
    bodies = {"five bytes": b"a=b&c", "last chunk": b"0\r\n\r\n", "a chunk": b"5\r\na=b&c\r\n0\r\n\r\n", "trailers": b"0\r\nContent-Length: 60\r\n\r\n",
              "extension": b"5;a=\"\r\n\"\r\na=b&c\r\n0\r\n\r\n", "extension with LF": b"5;a\na=b&c\r\n0\r\n\r\n", "bare LF": b"5\na=b&c\n0\n\n",
              "size of 2^64": b"10000000000000005\r\na=b&c\r\n0\r\n\r\n", "size with 0x": b"0x5\r\na=b&c\r\n0\r\n\r\n", "size with a space": b"5 \r\na=b&c\r\n0\r\n\r\n",
              "chunk without CRLF": b"5\r\na=b&c0\r\n\r\n"}
    for framing, fields in framings.items():
        odd = "TE" not in framing and framing != "no field"
        for body, data in list(bodies.items())[:3 if odd else None]:
            for method in ["POST /nearest", "GET /healthz"]:
                yield f"{method}, {framing}, {body}", head(f"{method}?form=@ HTTP/1.1", fields) + data
    for line in ["GET  /healthz?form=@ HTTP/1.1", "GET /healthz?form=@ HTTP/1.1 ", "GET /healthz?form=@ HTTP/1.10", "GET /healthz?form=@",
                 "GET /healthz?form=@ HTTP/2.0", "GET http://localhost/healthz?form=@ HTTP/1.1", "GET /healthz?form=@#a HTTP/1.1",
                 "GET /healthz?form=@ HTTP/1.0", "GET /healthz?form=@\tHTTP/1.1", "GET /health%0d%0az?form=@ HTTP/1.1"]:
        yield line, head(line, ["Content-Length: 0"])


def head(line, fields):
    return "\r\n".join([line, "Host: localhost", *fields, "", ""]).encode("latin-1")


class Nginx:
    def __init__(self, service, lax):
        self.folder, (self.held, self.port) = tempfile.TemporaryDirectory(), held_port()
        folder = self.folder.name
        relaxed = "ignore_invalid_headers off; underscores_in_headers on; merge_slashes off; proxy_request_buffering off;" if lax else ""
        (Path(folder) / "conf").write_text(f"""
            user root; worker_processes 1; pid {folder}/pid;
            events {{ worker_connections 512; }}
            http {{
              log_format line '$request_method $request_uri $status'; access_log {folder}/log line; {relaxed}
              {" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])}
              upstream geoq {{ server 127.0.0.1:{service}; keepalive 4; }}
              server {{ listen 127.0.0.1:{self.port} reuseport;
                location / {{ proxy_pass http://geoq; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host localhost; }} }}
            }}""")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/conf", "-e", f"{folder}/errors", "-g", "daemon off;"])
        wait_for(self.port)

    def seen(self):
        return [line.rsplit(" ", 1)[0] for line in (Path(self.folder.name) / "log").read_text().splitlines() if line.count(" ") >= 2]

    def end(self):
        end(self.process)
        self.held.close()
        self.folder.cleanup()


class HAProxy:
    def __init__(self, service, lax):
        self.folder, (self.held, self.port) = tempfile.TemporaryDirectory(), held_port()
        self.log, self.lines = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), []
        self.log.bind(("127.0.0.1", 0))
        threading.Thread(target=self.read, daemon=True).start()
        relaxed = "option accept-invalid-http-request" if lax else ""
        server = "option accept-invalid-http-response" if lax else ""
        (Path(self.folder.name) / "conf").write_text(f"""
global
  log 127.0.0.1:{self.log.getsockname()[1]} format raw local0
defaults
  mode http
  log global
  log-format "%HM %HU %ST"
  timeout connect 5s
  timeout client 5s
  timeout server 5s
  http-reuse always
frontend front
  bind 127.0.0.1:{self.port}
  {relaxed}
  default_backend back
backend back
  {server}
  http-request set-header Host localhost
  server geoq 127.0.0.1:{service} maxconn 4
""")
        self.process = subprocess.Popen(["/usr/sbin/haproxy", "-db", "-q", "-f", f"{self.folder.name}/conf"])
        wait_for(self.port)

    def read(self):
        while data := self.log.recv(65536):
            line = data.decode("latin-1").strip().rsplit(" ", 1)[0].replace(" http://localhost/", " /")
            # it logs # and control characters as # and two digits
            self.lines.append(re.sub("#([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), line))

    def seen(self):
        return list(self.lines)

    def end(self):
        end(self.process)
        self.held.close()
        self.folder.cleanup()


def send(port, data):
    """All answers on a connection, which ends or is silent."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=0.25) as connection:
        try:
            connection.sendall(data)
            while piece := connection.recv(65536):
                found += piece
        except OSError:
            pass
    return found


def compare(name, front, log, begun):
    """The problems, and how many forms reached the service."""
    made = {f"{begun}x{number}x": form for number, form in enumerate(forms())}

    def ask(entry):
        label, (_, data) = entry
        send(front.port, data.replace(b"@", label.encode()) + HIDDEN.replace(b"/hidden", f"/hidden?of={label}".encode()))
        return send(front.port, f"GET /healthz?good={label} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    with ThreadPoolExecutor(16) as pool:
        good = dict(zip(made, pool.map(ask, made.items())))
    time.sleep(0.5)
    logged, seen, problems, count = log(), front.seen(), [], 0
    for label, (form, _) in made.items():
        ours, theirs = ([line for line in lines if label in line and "good" not in line] for lines in (logged, seen))
        count += any("form=" in line for line in ours)
        # what the proxy refuses or breaks off is in its log alone
        rest = iter(theirs)
        if not all(line in rest for line in ours):
            problems.append(f"{form}: the service saw {ours}, {name} {theirs}")
        if good[label].count(b"HTTP/1.") != 1 or not good[label].startswith(b"HTTP/1.1 400") or b"good" not in good[label]:
            problems.append(f"{form}: the good request after it got {good[label][:200]!r}")
    return problems, count


def main():
    binary = str(Path(sys.argv[1]).resolve())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        database, _ = make_database(binary, Path(folder), 500)
        lines = []
        service = subprocess.Popen([binary, "serve", "--db", str(database), "--port", "0", "--behind-proxy"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)", service.stdout.readline())[1])
            threading.Thread(target=lambda: lines.extend(service.stderr), daemon=True).start()

            def log():
                found = [json.loads(line) for line in list(lines) if '"target"' in line]
                return [f"{line['method']} {line['target']}" for line in found]

            for number, (kind, lax) in enumerate([(Nginx, False), (Nginx, True), (HAProxy, False), (HAProxy, True)]):
                name = f"{kind.__name__}, {'lax' if lax else 'strict'}"
                front = kind(port, lax)
                problems, count = compare(kind.__name__, front, log, number)
                front.end()
                failed += len(problems)
                print(f"{'FAIL' if problems else 'ok  '}  {name:16} {count} of {len(list(forms()))} forms reached the service"
                      + "".join(f"\n        {problem}" for problem in problems), flush=True)
        finally:
            end(service)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
