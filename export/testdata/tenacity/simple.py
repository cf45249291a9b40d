# A retry policy for Python, tenacity 8 and 9, written by retryscope.
# NOT CARRIED: retry-on: written as well: invalid-response,unknown,dns,tls
import random

import tenacity


def own(state):
    retry = state.attempt_number
    x = 1 * pow(2, retry - 1)
    return x


def again(state):
    """For a function that returns an answer with a status, as those of requests and httpx do."""
    if state.outcome.failed:
        return isinstance(state.outcome.exception(), Exception)
    answer = state.outcome.result()
    status = getattr(answer, "status_code", getattr(answer, "status", 0))
    return status == 429 or status == 500 or status >= 502 and status <= 504


policy = tenacity.retry(
    wait=own,
    stop=tenacity.stop_after_attempt(5),
    retry=again,
    retry_error_callback=lambda state: state.outcome.result(),
)
