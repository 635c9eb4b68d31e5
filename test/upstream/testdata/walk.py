"""Read all that sushy has for a machine: every public property and every getter without arguments, of every object.

Arguments: URL; user and password are in the environment, BMC_USER and BMC_PASSWORD.
Prints failures and warnings, and at the end how much was read.
"""

import inspect
import logging
import os
import re
import sys
import warnings

import sushy
from sushy import auth
from sushy.resources import base

# What the lab's machines do not have, as many BMCs: each is the name of an object and a part of the message.
ABSENT = (
    (r"root\.get_(certificate|composition|event)_service", "is missing from the resource /redfish/v1/"),
    (r"root\.get_fabric_collection", "Fabrics/@odata.id is missing"),
    # Virtual media are those of the manager.
    (r"\.virtual_media", "VirtualMedia is missing from the resource /redfish/v1/Systems/"),
    # sushy fails for an empty list, too.
    (r"\.drives\[\d+\]\.volumes", "Links/Volumes is missing"),
    # The controller has no settings, and volumes have no actions.
    (r"\.volumes.*\.get_allowed_initialize_volume_values", "'NoneType' object has no attribute 'initialize'"),
    (r"\.controllers\..*\.(pending_settings|supported_apply_times)", "'NoneType' object has no attribute"),
)
# These read plug-ins of vendors instead of the service.
PLUGINS = {"oem_vendors", "get_oem_extension"}

failures, seen, read = [], set(), 0


class Complaints(logging.Handler):
    """sushy logs a warning when a service lacks something; there must be none."""

    def emit(self, record):
        failures.append("logged: " + record.getMessage())


def names(thing):
    """Return the names of properties and fields, and of getters that need no arguments."""
    for name, value in inspect.getmembers(type(thing)):
        if name.startswith("_") or name in PLUGINS:
            continue
        if isinstance(value, (property, base.Field)):
            yield name, False
        elif name.startswith("get_") and callable(value):
            needed = [p for p in list(inspect.signature(value).parameters.values())[1:]
                      if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            if not needed:
                yield name, True


def walk(thing, where):
    global read
    if isinstance(thing, (list, tuple)):
        for i, member in enumerate(thing):
            walk(member, "%s[%d]" % (where, i))
        return
    if isinstance(thing, base.ResourceBase):
        key = (type(thing).__name__, thing.path)
        if key in seen:
            return
        seen.add(key)
    elif not isinstance(thing, base.CompositeField):
        return
    for name, is_method in names(thing):
        here = "%s.%s" % (where, name)
        try:
            value = getattr(thing, name)
            if is_method:
                value = value()
        except Exception as err:  # any exception is a failure
            if not any(re.search(place + "$", here) and text in str(err) for place, text in ABSENT):
                failures.append("%s: %s: %s" % (here, type(err).__name__, err))
            continue
        read += 1
        walk(value, here)


warnings.simplefilter("ignore")  # of the certificate
logging.getLogger("sushy").addHandler(Complaints(level=logging.WARNING))
who = auth.BasicAuth(username=os.environ["BMC_USER"], password=os.environ["BMC_PASSWORD"])
walk(sushy.Sushy(sys.argv[1], auth=who, verify=False), "root")
print("\n".join(failures + ["%d resources, %d values, %d failures" % (len(seen), read, len(failures))]))
sys.exit(bool(failures))
