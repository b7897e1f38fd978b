import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkPackages } from "../dev/linked-packages.ts";
import { type Mutant, mutated } from "./mutants.ts";

/** A copy of the tree, in which one mutant at a time is tried: the tree itself is never changed. */
export class TreeCopy {
  readonly root: string;
  /** For what its tests leave behind. Both names are short: sockets lie in it. */
  readonly tmp: string;
  readonly #folder: string;

  /** @param origin a work tree: what git knows there is copied, and what it would add; the packages are linked */
  constructor(origin: string) {
    this.#folder = mkdtempSync(join(tmpdir(), "mutate-"));
    this.root = join(this.#folder, "tree");
    this.tmp = join(this.#folder, "tmp");
    mkdirSync(this.tmp);
    const files = execFileSync(
      "git",
      ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
      {
        cwd: origin,
        encoding: "utf8",
      },
    );
    for (const file of files.split("\0")) {
      if (file === "" || file === "node_modules" || !existsSync(join(origin, file))) continue;
      cpSync(join(origin, file), join(this.root, file));
    }
    linkPackages(origin, this.root);
  }

  /** Applies the mutant while `act` runs, then puts the file back. @throws where the mutant doesn't apply */
  async with<T>(mutant: Mutant, act: () => Promise<T>): Promise<T> {
    const result = mutated(this.root, mutant);
    if ("problem" in result) throw new Error(result.problem);
    const path = join(this.root, mutant.file);
    const before = readFileSync(path);
    try {
      writeFileSync(path, result.text);
      return await act();
    } finally {
      writeFileSync(path, before);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
