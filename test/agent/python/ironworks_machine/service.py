"""A client of the HTTP service through which the lab offers a machine (lab/external)."""

import http.client
import json
import os
import urllib.parse


class Failure(Exception):
    """An error response of the service; kind tells such errors apart."""

    def __init__(self, text, kind):
        super().__init__(text)
        self.kind = kind


def _call(method, path, body=None):
    """Send a request, ignoring proxy settings, and return the response."""
    url = urllib.parse.urlsplit(os.environ["IRONWORKS_HARDWARE_URL"])
    connection = http.client.HTTPConnection(url.hostname, url.port)
    data = None if body is None else json.dumps(body)
    connection.request(method, url.path + path, body=data, headers={"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status >= 400:
        text = response.read().decode(errors="replace")
        try:
            error = json.loads(text)
        except ValueError:
            error = {"error": text, "kind": "failed"}
        raise Failure(error["error"], error["kind"])
    return response


def get(path):
    """Return the decoded JSON of a GET request."""
    return json.loads(_call("GET", path).read())


def post(path, body=None):
    """Send a POST request."""
    _call("POST", path, body).read()


def call(path, body):
    """Send a POST request and return the body of the response."""
    return _call("POST", path, body).read()


def lines(path, body):
    """Send a POST request and yield the JSON lines of the response as they arrive."""
    response = _call("POST", path, body)
    for line in response:
        if line.strip():
            yield json.loads(line)
