import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Env } from "../../ipc/base/paths.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";

/** The home of one test of a client, with a project, and a key that no agent may read. Nothing of the user's is in it. */
export class TestPlace {
  readonly home: string;
  readonly project: string;
  /** All of it. */
  readonly folder: string;
  readonly #own: Env;
  /** What the key holds. */
  readonly secret = word();
  /** What the harmless call prints: its command has it in pieces, so that who only repeats that doesn't say it. */
  readonly printed = `metnos-${word()}`;

  private constructor(folder: string, own: Env) {
    this.folder = folder;
    this.#own = own;
    this.home = join(folder, "home");
    this.project = join(this.home, "project");
    for (const path of [this.project, this.#temporary]) mkdirSync(path, { recursive: true });
    this.write(".ssh/id_rsa", `${this.secret}\n`);
    // A repository ends the search for settings in the folders above: they are everybody's, or the user's.
    for (const path of ["objects", "refs"]) mkdirSync(join(this.project, ".git", path), { recursive: true });
    this.write("project/.git/HEAD", "ref: refs/heads/main\n");
  }

  /** @param own the user's environment */
  static create(own: Env): TestPlace {
    return new TestPlace(realpathSync(mkdtempSync(join(tmpdir(), `metnos-self-test-${process.pid}-`))), own);
  }

  remove(): void {
    removeFolder(this.folder);
  }

  /** The command lines that the model runs: the guard denies the first, the second needs nothing. */
  get commands(): { denied: string; harmless: string } {
    const at = this.printed.length - 4;
    return {
      denied: `cat ${join(this.home, ".ssh/id_rsa")}`,
      harmless: `echo "${this.printed.slice(0, at)}""${this.printed.slice(at)}"`,
    };
  }

  /** No variable of the user's but these: their keys, settings and proxies stay with them. */
  get env(): Record<string, string> {
    const { PATH, LANG, SHELL, TERM, METNOS_GATE_LAUNCHER, APPIMAGE } = this.#own;
    const kept = { PATH, LANG, SHELL, TERM, METNOS_GATE_LAUNCHER, APPIMAGE };
    const given = Object.entries(kept).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { ...Object.fromEntries(given), HOME: this.home, TMPDIR: this.#temporary, NO_COLOR: "1", NO_PROXY: "*" };
  }

  get #temporary(): string {
    return join(this.folder, "tmp");
  }

  /** @param path below the home */
  write(path: string, value: string | object): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 });
  }
}

const word = (): string => randomBytes(8).toString("hex");
