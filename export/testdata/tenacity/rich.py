# A retry policy for Python, tenacity 8 and 9, written by retryscope.
# NOT CARRIED: decorrelated jitter: written as full jitter
# NOT CARRIED: retry-after=clamp:5s: written as ignore
# NOT CARRIED: hints=retry-after-ms: written as none
# NOT CARRIED: spread=1s: written as 0s
# NOT CARRIED: attempt-timeout=10s: written as none
# NOT CARRIED: retry-on: written as well: unknown,dns,tls
# NOT CARRIED: methods=GET,POST: written as any
# NOT CARRIED: budget=ratio:20%/10: written as none
import random

import tenacity


def own(state):
    retry = state.attempt_number
    x = min(0.1 * pow(2, retry - 1), 5)
    x = x * random.random()
    return state.__dict__.setdefault(f"wait {retry}", x)  # asked twice, drawn once


def late(state):
    return state.seconds_since_start + own(state) >= 30


def again(state):
    """For a function that returns an answer with a status, as those of requests and httpx do."""
    if state.outcome.failed:
        return isinstance(state.outcome.exception(), Exception)
    answer = state.outcome.result()
    status = getattr(answer, "status_code", getattr(answer, "status", 0))
    return status == 429 or status >= 500 and status <= 599 and status != 501 and status != 505 and status != 511


policy = tenacity.retry(
    wait=own,
    stop=tenacity.stop_after_attempt(6) | late,
    retry=again,
    retry_error_callback=lambda state: state.outcome.result(),
)
