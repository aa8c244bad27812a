# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit, set in Settings: it ends the turn at its value, is named, and can be extended while it runs."""

from desktop import Door, wait_for
from journey import Journey, tool_call


class Limits(Journey):
    def set_limits(self, *rows):
        """Each row is the name of a limit and its value in seconds."""
        self.app.open_settings("Limits")
        for name, seconds in rows:
            if name.endswith("local server") and not self.app.find(f"{name}, value"):
                # The link is the next after the row above it.
                self.app.type_into("Connect, never", "Tab", "Return")
                self.app.control(f"{name}, value")
            never = self.app.control(f"{name}, never")
            if self.app.is_checked(never):
                self.app.toggle(never)
            # The first letter chooses the unit.
            self.app.type_into(f"{name}, unit", "s")
            self.app.type_into(f"{name}, value", "ctrl+a", *str(seconds), "Tab")
        self.app.close_settings()

    def expect_limit(self, words):
        last = self.wait_ended(words)
        # Where it is set.
        self.assertIn("Change limit…", last)
        return last

    # behaviours: 65
    def test_a_connection_that_is_not_accepted(self):
        self.serve({"tokens": ["Late, but here."]})
        door = Door(self.server.port)
        self.addCleanup(door.close)
        self.start(address=door.address)
        self.set_limits(("Connect", 1))
        self.app.send("Hello")
        self.expect_limit("Connect limit of 1 s reached")
        door.open()
        self.app.press("Continue")
        self.app.wait_text("Late, but here.")

    def test_an_answer_that_does_not_begin(self):
        self.serve({"silent": True}, {"tokens": ["Here."]})
        self.start()
        self.set_limits(("First token, local server", 1))
        self.app.send("Hello")
        self.expect_limit("First token limit of 1 s reached")
        self.app.press("Continue")
        self.app.wait_text("Here.")

    def test_an_answer_that_falls_silent(self):
        self.serve({"tokens": ["part "], "then": "stall"}, {"tokens": ["and the rest."]})
        self.start()
        self.set_limits(("Silence", 1))
        self.app.send("Hello")
        self.assertIn("part", self.expect_limit("Silence limit of 1 s reached"))
        self.app.press("Continue")
        self.app.wait_text("and the rest.")

    def test_a_turn_that_is_too_long(self):
        self.serve({"tokens": ["on and "], "repeat": 2000, "delayMs": 10},
                   {"tokens": ["to the end."]})
        self.start()
        # The others must be below it.
        self.set_limits(("Connect", 3), ("First token", 3), ("First token, local server", 3),
                        ("Silence", 3), ("Whole turn", 4))
        self.app.send("Hello")
        self.assertIn("on and", self.expect_limit("Whole turn limit of 4 s reached"))
        self.app.press("Continue")
        self.app.wait_text("to the end.")

    def test_a_tool_that_is_too_slow(self):
        self.serve(tool_call("echo begun; sleep 86396"), {"tokens": ["Too slow, then."]})
        self.start()
        self.set_limits(("Tool call", 1))
        self.app.send("Look")
        self.app.press("Allow once")
        self.app.wait_text("Too slow, then.")
        self.wait_ended("Finished")
        result = self.server.requests()[1]["body"]["messages"][-1]["content"]
        self.assertIn("1 s", result)
        self.assertIn("begun", result)

    def test_a_running_limit_is_extended(self):
        self.serve({"tokens": ["slow ", "but whole."], "delayMs": 6000})
        self.start()
        self.set_limits(("First token, local server", 5), ("Silence", 5))
        self.app.send("Hello")
        # Without more time it would end before the first token, and then before the second one.
        for limit in ("First token", "Silence"):
            wait_for(lambda: f"{limit} limit in 0:0" in self.app.status(),
                     lambda: f"the countdown of {limit}: {self.app.status()}")
            self.app.press("Extend limit")
            wait_for(lambda: f"{limit} limit in 5:0" in self.app.status(),
                     lambda: f"5 minutes more: {self.app.status()}")
        self.app.wait_text("slow but whole.")
        self.wait_ended("Finished")
