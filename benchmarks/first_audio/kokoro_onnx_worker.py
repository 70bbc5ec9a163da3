"""Runs kokoro-onnx for the benchmark: a request a line in, an answer a sentence out.

The sound stays here, as it would in a program that uses the library; only its length is told.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kokoro_onnx import Kokoro

READY: Final = b"ready\n"
_writing = threading.Lock()


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence of request `number` is made, in 24 kHz samples; or why it could not be."""

    number: int
    samples: int
    error: str = ""


def serve(kokoro: Kokoro) -> None:
    """A thread for each request, until the input ends."""
    for line in sys.stdin:
        threading.Thread(target=_make, args=(kokoro, json.loads(line)), daemon=True).start()


def _make(kokoro: Kokoro, asked: dict[str, Any]) -> None:
    voice: str = asked["voice"]
    language = "en-gb" if voice.startswith("b") else "en-us"
    for sentence in asked["sentences"]:
        try:
            made, _ = kokoro.create(sentence, voice, lang=language)
        except Exception as error:  # The end of this thread's work: whoever asked is told.
            return _tell(Answer(asked["number"], 0, repr(error)))
        _tell(Answer(asked["number"], len(made)))
    return None


def _tell(answer: Answer) -> None:
    with _writing:
        print(json.dumps(asdict(answer)), flush=True)


def main() -> None:
    from kokoro_onnx import Kokoro

    model, voices = sys.argv[1:]
    kokoro = Kokoro(model, voices)
    print(READY.decode(), end="", flush=True)
    serve(kokoro)


if __name__ == "__main__":
    main()
