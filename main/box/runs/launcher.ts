import { accessSync, chmodSync, constants, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type LauncherParts, launcherText } from "./launcher-text.ts";

/** A launcher as a file: written as the gate starts, and still the same one at each run. */
export class Launcher {
  readonly #file: string;
  #identity = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws the system's error, also where nothing that lies there can be run */
  write(parts: LauncherParts): void {
    const made = `${this.#file}.new`;
    rmSync(made, { force: true });
    writeFileSync(made, launcherText(parts), { mode: 0o700, flag: "wx" });
    chmodSync(made, 0o700);
    renameSync(made, this.#file);
    accessSync(this.#file, constants.X_OK);
    this.#identity = identityOf(this.#file) ?? "";
  }

  /** @throws GateError `box_unavailable` where something else is in its place */
  check(): void {
    if (this.#identity !== "" && identityOf(this.#file) === this.#identity) return;
    throw new GateError("box_unavailable", `${this.#file} was changed`, "restart the gate, which writes it again");
  }
}

function identityOf(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined
    ? undefined
    : [stat.dev, stat.ino, stat.size, stat.mode, stat.mtimeMs, stat.ctimeMs].join(":");
}
