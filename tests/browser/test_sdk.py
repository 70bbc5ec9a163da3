"""The JavaScript SDK as an app uses it: in a real browser, on the real server."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.browser

DIST = Path(__file__).parents[2] / "web" / "sdk" / "dist"
CONNECT = """
  const { connect } = await import("/sdk/index.js");
  const url = new URL("/v1/session", location.href).href.replace("http", "ws");
  const open = (options) => connect(url, { workletUrl: "/player-worklet.js", ...options });
"""
Run = Callable[[str], Any]


@pytest.fixture
def run(browser: Browser, address: str) -> Iterator[Run]:
    """Runs the body of an async function in a page that can `open` sessions, after a click."""
    assert (DIST / "index.js").is_file(), "the SDK is not built: npm --prefix web run build"
    page = browser.new_page()
    page.route("**/sdk/*", serve)
    page.goto(address)
    page.mouse.click(5, 5)
    yield lambda body: evaluate(page, body)
    page.close()


def serve(route: Route) -> None:
    name = route.request.url.rsplit("/", 1)[1]
    kind = mimetypes.guess_type(name)[0] or "text/javascript"
    route.fulfill(body=(DIST / name).read_bytes(), content_type=kind)


def evaluate(page: Page, body: str) -> Any:
    return page.evaluate(f"async () => {{ {CONNECT} {body} }}")


def test_text_streamed_in_by_characters_is_heard_whole(run: Run) -> None:
    heard = run(
        """
        const session = await open();
        const text = "Wait for me! The last train leaves now.";
        const take = session.speak("", { more: true });
        for (const character of text) take.append(character);
        take.finish();
        const words = [];
        for await (const word of take.words) words.push(take.text.slice(...word.span));
        const { samples } = await take.done;
        const played = await take.played;
        session.close();
        return { words, samples, played, text: take.text };
        """
    )
    assert heard["words"] == ["Wait", "for", "me", "The", "last", "train", "leaves", "now"]
    assert heard["text"] == "Wait for me! The last train leaves now."
    assert heard["played"]["complete"]
    assert heard["played"]["samples"] == 2 * heard["samples"] > 0


def test_takes_play_one_after_another(run: Run) -> None:
    first, second = run(
        """
        const session = await open();
        const takes = ["Who is there?", "It is only me."].map((text) => session.speak(text));
        const ends = [];
        for (const take of takes) take.played.then(() => ends.push(performance.now()));
        const told = await Promise.all(takes.map(async (take) => {
          const [{ samples }, played] = await Promise.all([take.done, take.played]);
          return { samples, played: played.samples, began: take.timing.firstSoundAt };
        }));
        session.close();
        return told.map((one, i) => ({ ...one, end: ends[i] }));
        """
    )
    assert first["played"] == 2 * first["samples"]
    assert second["played"] == 2 * second["samples"]
    length = first["played"] / 48
    assert second["began"] >= first["began"] + length - 5


def test_an_app_may_take_the_sound_itself(run: Run) -> None:
    took = run(
        """
        const session = await open();
        const take = session.speak("Nobody hears this.", { play: "none" });
        let count = 0;
        for await (const samples of take.pcm()) count += samples.length;
        const { samples } = await take.done;
        const played = await take.played;
        session.close();
        return { count, samples, played: played === undefined };
        """
    )
    assert took["count"] == 2 * took["samples"] > 0
    assert took["played"]


def test_a_cancel_tells_what_was_heard_and_what_was_not(run: Run) -> None:
    text = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve."
    ended = run(
        f"""
        const session = await open();
        const take = session.speak("{text}");
        await new Promise((heard) => take.on("playback", (p) => p.on("started", heard)));
        take.cancel();
        const result = await take.done;
        const played = await take.played;
        session.close();
        return {{ result, complete: played.complete }};
        """
    )
    assert ended["result"]["outcome"] == "cancelled"
    assert ended["result"]["heard"] + ended["result"]["rest"] == text
    assert not ended["complete"]


def test_pcm16_plays_at_the_voice_s_own_rate(run: Run) -> None:
    told = run(
        """
        const session = await open({ format: "pcm16" });
        const take = session.speak("As it was made.");
        const [{ samples }, played] = await Promise.all([take.done, take.played]);
        session.close();
        return { samples, played: played.samples, rate: played.sampleRate };
        """
    )
    assert told["rate"] == 24_000
    assert told["played"] == told["samples"] > 0


def test_an_edit_of_a_directed_take_is_its_sound_but_for_the_change(run: Run) -> None:
    told = run(
        """
        const session = await open({ format: "pcm16" });
        const sound = async (take) => {
          const chunks = [];
          for await (const samples of take.pcm()) chunks.push(...samples);
          return chunks;
        };
        const spoken = session.speak("The boat leaves on Tuesday, and never waits.", {
          play: "none",
        });
        const slower = spoken.direct("a bit slower", { play: "none" });
        const edited = slower.edit({ changes: [{ words: [4, 5], text: "Friday" }] }, {
          play: "none",
        });
        const { changed } = await edited.done;
        const [was, is] = [await sound(slower), await sound(edited)];
        const spans = changed.map(({ startMs, endMs }) => [startMs, endMs].map((ms) => 24 * ms));
        const head = Math.round(spans[0][0]);
        const tail = is.length - Math.round(spans.at(-1)[1]);
        const differ = (n, a, b) => Array.from({ length: n }, (_, i) => a(i) !== b(i))
          .filter(Boolean).length;
        await edited.keep();
        session.close();
        return {
          text: edited.text,
          moved: slower.moved.map(({ words }) => words),
          head,
          tail,
          headDiffers: differ(head, (i) => was[i], (i) => is[i]),
          tailDiffers: differ(tail, (i) => was.at(-1 - i), (i) => is.at(-1 - i)),
        };
        """
    )
    assert told["text"] == "The boat leaves on Friday, and never waits."
    assert told["moved"] == ["a bit slower"]
    assert told["head"] > 0
    assert told["tail"] > 0
    assert (told["headDiffers"], told["tailDiffers"]) == (0, 0)


def test_a_server_that_is_not_there_is_said_in_plain_words(run: Run) -> None:
    code, message = run(
        """
        try {
          await connect("ws://127.0.0.1:9/v1/session");
        } catch (error) {
          return [error.code, error.message];
        }
        """
    )
    assert code == "not_connected"
    assert message == "The server can't be reached."
