import { Session } from "voice-server-sdk";
import { Composer } from "./composer";
import { ConnectionView } from "./connection";
import { byId } from "./dom";
import { FiguresLine } from "./figures";
import { expose } from "./hooks";
import { ModeSwitch } from "./mode-switch";
import { Notices } from "./notices";
import { SessionFiles } from "./session-files";
import { Studio } from "./studio";
import { TakeList } from "./take-list";
import { VoicePicker } from "./voices";

/** How far ahead of the listener the server may send: a second hides most hitches of a network. */
const LEAD_MS = 1000;

const socket = new URL("v1/session", document.baseURI);
socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
const session = new Session(socket.href, { leadMs: LEAD_MS });

const text = byId("text", HTMLTextAreaElement);
const studio = new Studio(session, {
  composer: new Composer(byId("sheet", HTMLElement), byId("backdrop", HTMLElement), text),
  mode: new ModeSwitch(byId("mode", HTMLElement), text, {
    line: byId("one-voice", HTMLElement),
    script: byId("many-voices", HTMLElement),
  }),
  voices: new VoicePicker(byId("voice", HTMLSelectElement)),
  figures: new FiguresLine(byId("figures", HTMLElement)),
  notices: new Notices(byId("notices", HTMLElement)),
  play: byId("play", HTMLButtonElement),
  stop: byId("stop", HTMLButtonElement),
  list: new TakeList(byId("takes", HTMLElement), byId("empty", HTMLElement)),
  spoken: byId("spoken", HTMLElement),
});
new SessionFiles(
  session,
  {
    open: byId("open-file", HTMLButtonElement),
    chosen: byId("chosen-file", HTMLInputElement),
    save: byId("save-file", HTMLAnchorElement),
  },
  { opened: (stored) => studio.recall(stored), failed: (error) => studio.complain(error) },
);
new ConnectionView(session, byId("link", HTMLElement), byId("link-words", HTMLElement));
byId("play-key", HTMLElement).textContent = /Mac|iPhone|iPad/.test(navigator.userAgent)
  ? "⌘"
  : "Ctrl";

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    studio.play();
  } else if (event.key === "Escape") studio.stop();
});

// A browser lets sound out only after a touch or a key. The first one opens the output ahead of
// the first take, so that the take need not wait for it.
for (const act of ["pointerdown", "keydown"]) {
  document.addEventListener(act, () => studio.warmUp(), { capture: true });
}

expose(session, studio);
session.start();
