import { readFileSync } from "node:fs";

/** The version in package.json, which is two folders up from main/base/ and from dist/cli/. */
export const VERSION: string = readVersion();

function readVersion(): string {
  for (const place of ["../../package.json", "../package.json"]) {
    try {
      const found = JSON.parse(readFileSync(new URL(place, import.meta.url), "utf8")) as {
        name?: string;
        version?: string;
      };
      if (found.name === "metnos-gate" && found.version !== undefined) return found.version;
    } catch {
      // not there: the next place
    }
  }
  return "0.0.0";
}
