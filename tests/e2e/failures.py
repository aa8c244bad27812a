# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way in which a server can fail: one message that says what happened and what to do, the text is kept, and the
conversation goes on."""

import socket
import threading

from desktop import wait_for
from journey import Journey

HTML = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 46\r\n\r\n"
        "<html><title>Router</title>Welcome home</html>")

EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"no end"}}]}\n\n'
NO_END = ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
          f"Content-Length: {len(EVENT)}\r\n\r\n{EVENT}")

TRIES = 4  # one, and as many again as the settings say


def error(status, message, code=None, **headers):
    body = {"error": {"message": message, **({"code": code} if code else {})}}
    return {"status": status, "headers": headers, "body": body}


class Failures(Journey):
    # What the server answers; what is said of it; what can be done; what is kept. Each of them in one conversation with
    # a server that checks strictly.
    CASES = [
        ([error(401, "bad key")], "asks for a key", "Enter one in Settings > Model", ""),
        ([error(404, "no such model", "model_not_found")], "has no model “test-model”",
         "Choose another one in Settings > Model", ""),
        ([{"status": 404, "body": "404 page not found"}], "no chat service at this address",
         "Check the address in Settings > Model", ""),
        ([{"raw": HTML, "then": "close"}], "with a web page",
         "Check the address in Settings > Model", ""),
        ([{"tokens": ["half of it "], "then": "close"}], "broke before the answer was whole",
         "Continue or retry", "half of it"),
        ([{"tokens": ["nearly all "], "then": "reset"}], "broke before the answer was whole",
         "Continue or retry", "nearly all"),
        ([{"raw": NO_END, "then": "close"}], "ended the answer before it was whole",
         "Continue or retry", "no end"),
        ([error(429, "slow down", **{"Retry-After": "0"})] * TRIES,
         "takes no more requests for now", "Wait a little, then retry", ""),
        ([error(500, "out of memory", **{"Retry-After": "0"})] * TRIES, "failed (500)",
         "Retry, or look at the server's log", ""),
    ]

    # behaviours: 63
    def test_each_failure_says_what_to_do_and_the_conversation_goes_on(self):
        self.serve(*[reply for number, case in enumerate(self.CASES)
                     for reply in [*case[0], {"tokens": [f"answer {number}."]}]])
        self.start()
        sent = 0
        for number, (replies, happened, advice, kept) in enumerate(self.CASES):
            self.app.send(f"Question {number}")
            last = self.wait_ended("Failed: ")
            self.assertIn(happened, last)
            self.assertIn(advice, last)
            self.assertEqual(last.count("Failed"), 1)
            self.assertIn(kept, last)
            sent += len(replies)
            self.wait_requests(sent)
            self.app.send("Go on")
            self.app.wait_text(f"answer {number}.")
            self.wait_ended("Finished")
            self.assertIn(kept, self.app.text())
            sent += 1
            self.wait_requests(sent)

    def test_a_server_that_asks_for_a_pause_gets_it(self):
        self.serve(error(429, "slow down", **{"Retry-After": "2"}), {"tokens": ["Here I am."]})
        self.start()
        self.app.send("Hello")
        wait_for(lambda: "Retrying in" in self.app.status(), "the wait for the retry")
        self.app.wait_text("Here I am.")
        first, second = self.server.requests()
        self.assertGreaterEqual(second["receivedNs"] - first["receivedNs"], 2_000_000_000)

    def fails_to_connect(self, address, happened, advice):
        """Nothing was sent; with the right address, set in the window, Retry gets the answer."""
        self.start(address=address)
        self.app.send("Hello")
        last = self.wait_ended("Failed: ")
        self.assertIn(happened, last)
        self.assertIn(advice, last)
        self.serve({"tokens": ["Now it works."]})
        self.app.open_settings("Model")
        self.app.type_into("Address", "ctrl+a")
        self.app.type_text(self.server.address)
        self.app.close_settings()
        self.app.press("Retry")
        self.app.wait_text("Now it works.")
        self.wait_ended("Finished")

    def test_a_refused_connection(self):
        # A port that was free just now.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.fails_to_connect(f"http://127.0.0.1:{port}/v1",
                              f"127.0.0.1:{port} refused the connection", "Is the server running?")

    def test_an_unknown_host(self):
        self.fails_to_connect("http://no-such-host.invalid/v1", "no-such-host.invalid",
                              "Check the address and the network")

    def test_a_server_without_tls(self):
        with socket.create_server(("127.0.0.1", 0)) as plain:
            def answer():
                client, _ = plain.accept()
                client.recv(4096)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                client.close()
            threading.Thread(target=answer, daemon=True).start()
            port = plain.getsockname()[1]
            self.fails_to_connect(f"https://127.0.0.1:{port}/v1",
                                  f"No secure connection to 127.0.0.1:{port}",
                                  "Check that the address is right")
