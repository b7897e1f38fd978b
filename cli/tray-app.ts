import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether the tray app can be started here, found out without starting anything. */

/** The command that is run, or a short reason why it can't be. */
export type TrayApp = { electron: string; root: string } | { missing: string };

export interface DesktopEnvironment {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The user's number; none on Windows. */
  uid: number | undefined;
  /** The folder of the package `electron`; none where it isn't installed. */
  electronPackage: string | undefined;
  /** The folder with the product's package.json, whose `main` is the built app. */
  root: string;
}

/** Where Electron's own download puts the program, below `dist/`. */
const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: "electron",
  darwin: "Electron.app/Contents/MacOS/Electron",
  win32: "electron.exe",
};

export function findTrayApp({ platform, env, uid, electronPackage, root }: DesktopEnvironment): TrayApp {
  const program = PROGRAMS[platform];
  if (program === undefined) return { missing: `there is no tray app for ${platform}` };
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH || (electronPackage && join(electronPackage, "dist"));
  if (!folder) return { missing: "Electron is not installed" };
  const electron = join(folder, program);
  if (!existsSync(electron))
    return { missing: "Electron's program is not installed (npx install-electron downloads it)" };
  if (!existsSync(join(root, "dist/desktop/main.js"))) return { missing: "the tray app is not built (npm run build)" };
  if (platform === "linux") {
    if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return { missing: "there is no display" };
    if (uid === 0) return { missing: "Electron doesn't run as root" };
  }
  return { electron, root };
}

export function desktopEnvironment(): DesktopEnvironment {
  return {
    platform: process.platform,
    env: process.env,
    uid: process.getuid?.(),
    electronPackage: electronPackage(),
    root: productFolder(),
  };
}

/** Asked for its package.json: its entry would download the program. */
function electronPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  } catch {
    return undefined; // a production install has none
  }
}

/** One folder up from cli/, two from dist/cli/. */
function productFolder(): string {
  const up = fileURLToPath(new URL("..", import.meta.url));
  return existsSync(join(up, "package.json")) ? up : fileURLToPath(new URL("../..", import.meta.url));
}
