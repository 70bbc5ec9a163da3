"""Builds the studio into voice_server/studio, and only when its sources changed.

`packages` installs what package-lock.json names; `build` does that and builds the studio. Both
compare a digest of their sources with the one kept beside the result, so that a second run costs
milliseconds. The Makefile and the wheel's build hook both come here, so they never disagree on what
is stale. Needs nothing but the standard library: it runs before any package is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IGNORED = frozenset({"node_modules", "dist", "coverage"})
MARK = ".sources"


class WebError(Exception):
    """The studio can't be built; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something made by npm from sources: `result` is a folder that `sources` decide alone."""

    name: str
    sources: tuple[Path, ...]
    result: Path
    command: tuple[str, ...]

    @property
    def mark(self) -> Path:
        return self.result / MARK

    def is_fresh(self) -> bool:
        return self.mark.is_file() and self.mark.read_text() == digest(self.sources)


def digest(sources: Iterable[Path]) -> str:
    """SHA-256 over names and contents, so that neither clocks nor checkouts matter."""
    total = hashlib.sha256()
    for source in sources:
        for path in walk(source):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{path.relative_to(source.parent)} {content}\n".encode())
    return total.hexdigest()


def walk(source: Path) -> Iterator[Path]:
    """The files of `source` in a fixed order, without what is installed or built."""
    if source.is_file():
        yield source
        return
    for path in sorted(source.iterdir()):
        if path.name not in IGNORED:
            yield from walk(path)


def packages(root: Path) -> Step:
    web = root / "web"
    sources = tuple(web.glob("package*.json"))
    command = ("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
    return Step("web packages", tuple(sorted(sources)), web / "node_modules", command)


def studio(root: Path) -> Step:
    command = ("npm", "run", "--silent", "build")
    return Step("studio", (root / "web",), root / "voice_server" / "studio", command)


def ensure(steps: Iterable[Step], web: Path) -> None:
    """Runs each step whose result is missing or stale, in order.

    Raises WebError if npm is not there or fails.
    """
    for step in steps:
        if not step.is_fresh():
            run(step, web)


def run(step: Step, web: Path) -> None:
    print(f"Making the {step.name} (once)", file=sys.stderr, flush=True)
    npm = shutil.which(step.command[0])
    if npm is None:
        raise WebError(f"the {step.name} must be made and npm is not here: install Node.js 20.19+")
    step.mark.unlink(missing_ok=True)
    done = subprocess.run((npm, *step.command[1:]), cwd=web, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise WebError(f"`{' '.join(step.command)}` failed with exit code {done.returncode}")
    if not step.result.is_dir():
        raise WebError(f"`{' '.join(step.command)}` made no {step.result}")
    step.mark.write_text(digest(step.sources))


def ensure_studio(root: Path) -> None:
    """Makes the studio if it is missing or stale. Raises WebError."""
    if not studio(root).is_fresh():
        ensure((packages(root), studio(root)), root / "web")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("packages", "build"))
    what = parser.parse_args().what
    try:
        if what == "packages":
            ensure((packages(ROOT),), ROOT / "web")
        else:
            ensure_studio(ROOT)
    except WebError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
