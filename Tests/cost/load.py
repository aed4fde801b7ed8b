"""`/healthz` next to connections that send the worst requests found."""

import multiprocessing
import threading
import time

from measure import Client, Request, Unanswered

CONNECTIONS, PROBES, BOUND = 8, 1_000, 0.050


def send(port, requests, number, stop):
    client = Client(port)
    while not stop.is_set():
        try:
            client.ask(requests[number % len(requests)])
        except (Unanswered, OSError):
            pass
        number += 1


def load(port, requests, stop):
    """Another process: the prober must not wait for this one's interpreter."""
    threads = [threading.Thread(target=send, args=(port, requests, number, stop)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def probe_beside(service, worst):
    """Whether 99 of 100 probes are answered within the bound; the time goes from connecting to the end."""
    context = multiprocessing.get_context("fork")
    stop = context.Event()
    sender = context.Process(target=load, args=(service.port, worst, stop))
    probe = Request(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client, times, failed = Client(service.port), [], 0
    sender.start()
    try:
        time.sleep(0.5)
        for _ in range(PROBES):
            begun = time.monotonic()
            try:
                failed += client.ask(probe) != 200
            except (Unanswered, OSError):
                failed += 1
            times.append(time.monotonic() - begun)
            time.sleep(0.005)
    finally:
        stop.set()
        sender.join()
        client.close()
    times.sort()
    p99 = times[int(len(times) * 0.99)]
    print(f"healthz      {PROBES} probes next to {CONNECTIONS} connections of the worst: {failed} failed, "
          f"p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, most {times[-1] * 1000:.1f} ms",
          flush=True)
    return failed == 0 and p99 <= BOUND
