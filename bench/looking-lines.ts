import type { ProposedCall } from "../ipc/contract/wire.ts";
import { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import { examineCall } from "../main/decide/pipeline.ts";
import type { Subject } from "../main/decide/stages/examination.ts";
import { LOOKING_LINES, NEAR_HARMLESS_LINES } from "../test/support/looking-lines.ts";
import { StandInBox } from "../test/support/stand-in-box.ts";
import { type Figure, figure } from "./figure.ts";
import { inSessionHome, sessionSettings } from "./session-home.ts";

/**
 * How often looking around and small changes are asked about at Supervised, each line on its own, with what an approval of the project
 * gives; without a box, and with one. What is asked about or denied is printed.
 */

type Capability = "fs:read" | "fs:write";
/** Of the lines, those that change something: a grant on reading is none for them. */
const CHANGES = /^(?:mkdir|echo 'export|cp|rm|git switch|git stash|sed -i)\b/;

const BOTH: readonly Capability[] = ["fs:read", "fs:write"];

interface Outcomes {
  asked: readonly string[];
  denied: readonly string[];
}

export async function lookingLines(): Promise<Figure[]> {
  const without = outcomesOf(LOOKING_LINES, BOTH, false);
  const boxed = outcomesOf(LOOKING_LINES, BOTH, true);
  const onlyLooking = LOOKING_LINES.filter((line) => !CHANGES.test(line));
  const reading = outcomesOf(onlyLooking, ["fs:read"], true);
  const near = outcomesOf(NEAR_HARMLESS_LINES, BOTH, false);
  const all = `of ${LOOKING_LINES.length}`;
  return [
    figure("looking lines asked about", without.asked.length, "asks", 20, all + listed(without.asked)),
    figure("looking lines denied", without.denied.length, "", 0, all + listed(without.denied)),
    figure("looking lines asked about with a box", boxed.asked.length, "asks", 3, all + listed(boxed.asked)),
    figure(
      "the same where only reading is granted",
      reading.asked.length,
      "asks",
      3,
      `of the ${onlyLooking.length} that change nothing${listed(reading.asked)}`,
    ),
    figure("looking lines denied with a box", boxed.denied.length + reading.denied.length, "", 0, all),
    figure(
      "nearly harmless lines denied",
      near.denied.length,
      "",
      // Three are of the baseline patterns; one mounts the machine.
      4,
      `of ${NEAR_HARMLESS_LINES.length}${listed(near.denied)}`,
    ),
  ];
}

/** Each line in a home of its own that holds a project, with these grants on it. */
function outcomesOf(lines: readonly string[], granted: readonly Capability[], isBoxed: boolean): Outcomes {
  return inSessionHome((session) => {
    const { cwd, grants } = session;
    const principal = { channel: "local", sender_id: "ada" };
    for (const capability of granted) grants.recordGrant({ ...principal, capability, target: `${cwd}/**` });
    const settings = { ...sessionSettings(session), ...(isBoxed ? { box: new StandInBox() } : {}) };
    const subject: Subject = { agent: null, level: "Supervised", session: "bench", principal, can_confine: isBoxed };
    const catalog = new ExecutorCatalog();
    const outcomes = lines.map((line) => {
      const command = line.replaceAll("~/project", cwd);
      const call: ProposedCall = {
        intent: "",
        executor: "Bash",
        args: { command },
        context: { cwd, session: "bench" },
      };
      const { x, denial } = examineCall(call, subject, catalog, settings);
      return { line, outcome: denial === null ? x.outcome : "denied" };
    });
    const of = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).map(({ line }) => line);
    return { asked: of("approval_required"), denied: of("denied") };
  });
}

const listed = (lines: readonly string[]): string => lines.map((line) => `\n       ${JSON.stringify(line)}`).join("");
