import { execFileSync } from "node:child_process";

/** The built files (hook, client) are those of the code under test. */
export default function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
}
