import { describe, expect, it } from "vitest";
import { told } from "../src/figures";

describe("the figures of a take", () => {
  it("say nothing of what is not known yet", () => {
    expect(told({})).toEqual([]);
  });

  it("have the wait beside what it is part of, where there was one", () => {
    const whole = { firstPacketMs: 2600, rtf: 0.75, queuedMs: 2412.4 };
    expect(told(whole)).toEqual([
      ["First packet", "2.60 s"],
      ["Queued", "2.41 s"],
      ["Real-time factor", "0.75"],
    ]);
    expect(told({ ...whole, queuedMs: 0 }).map(([name]) => name)).not.toContain("Queued");
  });
});
