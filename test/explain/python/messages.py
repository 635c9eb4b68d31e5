"""List the messages that Ironic can show as the reason of a failed node.

Reads the installed sources of Ironic or ironic-python-agent with ast, without importing
them. Prints one JSON object per line. Where the source inserts a value, the format has
its name between the characters of MARK.

usage: messages.py ironic|agent
"""

import ast
import itertools
import json
import pathlib
import re
import sysconfig
import sys

MARK = "\u27e8%s\u27e9"
MOST = 6  # followed alternatives of an expression

# Sources of messages that only the API, other services or the start of a process use.
LEFT_OUT = {
    "ironic": (
        "tests/", "api/", "cmd/", "conf/", "db/", "locale/", "objects/", "networking/", "pxe_filter/", "hacking/",
        "console/websocketproxy", "console/securityproxy", "console/rfb", "command/",
        "common/args.py", "common/auth_basic.py", "common/wsgi_service.py", "common/fsm.py", "common/policy.py",
        "common/json_rpc/", "common/service.py", "common/rpc.py", "common/rpc_service.py", "common/profiler.py",
        "common/mdns.py", "common/metrics", "common/exception.py", "common/vnc.py", "common/config.py",
        "common/inspection_rules/validation.py", "common/inspection_rules/base.py", "common/release_mappings.py",
        "common/driver_factory.py", "conductor/rpc_service.py", "drivers/fake_hardware.py", "drivers/modules/fake.py",
        "common/image_format_inspector.py", "console/novncproxy", "drivers/modules/ansible/playbooks/",
    ),
    "ironic_lib": ("tests/", "metrics", "auth_basic", "mdns", "json_rpc/", "exception.py", "keystone.py"),
    "ironic_python_agent": (
        "tests/", "cmd/", "api/", "errors.py", "metrics", "mdns.py", "encoding.py", "config.py", "version.py",
        "format_inspector.py",
    ),
}
# Functions that serve the API synchronously, or run at the start of a process or on import.
LEFT_OUT_FUNCTIONS = {
    "update_node", "_check_update_protected", "update_port", "update_portgroup", "destroy_node", "destroy_port",
    "destroy_portgroup", "update_volume_connector", "update_volume_target", "destroy_volume_connector",
    "destroy_volume_target", "vendor_passthru", "driver_vendor_passthru", "init_host", "_validate_argsinfo",
    "_vendor_passthru", "validate_port_physnet", "_passthru", "decorator", "get_vendor_passthru_metadata",
    "get_method_mappings", "subscribe", "create_subscription", "delete_subscription", "get_subscription",
    "get_all_subscriptions", "eject_vmedia", "send_raw", "bmc_reset", "_filter_out_unsupported_types",
    "validate_conductor_group", "is_valid_mac", "is_valid_datapath_id", "validate_and_normalize_mac",
    "validate_and_normalize_datapath_id",
}

# The argument of a handler that the node shows: its name and its position.
HANDLERS = {
    "deploying_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "cleaning_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "servicing_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "inspecting_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "verifying_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "step_error_handler": (("errmsg", 2), ("logmsg", 1)),
    "rescuing_error_handler": (("msg", 1),),
    "inspection_error_handler": (("error", 1),),
    "log_and_raise_deployment_error": (("msg", 1),),
    "set_failed_state": (("msg", 1),),
    "node_history_record": (("event", 2),),
    "handle_failure": (("errmsg", 1), ("error", 0)),
    "handle_sync_power_state_max_retries_exceeded": (("exception", 2),),
}
FIELDS = {"last_error", "maintenance_reason"}
PERCENT = re.compile(r"%(?:\((?P<name>\w+)\))?[-#0 +]*\d*(?:\.\d+)?(?P<type>[diouxXeEfFgGcrsa%])")
BRACES = re.compile(r"\{(\w*)[^{}]*\}")


class Class:
    def __init__(self, node, file):
        self.name, self.file = node.name, file
        self.bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
        self.values, self.init = {}, None
        for item in node.body:
            if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
                self.values[item.targets[0].id] = item.value
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                self.init = item


def name_of(node):
    """Return a short name for an expression whose value is unknown."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return name_of(node.value) + "." + node.attr
    if isinstance(node, ast.Call):
        if getattr(node.func, "id", "") in ("str", "repr", "len", "int") and node.args:
            return name_of(node.args[0])
        return name_of(node.func)
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return name_of(node.value) + "." + node.slice.value
        return name_of(node.value)
    return "value"


class Scope:
    """The assignments of a function and of its enclosing functions."""

    def __init__(self, function, around, values=None):
        self.around, self.values = around, dict(values or {})
        self.assigned = {}
        if function is None:
            return
        for item in walk_own(function):
            if isinstance(item, ast.Assign):
                for target in item.targets:
                    if isinstance(target, ast.Name):
                        self.assigned.setdefault(target.id, []).append(item.value)

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            if name in scope.assigned:
                return scope.assigned[name]
            scope = scope.around
        return None


def walk_own(function):
    """Yield the nodes of a function without those of nested functions."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        item = todo.pop(0)
        yield item
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(item))


