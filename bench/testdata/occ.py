"""The model of the AWS backoff simulator in plain Python, for comparison of speed: the first argument is how often each
strategy runs, the second the number of clients. Prints the writes of all runs."""

import heapq
import random
import sys

BASE, CAP = 5, 2000


def hop():
    return abs(random.normalvariate(10, 2))


def none(_, __):
    return 0, 0


def exponential(n, _):
    return min(CAP, BASE * 2**n), 0


def equal(n, _):
    v = min(CAP, BASE * 2**n)
    return v / 2 + random.uniform(0, v / 2), 0


def full(n, _):
    return random.uniform(0, min(CAP, BASE * 2**n)), 0


def decorrelated(_, sleep):
    sleep = min(CAP, random.uniform(BASE, sleep * 3))
    return sleep, sleep


class Client:
    def __init__(self, strategy):
        self.strategy = strategy
        self.sleep = BASE
        self.tries = 0
        self.version = 0


def run(strategy, clients):
    queue = []
    sequence = 0
    row = 0
    writes = 0

    def push(at, what, client):
        nonlocal sequence
        sequence += 1
        heapq.heappush(queue, (at, sequence, what, client))

    for _ in range(clients):
        push(hop(), "read", Client(strategy))
    while queue:
        now, _, what, client = heapq.heappop(queue)
        if what == "read":
            client.version = row
            push(now + hop(), "version", client)
        elif what == "version":
            push(now + hop(), "write", client)
        elif what == "write":
            writes += 1
            if client.version == row:
                row += 1
            else:
                push(now + hop(), "failed", client)
        elif what == "failed":
            client.tries += 1
            wait, client.sleep = client.strategy(client.tries, client.sleep)
            push(now + wait + hop(), "read", client)
    return writes


total = 0
for _ in range(int(sys.argv[1])):
    for strategy in (none, exponential, equal, full, decorrelated):
        total += run(strategy, int(sys.argv[2]))
print(total)
