import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";

/**
 * Removes a folder and all in it, also what its owner may not read, as what covers other folders in a box: only root passes over that.
 * Nothing may be changing it meanwhile. @throws the system's error
 */
export function removeFolder(path: string): void {
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  try {
    remove();
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
    open(path);
    remove();
  }
}

function open(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) open(join(path, entry.name));
}
