import { deferred } from "./deferred";
import { VoiceError } from "./errors";
import { Session, type SessionOptions } from "./session";

/**
 * Opens a session.
 *
 * @throws VoiceError when the server can't be reached or does not take us in.
 */
export async function connect(url: string, options: SessionOptions = {}): Promise<Session> {
  const session = new Session(url, options);
  const opening = deferred<void>();
  const off = session.on("state", (state) => {
    if (state.name === "open") opening.resolve();
    else if (state.name !== "connecting") {
      opening.reject(new VoiceError("not_connected", state.reason));
    }
  });
  session.start();
  try {
    await opening.promise;
  } catch (error) {
    session.close();
    throw error;
  } finally {
    off();
  }
  return session;
}
