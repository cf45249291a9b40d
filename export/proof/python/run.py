"""run.py DIR (KEY FORMAT METHOD URL)... makes one operation each with the export that stands in DIR/KEY.py, side by side,
and prints the key and what came out: a status, or "error"."""

import concurrent.futures
import importlib.util
import os
import sys
import threading

import urllib3


def load(path):
    spec = importlib.util.spec_from_file_location("export" + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_urllib3(module, method, url):
    return module.client.request(method, url).status


def with_tenacity(module, method, url):
    pool = urllib3.PoolManager(retries=False)
    return module.policy(lambda: pool.request(method, url))().status


CLIENTS = {"urllib3": with_urllib3, "tenacity": with_tenacity}


def ended(module, form, method, url):
    try:
        return CLIENTS[form](module, method, url)
    except urllib3.exceptions.HTTPError:
        return "error"


if urllib3.__version__.startswith("1."):
    # The one word of an export that 1.26 has in another place: there it is an attribute, since 2.0 an argument.
    import urllib3.util

    class Retry(urllib3.util.Retry):
        def __init__(self, *args, backoff_max=120, **named):
            self.DEFAULT_BACKOFF_MAX = backoff_max
            super().__init__(*args, **named)

        def new(self, **named):
            return super().new(backoff_max=self.DEFAULT_BACKOFF_MAX, **named)

    urllib3.util.Retry = Retry



def with_the_test():
    sys.stdin.read()  # it ends with the test that began it
    os._exit(1)


threading.Thread(target=with_the_test, daemon=True).start()

directory, rest = sys.argv[1], sys.argv[2:]
jobs = [rest[i : i + 4] for i in range(0, len(rest), 4)]
modules = {key: load(os.path.join(directory, key + ".py")) for key, *_ in jobs}
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    running = {pool.submit(ended, modules[key], *how): key for key, *how in jobs}
    for done in concurrent.futures.as_completed(running):
        print(running[done], done.result(), flush=True)
