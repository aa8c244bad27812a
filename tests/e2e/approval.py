# SPDX-License-Identifier: GPL-3.0-or-later
"""The question before a tool runs: cut by a crash, allowed for longer, and revoked."""

import os

from desktop import Fermata, wait_for
from journey import Journey, needs_sandbox, tool_call


class Approval(Journey):
    def test_a_question_that_a_crash_has_cut_counts_as_not_allowed(self):
        marker = os.path.join(self.folder, "made-by-the-command")
        self.serve(tool_call(f"touch {marker}"), {"tokens": ["On."]})
        self.start()
        self.app.send("Look")
        self.app.control("Allow once")
        self.app.kill()
        self.app = Fermata(self.folder)
        self.app.wait_text("Cut when the application ended")
        self.app.control(f"Run command touch {marker}, not started")
        self.assertIsNone(self.app.find("Allow once"))
        self.app.press("Continue")
        self.app.wait_text("On.")
        result = next(message for message in self.server.requests()[1]["body"]["messages"]
                      if message["role"] == "tool")
        self.assertIn("counts as not allowed", result["content"])
        self.assertFalse(os.path.exists(marker))

    @needs_sandbox
    def test_a_command_has_the_network_only_by_leave(self):
        count = "grep -c : /proc/net/dev"
        online = tool_call(count)
        online["toolCall"]["arguments"]["network"] = True
        self.serve(tool_call(count), {"tokens": ["One."]}, online, {"tokens": ["Two."]},
                   tool_call(count), {"tokens": ["Three."]})
        self.start()
        self.app.send("Look")
        self.app.control("Always allow")
        self.assertTrue(self.app.find("none"))
        self.app.press("Allow once")
        self.app.wait_text("One.")
        self.app.wait_idle()
        # It needs the network: it says so, and cannot be allowed for longer.
        self.app.send("Again")
        wait_for(lambda: self.app.find_text("yes, this computer's own services"), "the network")
        self.assertIsNone(self.app.find("Always allow"))
        self.app.press("Deny")
        self.app.wait_text("Two.")
        self.app.wait_idle()
        # The setting gives it to all.
        self.app.open_settings("Tools")
        self.app.toggle(self.app.control("Commands may use the network"))
        self.app.close_settings()
        self.app.send("And now?")
        wait_for(lambda: self.app.find_text("yes, this computer's own services"), "the network")
        self.app.control("Always allow")
        self.app.press("Allow once")
        self.app.wait_text("Three.")
        results = [message["content"] for message in self.server.requests()[5]["body"]["messages"]
                   if message["role"] == "tool"]
        self.assertEqual(results[0], "1\n")  # the loopback device alone
        with open("/proc/net/dev", encoding="ascii") as file:
            self.assertEqual(results[2], f"{sum(':' in line for line in file)}\n")

    def test_quitting_at_the_question_runs_nothing_and_is_told(self):
        # reliability: A15, G12
        marker = os.path.join(self.folder, "made-by-the-command")
        self.serve(tool_call(f"touch {marker}"), {"tokens": ["On."]})
        self.start()
        self.app.send("Look")
        self.app.control("Allow once")
        self.app.quit()
        self.app = Fermata(self.folder)
        self.app.control(f"Run command touch {marker}, not started")
        self.assertIsNone(self.app.find("Allow once"))
        self.assertFalse(os.path.exists(marker))
        self.assertEqual(len(self.server.requests()), 1)

    def test_a_question_is_asked_in_its_own_conversation_only(self):
        # reliability: G16
        self.serve(tool_call("echo from-the-command"), {"tokens": ["Done."]})
        self.start()
        self.app.send("Look")
        self.app.control("Allow once")
        self.app.press("New conversation")
        wait_for(lambda: not self.app.find("Allow once"), "the other conversation")
        self.assertEqual(len(self.server.requests()), 1)
        self.open_first_conversation()
        self.app.press("Allow once")
        self.app.wait_text("Done.")

    def allowed_until_revoked(self, choice):
        """The command is allowed by the n-th way that is offered, and asked for again once that is revoked."""
        self.serve(tool_call("echo hello"), {"tokens": ["One."]},
                   tool_call("echo hello"), {"tokens": ["Two."]},
                   tool_call("echo hello; echo more"), {"tokens": ["Three."]},
                   tool_call("echo hello"), {"tokens": ["Four."]})
        self.start()
        self.app.send("Look")
        self.app.press("Always allow")
        # Menus are in no tree of assistive technology: real keys.
        wait_for(lambda: self.app.has_popup(), "the menu")
        self.app.press_keys(*["Down"] * choice, "Return")
        self.app.wait_text("One.")
        self.app.wait_idle()
        self.send_and_wait("Again", "Two.")
        self.send_and_wait("More", "Three.", "Deny")
        self.app.open_settings("Tools")
        self.app.press("Revoke echo hello")
        wait_for(lambda: not self.app.find("Revoke echo hello"), "the rule to go")
        self.app.close_settings()
        self.send_and_wait("And now?", "Four.", "Deny")

    def send_and_wait(self, text, answer, *presses):
        self.app.send(text)
        for name in presses:
            self.app.press(name)
        self.app.wait_text(answer)
        self.app.wait_idle()

    @needs_sandbox
    def test_what_is_always_allowed_asks_again_once_it_is_revoked(self):
        self.allowed_until_revoked(choice=2)

    @needs_sandbox
    def test_what_a_conversation_allows_asks_again_once_it_is_revoked(self):
        self.allowed_until_revoked(choice=1)
