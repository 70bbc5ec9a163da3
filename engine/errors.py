"""Errors of the engine; `EngineError` is the one base, and `code` is what the wire says."""


class EngineError(Exception):
    """Base of all that can go wrong while sound is made.

    `code` is a stable word for machines; the message is for people.
    """

    code = "engine_error"


class UnknownVoice(EngineError):
    """The voice asked for is not one of the loaded family's."""

    code = "unknown_voice"


class ModelMissing(EngineError):
    """A model file is not where it should be; the message names the command that gets it."""

    code = "model_missing"


class ModelDamaged(EngineError):
    """A model file is there but is not what its checksum says; the message names the file."""

    code = "model_damaged"


class GraphError(EngineError):
    """A graph or topology that can't run; the message names the key."""

    code = "graph_error"


class StageFailed(EngineError):
    """A stage raised while it worked for a request; the request is over and its state is free."""

    code = "stage_failed"


class EngineStopped(EngineError):
    """The engine was closed while the request was under way."""

    code = "engine_stopped"


class EngineFull(EngineError):
    """As many requests are under way as the topology's `max_requests` allows."""

    code = "engine_full"


class DuplicateRequest(EngineError):
    """A request of the same id and epoch is still under way."""

    code = "duplicate_request"


class MemoryShort(EngineError):
    """A device has too little memory free for a stage; the message says what needs how much."""

    code = "memory_short"
