# SPDX-License-Identifier: GPL-3.0-or-later
"""The program and a model server as two processes, driven by the accessible names of the window's controls."""

import json
import os
import signal
import socket
import subprocess
import threading
import time

import pyatspi

PATIENCE = 20.0 * float(os.environ.get("FERMATA_PATIENCE", "1"))


def wait_for(condition, what):
    """The first true value of condition(); an AssertionError that says what did not come: a text, or who makes it."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            value = condition()
        except Exception:  # a control that is being replaced just then
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"it did not come: {what() if callable(what) else what}")
        time.sleep(0.01)


def wait_for_window_manager():
    """A window that is there before the window manager would never get the focus."""
    wait_for(lambda: subprocess.run(["xdotool", "get_num_desktops"], capture_output=True)
             .returncode == 0, "the window manager")


class ModelServer:
    """fermata-modelserver with a script; what it prints is read as it comes."""

    def __init__(self, *replies, strict=True):
        script = json.dumps({"models": ["test-model"], "strict": strict, "replies": list(replies)})
        self._process = subprocess.Popen([os.environ["FERMATA_MODELSERVER"], script],
                                         stdout=subprocess.PIPE, text=True)
        self._lines = [json.loads(self._process.stdout.readline())]
        self.port = self._lines[0]["port"]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.append(json.loads(line))

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def requests(self):
        return [line for line in list(self._lines)
                if line["event"] == "request" and line["method"] == "POST"]

    def disconnects(self):
        return [line for line in list(self._lines) if line["event"] == "disconnect"]

    def close(self):
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()


class Door:
    """A port in front of a server: it takes no connection until it is opened, and then passes everything on."""

    def __init__(self, port):
        self._target = port
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        # The system answers no further client while the queue of those that wait is full.
        self._socket.listen(0)
        self._waiting = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(self._socket.getsockname())
            self._waiting.append(client)
        self.port = self._socket.getsockname()[1]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def open(self):
        for client in self._waiting:
            client.close()
        self._socket.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:  # closed
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    @staticmethod
    def _pass_on(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    def close(self):
        for client in self._waiting:
            client.close()
        # Wakes accept(), which a close alone does not.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class Fermata:
    """The program in its window, as soon as that has the control `first`."""

    def __init__(self, data_dir, *arguments, first="Message"):
        self.data_dir = data_dir
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("OPENAI_", "ANTHROPIC_", "OLLAMA_"))}
        self.process = subprocess.Popen(
            [os.environ["FERMATA_PROGRAM"], "--data-dir", data_dir, *arguments], env=environment)
        self.root = wait_for(self._find_application, "the program on the accessibility bus")
        self.control(first)
        # Keys go to the window that the window manager has made the active one.
        wait_for(lambda: subprocess.run(["xdotool", "getactivewindow"], capture_output=True)
                 .returncode == 0, "the focus on the window")

    def _find_application(self):
        if self.process.poll() is not None:
            raise SystemExit(f"the program ended with {self.process.returncode}")
        for application in pyatspi.Registry.getDesktop(0):
            if application and application.get_process_id() == self.process.pid:
                return application
        return None

    # --- Controls ---

    def nodes(self, showing=True):
        """Everything in the window."""
        pending = [self.root]
        while pending:
            node = pending.pop()
            for child in node:
                if child is None:
                    continue
                if not showing or child.getState().contains(pyatspi.STATE_SHOWING):
                    yield child
                pending.append(child)

    def find(self, name, showing=True):
        """The last control with that name, or None. A list to choose from has its choice behind its name."""
        found = None
        for node in self.nodes(showing):
            if node.name == name or (node.name or "").startswith(f"{name}: ") and (
                    node.getRole() == pyatspi.ROLE_COMBO_BOX):
                found = node
        return found

    def find_text(self, part):
        """The first control whose name holds that text, or None."""
        return next((node for node in self.nodes() if part in (node.name or "")), None)

    def control(self, name):
        return wait_for(lambda: self.find(name), f"the control {name!r}")

    def enabled(self, name):
        control = self.find(name)
        return bool(control) and control.getState().contains(pyatspi.STATE_ENABLED)

    def has_focus(self, name):
        control = self.find(name)
        return bool(control) and control.getState().contains(pyatspi.STATE_FOCUSED)

    def press(self, name):
        wait_for(lambda: self.enabled(name), f"{name!r} to be enabled")
        self.control(name).queryAction().doAction(0)

    def click(self, control, button=1):
        """A button of the mouse, by default the left one, in the middle of it."""
        rect = control.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        subprocess.run(["xdotool", "mousemove", str(rect.x + rect.width // 2),
                        str(rect.y + rect.height // 2), "click", str(button)], check=True)

    @staticmethod
    def is_checked(control):
        return control.getState().contains(pyatspi.STATE_CHECKED)

    @staticmethod
    def toggle(control):
        before = Fermata.is_checked(control)
        control.queryAction().doAction(0)
        wait_for(lambda: Fermata.is_checked(control) != before, "the other state of the box")

    def write(self, text):
        self.control("Message").queryEditableText().setTextContents(text)

    def written(self):
        field = self.control("Message").queryText()
        return field.getText(0, field.characterCount)

    def send(self, text):
        self.write(text)
        self.press("Send")

    def key(self, *keys):
        """Real key presses, in the window that has the focus."""
        window = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid",
                                 str(self.process.pid), "--name", "Fermata"],
                                capture_output=True, text=True, check=True).stdout.split()[-1]
        subprocess.run(["xdotool", "windowactivate", "--sync", window], check=True)
        subprocess.run(["xdotool", "key", *keys], check=True)

    @staticmethod
    def press_keys(*keys):
        """Real key presses, wherever the focus is."""
        subprocess.run(["xdotool", "key", *keys], check=True)

    def has_popup(self):
        """Whether a second window, as that of a menu, is there beside the main one."""
        windows = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid",
                                  str(self.process.pid)], capture_output=True, text=True).stdout
        return len(windows.split()) > 1

    # --- Settings ---

    def open_settings(self, page):
        """The Settings window, with that page."""
        self.press("Settings")
        pages = self.control("Pages")
        self.click(wait_for(lambda: next((row for row in pages if row and row.name == page), None),
                            f"the page {page!r}"))

    def type_into(self, name, *keys):
        """Real keys into a field of the window that is at the front."""
        field = self.control(name)
        field.queryComponent().grabFocus()
        wait_for(lambda: self.control(name).getState().contains(pyatspi.STATE_FOCUSED),
                 f"the focus on {name!r}")
        subprocess.run(["xdotool", "key", *keys], check=True)

    @staticmethod
    def type_text(text):
        subprocess.run(["xdotool", "type", "--delay", "0", text], check=True)

    def close_settings(self):
        self.press("Close")
        wait_for(lambda: not self.find("Pages"), "the end of Settings")

    # --- What the window shows ---

    def conversations(self):
        """The rows of the list, without the days between them."""
        return [row for row in self.find("Conversations") or []
                if row and row.name and row.getState().contains(pyatspi.STATE_SELECTABLE)]

    def messages(self):
        """Each message's text, and below it how it ended."""
        transcript = self.find("Transcript")
        if not transcript:
            return []
        items = [item for item in transcript
                 if item and item.getRole() == pyatspi.ROLE_LIST_ITEM]
        for item in items:
            item.clear_cache()
        return [f"{item.name}\n{item.description}" for item in items]

    def is_in_view(self, text):
        """Whether that message is on the screen, at least its beginning."""
        transcript = self.find("Transcript")
        item = next(item for item in transcript if item and item.name == text)
        top = item.queryComponent().getExtents(pyatspi.DESKTOP_COORDS).y
        view = transcript.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        return view.y <= top < view.y + view.height

    def text(self):
        return "\n".join(self.messages())

    def status(self):
        status = self.find("Turn status", showing=False)
        if status:
            status.clear_cache()
        return f"{status.name} {status.description}" if status else ""

    def wait_text(self, part):
        wait_for(lambda: part in self.text(),
                 lambda: f"{part!r} in the transcript: {self.text()!r}")

    def wait_idle(self):
        wait_for(lambda: not self.enabled("Stop"), "the end of the turn")

    # --- The end ---

    def quit(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, f"exit status {self.process.returncode}"

    def kill(self):
        self.process.kill()
        self.process.wait()
