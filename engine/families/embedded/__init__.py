"""The embedded voice: Kokoro-82M v1.0, cut into thinker, talker and code2wav for the CPU."""

import sys

# OpenVINO and NNCF tell their makers over the network when they are imported, from a thread that
# never ends. Both do without where their reporting package can't be found, which None stands for:
# importlib says so, the types of sys.modules don't.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # see above
