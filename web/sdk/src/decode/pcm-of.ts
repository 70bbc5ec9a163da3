import { deferred } from "../deferred";
import { Log } from "../log";
import type { Recording } from "../recording";
import { decodeRecording } from "./decode";

/** Chunks that may be decoded ahead of the reader. */
const AHEAD = 50;

/** The sound of a recording from its beginning, at `decodedRate`; waits while it still grows. */
export async function* pcmOf(recording: Recording): AsyncGenerator<Float32Array, void, void> {
  const sound = new Log<Float32Array>();
  let taken = 0;
  let stopped = false;
  let wake = deferred<void>();
  const work = decodeRecording(recording, {
    push: (samples) => sound.push(samples.slice()),
    room: async () => {
      while (!stopped && sound.items.length - taken > AHEAD) await wake.promise;
    },
    stopped: () => stopped,
  }).finally(() => sound.close());
  work.catch(() => undefined);
  try {
    for await (const samples of sound) {
      yield samples;
      sound.items[taken] = new Float32Array();
      taken += 1;
      wake.resolve();
      wake = deferred<void>();
    }
    await work;
  } finally {
    stopped = true;
    wake.resolve();
  }
}