def first(texts):
    return list(dict.fromkeys(texts))[:MOST]


def render(node, scope, depth=0):
    """Return all texts that an expression can become."""
    if depth > 6:
        return [MARK % name_of(node)]
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(render(part.value, scope, depth + 1))
            else:
                parts.append([str(part.value)])
        return first("".join(p) for p in itertools.islice(itertools.product(*parts), MOST))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return first(percent(text, node.right, scope, depth) for text in render(node.left, scope, depth + 1))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return first(a + b for a in render(node.left, scope, depth + 1) for b in render(node.right, scope, depth + 1))
    if isinstance(node, ast.IfExp):
        return first(render(node.body, scope, depth + 1) + render(node.orelse, scope, depth + 1))
    if isinstance(node, ast.BoolOp):
        return first(itertools.chain.from_iterable(render(v, scope, depth + 1) for v in node.values))
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("_", "str", "_LE", "_LW") and node.args:
            return render(node.args[0], scope, depth + 1)
        if name == "format" and isinstance(node.func, ast.Attribute):
            return first(braces(text, node, scope, depth) for text in render(node.func.value, scope, depth + 1))
        if name in ("rstrip", "strip", "lstrip") and isinstance(node.func, ast.Attribute):
            return render(node.func.value, scope, depth + 1)
    if isinstance(node, ast.Name):
        found = scope.find(node.id) if scope else None
        if found is not None and depth < 5:
            texts = []
            for value in found:
                if isinstance(value, str):
                    texts.append(value)
                elif not (isinstance(value, ast.Constant) and not isinstance(value.value, str)):
                    texts.extend(render(value, scope, depth + 2))
            texts = [t for t in texts if t]
            if texts:
                return first(texts)
    return [MARK % name_of(node)]


def one(node, scope, depth):
    """Return the texts of an expression inside another text, if they contain words."""
    texts = [t for t in render(node, scope, depth + 1) if worded(t)]
    return texts[0] if texts and depth < 4 else (MARK % name_of(node) if not isinstance(node, ast.Constant) else str(node.value))


def percent(text, right, scope, depth):
    names, places = {}, []
    if isinstance(right, ast.Dict):
        for key, value in zip(right.keys, right.values):
            if isinstance(key, ast.Constant):
                names[key.value] = value
    elif isinstance(right, ast.Call) and getattr(right.func, "id", "") == "dict":
        names = {k.arg: k.value for k in right.keywords if k.arg}
    elif isinstance(right, ast.Tuple):
        places = list(right.elts)
    else:
        places = [right]

    def fill(match):
        if match["type"] == "%":
            return "%"
        if match["name"]:
            return one(names[match["name"]], scope, depth) if match["name"] in names else MARK % match["name"]
        return one(places.pop(0), scope, depth) if places else MARK % "value"
    return PERCENT.sub(fill, text)


def braces(text, call, scope, depth):
    names, places = {k.arg: k.value for k in call.keywords if k.arg}, list(call.args)

    def fill(match):
        key = match[1]
        if key in names:
            return one(names[key], scope, depth)
        if key.isdigit() and int(key) < len(places):
            return one(places[int(key)], scope, depth)
        return one(places.pop(0), scope, depth) if places and not key else MARK % (key or "value")
    return BRACES.sub(fill, text)


def worded(text):
    """Report whether a text has words apart from its values."""
    return len(re.findall(r"[A-Za-z]{2,}", re.sub(MARK % ".*?", " ", text))) >= 2


class Package:
    def __init__(self, root, name):
        self.root, self.name, self.classes, self.trees = root, name, {}, []
        for path in sorted(root.rglob("*.py")):
            file = path.relative_to(root).as_posix()
            if file.startswith("tests/") or "/tests/" in file:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for item in ast.walk(tree):
                if isinstance(item, ast.ClassDef):
                    self.classes.setdefault(item.name, Class(item, file))
            if not any(file.startswith(p) for p in LEFT_OUT[name]):
                self.trees.append((file, tree))


