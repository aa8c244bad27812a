# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does, from the click to the wire to the database and back, in a real window."""

import unittest

from desktop import Fermata
from failures import Failures
from journey import Journey, SLOW_ANSWER
from limits import Limits
from stages import StopAtEachStage
from tools import Tools, Undo


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
    def test_it_answers_without_anything_installed(self):
        self.start()
        self.app.send("What happens when I press Stop?")
        self.app.wait_text("Finished")


if __name__ == "__main__":
    unittest.main(verbosity=2)
