"""A cancel that comes when all sound is out but nobody was told yet is answered once."""

from __future__ import annotations

import numpy as np

from engine.types import Performance
from sessions.events import Making, TakeAudio, TakeCancelled, TakeFinished, TakeStarted
from voice_server.delivery.encoding import EncoderSettings
from voice_server.delivery.pacing import Pace
from voice_server.delivery.session import SessionDelivery
from voice_server.delivery.stats import DeliveryCounters
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.server_messages import TakeCancelled as Cancelled

RATE = 24_000


def test_the_end_of_a_take_is_either_done_or_cancelled() -> None:
    counters = DeliveryCounters()
    pace = Pace.of_ms(RATE, 1000, 1000)
    delivery = SessionDelivery(EncoderSettings("pcm16", RATE, 20), pace, counters)
    neutral = Performance()
    delivery.handle(TakeStarted("t", "l", 1, "spoken", "v", "hi", neutral), 0.0)
    delivery.handle(TakeAudio("t", 1, 0, np.zeros(960, np.int16), 1), 0.0)
    delivery.handle(TakeFinished("t", 1, 960, neutral, Making(0.0)), 0.0)
    first = delivery.poll(0.0, most=3)
    assert [type(one) for one in first] == [TakeStarted, AudioFrame, AudioFrame]
    delivery.handle(TakeCancelled("t", 1, None), 0.0)
    (only,) = delivery.poll(0.0)
    assert isinstance(only, Cancelled)
    assert only.sent_ms == 40.0
    assert (counters.takes_done, counters.takes_cancelled) == (0, 1)