class Reader:
    def __init__(self, kind):
        base = pathlib.Path(sysconfig.get_paths()["purelib"])
        names = {"ironic": ("ironic", "ironic_lib"), "agent": ("ironic_python_agent", "ironic_lib")}[kind]
        self.packages = [Package(base / n, n) for n in names if (base / n).is_dir()]
        self.classes = {}
        for package in reversed(self.packages):
            self.classes.update(package.classes)
        self.seen = set()

    def value(self, name, field):
        """Return the text of a class, or of its first base class with one."""
        seen = set()
        while name in self.classes and name not in seen:
            seen.add(name)
            cls = self.classes[name]
            if field in cls.values:
                return "".join(render(cls.values[field], None))
            name = cls.bases[0] if cls.bases else ""
        return ""

    def init(self, name):
        while name in self.classes:
            cls = self.classes[name]
            if cls.init is not None:
                return cls, cls.init
            name = cls.bases[0] if cls.bases else ""
        return None, None

    def texts(self, call, scope):
        """Return the texts of the exception that a call creates."""
        if not isinstance(call, ast.Call):
            name = getattr(call, "attr", getattr(call, "id", ""))
            return name, [self.value(name, "_msg_fmt") or self.value(name, "message")] if name in self.classes else []
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        keywords = {k.arg: k.value for k in call.keywords if k.arg}
        fmt = self.value(name, "_msg_fmt")
        if fmt:
            explicit = call.args[0] if call.args else keywords.get("message")
            if explicit is not None:
                return name, render(explicit, scope)
            return name, self.filled(fmt, keywords, scope)
        if self.value(name, "message") and self.value(name, "details"):
            return name, self.agent_texts(name, call, keywords, scope)
        if name in self.classes and not call.args and "message" not in keywords:
            return name, []
        explicit = call.args[0] if call.args else keywords.get("message")
        return name, render(explicit, scope) if explicit is not None else []

    def filled(self, fmt, keywords, scope):
        """Return the texts of a class's format with all alternatives of the arguments."""
        ways = [dict()]
        for key, value in keywords.items():
            texts = [t for t in render(value, scope) if worded(t)] or [str(value.value) if isinstance(value, ast.Constant) else MARK % key]
            ways = [dict(way, **{key: t}) for way in ways for t in texts][:MOST]
        return [PERCENT.sub(lambda m: "%" if m["type"] == "%" else way.get(m["name"] or "", MARK % (m["name"] or "value")), fmt) for way in ways]

    def agent_texts(self, name, call, keywords, scope):
        """Return the texts of an agent's error: a heading and details."""
        heading, details = self.value(name, "message"), []
        cls, init = self.init(name)
        given = {}
        params = [a.arg for a in init.args.args[1:]] if init else ["details"]
        for param, value in itertools.chain(zip(params, call.args), keywords.items()):
            given[param] = render(value, scope)
        inner = Scope(init, None, {k: v for k, v in given.items()})
        if init is not None:
            for item in walk_own(init):
                if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Attribute) and item.targets[0].attr == "message":
                    heading = render(item.value, inner)[0]
                if isinstance(item, ast.Call) and getattr(item.func, "attr", "") == "__init__" and item.args:
                    details = render(item.args[0], inner)
        if not details or not any(details):
            details = [self.value(name, "details")]
        return [heading if d == heading else heading + ": " + d for d in details]

    def emit(self, package, file, line, kind, name, function, texts):
        if function in LEFT_OUT_FUNCTIONS or file.endswith("/vendor.py"):
            return
        for text in texts:
            text = text.strip()
            if not worded(text) or (kind, name, text) in self.seen:
                continue
            self.seen.add((kind, name, text))
            print(json.dumps({"file": package.name + "/" + file, "line": line, "kind": kind, "class": name,
                              "function": function, "format": text}))

    def read(self):
        for package in self.packages:
            for file, tree in package.trees:
                self.functions(package, file, tree, None, "")

    def functions(self, package, file, node, scope, inside):
        self.statements(package, file, node, scope, inside)
        for item in walk_own(node):
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions(package, file, item, Scope(item, scope), item.name)
            elif isinstance(item, ast.ClassDef):
                self.functions(package, file, item, scope, item.name)

    def statements(self, package, file, function, scope, inside):
        for item in walk_own(function):
            if isinstance(item, ast.Raise) and item.exc is not None:
                call = item.exc
                if isinstance(call, ast.Name) and scope is not None:
                    made = scope.find(call.id)
                    call = made[-1] if made and isinstance(made[-1], ast.Call) else call
                name, texts = self.texts(call, scope)
                if name not in ("NotImplementedError", "AssertionError", "SystemExit"):
                    self.emit(package, file, item.lineno, "raise", name, inside, texts)
            elif isinstance(item, ast.Call):
                handler = getattr(item.func, "attr", getattr(item.func, "id", ""))
                if handler in HANDLERS:
                    self.emit(package, file, item.lineno, "handler", handler, inside, self.argument(item, handler, scope))
            elif isinstance(item, ast.Assign):
                target = item.targets[0]
                if isinstance(target, ast.Attribute) and target.attr in FIELDS:
                    self.emit(package, file, item.lineno, "assignment", target.attr, inside, render(item.value, scope))

    def argument(self, call, handler, scope):
        keywords = {k.arg: k.value for k in call.keywords if k.arg}
        if handler == "node_history_record" and getattr(keywords.get("error"), "value", False) is False:
            return []  # an event that is not an error
        for name, place in HANDLERS[handler]:
            value = keywords.get(name, call.args[place] if place < len(call.args) else None)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                texts = render(value, scope)
                if handler == "handle_failure" and place == 0:
                    return texts
                return [PERCENT.sub(MARK % "exc", t) for t in texts]
        return []


if __name__ == "__main__":
    Reader(sys.argv[1]).read()
