# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does, from the click to the wire to the database and back, in a real window."""

import glob
import os
import shutil
import subprocess
import tempfile
import unittest

import pyatspi

from desktop import Fermata, ModelServer, wait_for

WORDS = [f"word{number} " for number in range(2000)]
SLOW_ANSWER = {"tokens": WORDS, "delayMs": 10}


def tool_call(command):
    return {"tokens": ["I will look."],
            "toolCall": {"name": "run_command", "arguments": {"command": command}}}


def file_call(path, content):
    return {"tokens": ["I will write."],
            "toolCall": {"name": "write_file", "arguments": {"path": path, "content": content}}}


def running(marker):
    return subprocess.run(["pgrep", "-f", marker], capture_output=True).returncode == 0


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

    def start(self, *arguments):
        if self.server:
            arguments = ("--endpoint", self.server.address, "--model", "test-model", *arguments)
        self.app = Fermata(self.folder, *arguments)

    def restart(self):
        self.app.quit()
        self.app = Fermata(self.folder)

    def open_first_conversation(self):
        conversations = self.app.control("Conversations")
        item = wait_for(
            lambda: next((row for row in conversations if row and row.name
                          and row.getState().contains(pyatspi.STATE_SELECTABLE)), None),
            "a conversation in the list")
        rect = item.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        subprocess.run(["xdotool", "mousemove", str(rect.x + 60), str(rect.y + rect.height // 2),
                        "click", "1"], check=True)

    def stop_while_streaming(self, stop):
        self.serve(SLOW_ANSWER, {"tokens": ["and so on."]})
        self.start()
        self.app.send("Count")
        self.app.wait_text("word20 ")
        stop()
        self.app.wait_text("Stopped by you")
        wait_for(lambda: len(self.server.disconnects()) == 1, "the closed connection")
        self.assertLess(self.server.disconnects()[0]["sent"], 1_000_000)
        self.assertIn("word20", self.app.text())
        self.assertNotIn("word1999", self.app.text())


class Stop(Journey):
    def test_the_button_stops_a_streaming_answer(self):
        self.stop_while_streaming(lambda: self.app.press("Stop"))

    def test_escape_stops_a_streaming_answer(self):
        self.stop_while_streaming(lambda: self.app.key("Escape"))

    def test_ctrl_and_full_stop_stops_a_streaming_answer(self):
        self.stop_while_streaming(lambda: self.app.key("ctrl+period"))

    def test_a_silent_server_is_left_at_once(self):
        self.serve({"silent": True})
        self.start()
        self.app.send("Hello?")
        wait_for(lambda: "first token" in self.app.status(), "the stage")
        self.app.press("Stop")
        self.app.wait_text("Stopped by you")
        wait_for(lambda: len(self.server.disconnects()) == 1, "the closed connection")

    def test_a_retry_wait_ends_and_nothing_more_is_sent(self):
        self.serve({"status": 503, "headers": {"Retry-After": "50"}, "body": "busy"})
        self.start()
        self.app.send("Hello?")
        wait_for(lambda: "Retrying" in self.app.status(), "the wait for the retry")
        self.app.press("Stop")
        self.app.wait_text("Stopped by you")
        self.assertEqual(len(self.server.requests()), 1)


class Resume(Journey):
    def test_a_stopped_answer_is_kept_and_continued_after_a_restart(self):
        self.stop_while_streaming(lambda: self.app.press("Stop"))
        kept = self.app.text()
        self.restart()
        self.open_first_conversation()
        self.app.wait_text("Stopped by you")
        self.assertIn("word20", self.app.text())
        self.assertEqual(kept.split("Stopped")[0], self.app.text().split("Stopped")[0])
        self.app.press("Continue")
        self.app.wait_text("and so on.")
        messages = self.server.requests()[1]["body"]["messages"]
        self.assertTrue(any(message["role"] == "assistant" and "word20" in message["content"]
                            for message in messages))

    def test_kill_in_mid_stream_loses_next_to_nothing(self):
        self.serve(SLOW_ANSWER, {"tokens": ["and so on."]})
        self.start()
        self.app.send("Count")
        self.app.wait_text("word100 ")
        self.app.kill()
        self.app = Fermata(self.folder)
        self.open_first_conversation()
        self.app.wait_text("Cut when the application ended")
        # 250 ms are 25 words of this stream.
        self.assertIn("word75 ", self.app.text())
        self.app.press("Continue")
        self.app.wait_text("and so on.")

    def test_retry_asks_again(self):
        self.stop_while_streaming(lambda: self.app.press("Stop"))
        self.app.press("Retry")
        self.app.wait_text("and so on.")
        roles = [message["role"] for message in self.server.requests()[1]["body"]["messages"]]
        self.assertEqual(roles, ["system", "user"])


class Limits(Journey):
    def test_a_silence_limit_fires_at_its_value_and_is_named(self):
        self.serve({"tokens": ["part "], "then": "stall"})
        self.start()
        self.app.quit()
        self.set_limit("silence", 1000)
        self.app = Fermata(self.folder)
        self.app.send("Hello")
        self.app.wait_text("Silence limit of 1 s reached")
        self.assertIn("part", self.app.text())

    def set_limit(self, name, milliseconds):
        import json
        path = os.path.join(self.folder, "settings.json")
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
        limits = settings["limits"]
        key = next(key for key in limits if key.lower().startswith(name))
        limits[key] = milliseconds
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)


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

    def test_stopping_at_the_question_runs_nothing(self):
        self.serve(tool_call("true"), {"tokens": ["On."]})
        self.start()
        self.app.send("Look")
        self.app.control("Allow once")
        self.app.press("Stop")
        self.app.wait_text("Stopped by you")
        wait_for(lambda: not self.app.find("Allow once"), "the closed question")


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


class Failures(Journey):
    def fails(self, reply, words):
        self.serve(reply)
        self.start()
        self.app.send("Hello")
        self.app.wait_text("Failed")
        self.assertIn(words, self.app.text())
        self.assertTrue(self.app.enabled("Retry"))

    def test_a_refused_key(self):
        self.fails({"status": 401, "body": {"error": {"message": "bad key"}}}, "key")

    def test_an_unknown_model(self):
        self.fails({"status": 404, "body": {"error": {"message": "no such model",
                                                      "code": "model_not_found"}}}, "test-model")

    def test_a_page_instead_of_an_answer(self):
        self.fails({"raw": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n"
                           "<html></html>", "then": "close"}, "Failed")

    def test_a_stream_that_breaks_off(self):
        self.fails({"tokens": ["half "], "then": "close"}, "half")


class Guide(Journey):
    def test_it_answers_without_anything_installed(self):
        self.start()
        self.app.send("What happens when I press Stop?")
        self.app.wait_text("Finished")


if __name__ == "__main__":
    unittest.main(verbosity=2)
