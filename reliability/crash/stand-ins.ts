import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { configureHighestLimits } from "../../bench/highest-limits.ts";
import { ModelServer, NtfyServer } from "../../bench/stand-ins.ts";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { type FailingDisk, makeFailingDisk } from "../failing-disk.ts";

/** What a home's gates have around them: a model that judges, an ntfy server, and a disk that can be made to fail. */

/** Of `llm_online`, in dollars: not rounded in a sum. */
export const PRICE = 0.25;
/** Of `mail_read`: so many at once, and so many more in a minute. */
export const MAILS = { capacity: 20, per_minute: 30 };
/** Of the model, in a home. */
export const JUDGED_A_DAY = 40;
/** In the body of what the model refuses. */
export const REFUSED_WORD = "refuse-this";
/** What is judged. */
export const JUDGED_EXECUTOR = "http_post";
const TOPIC = "the-topic-of-a-crash-home";

export class StandIns {
  readonly model: ModelServer;
  readonly ntfy: NtfyServer;
  /** Undefined where no such disk can be made. */
  readonly disk: FailingDisk | undefined;
  /** While safety.db can't be written. */
  isDiskFailing = false;
  /** How often that began. */
  diskFailures = 0;

  /** Of which files are changed, and taken back. */
  readonly project: string;

  private constructor(project: string, model: ModelServer, ntfy: NtfyServer, disk: FailingDisk | undefined) {
    this.project = project;
    this.model = model;
    this.ntfy = ntfy;
    this.disk = disk;
  }

  static async begin(root: string, project: string): Promise<StandIns> {
    const model = await ModelServer.start(({ messages }) => {
      const isRefused = messages.some(({ text }) => text.includes(REFUSED_WORD));
      return JSON.stringify({ score: isRefused ? 0.1 : 0.9, reason: isRefused ? "it leaves" : "it fits" });
    });
    return new StandIns(project, model, await NtfyServer.listening(), diskIn(root));
  }

  configure(paths: GatePaths): void {
    const more = `
[rate.limits."mail:read"]
per_minute = ${MAILS.per_minute}
capacity = ${MAILS.capacity}

[flow]
# Who has read mail sends there: what is asked about for a session's marks is no part of this.
trusted_hosts = ["example.org"]

[costs]
currency = "USD"
ask_above = { Full = 1 }

[[prices]]
executor = "llm_online"
per_call = ${PRICE}

[judge]
kind = "llm-v1"
model = "test"
when = { executors = ["${JUDGED_EXECUTOR}"] }

${this.model.toml("test", "openai", `calls_per_day = ${JUDGED_A_DAY}`, "timeout_seconds = 60")}
[ntfy]
server = "${this.ntfy.url}"
topic = "${TOPIC}"

[channels.ntfy]
when = "now"
`;
    configureHighestLimits(paths, more, "mail:read");
  }

  /** How often the model was asked about a call whose text holds this. */
  judged(text: string): number {
    return this.model.requests.filter(({ messages }) => messages.some((one) => one.text.includes(text))).length;
  }

  failDisk(isFailing: boolean): void {
    this.isDiskFailing = isFailing;
    if (isFailing) this.diskFailures++;
    if (isFailing) this.disk?.fail({ what: "write", of: "/safety.db", code: "EIO" });
    else this.disk?.fail();
  }

  async end(): Promise<void> {
    this.ntfy.stop();
    await this.model.close();
  }
}

function diskIn(root: string): FailingDisk | undefined {
  try {
    return makeFailingDisk(mkdtempSync(join(root, "disk-")));
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("pauses that can't be stored are left out: they need a C compiler, and Linux");
    return undefined;
  }
}
