type Remembered = "voice" | "text" | "mode";

/** Keeps a small thing for the next visit; a browser that keeps nothing is no reason to fail. */
export function remember(key: Remembered, value: string): void {
  try {
    localStorage.setItem(`voice-studio.${key}`, value);
  } catch {
    // Storage is full or forbidden here: the page works without.
  }
}

export function recall(key: Remembered): string {
  try {
    return localStorage.getItem(`voice-studio.${key}`) ?? "";
  } catch {
    return "";
  }
}
