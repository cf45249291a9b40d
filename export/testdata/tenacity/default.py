# A retry policy for Python, tenacity 8 and 9, written by retryscope.
# NOT CARRIED: retry-after=at-least: written as ignore
# NOT CARRIED: attempt-timeout=10s: written as none
# NOT CARRIED: retry-on: written as well: unknown,dns,tls
# NOT CARRIED: methods=idempotent: written as any
import random

import tenacity


def own(state):
    retry = state.attempt_number
    x = min(0.2 * pow(2, retry - 1), 10)
    x = x * random.random()
    return x


def again(state):
    """For a function that returns an answer with a status, as those of requests and httpx do."""
    if state.outcome.failed:
        return isinstance(state.outcome.exception(), Exception)
    answer = state.outcome.result()
    status = getattr(answer, "status_code", getattr(answer, "status", 0))
    return status == 429 or status >= 500 and status <= 599 and status != 501 and status != 505 and status != 511


policy = tenacity.retry(
    wait=own,
    stop=tenacity.stop_after_attempt(4),
    retry=again,
    retry_error_callback=lambda state: state.outcome.result(),
)
