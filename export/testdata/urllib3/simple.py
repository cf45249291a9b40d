# A retry policy for Python, urllib3 2, written by retryscope.
# NOT CARRIED: first=plain: written as immediate
# NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
from urllib3 import PoolManager
from urllib3.util import Retry

policy = Retry(
    total=4,
    connect=None,
    read=None,
    other=None,
    status_forcelist=[429, 500, 502, 503, 504],
    allowed_methods=None,
    backoff_factor=1,
    backoff_max=float("inf"),
    respect_retry_after_header=False,
    raise_on_status=False,
)
client = PoolManager(retries=policy)
