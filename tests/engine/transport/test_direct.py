from __future__ import annotations

import asyncio
import threading

from engine.messages import Abort, Died, Mail, News, Result, StageAddress, Taken
from engine.transport.direct import DirectPost, LoopMailbox
from engine.transport.inbox import Inbox
from tests.engine.schedulers.driving import job

SENDERS, EACH = 4, 200


async def test_mail_of_many_threads_is_read_on_the_loop_in_each_senders_order() -> None:
    mailbox = LoopMailbox(asyncio.get_running_loop())
    post = DirectPost({}, mailbox)
    read: list[Mail] = []
    done = asyncio.Event()

    def take(mail: Mail | Died) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert isinstance(mail, Mail)
        read.append(mail)
        if len(read) == SENDERS * EACH:
            done.set()

    def send(number: int) -> None:
        for i in range(EACH):
            post.to_coordinator(Mail(StageAddress("s", number), Taken(job(str(i)))))

    mailbox.open(take)
    threads = [threading.Thread(target=send, args=(n,)) for n in range(SENDERS)]
    for thread in threads:
        thread.start()
    await done.wait()
    for thread in threads:
        thread.join()
    assert post.mail_waiting() == 0
    for number in range(SENDERS):
        jobs = [mail.message.job for mail in read if mail.sender.replica == number]
        assert jobs == [job(str(i)) for i in range(EACH)]


async def test_a_message_goes_to_the_replica_it_is_addressed_to() -> None:
    addresses = [StageAddress("s", n) for n in range(2)]
    inboxes = {address: Inbox(f"stage:s/{address.replica}", 4) for address in addresses}
    post = DirectPost(inboxes, LoopMailbox(asyncio.get_running_loop()))
    post.to_stage(addresses[1], Abort(job("a")))
    assert [inboxes[address].depth() for address in addresses] == [0, 1]


async def test_patient_mail_waits_for_other_mail_and_is_read_before_it() -> None:
    mailbox = LoopMailbox(asyncio.get_running_loop())
    read: list[News] = []
    mailbox.open(read.append)
    first = Mail(StageAddress("s", 0), Result(job("a")))
    second = Mail(StageAddress("t", 0), Result(job("a")))
    mailbox.put(first, patient=True)
    await asyncio.sleep(0)
    assert read == []
    assert mailbox.depth() == 1
    mailbox.put(second)
    await asyncio.sleep(0)
    assert read == [first, second]
