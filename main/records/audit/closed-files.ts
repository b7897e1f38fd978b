import { lstatSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { filesIn } from "./month-files.ts";

interface Identity {
  ino: number;
  size: number;
}

/** The months and archives beside the open file: nothing writes them any more, and whatever changes one is no gate. */
export class ClosedFiles {
  readonly #folder: string;
  readonly #known = new Map<string, Identity>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes all of them as they are now. @throws the system's error */
  begin(): void {
    for (const { name, role } of filesIn(this.#folder)) if (role !== "stray") this.note(name);
  }

  /** Takes this one as it is now. */
  note(name: string): void {
    const found = this.#look(name);
    if (found) this.#known.set(name, found);
    else this.#known.delete(name);
  }

  /** The gate itself writes it from now on. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /** What happened to which since, each once: "PATH was cut". */
  changes(): string[] {
    const changes: string[] = [];
    for (const [name, known] of this.#known) {
      const found = this.#look(name);
      const how = found === null ? undefined : howChanged(known, found);
      if (how === undefined) continue;
      changes.push(`${join(this.#folder, name)} ${how}`);
      this.note(name);
    }
    return changes;
  }

  /** Undefined: it is gone; null: nobody can say. */
  #look(name: string): Identity | undefined | null {
    try {
      const { ino, size } = lstatSync(join(this.#folder, name));
      return { ino, size };
    } catch (error) {
      return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? undefined : null;
    }
  }
}

/** Undefined: it is as it was. */
export function howChanged(known: Identity, found: Identity | undefined): string | undefined {
  if (found === undefined || found.ino !== known.ino) return "was removed, moved or replaced";
  if (found.size === known.size) return undefined;
  return found.size < known.size ? "was cut" : "was written into";
}
