import { CLIENTS, type ClientName } from "./clients.ts";
import { installClient } from "./install-client.ts";

/** Installs the real clients from npm, where they aren't yet. */
for (const [name, { title }] of Object.entries(CLIENTS)) console.log(`${title}: ${installClient(name as ClientName)}`);
