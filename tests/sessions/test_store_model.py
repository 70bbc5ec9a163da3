"""Whatever happens, and however often it is closed between, the store is what a dict would be."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from engine.types import Performance, Word
from sessions.events import Recognised
from sessions.scene import Take
from sessions.states import OVER, TakeState
from sessions.store import (
    LineAdded,
    LineRecord,
    SessionDeleted,
    SessionOpened,
    TakeBegun,
    TakeEnded,
    TakeKept,
    TakeRecord,
    VoiceCast,
    queries,
)
from sessions.store.ledger import Ledger
from tests.sessions.store_values import RATE, buffer, noise, take

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
HEARD = st.none() | st.builds(Recognised, st.booleans(), TEXT, st.integers(1, 4))
PERFORMANCES = st.builds(Performance, rate=st.floats(0.5, 2), whisper=st.booleans())


@dataclass
class Model:
    """A session as dicts."""

    cast: dict[str, str] = field(default_factory=dict)
    lines: dict[str, LineRecord] = field(default_factory=dict)
    sounds: dict[str, int] = field(default_factory=dict)


class StoreMachine(RuleBasedStateMachine):
    """Sessions with lines and takes, against `Model`."""

    lines = Bundle("lines")
    under_way = Bundle("under_way")
    over = Bundle("over")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.ledger = Ledger(self.folder, lambda: 1.0)
        self.model: dict[str, Model] = {}
        self.count = 0

    def teardown(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.folder)

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    @rule(target=lines, text=TEXT, speaker=st.sampled_from(["A", "B", None]))
    def add_line(self, text: str, speaker: str | None) -> tuple[str, str]:
        session_id = f"session_{self.count % 2}"
        line = LineRecord(self.name("line"), text, None, speaker)
        self.ledger.apply(SessionOpened(session_id))
        self.ledger.apply(LineAdded(session_id, line.id, text, speaker))
        self.model.setdefault(session_id, Model()).lines[line.id] = line
        return session_id, line.id

    @rule(place=lines, text=TEXT)
    def change_line(self, place: tuple[str, str], text: str) -> None:
        session_id, line_id = place
        if session_id in self.model:
            lines = self.model[session_id].lines
            if line_id in lines:
                line = replace(lines[line_id], text=text)
                self.ledger.apply(LineAdded(session_id, line_id, text, line.speaker))
                lines[line_id] = line

    @rule(place=lines, speaker=st.sampled_from("AB"), voice=st.sampled_from("xyz"))
    def cast_voice(self, place: tuple[str, str], speaker: str, voice: str) -> None:
        if place[0] in self.model:
            self.ledger.apply(VoiceCast(place[0], speaker, voice))
            cast = self.model[place[0]].cast
            cast.pop(speaker, None)
            cast[speaker] = voice

    @rule(target=under_way, place=lines, performance=PERFORMANCES)
    def begin(self, place: tuple[str, str], performance: Performance) -> tuple[str, str, str]:
        session_id, line_id = place
        line = self.model.get(session_id, Model()).lines.get(line_id)
        take_id = self.name("take")
        if line is not None:
            parent = line.takes[-1].id if line.takes else None
            begun = replace(take(take_id, line_id, parent=parent), performance=performance)
            self.ledger.apply(TakeBegun(session_id, begun, RATE))
            self.put(session_id, line, recorded(begun))
        return session_id, line_id, take_id

    @rule(
        target=over,
        place=consumes(under_way),
        state=st.sampled_from(sorted(OVER, key=lambda state: state.name)),
        samples=st.integers(0, 300),
        score=st.none() | st.binary(max_size=9),
        heard=HEARD,
    )
    def end(
        self,
        place: tuple[str, str, str],
        state: TakeState,
        samples: int,
        score: bytes | None,
        heard: Recognised | None,
    ) -> tuple[str, str, str]:
        session_id, line_id, take_id = place
        found = self.find(*place)
        if found is not None:
            words = (Word(0, "Hello", 0, samples, (0, 5)),)
            ended = replace(found, state=state, samples=samples, words=words, heard=heard)
            held = buffer(noise(samples, samples), self.folder)
            self.ledger.apply(TakeEnded(ended.take(), words, held, score))
            self.put(session_id, self.model[session_id].lines[line_id], ended)
            self.model[session_id].sounds[take_id] = samples
        return place

    @rule(place=over)
    def keep(self, place: tuple[str, str, str]) -> None:
        session_id, line_id, take_id = place
        if self.find(*place) is not None:
            self.ledger.apply(TakeKept(line_id, take_id))
            lines = self.model[session_id].lines
            lines[line_id] = replace(lines[line_id], kept=take_id)

    @rule(place=lines)
    def delete(self, place: tuple[str, str]) -> None:
        if self.model.pop(place[0], None) is not None:
            self.ledger.apply(SessionDeleted(place[0]))

    @rule()
    def restart(self) -> None:
        self.ledger.close()
        self.ledger = Ledger(self.folder, lambda: 1.0)
        for session_id, model in self.model.items():
            for line in list(model.lines.values()):
                for old in line.takes:
                    if old.state not in OVER:
                        settled = replace(old, state=TakeState.FAILED)
                        self.put(session_id, model.lines[line.id], settled)

    @invariant()
    def same(self) -> None:
        assert {head.id for head in queries.heads(self.ledger.db)} == set(self.model)
        for session_id, model in self.model.items():
            found = queries.session(self.ledger.db, session_id)
            assert found.lines == tuple(model.lines.values())
            assert found.cast == tuple(model.cast.items())
            for take_id, samples in model.sounds.items():
                if samples:
                    sound = self.ledger.sound(session_id, take_id)
                    assert np.array_equal(sound, noise(samples, samples))
        self.ledger.check_integrity()

    def find(self, session_id: str, line_id: str, take_id: str) -> TakeRecord | None:
        line = self.model.get(session_id, Model()).lines.get(line_id)
        takes = line.takes if line is not None else ()
        return next((take for take in takes if take.id == take_id), None)

    def put(self, session_id: str, line: LineRecord, changed: TakeRecord) -> None:
        takes = {take.id: take for take in line.takes} | {changed.id: changed}
        self.model[session_id].lines[line.id] = replace(line, takes=tuple(takes.values()))


def recorded(begun: Take) -> TakeRecord:
    """How the store remembers a take that has begun."""
    return TakeRecord(
        id=begun.id,
        line_id=begun.line_id,
        kind=begun.kind,
        voice=begun.voice,
        text=begun.text,
        seed=begun.seed,
        performance=begun.performance,
        state=begun.state,
        samples=0,
        sample_rate=RATE,
        created_at=1.0,
        parent=begun.parent,
    )


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=25, stateful_step_count=25)
