"""The clients in Python, one a preset, each as its manual sets it up. Those whose package is missing are left out."""

import os
import sys
import threading
from importlib.metadata import version

from driver import Wire

# Neither a proxy nor the settings of somebody's account are to decide here.
for name in list(os.environ):
    if name.lower().endswith("_proxy") or name.startswith("AWS_"):
        del os.environ[name]
os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull

wire = Wire()
wire.take()  # before a library keeps a clock of its own

clients, versions = {}, {}


def preset(name):
    def keep(f):
        clients[name] = f
        return f

    return keep


def body(method):
    return b"{}" if method in ("POST", "PUT", "PATCH") else None


try:
    import urllib3
except ImportError:
    urllib3 = None
else:
    versions["urllib3"] = version("urllib3")
    connection = urllib3.util.connection
    connection.create_connection = wire.dial(connection.create_connection)

    def pooled(method, retries):
        with urllib3.PoolManager() as pool:
            return pool.request(method, wire.url, body=body(method), retries=retries, timeout=30).status

    def typical():
        return urllib3.Retry(total=5, backoff_factor=0.1, status_forcelist=[500, 502, 503, 504])

    preset("urllib3")(lambda method: pooled(method, None))
    preset("urllib3-typical")(lambda method: pooled(method, typical()))

try:
    import requests
except ImportError:
    requests = None
else:
    versions["requests"] = version("requests")

    def session(method, **adapter):
        with requests.Session() as s:
            if adapter:
                s.mount("http://", requests.adapters.HTTPAdapter(**adapter))
            return s.request(method, wire.url, data=body(method), timeout=30).status_code

    preset("requests")(session)
    preset("requests-max-retries")(lambda method: session(method, max_retries=3))

try:
    import tenacity
except ImportError:
    tenacity = None
else:
    versions["tenacity"] = version("tenacity")
    preset("tenacity")(lambda _: tenacity.retry(wire.call)())
    preset("tenacity-exp-jitter")(lambda _: tenacity.retry(wait=tenacity.wait_exponential_jitter())(wire.call)())
    preset("tenacity-random-exp")(
        lambda _: tenacity.retry(wait=tenacity.wait_random_exponential(multiplier=1, max=60))(wire.call)()
    )

try:
    import botocore.config
    import botocore.exceptions
    import botocore.retries.bucket
    import botocore.session
except ImportError:
    botocore = None
else:
    versions["botocore"] = version("botocore")

    class Condition(threading.Condition):
        """A condition whose waits are slept on the wire: nobody else is there to notify."""

        def wait(self, timeout=None):
            wire.sleep(timeout)

    class Threads:
        Lock, Condition = threading.Lock, Condition

    botocore.retries.bucket.threading = Threads
    aws = botocore.session.Session()
    aws.set_credentials("id", "secret")
    calls = {
        "GET": ("list_functions", {}),
        "POST": ("publish_version", {"FunctionName": "f"}),
        "PUT": ("put_function_concurrency", {"FunctionName": "f", "ReservedConcurrentExecutions": 1}),
        "DELETE": ("delete_function", {"FunctionName": "f"}),
    }

    def amazon(method, mode):
        config = botocore.config.Config(retries={"mode": mode} if mode else None)
        client = aws.create_client("lambda", region_name="eu-west-1", endpoint_url=wire.host, config=config)
        name, arguments = calls[method]
        try:
            got = getattr(client, name)(**arguments)
        except botocore.exceptions.ClientError as e:
            got = e.response
        finally:
            client.close()
        return got["ResponseMetadata"]["HTTPStatusCode"]

    preset("botocore-legacy")(lambda method: amazon(method, None))
    preset("botocore-standard")(lambda method: amazon(method, "standard"))
    preset("botocore-adaptive")(lambda method: amazon(method, "adaptive"))

sys.exit(wire.loop(clients, versions))
