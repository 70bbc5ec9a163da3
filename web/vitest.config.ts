import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: { "voice-server-sdk": fileURLToPath(new URL("./sdk/src/index.ts", import.meta.url)) },
  },
  // Ends a test that hangs; none fails for a slow machine.
  test: { include: ["*/test/**/*.test.ts"], testTimeout: 120_000 },
});
