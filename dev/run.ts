import { join } from "node:path";
import { parseArgs } from "node:util";
import { startDemoGate } from "./demo-gate.ts";
import { servePageSources } from "./page-server.ts";

/** `npm run dev [-- --port PORT]`: the page with hot reload, against a gate in a temporary home. Ends with Ctrl-C; nothing is left behind. */

const { values } = parseArgs({ options: { port: { type: "string", default: "5173" } } });
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
});
const gate = await startDemoGate();
try {
  const { link } = gate;
  const page = await servePageSources({
    gate: link.origin,
    port: Number(values.port),
    cacheFolder: join(gate.folder, "vite"),
  });
  console.log(`The page, with hot reload:  ${page.origin}${link.pathname}${link.search}`);
  console.log("The link works once. Changes below renderer/ show at once; Ctrl-C ends it.");
  await interrupted;
  await page.close();
} finally {
  await gate.close();
}
