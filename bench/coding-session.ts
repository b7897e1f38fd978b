import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gatePaths } from "../ipc/paths.ts";
import type { ProposedCall } from "../ipc/wire.ts";
import { choicesFor } from "../main/gate/approvals/choices.ts";
import { openDatabase } from "../main/gate/database.ts";
import { ExecutorCatalog } from "../main/gate/executors/catalog.ts";
import { grantsSchema } from "../main/gate/grants/schema.ts";
import { GrantStore } from "../main/gate/grants/store.ts";
import { GateFiles } from "../main/gate/guard/gate-files.ts";
import { examineCall } from "../main/gate/pipeline.ts";
import { POLICY_TABLE } from "../main/gate/policy.ts";
import { systemClock } from "../main/system-clock.ts";
import { CODING_COMMANDS } from "../test/support/coding-commands.ts";
import { makeReadingProject } from "../test/support/reading-project.ts";
import { type Figure, figure } from "./figure.ts";

/** How often the user is asked in an ordinary session at Supervised, answering "this folder and below, this session". */

const SESSION = "bench";

export async function codingSession(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), "metnos-session-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  makeReadingProject(cwd);
  const paths = gatePaths({ HOME: home });
  mkdirSync(paths.state_dir, { recursive: true });
  const db = openDatabase(paths.grants_db, grantsSchema(home));
  try {
    const grants = new GrantStore(db, home, systemClock);
    const principal = { channel: "local", sender_id: "ada" };
    const settings = {
      home,
      grants,
      gate_files: new GateFiles(paths, home),
      pause: null,
      judge_threshold: 0.3,
      now: Date.now,
    };
    const subject = { agent: null, level: "Supervised" as const, session: SESSION, principal };
    const catalog = new ExecutorCatalog();
    const counts = { asked: 0, once: 0, granted: 0, denied: 0 };
    for (const command of CODING_COMMANDS) {
      const call: ProposedCall = {
        intent: "",
        executor: "Bash",
        args: { command: command.replaceAll("~/project", cwd) },
        context: { cwd, session: SESSION },
      };
      const { x, denial } = examineCall(call, subject, catalog, settings);
      if (denial !== null) counts.denied++;
      else if (x.outcome === "approval_required") {
        counts.asked++;
        const asked = x.needs.filter(({ capability }) => POLICY_TABLE.Supervised[capability] === "approval_required");
        const choices = choicesFor(asked, { home: home });
        const answer =
          choices.find(({ scope, reach }) => scope === "session" && reach === "tree") ??
          choices.find(({ scope, reach }) => scope === "session" && (reach === "host" || reach === "exact"));
        if (answer === undefined) counts.once++;
        else {
          counts.granted++;
          for (const { capability, target } of answer.grants)
            grants.recordGrant({ ...principal, capability, target, session: SESSION });
        }
      }
    }
    const all = CODING_COMMANDS.length;
    return [
      figure(
        "asks in a coding session",
        counts.asked,
        "asks",
        null,
        `of ${all} commands: ${counts.once} run code and are asked about each time, ${counts.granted} gave a grant`,
      ),
      figure("commands denied in a coding session", counts.denied, "", 0, "none of them is the guard's business"),
      figure("asks against asking every time", counts.asked / all, "x", null, `${counts.asked} of ${all}`),
    ];
  } finally {
    db.close();
    rmSync(home, { recursive: true, force: true });
  }
}
