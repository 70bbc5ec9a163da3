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

// Every word in the take's card at the moment it lights up.
window.__lit = [];
new MutationObserver((changes) => {
  for (const { target, oldValue } of changes) {
    const now = target.classList.contains("now") && !(oldValue ?? "").includes("now");
    if (now && target.closest(".take")) {
      window.__lit.push({ word: target.textContent, at: performance.now() });
    }
  }
}).observe(document, {
  subtree: true,
  attributes: true,
  attributeFilter: ["class"],
  attributeOldValue: true,
});
