import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: { "voice-server-sdk": fileURLToPath(new URL("./sdk/src/index.ts", import.meta.url)) },
  },
  test: { include: ["*/test/**/*.test.ts"] },
});
