import { execFile } from "node:child_process";
import { closeSync, lstatSync } from "node:fs";
import { isSameFolder, openFolder } from "./pinned-folder.ts";
import { type Found, identityOf } from "./project-tree.ts";

/**
 * Named pipes and sockets of a project by which a command could reach what runs outside. A socket's file that nobody listens at, as a
 * server leaves that was killed, is none: whoever starts the server again removes it first, which could not be done were it covered.
 */

/** In one look; further ones count as listened at. */
const MAX_ASKED = 16;
const ASK_MS = 1000;

/** Sockets' files that were left: nobody ever listens at one again. */
const left = new Set<string>();
const MAX_LEFT = 4096;

/** Those of these that lead out of a box, as far as that isn't ruled out. */
export async function leadingOut(pipes: readonly Found[]): Promise<Found[]> {
  const unknown = pipes.filter((pipe) => !left.has(idOf(pipe)));
  await Promise.all(unknown.slice(0, MAX_ASKED).map(learn));
  return unknown.filter((pipe) => !left.has(idOf(pipe)));
}

const idOf = ({ own, changed_at }: Found): string => `${own} ${changed_at}`;

async function learn(pipe: Found): Promise<void> {
  if (!(await isLeft(pipe))) return;
  left.add(idOf(pipe));
  const [oldest] = left;
  if (left.size > MAX_LEFT && oldest !== undefined) left.delete(oldest);
}

/** False where that isn't known. */
async function isLeft({ path, parent, own }: Found): Promise<boolean> {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const fd = openFolder(folder);
  if (fd === undefined) return false;
  try {
    const isIt = () => {
      const stat = lstatSync(Buffer.from(`/proc/self/fd/${fd}/${name}`, "latin1"), { throwIfNoEntry: false });
      return stat?.isSocket() === true && identityOf(stat) === own && isSameFolder(fd, folder, parent);
    };
    // Names that aren't ASCII would be given in another encoding.
    if (!/^[\x20-\x7e]+$/.test(name) || !isIt()) return false;
    return (await isRefused(`/proc/${process.pid}/fd/${fd}`, `./${name}`)) && isIt();
  } finally {
    closeSync(fd);
  }
}

/**
 * Whether the kernel connects nobody there. It is asked by a socket of datagrams, of which a server of another kind learns nothing: Node
 * has none, so that util-linux's `logger` does it, which sends nothing where it reads nothing.
 */
function isRefused(cwd: string, path: string): Promise<boolean> {
  const words = ["--udp", "--socket-errors=on", "--socket", path];
  const options = { cwd, encoding: "utf8", timeout: ASK_MS, killSignal: "SIGKILL", env: ENVIRONMENT } as const;
  return new Promise((resolve) => {
    const child = execFile("logger", words, options, (error, _stdout, stderr) => {
      resolve(error !== null && stderr.includes("Connection refused"));
    });
    child.stdin?.on("error", () => undefined); // it has ended
    child.stdin?.end();
  });
}

const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
