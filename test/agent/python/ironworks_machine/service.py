"""The machine, as its HTTP service in the lab tells it (lab/external)."""

import http.client
import json
import os
import urllib.parse


class Failure(Exception):
    """The machine could not do it."""

    def __init__(self, text, kind):
        super().__init__(text)
        self.kind = kind


def _call(method, path, body=None):
    """One call; proxies are none of its business."""
    url = urllib.parse.urlsplit(os.environ["IRONWORKS_HARDWARE_URL"])
    connection = http.client.HTTPConnection(url.hostname, url.port)
    data = None if body is None else json.dumps(body)
    connection.request(method, url.path + path, body=data, headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status >= 400:
        text = answer.read().decode(errors="replace")
        try:
            told = json.loads(text)
        except ValueError:
            told = {"error": text, "kind": "failed"}
        raise Failure(told["error"], told["kind"])
    return answer


def get(path):
    """What the machine says."""
    return json.loads(_call("GET", path).read())


def post(path, body=None):
    """Have the machine do something."""
    _call("POST", path, body).read()


def call(path, body):
    """Have the machine do something and return what it answers."""
    return _call("POST", path, body).read()


def lines(path, body):
    """Have the machine do something and yield what it says, as it says it."""
    answer = _call("POST", path, body)
    for line in answer:
        if line.strip():
            yield json.loads(line)
