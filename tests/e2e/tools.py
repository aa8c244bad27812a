# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools: allowed, denied, stopped, and undone."""

import glob
import os

from desktop import wait_for
from journey import Journey, file_call, running, tool_call


class Tools(Journey):
    def test_an_allowed_command_runs_and_its_result_goes_back(self):
        self.serve(tool_call("echo from-the-command"), {"tokens": ["Done."]})
        self.start()
        self.app.send("Look")
        self.app.press("Allow once")
        self.app.wait_text("Done.")
        result = self.server.requests()[1]["body"]["messages"][-1]
        self.assertEqual(result["role"], "tool")
        self.assertIn("from-the-command", result["content"])

    def test_a_denied_command_does_not_run(self):
        marker = os.path.join(self.folder, "made-by-the-command")
        self.serve(tool_call(f"touch {marker}"), {"tokens": ["All right."]})
        self.start()
        self.app.send("Look")
        self.app.press("Deny")
        self.app.wait_text("All right.")
        self.assertFalse(os.path.exists(marker))
        self.assertIn("denied", self.server.requests()[1]["body"]["messages"][-1]["content"])

    def test_a_stopped_command_leaves_no_process_and_keeps_its_output(self):
        self.serve(tool_call("echo begun; (sleep 86399 & sleep 86398); echo never"),
                   {"tokens": ["On."]})
        self.start()
        self.app.send("Look")
        self.app.press("Allow once")
        wait_for(lambda: running("^sleep 8639[89]"), "the running command")
        self.app.press("Stop")
        self.app.wait_text("Stopped by you")
        wait_for(lambda: not running("^sleep 8639[89]"), "the end of every process")
        self.app.press("Continue")
        self.app.wait_text("On.")
        result = next(message for message in self.server.requests()[1]["body"]["messages"]
                      if message["role"] == "tool")
        self.assertIn("Interrupted", result["content"])
        self.assertIn("begun", result["content"])

    def test_a_second_escape_forces_a_command_that_ignores_the_first(self):
        self.serve(tool_call("trap '' TERM INT HUP; echo begun; while :; do sleep 86395; done"))
        self.start()
        self.app.send("Look")
        self.app.press("Allow once")
        wait_for(lambda: running("^sleep 86395"), "the running command")
        self.app.key("Escape")
        wait_for(lambda: "press Esc again to force" in self.app.status(), self.app.status)
        self.app.key("Escape")
        self.wait_ended("Stopped by you")
        wait_for(lambda: not running("^sleep 86395"), "the end of every process")

    def test_a_model_that_cannot_use_tools_answers_without_and_the_user_is_told(self):
        refusal = {"error": {"message": "test-model does not support tools"}}
        self.serve({"status": 400, "body": refusal}, {"tokens": ["Just words."]})
        self.start()
        self.app.send("Look")
        self.app.wait_text("Just words.")
        self.app.wait_text("cannot use tools and answers without them")
        self.assertNotIn("tools", self.server.requests()[1]["body"])


    def test_five_tools_stopped_in_the_third_are_counted_below_the_answer(self):
        self.serve({"tokens": ["Five."], "toolCalls": [
            {"name": "list_directory", "arguments": {}, "id": "call_1"},
            {"name": "list_directory", "arguments": {"path": "."}, "id": "call_2"},
            {"name": "run_command", "arguments": {"command": "echo begun; sleep 86397"},
             "id": "call_3"},
            {"name": "run_command", "arguments": {"command": "echo never"}, "id": "call_4"},
            {"name": "list_directory", "arguments": {}, "id": "call_5"}]}, {"tokens": ["On."]})
        self.start()
        self.app.send("Go")
        self.app.press("Allow once")
        wait_for(lambda: running("^sleep 86397"), "the running command")
        self.app.press("Stop")
        self.app.wait_text("Stopped by you")
        self.app.wait_text("Tools: 2 finished, 1 stopped after ")
        self.app.wait_text(", 2 not started")
        wait_for(lambda: not running("^sleep 86397"), "the end of every process")
        self.app.send("Go on")
        self.app.wait_text("On.")
        results = [message for message in self.server.requests()[1]["body"]["messages"]
                   if message["role"] == "tool"]
        self.assertEqual([result["tool_call_id"] for result in results],
                         [f"call_{number}" for number in range(1, 6)])

    def test_one_tool_is_stopped_while_the_turn_goes_on(self):
        self.serve(tool_call("echo begun; sleep 86396"), {"tokens": ["Without it, then."]})
        self.start()
        self.app.send("Go")
        self.app.press("Allow once")
        wait_for(lambda: running("^sleep 86396"), "the running command")
        self.app.press("Stop tool")
        self.app.wait_text("Without it, then.")
        wait_for(lambda: not running("^sleep 86396"), "the end of every process")
        result = self.server.requests()[1]["body"]["messages"][-1]
        self.assertIn("skipped by the user", result["content"])
        self.assertIn("begun", result["content"])


class Undo(Journey):
    def written(self, name):
        """The path of a file in the conversation's workspace, once it is there."""
        return wait_for(lambda: next(iter(glob.glob(
            os.path.join(self.folder, "**", name), recursive=True)), None), f"the file {name}")

    def write_a_file(self, *replies):
        self.serve(file_call("new.txt", "made by the tool\n"), {"tokens": ["Done."]}, *replies)
        self.start()
        self.app.send("Write")
        self.app.press("Allow once")
        self.app.wait_text("Done.")
        self.app.wait_idle()
        return self.written("new.txt")

    def test_a_new_file_is_removed_again_and_the_model_is_told(self):
        path = self.write_a_file({"tokens": ["I see."]})
        self.app.press("Undo")
        wait_for(lambda: not os.path.exists(path), "the removal of the file")
        self.app.control("Write file new.txt, undone by you")
        wait_for(lambda: not self.app.find("Undo"), "the button to go")
        self.restart()
        self.open_first_conversation()
        self.app.control("Write file new.txt, undone by you")
        self.assertIsNone(self.app.find("Undo"))
        self.app.send("And now?")
        self.app.wait_text("I see.")
        result = next(message for message in self.server.requests()[2]["body"]["messages"]
                      if message["role"] == "tool")
        self.assertIn("the user has taken the effect of this call back", result["content"])

    def test_after_a_restart_a_file_is_undone_but_not_over_the_users_own_change(self):
        path = self.write_a_file()
        self.restart()
        with open(path, "w", encoding="utf-8") as file:
            file.write("changed by the user")
        self.open_first_conversation()
        self.app.press("Undo")
        wait_for(lambda: self.app.find_text("changed since"), "the refusal")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "changed by the user")
        with open(path, "w", encoding="utf-8") as file:
            file.write("made by the tool\n")
        self.app.press("Undo")
        wait_for(lambda: not os.path.exists(path), "the removal of the file")
