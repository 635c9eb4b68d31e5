#!/usr/bin/env python3
"""Write the hashes of the files that pins stand for into the pins.

    python3 pinhashes.py PINS.txt...

For every name==version the package index is asked for its files. The hashes of all wheels that
Python 3.11 or later can use on Linux or macOS follow the pin, and pip takes nothing else. Where a
version has no such wheel, the hash of its source distribution follows: venv.py names these
packages in SOURCES.
"""

import re
import sys
import urllib.parse
import urllib.request
from html.parser import HTMLParser

INDEX = "https://pypi.org/simple/"
TAG = re.compile(
    r"-(?:(?:py2\.)?py3|cp3\d+|cp3\d+\.cp3\d+)-(?:none|abi3|cp3(?:1[1-9]))-"
    r"(?:any|(?:[a-z0-9_.]*(?:manylinux|musllinux)[a-z0-9_.]*_(?:x86_64|aarch64))|macosx_[0-9_]+_(?:x86_64|arm64|universal2))\.whl$"
)


class Links(HTMLParser):
    """The links of an index page: file names with their hashes."""

    def __init__(self):
        super().__init__()
        self.files = {}

    def handle_starttag(self, tag, attrs):
        address = dict(attrs).get("href", "") if tag == "a" else ""
        path, _, fragment = address.partition("#sha256=")
        if fragment:
            self.files[urllib.parse.unquote(path.rsplit("/", 1)[-1])] = fragment


def normal(name):
    """A package's name as the index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def files_of(name, version):
    """The files of a version with their hashes: wheels, or else the source distribution."""
    with urllib.request.urlopen(INDEX + normal(name) + "/", timeout=60) as answer:
        links = Links()
        links.feed(answer.read().decode())
    wheels, sources = {}, {}
    for file, digest in links.files.items():
        if file.endswith(".whl"):
            of, its = file.split("-")[:2]
            if normal(of) == normal(name) and its == version and TAG.search(file):
                wheels[file] = digest
        elif file.endswith(".tar.gz"):
            of, _, its = file[: -len(".tar.gz")].rpartition("-")
            if normal(of) == normal(name) and its == version:
                sources[file] = digest
    return wheels or sources


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8") as f:
            pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s\\]+)", f.read(), re.M)
        text = ""
        for name, version in pins:
            files = files_of(name, version)
            if not files:
                sys.exit("%s: the index has no file of %s %s" % (path, name, version))
            text += "%s==%s" % (name, version)
            for digest in sorted(set(files.values())):
                text += " \\\n    --hash=sha256:" + digest
            text += "\n"
            if not any(file.endswith(".whl") for file in files):
                print("%s: %s %s has no wheel" % (path, name, version))
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
