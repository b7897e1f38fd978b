import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CHROMIUM } from "../stand-in/chromium.ts";

/** Which driver the specs run on: Electron where its binary is, else the stand-in where a Chromium is. */
export type DriverChoice =
  | { driver: "electron"; binary: string; why: string }
  | { driver: "stand-in"; why: string }
  | { driver: "none"; why: string };

export function chooseDriver(env: Readonly<Record<string, string | undefined>> = process.env): DriverChoice {
  const binary = electronBinary();
  const hasDisplay = process.platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (binary !== undefined && hasDisplay) return { driver: "electron", binary, why: binary };
  const without = binary === undefined ? "Electron's binary is not installed" : "Electron is there, but no display";
  if (existsSync(CHROMIUM)) return { driver: "stand-in", why: `${without}; pages run in ${CHROMIUM}` };
  return {
    driver: "none",
    why: `${without}, and there is no ${CHROMIUM} (apt-get install chromium, or CHROMIUM_PATH)`,
  };
}

/** Without loading the package's own index: it would try to download. */
function electronBinary(): string | undefined {
  const folder = dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  const pathFile = join(folder, "path.txt");
  if (!existsSync(pathFile)) return undefined;
  const binary = join(folder, "dist", readFileSync(pathFile, "utf8"));
  return existsSync(binary) ? binary : undefined;
}
