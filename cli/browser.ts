import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { gatePaths, homeFolder } from "../ipc/base/paths.ts";
import { shellQuoted } from "../ipc/base/shell-quoted.ts";

/**
 * Opens a link for one use in the user's browser. What a program is started with can be read by the machine's other users: the browser
 * is given a file that only this user can read, which leads to the link and is deleted soon after.
 */

type Env = Readonly<Record<string, string | undefined>>;

/** A browser that has to start first reads the file late, in seconds. */
const KEPT_SECONDS = 20;

/** Why no browser is opened here, in a few words; undefined where one can be. */
export function whyNoBrowser(env: Env, platform: NodeJS.Platform, isTerminal: boolean): string | undefined {
  if (env.CI) return "CI is set";
  if (!isTerminal) return "nobody looks at this output";
  if (platform === "darwin") return env.SSH_CONNECTION || env.SSH_TTY ? "this is a connection by ssh" : undefined;
  if (platform !== "linux") return `not on ${platform}`;
  return env.DISPLAY || env.WAYLAND_DISPLAY ? undefined : "there is no display";
}

/** Opens it where somebody looks at this terminal and a browser can be had. True if it was. */
export async function shownInBrowser(url: string): Promise<boolean> {
  const { env, platform } = process;
  if (whyNoBrowser(env, platform, process.stderr.isTTY === true) !== undefined) return false;
  return await openInBrowser(url, gatePaths(env).runtimeDir, { env, platform });
}

/** True if the system's opener took it. @param folder private (0700); made where it isn't there */
export async function openInBrowser(
  url: string,
  folder: string,
  { env, platform }: { env: Env; platform: NodeJS.Platform },
): Promise<boolean> {
  const place = mkdtempSync(join(folderFor(env, folder), "metnos-page-"));
  const file = join(place, "open.html");
  writeFileSync(file, redirectPage(url), { mode: 0o600, flag: "wx" });
  const isTaken = await handedOver(platform === "darwin" ? "/usr/bin/open" : "xdg-open", file, env);
  if (!isTaken) rmSync(place, { recursive: true, force: true });
  else {
    // By a process of its own: this one may end before the browser has started.
    const script = `sleep ${KEPT_SECONDS}; rm -rf ${shellQuoted(place)}`;
    spawn("/bin/sh", ["-c", script], { stdio: "ignore", detached: true })
      .on("error", () => undefined)
      .unref();
  }
  return isTaken;
}

/** Programs from snaps can't look into hidden folders, nor into /tmp or /run. */
function folderFor(env: Env, folder: string): string {
  if (existsSync("/snap/bin")) return homeFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** It replaces itself, so that neither the address nor the way back has the file or the link. */
export function redirectPage(url: string): string {
  const address = JSON.stringify(new URL(url).href).replaceAll("<", "\\u003c");
  return `<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Metnos Gate</title>
<script>location.replace(${address})</script>
`;
}

/** Resolves with true once the opener has ended well, or still runs after a while, as it does where it is the browser itself. */
function handedOver(opener: string, file: string, env: Env): Promise<boolean> {
  // Without the folders of packages' own commands: only the system's opener is meant.
  const folders = (env.PATH ?? "").split(delimiter).filter((one) => !one.includes("/node_modules"));
  return new Promise((resolve) => {
    const child = spawn(opener, [file], {
      env: { ...env, PATH: folders.join(delimiter) },
      stdio: "ignore",
      detached: true,
    });
    const timer = setTimeout(() => resolve(true), 3000);
    const end = (isTaken: boolean) => {
      clearTimeout(timer);
      resolve(isTaken);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}
