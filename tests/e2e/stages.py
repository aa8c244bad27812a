# SPDX-License-Identifier: GPL-3.0-or-later
"""Stop at each stage of a turn, in each of its ways, and what can be done after it: the server is strict throughout."""

import subprocess

from desktop import Door, wait_for
from journey import Journey, STOPPED_BY_YOU, running, tool_call

ANSWERS = [{"tokens": [f"answer {number}. "]} for number in range(3)]
RETRY_LATER = {"status": 503, "headers": {"Retry-After": "50"}, "body": "busy"}


class StopAtEachStage(Journey):
    def before_restart(self):
        """What changes while the program is closed."""

    def stop_and_go_on(self, at_work, reached, kept=lambda turn: "", closes=True, address=None):
        """Each way to stop, each action after it, and the actions once more in a program that was started anew.

        at_work(turn) is the reply of the server, reached(turn) waits for the stage, and kept(turn) is what must be left
        of the answer; closes: the server is still busy with the reply, and must see the connection end. Returns the
        messages of the request that continues the last stopped turn.
        """
        if not self.server:
            self.serve(*[at_work(turn) for turn in range(4)], *ANSWERS)
        self.start(address=address)
        ways = [lambda: self.app.press("Stop"), lambda: self.app.key("Escape"),
                lambda: self.app.key("ctrl+period"), lambda: self.app.press("Stop")]
        actions = [lambda: self.app.send("Question"), lambda: self.app.press("Continue"),
                   lambda: self.app.press("Retry"), lambda: self.edit("Question", "Second question")]
        for turn, (action, stop) in enumerate(zip(actions, ways)):
            action()
            if closes:
                self.wait_requests(turn + 1)
            reached(turn)
            stop()
            self.expect_stopped(kept(turn))
            if closes:
                wait_for(lambda: len(self.server.disconnects()) == turn + 1,
                         "the closed connection")
        return self.go_on_after_restart(kept(3), address)

    def expect_stopped(self, kept):
        last = self.wait_ended("Stopped by you")
        self.assertRegex(last, STOPPED_BY_YOU)
        self.assertIn(kept, last)

    def go_on_after_restart(self, kept, address):
        sent = len(self.server.requests())
        before = self.app.text()
        self.app.quit()
        self.before_restart()
        self.start(address=address)
        self.open_first_conversation()
        self.expect_stopped(kept)
        self.assertEqual(self.app.text(), before)
        self.assertIn("Second question", before)
        for number, action in enumerate([
                lambda: self.app.press("Continue"), lambda: self.app.press("Retry"),
                lambda: self.edit("Second question", "Third question")]):
            action()
            self.app.wait_text(f"answer {number}.")
            self.wait_ended("Finished")
        self.wait_requests(sent + 3)
        self.assertIn("Third question", self.app.text())
        self.assertNotIn("Second question", self.app.text())
        return self.server.requests()[sent]["body"]["messages"]

    def wait_stage(self, words):
        wait_for(lambda: words in self.app.status(),
                 lambda: f"the stage {words!r}: {self.app.status()!r}")

    def test_connecting(self):
        self.serve(*ANSWERS)
        door = Door(self.server.port)
        self.addCleanup(door.close)
        self.before_restart = door.open
        self.stop_and_go_on(None, lambda turn: self.wait_stage("Connecting"), closes=False,
                            address=door.address)

    def test_silent_before_the_first_token(self):
        self.stop_and_go_on(lambda turn: {"silent": True},
                            lambda turn: self.wait_stage("Waiting for the first token"))

    def test_streaming(self):
        messages = self.stop_and_go_on(
            lambda turn: {"tokens": [f"turn{turn} ", "and ", "more "], "repeat": 5000,
                          "delayMs": 5},
            lambda turn: self.app.wait_text(f"turn{turn} and more turn{turn} and more"),
            kept=lambda turn: f"turn{turn} and more turn{turn} and more")
        # What was kept went back, as an answer that is taken up.
        self.assertTrue(any(message["role"] == "assistant" and "turn3 and more" in message["content"]
                            for message in messages), messages)

    def test_silent_in_mid_stream(self):
        self.stop_and_go_on(lambda turn: {"tokens": ["half of ", f"answer{turn}"], "then": "stall"},
                            lambda turn: self.app.wait_text(f"half of answer{turn}"),
                            kept=lambda turn: f"half of answer{turn}")

    def test_by_keyboard_alone(self):
        self.serve(*[{"tokens": [f"turn{turn} ", "and ", "more "], "repeat": 5000, "delayMs": 5}
                     for turn in range(3)])
        self.start()
        wait_for(lambda: self.app.has_focus("Message"), "the focus on the message field")
        self.app.type_text("Question")
        wait_for(lambda: self.app.written() == "Question", "what was typed")
        self.app.key("Return")
        for turn, stop in enumerate(("Escape", "ctrl+period")):
            self.app.wait_text(f"turn{turn} and")
            self.app.key(stop)
            self.expect_stopped(f"turn{turn} and")
            wait_for(lambda: self.app.has_focus("Continue"), "the focus on Continue")
            self.app.key("Return")
            wait_for(lambda: self.app.has_focus("Message"), "the focus on the message field")
        self.app.wait_text("turn2 and")
        self.app.open_settings("Limits")
        subprocess.run(["xdotool", "key", "ctrl+period"], check=True)
        self.app.close_settings()
        self.expect_stopped("turn2 and")

    def test_retry_wait(self):
        self.stop_and_go_on(lambda turn: RETRY_LATER, lambda turn: self.wait_stage("Retrying"),
                            closes=False)
        # Four turns were stopped in their wait, and nothing of them was sent again.
        self.assertEqual(len(self.server.requests()), 4 + 3)

    def test_approval(self):
        messages = self.stop_and_go_on(lambda turn: tool_call("touch never-made"),
                                       lambda turn: self.app.control("Allow once"),
                                       kept=lambda turn: "I will look.", closes=False)
        self.assertIsNone(self.app.find("Allow once"))
        self.assertIn("Not run", [m for m in messages if m["role"] == "tool"][-1]["content"])

    def test_running_tool(self):
        def reached(_turn):
            self.app.press("Allow once")
            wait_for(lambda: running("^sleep 86397"), "the running command")
        messages = self.stop_and_go_on(lambda turn: tool_call("echo begun; sleep 86397"), reached,
                                       kept=lambda turn: "I will look.", closes=False)
        self.assertFalse(running("^sleep 86397"))
        result = [m for m in messages if m["role"] == "tool"][-1]["content"]
        self.assertIn("Interrupted", result)
        self.assertIn("begun", result)
