"""Words heard right, DNSMOS and joins of what is streamed through the socket.

python -m benchmarks.quality [--sentences N] [--voices a,b] [--threads N] [--out DIR]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report, texts
from benchmarks.machine import Machine, machine
from benchmarks.quality.measuring import Quality, measure
from benchmarks.quality.streaming import Asked

VOICES: Final = "af_heart,am_michael,bf_emma"
PACKAGES: Final = ("voice-server", "faster-whisper", "jiwer", "speechmos", "whisper-normalizer")


@dataclass(frozen=True, slots=True)
class Result:
    """All that a run found."""

    machine: Machine
    settings: list[str]
    quality: Quality
    goals: list[report.Goal]


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    quality = result.quality
    console.print(_heard(quality), _opinions(quality), _levels(quality))
    console.print(_joins(quality))
    worst = quality.sharpest
    console.print(f"Sharpest join: {worst.at_s:.3f} s into {worst.asked}", highlight=False)
    console.print(report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)


def _heard(quality: Quality) -> Table:
    table = Table(title="Words heard wrong: streamed as Opus, and decoded whole")
    for name in ("recogniser", "voice", "takes", "words", "WER", "WER whole"):
        table.add_column(name)
    for row in quality.heard:
        rates = (f"{100 * row.wer:.2f} %", f"{100 * row.whole_wer:.2f} %")
        table.add_row(row.recogniser, row.voice, str(row.takes), str(row.words), *rates)
    return table


def _opinions(quality: Quality) -> Table:
    table = Table(title="DNSMOS, overall")
    for name in ("voice", "takes", "streamed", "whole", "whole − streamed", "as Opus", "lost"):
        table.add_column(name)
    for row in quality.opinions:
        gap = f"{row.gap:+.3f} (sd {row.gap_spread:.3f})"
        means = (f"{row.streamed:.3f}", f"{row.whole:.3f}", gap, f"{row.opus:.3f}")
        table.add_row(row.voice, str(row.takes), *means, f"{row.opus_gap:+.3f}")
    return table


def _joins(quality: Quality) -> Table:
    table = Table(title="Sharpness, beside the sound within 100 ms")
    for name in ("where", "places", "over p95 (chance 5 %)", "of p95: median, p95", "over all"):
        table.add_column(name)
    table.add_column("sharpest, of all around")
    for where, row in (("joins", quality.joins), ("between them", quality.elsewhere)):
        of_p95 = f"{row.median_of_p95:.2f}, {row.p95_of_p95:.2f}"
        share, worst = f"{100 * row.over_p95:.1f} %", f"{row.worst:.2f}"
        table.add_row(where, str(row.count), share, of_p95, str(row.over_most), worst)
    return table


def _levels(quality: Quality) -> Table:
    table = Table(title="Level, streamed over whole")
    for name in ("said", "takes", "typical", "furthest off"):
        table.add_column(name)
    for row in quality.levels:
        worst = ", ".join(f"{one.text!r} {one.difference_db:+.1f} dB" for one in row.worst)
        table.add_row(row.kind, str(row.takes), f"± {row.typical_db:.1f} dB", worst)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--sentences", type=int, default=len(texts.PLAIN), help="how many texts")
    parser.add_argument("--voices", default=VOICES, help="separated by commas")
    parser.add_argument("--threads", type=int, default=1, help="of each model that judges")
    report.add_settings(parser)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    console, about = report.console(), machine(PACKAGES)
    said = texts.PLAIN[: given.sentences]
    asked = [Asked(text, voice) for voice in given.voices.split(",") for text in said]
    brief = [Asked(text, voice) for voice in given.voices.split(",") for text in texts.BRIEF]
    quality = measure(asked, brief, given.threads, console.print, given.settings)
    result = Result(about, given.settings, quality, quality.goals())
    show(result, console)
    given.out.mkdir(parents=True, exist_ok=True)
    report.write(result, given.out / "quality.json")
    console.print(f"Written to {given.out}/quality.json", highlight=False)


if __name__ == "__main__":
    main()
