// Laid into the page by the tests: records what the sound output gets, sample for sample, with a
// worklet of its own beside the player's.
window.__heard = [];
const addModule = AudioWorklet.prototype.addModule;
AudioWorklet.prototype.addModule = async function (url) {
  await addModule.call(this, window.__tapWorklet);
  return addModule.call(this, url);
};
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (target, ...rest) {
  if (target instanceof AudioDestinationNode && this instanceof AudioWorkletNode) {
    const tap = new AudioWorkletNode(this.context, "tap");
    tap.port.onmessage = ({ data }) => window.__heard.push(data);
    window.__context = this.context;
    connect.call(this, tap);
    connect.call(tap, target);
  }
  return connect.call(this, target, ...rest);
};

// All that was heard, from the first block with sound to the last, with the silence between.
window.__sound = () => {
  const { frame: start } = window.__heard[0] ?? { frame: 0 };
  const { frame: end, block } = window.__heard.at(-1) ?? { frame: 0, block: [] };
  const samples = new Float32Array(end + block.length - start);
  for (const heard of window.__heard) samples.set(heard.block, heard.frame - start);
  const bytes = new Uint8Array(samples.buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return btoa(text);
};

// A browser's own decoder is given up after half a second of nothing. On a slow machine that is no
// sign of its being deaf, so here only the test of a deaf one has it given up.
const { setTimeout: usual } = window;
window.setTimeout = (act, ms, ...rest) =>
  usual(act, ms === 500 && !window.__deaf ? 600_000 : ms, ...rest);

// Where the sound output was, in its frames, when Escape was pressed.
document.addEventListener(
  "keydown",
  ({ key }) => {
    const { currentTime, sampleRate } = window.__context ?? { currentTime: 0, sampleRate: 0 };
    if (key === "Escape") window.__escaped = currentTime * sampleRate;
  },
  true,
);

// When the page was about to be painted.
window.__paints = [];
requestAnimationFrame(function paint(now) {
  window.__paints.push(now);
  requestAnimationFrame(paint);
});

// Every word in the take's card at the moment it lights up, also where a slow page lights several
// at once.
window.__lit = [];
new MutationObserver((changes) => {
  const at = performance.now();
  const lit = [];
  const later = new Map();
  for (const { target, oldValue } of changes.reverse()) {
    const [before, after] = [oldValue ?? "", later.get(target) ?? target.className];
    later.set(target, before);
    const now = after.split(" ").includes("now") && !before.split(" ").includes("now");
    if (now && target.closest(".take")) lit.push({ word: target.textContent, at });
  }
  window.__lit.push(...lit.reverse());
}).observe(document, {
  subtree: true,
  attributes: true,
  attributeFilter: ["class"],
  attributeOldValue: true,
});
