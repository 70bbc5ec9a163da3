"""Errors of delivery; `DeliveryError` is the one base."""


class DeliveryError(Exception):
    """Something was asked of a take's delivery that its state does not allow."""


class BadPacket(DeliveryError):
    """A packet that can't be decoded, or packets that don't add up to the take."""
