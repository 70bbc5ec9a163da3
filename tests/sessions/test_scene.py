"""Scenes are values, and forget the oldest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.types import Performance
from sessions.scene import Line, Scene, Take
from sessions.states import TakeState


def take(name: str, line: str, text: str = "hello") -> Take:
    return Take(name, line, "spoken", "v", text, 0, Performance(), TakeState.DONE, 10)


def test_a_change_leaves_the_old_scene_as_it_was() -> None:
    empty = Scene()
    one = empty.with_line(Line("l", "Anna")).with_voice("Anna", "af_heart")
    two = one.with_take(take("t", "l"))
    assert not empty.lines
    assert one.takes() == ()
    assert two.take("t") == take("t", "l")
    assert two.cast == {"Anna": "af_heart"}


@given(
    spoken=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=30),
    most=st.integers(1, 5),
    chars=st.integers(1, 60),
)
def test_what_is_kept_is_within_bounds_and_the_latest_of_each_line(
    spoken: list[tuple[str, int]], most: int, chars: int
) -> None:
    scene = Scene()
    for number, (line, length) in enumerate(spoken):
        if line not in scene.lines:
            scene = scene.with_line(Line(line, None))
        scene = scene.with_take(take(str(number), line, "x" * length))
        scene = scene.trimmed(most, chars, frozenset("a"))
        kept = scene.takes()
        assert len(kept) <= most
        assert sum(len(one.text) for one in kept) <= chars
        assert all(line.takes or line.id == "a" for line in scene.lines.values())


def test_before_a_line_is_what_the_newest_takes_of_the_lines_before_it_say() -> None:
    scene = Scene()
    for name in "abcd":
        scene = scene.with_line(Line(name, None))
    for name, line in (("1", "a"), ("2", "b"), ("3", "a"), ("4", "d")):
        scene = scene.with_take(take(name, line, f"text of {name}"))
    assert scene.before("d") == ("text of 3", "text of 2")
    assert scene.before("a") == ()
    assert scene.before("unknown") == ("text of 3", "text of 2", "text of 4")
