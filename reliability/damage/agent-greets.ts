import { GateClient, GateClientError } from "../../ipc/client.ts";

/** An agent's process that reads its token from its file: `node agent-greets.ts NAME`. Prints the gate's answer. */

const client = new GateClient({ name: process.argv[2] ?? "", retryMs: 0 });
client.on("pairing", () => {
  console.log("waits to be paired");
  client.close();
});
try {
  await client.connect();
  console.log("let in");
} catch (error) {
  if (error instanceof GateClientError) console.log(`${error.code}: ${error.message}; ${error.hint}`);
  else console.log(`raw: ${String(error)}`);
}
client.close();
