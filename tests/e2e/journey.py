# SPDX-License-Identifier: GPL-3.0-or-later
"""What all journeys share: a folder of their own, a model server, the program."""

import re
import shutil
import subprocess
import tempfile
import unittest

from desktop import Fermata, ModelServer, wait_for

WORDS = [f"word{number} " for number in range(2000)]
SLOW_ANSWER = {"tokens": WORDS, "delayMs": 10}

# Who stopped it, when, after how long.
STOPPED_BY_YOU = re.compile(r"Stopped by you · \d\d:\d\d:\d\d · after \d+(\.\d+)? (ms|s)")


def tool_call(command, text="I will look."):
    return {"tokens": [text],
            "toolCall": {"name": "run_command", "arguments": {"command": command}}}


def file_call(path, content):
    return {"tokens": ["I will write."],
            "toolCall": {"name": "write_file", "arguments": {"path": path, "content": content}}}


def is_contained():
    """Whether commands run in the sandbox here, which has to be for them to be allowed for more than once."""
    try:
        return subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
                              capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


needs_sandbox = unittest.skipUnless(is_contained(), "bubblewrap does not work here")


def running(pattern):
    return subprocess.run(["pgrep", "-f", pattern], capture_output=True).returncode == 0


class Journey(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.app = None
        self.server = None

    def tearDown(self):
        if self.app and self.app.process.poll() is None:
            self.app.kill()
        if self.server:
            self.server.close()

    def serve(self, *replies, strict=True):
        self.server = ModelServer(*replies, strict=strict)

    def start(self, *arguments, address=None):
        if address or self.server:
            address = address or self.server.address
            arguments = ("--endpoint", address, "--model", "test-model", *arguments)
        self.app = Fermata(self.folder, *arguments)

    def restart(self):
        self.app.quit()
        self.app = Fermata(self.folder)

    def open_first_conversation(self):
        self.app.click(wait_for(lambda: next(iter(self.app.conversations()), None),
                                "a conversation in the list"))

    def wait_requests(self, count):
        wait_for(lambda: len(self.server.requests()) == count,
                 lambda: f"{count} requests, not {len(self.server.requests())}")

    def wait_ended(self, words):
        """Until the last turn has ended, and its foot line has these words; the last message."""
        self.app.wait_idle()
        wait_for(lambda: words in self.app.messages()[-1],
                 lambda: f"{words!r} below the last message: {self.app.text()!r}")
        return self.app.messages()[-1]

    def edit(self, before, after):
        """Edit, with the message in the field, and another text instead."""
        self.app.press("Edit")
        wait_for(lambda: self.app.written() == before, f"{before!r} in the message field")
        self.app.send(after)
