"""Other ways to make an edit: more and more of what is around it is made again too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.types import Change, Parent, RequestId, Utterance, Word
from sessions.editing import merged

#: Words on either side of a change that are predicted anew, by try; after these the whole clause.
WIDER = (1, 3)


def retries(said: Utterance, least: int) -> Iterator[Utterance]:
    """Of an edit, each once. least: sample of the parent before which all has to stay, as it was
    heard already."""
    assert said.parent is not None, "only what has a parent is edited"
    seen = {said.changes}
    for number, changes in enumerate(_ways(said.parent, said.changes, least), 2):
        if changes not in seen:
            seen.add(changes)
            yield replace(said, request=RequestId(f"{said.request}~{number}"), changes=changes)


def starts_before(parent: Parent, change: Change) -> list[int]:
    """From which samples on tries may make a change again, the widest first; the last leaves all
    that is before the change."""
    before = [
        [word.start for word in score.words if word.span[1] <= change.old[0]]
        for score in parent.scores
    ]
    clause = next((starts for starts in reversed(before) if starts), [])
    words = [start for starts in before for start in starts]
    here = [
        word.start
        for score in parent.scores
        for word in score.words
        if word.span[1] > change.old[0]
    ]
    wider = [clause[0], *(words[-count:][0] for count in WIDER)] if clause else []
    return sorted({*wider, *here[:1]})


def _ways(parent: Parent, changes: Sequence[Change], least: int) -> Iterator[tuple[Change, ...]]:
    words = [word for score in parent.scores for word in score.words]
    free = [word for word in words if word.start >= least]
    for count in WIDER:
        yield merged([_wider(change, free, count) for change in changes], parent.text)
    clauses = [[word for word in score.words if word.start >= least] for score in parent.scores]
    yield merged([_whole(change, clauses) for change in changes], parent.text)


def _wider(change: Change, free: Sequence[Word], count: int) -> Change:
    before = [word for word in free if word.span[1] <= change.old[0]][-count:]
    after = [word for word in free if word.span[0] >= change.old[1]][:count]
    return _over(change, [*before, *after])


def _whole(change: Change, clauses: Sequence[Sequence[Word]]) -> Change:
    """Over all free words of the clauses that the change is in or beside."""
    start, stop = change.old
    touched = [
        word
        for words in clauses
        if words and words[0].span[0] <= stop and start <= words[-1].span[1] + 1
        for word in words
    ]
    return _over(change, touched)


def _over(change: Change, words: Sequence[Word]) -> Change:
    """Widened over words outside of it, of which both texts have the same."""
    left = change.old[0] - min([change.old[0], *(word.span[0] for word in words)])
    right = max([change.old[1], *(word.span[1] for word in words)]) - change.old[1]
    return Change(
        (change.old[0] - left, change.old[1] + right),
        (change.new[0] - left, change.new[1] + right),
    )
