registerProcessor(
  "tap",
  class extends AudioWorkletProcessor {
    process([[block]]) {
      if (block?.some((sample) => sample !== 0)) {
        this.port.postMessage({ frame: currentFrame, block: block.slice() });
      }
      return true;
    }
  },
);
