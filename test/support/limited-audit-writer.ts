import { AuditLog } from "../../main/records/audit/log.ts";

/**
 * Writes audit lines until one can't be written, in a process whose files may grow no further than a limit: the write that
 * reaches it is a short one. Prints how many lines were taken as written.
 */
const [, , folder = "", headFile = ""] = process.argv;
const MAX_LINES = 1000;

const log = new AuditLog(folder, headFile);
let written = 0;
log.subscribe(() => {
  written++;
});
for (let line = 0; line < MAX_LINES && log.writeFailures === 0; line++) {
  log.append({ event: "test", ts: Date.now() / 1000, text: "x".repeat(line) });
  log.flush();
}
console.log(JSON.stringify({ written, failures: log.writeFailures, last_failure: log.last_failure }));
