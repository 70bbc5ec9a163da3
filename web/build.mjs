// Plain esbuild: the page is a handful of static files, and a bundler is all that they need.

import { spawnSync } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const STUDIO = here("../voice_server/studio");
const SDK = here("sdk/dist");

const shared = {
  bundle: true,
  format: "esm",
  target: ["es2022", "chrome110", "firefox115", "safari16.4"],
  logLevel: "warning",
  tsconfig: here("tsconfig.json"),
};

/** The worklet stands alone: its scope can't load the page's chunks. */
function buildWorklet(outdir, minify) {
  const entryPoints = [here("sdk/src/playout/player-worklet.ts")];
  return build({ ...shared, entryPoints, outdir, minify });
}

async function buildStudio() {
  await rm(STUDIO, { recursive: true, force: true });
  await mkdir(STUDIO, { recursive: true });
  const entryPoints = { studio: here("studio/src/main.ts"), style: here("studio/style.css") };
  const names = { chunkNames: "part-[hash]" };
  await build({ ...shared, ...names, entryPoints, outdir: STUDIO, splitting: true, minify: true });
  await buildWorklet(STUDIO, true);
  for (const file of ["index.html", "icon.svg"]) {
    await cp(here(`studio/${file}`), `${STUDIO}/${file}`);
  }
}

async function buildSdk() {
  await rm(SDK, { recursive: true, force: true });
  const entryPoints = [here("sdk/src/index.ts")];
  await build({ ...shared, entryPoints, outdir: SDK, packages: "external", sourcemap: true });
  await buildWorklet(SDK, false);
  const types = ["-p", here("sdk/tsconfig.json")];
  const { status } = spawnSync("npx", ["tsc", ...types], { stdio: "inherit", cwd: here(".") });
  if (status !== 0) throw new Error("The SDK's type declarations were not made.");
}

await Promise.all([buildStudio(), buildSdk()]);
