import { expect, it } from "vitest";
import { CLIENTS, type ClientName, clientsFolder, programIn } from "./clients.ts";

/**
 * The client's program, for the tests of a file: where it isn't installed they are skipped with a printed reason, and with CI=true a
 * test fails. Call it at the top of a `describe`.
 */
export function installedClient(name: ClientName): string | undefined {
  const program = programIn(clientsFolder(), name);
  if (program !== undefined) return program;
  const reason = `${CLIENTS[name].title} is not installed: npm run clients`;
  it.runIf(process.env.CI === "true")("is installed", () => expect.unreachable(reason));
  console.log(`skipped: ${reason}`);
  return undefined;
}
