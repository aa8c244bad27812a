# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does, from the click to the wire to the database and back, in a real window."""

import os
import unittest

from approval import Approval
from desktop import PATIENCE, Fermata, wait_for, wait_for_window_manager
from failures import Failures
from journey import Journey, SLOW_ANSWER
from library import Damaged, Draft, Library
from limits import Limits
from stages import StopAtEachStage
from tools import Tools, Undo


class Start(Journey):
    def test_the_last_conversation_opens_and_the_list_opens_it_again(self):
        self.serve(SLOW_ANSWER)
        self.start()
        self.app.send("Count")
        self.app.wait_text("word20 ")
        self.app.press("Stop")
        self.wait_ended("Stopped by you")
        self.restart()
        self.app.wait_text("Stopped by you")
        for opening in (self.open_first_conversation, self.toggle_first_conversation):
            self.app.press("New conversation")
            wait_for(lambda: not self.app.messages(), "the empty conversation")
            opening()
            self.app.wait_text("Stopped by you")

    def toggle_first_conversation(self):
        """By the action that assistive technology finds at an item of the list."""
        self.app.conversations()[0].queryAction().doAction(0)


class NoStart(Journey):
    def test_a_folder_that_cannot_be_used_is_named_and_the_exit_status_tells(self):
        path = os.path.join(self.folder, "file")
        with open(path, "w", encoding="utf-8"):
            pass
        self.app = Fermata(path, first="Close")
        wait_for(lambda: self.app.find_text(f"cannot write to its folder {path}"), "the reason")
        self.app.press("Close")
        self.assertEqual(self.app.process.wait(PATIENCE), 1)


class Crash(Journey):
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


class Guide(Journey):
    def test_what_the_first_page_offers_is_answered_from_the_user_guide(self):
        self.start()
        self.app.press("What happens when I press Stop?")
        self.app.wait_text("From the user guide, page “Stop”.")
        self.wait_ended("Finished")
        self.app.send("How do I set a time limit for a turn?")
        self.app.wait_text("From the user guide, page “Time limits”.")
        self.wait_ended("Finished")


if __name__ == "__main__":
    wait_for_window_manager()
    unittest.main(verbosity=2)
