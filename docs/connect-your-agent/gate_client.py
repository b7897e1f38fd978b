"""Asks Metnos Gate before a tool call. Standard library only; only `outcome == "allowed"` means yes."""
import itertools
import json
import os
import pathlib
import socket

STATE = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state") / "metnos"


class Gate:
    def __init__(self, name, session=None):
        self._socket = socket.socket(socket.AF_UNIX)
        folder = pathlib.Path(os.environ.get("METNOS_RUNTIME_DIR") or STATE / "run")
        self._socket.connect(os.environ.get("METNOS_GATE_SOCKET") or str(folder / "gate.sock"))
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self._ids = itertools.count()
        token = os.environ.get("METNOS_AGENT_TOKEN") or (STATE / f"agents/{name}.token").read_text().strip()
        hello = {"protocol": 1, "agent": {"name": name}, "token": token}
        self.hello = self._ask("hello", {**hello, "session": session} if session else hello, "hello.ok")

    def call(self, intent, executor, args, context=None):
        """Waits for the final decision, the operator's answer included. A dict with outcome, reason, explain."""
        return self._ask("tool.call", {"intent": intent, "executor": executor, "args": args, "context": context or {}}, "tool.decision")

    def _ask(self, kind, data, answer):
        message_id = str(next(self._ids))
        self._socket.sendall((json.dumps({"type": kind, "data": {"id": message_id, **data}}) + "\n").encode())
        for line in self._lines:
            message = json.loads(line)
            if message["type"] == "error" and message["data"].get("id", message_id) == message_id:
                raise PermissionError("{code}: {message} ({hint})".format(**message["data"]))
            if (message["type"], message["data"].get("id")) == (answer, message_id):
                if message["data"].get("outcome") != "approval_required":
                    return message["data"]
        raise ConnectionError("the gate closed the connection: take it as a no")
