"""Downloads the images of a file, a JSON object per line, and prints what becomes of each.

    {"info": IMAGE_INFO, "streams": BOOL, "tries": NUMBER, "silence": SECONDS}
"""

import json
import logging
import os
import sys
import tempfile

from ironic_python_agent import config  # noqa: F401 (registers the options)
from ironic_python_agent import errors
from ironic_python_agent.extensions import standby
from oslo_config import cfg

logging.disable(logging.CRITICAL)
CONF = cfg.CONF
CONF([], project="ironic-python-agent")
CONF.set_override("image_download_connection_retry_interval", 0)
# What follows a streamed download needs a disk.
standby.disk_utils.trigger_device_rescan = lambda *_args, **_named: None
standby.disk_utils.fix_gpt_partition = lambda *_args, **_named: None
standby.disk_utils.block_uuid = lambda *_args: ""
place = os.path.join(tempfile.mkdtemp(), "disk")


def download(case):
    CONF.set_override("image_download_connection_retries", case["tries"] - 1)
    # The option takes whole seconds; the code accepts fractions.
    standby.CONF = Settings(case["silence"])
    if case["streams"]:
        extension = standby.StandbyExtension()
        extension.partition_uuids = {}
        extension._stream_raw_image_onto_device(case["info"], place)
    else:
        standby._download_image(case["info"])


class Settings:
    """The configuration with a shorter timeout."""

    def __init__(self, silence):
        self.silence = silence

    def __getattr__(self, name):
        if name == "image_download_connection_timeout":
            return self.silence
        return getattr(CONF, name)


for line in open(sys.argv[1]):
    case = json.loads(line)
    target = place if case["streams"] else standby._image_location(case["info"])
    if os.path.exists(target):
        os.unlink(target)
    answer = {"error": "", "details": "", "place": target}
    try:
        download(case)
    except Exception as e:
        if not isinstance(e, errors.RESTError):
            e = errors.CommandExecutionError(str(e))  # as in ironic_python_agent/extensions/base.py
        answer.update(error=type(e).__name__, details=e.details)
    with open(target, "rb") if os.path.exists(target) else open(os.devnull, "rb") as f:
        answer["bytes"] = len(f.read())
    print(json.dumps(answer), flush=True)
