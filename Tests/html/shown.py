"""What the tests of hostile texts share: whether a page shows a text, and a port that no page should ask."""

import re
import socket
import threading

# what is not seen, or changes how other text is seen
CONTROL = "\\x00-\\x1f\\x7f-\\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\uffff\ufdd0-\ufdef\U000e0000-\U000e0fff\U0010fffe\U0010ffff"
CONTROLS = re.compile(f"[{CONTROL}]+")


def matcher(text):
    """A text as a page may show it: in place of what is not seen, there may be something short."""
    parts = CONTROLS.split(text)
    gaps = [f".{{0,{12 * len(found)}}}?" for found in CONTROLS.findall(text)]
    return re.compile("".join(re.escape(part) + gap for part, gap in zip(parts, [*gaps, ""])), re.DOTALL)


class Shown:
    """Whether texts are among those that a page shows."""

    def __init__(self, texts):
        self.texts = texts
        self.exact = set(texts)

    def has(self, text):
        if text in self.exact:
            return True
        if not CONTROLS.search(text):
            return False
        pattern = matcher(text)
        return any(pattern.fullmatch(shown) for shown in self.texts)


class Listener:
    """A port that no page should ask; chromium connects to where a link may lead, and says nothing."""

    def __init__(self):
        self.socket, self.visits = socket.create_server(("127.0.0.1", 0)), 0
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            threading.Thread(target=self.hear, args=(self.socket.accept()[0],), daemon=True).start()

    def hear(self, connection):
        with connection:
            self.visits += bool(connection.recv(1))
