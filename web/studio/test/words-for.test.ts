import { describe, expect, it } from "vitest";
import { checked, waiting } from "../src/words-for";

describe("what is said of a check", () => {
  it.each([
    [{ right: true, words: "thursday", tries: 1 }, "Checked: heard as written"],
    [{ right: true, words: "thursday", tries: 2 }, "Checked: heard as written, after 2 tries"],
    [{ right: false, words: "thirsty", tries: 3 }, "Heard “thirsty” instead, after 3 tries"],
    [{ right: false, words: "thirsty", tries: 1 }, "Heard “thirsty” instead"],
    [{ right: false, words: "", tries: 3 }, "Not heard at all, after 3 tries"],
  ])("is plain: %o", (heard, words) => {
    expect(checked(heard)).toBe(words);
  });
});

describe("what is said of a wait", () => {
  it.each([
    [undefined, "waits until others are spoken"],
    [7, "waits until others are spoken, about 7 s"],
    [130, "waits until others are spoken, about 2 min"],
  ])("is plain: %s", (seconds, words) => {
    expect(waiting(seconds)).toBe(words);
  });
});
