# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of conversations: drafts, search, delete and undo."""

import glob
import os

import pyatspi

from desktop import wait_for
from journey import Journey


class Draft(Journey):
    def test_what_was_not_sent_is_there_after_a_restart(self):
        self.serve({"tokens": ["Hi."]})
        self.start()
        self.app.send("Hello")
        self.app.wait_text("Hi.")
        self.wait_ended("Finished")
        self.app.write("Later")
        self.app.press("New conversation")
        wait_for(lambda: self.app.written() == "", "an empty message field")
        self.app.write("An idea")
        self.restart()
        wait_for(lambda: [row.name for row in self.app.conversations()] == ["An idea", "Hello"],
                 "both conversations in the list")
        for title, draft in (("Hello", "Later"), ("An idea", "An idea")):
            self.app.click(next(row for row in self.app.conversations() if row.name == title))
            wait_for(lambda: self.app.written() == draft, f"the draft {draft!r}")


class Library(Journey):
    def say(self, text, answer):
        self.app.send(text)
        self.app.wait_text(answer)
        self.wait_ended("Finished")

    def test_a_deleted_conversation_comes_back_with_undo(self):
        self.serve({"tokens": ["Hi."]})
        self.start()
        self.say("Hello", "Hi.")
        self.app.press("Delete")
        wait_for(lambda: not self.app.conversations(), "an empty list")
        wait_for(lambda: not self.app.messages(), "an empty window")
        self.app.press("Undo")
        self.app.wait_text("Hi.")
        self.restart()
        wait_for(lambda: [row.name for row in self.app.conversations()] == ["Hello"],
                 "the conversation in the list")

    def test_a_deleted_conversation_is_gone_after_a_restart(self):
        self.serve({"tokens": ["Hi."]})
        self.start()
        self.say("Hello", "Hi.")
        self.app.press("New conversation")
        wait_for(lambda: not self.app.messages(), "an empty window")
        self.say("Second", "Hi.")
        self.app.press("Delete")
        wait_for(lambda: len(self.app.conversations()) == 1, "one conversation less")
        self.restart()
        wait_for(lambda: [row.name for row in self.app.conversations()] == ["Hello"],
                 "the other conversation")

    def selected(self):
        return [row.name for row in self.app.conversations()
                if row.getState().contains(pyatspi.STATE_SELECTED)]

    def test_a_menu_of_another_conversation_leaves_the_open_one_marked(self):
        self.serve({"tokens": ["Hi."]})
        self.start()
        self.say("First", "Hi.")
        self.app.press("New conversation")
        wait_for(lambda: not self.app.messages(), "an empty window")
        self.say("Second", "Hi.")
        wait_for(lambda: self.selected() == ["Second"], "the mark on the open conversation")
        self.app.click(next(row for row in self.app.conversations() if row.name == "First"), 3)
        wait_for(self.app.has_popup, "the menu")
        self.app.press_keys("Escape")
        wait_for(lambda: not self.app.has_popup(), "the end of the menu")
        wait_for(lambda: self.selected() == ["Second"], "the mark on the open conversation")
        self.assertIn("Second", self.app.messages()[0])

    def test_search_jumps_to_the_hit(self):
        self.serve({"tokens": ["The word is marmalade."]}, {"tokens": ["line\n\n"], "repeat": 200},
                   {"tokens": ["Something else."]})
        self.start()
        self.say("Which word?", "marmalade")
        self.say("Go on", "line")
        self.app.press("New conversation")
        wait_for(lambda: not self.app.messages(), "an empty window")
        self.say("And now?", "Something else.")
        self.app.key("ctrl+f")
        self.app.type_text("marmal")
        self.app.click(wait_for(lambda: self.app.find_text("Which word?, "), "the hit"))
        self.app.wait_text("marmalade")
        wait_for(lambda: self.app.is_in_view("The word is marmalade."), "the message that was found")


class Damaged(Journey):
    # behaviours: 206
    def test_a_damaged_database_is_set_aside_and_kept(self):
        database = os.path.join(self.folder, "conversations.db")
        with open(database, "wb") as file:
            file.write(b"not a database " * 1000)
        self.serve({"tokens": ["Hi."]})
        self.start()
        wait_for(lambda: self.app.find_text("is damaged"), "the message")
        self.assertEqual(os.path.getsize(database), 15000)
        self.app.press("Set aside")
        wait_for(lambda: self.app.find_text("Fermata goes on with a new one"), "the new database")
        self.assertIsNone(self.app.find("Set aside"))
        aside = glob.glob(database + ".corrupt-*")
        self.assertEqual([os.path.getsize(name) for name in aside], [15000])
        self.app.send("Hello")
        self.app.wait_text("Hi.")
        self.wait_ended("Finished")
        self.restart()
        self.app.wait_text("Hi.")
