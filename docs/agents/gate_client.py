"""Asks Metnos Gate before a tool call. Standard library only; only `outcome == "allowed"` means yes."""
import itertools
import json
import os
import pathlib
import socket
import subprocess

STATE = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state") / "metnos"


class Gate:
    def __init__(self, name, session=None, confine=False):
        self._socket = socket.socket(socket.AF_UNIX)
        folder = pathlib.Path(os.environ.get("METNOS_RUNTIME_DIR") or STATE / "run")
        self._socket.connect(os.environ.get("METNOS_GATE_SOCKET") or str(folder / "gate.sock"))
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self._ids = itertools.count()
        token = os.environ.get("METNOS_AGENT_TOKEN") or (STATE / f"agents/{name}.token").read_text().strip()
        hello = {"protocol": 1, "agent": {"name": name}, "token": token, "supports": ["confine"] if confine else []}
        self.hello = self._ask("hello", {**hello, "session": session} if session else hello, "hello.ok")

    def call(self, intent, executor, args, context=None):
        """Waits for the final decision, the operator's answer included. A dict with outcome, reason, explain."""
        return self._ask("tool.call", {"intent": intent, "executor": executor, "args": args, "context": {"path": os.environ.get("PATH", os.defpath), **(context or {})}}, "tool.decision")

    def run_confined(self, decision, cwd, **options):
        """Runs a call that was allowed as a confined one, in the folder it was asked with: the finished process, and the folder it ended in."""
        if decision["outcome"] != "allowed" or "confine" not in decision:
            raise PermissionError("the gate has not allowed this call as a confined one")
        folder, naming = os.pipe()  # the command names its folder on descriptor 9
        words = ["/bin/sh", "-c", 'exec 9>"/dev/fd/$0"; exec "$@"', str(naming), *decision["confine"]["argv"]]
        with open(folder, errors="surrogateescape") as names:
            try:
                done = subprocess.run(words, cwd=cwd, pass_fds=[naming], **options)
            finally:
                os.close(naming)
            return done, names.readline(4096).rstrip("\n") or cwd

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
