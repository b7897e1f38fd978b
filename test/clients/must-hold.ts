import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { launcherFile } from "../../cli/hook/launcher.ts";
import type { Answer, ApprovalView, OperatorApi } from "../../ipc/contract/operator-api.ts";
import { type StartedProcess, startServe } from "../support/gate-process.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { operatorOf } from "../support/served-agent.ts";
import { withItsTime, withOneSecond } from "./launcher-changes.ts";

/** What must hold of answers, grants and gates in every real client, in two of its sessions: the second continues the first. */

/** A client that writes files, one a turn, each by a tool whose use can be granted. */
export interface WritingClient {
  readonly project: string;
  /** What the tools gave back, once it has ended. `files`: relative to the project. */
  write(files: readonly string[], beforeTurn: (turn: number) => Promise<void>): Promise<string[]>;
  /** Continues that conversation with the last of these files, after those that it wrote in it. */
  continued(files: readonly string[]): Promise<ChildProcess>;
  /** True where its hook is a launcher, which can be given less time while it runs. */
  readonly hasLauncher: boolean;
  /** True where it says that its session has ended. */
  readonly endsSessions: boolean;
}

export interface GateBehind {
  gate: GateUnderTest;
  /** Its clock is the machine's from now on: more time has passed than a card waits. */
  catchUp(): void;
}

export async function startGateBehind(): Promise<GateBehind> {
  let behindMs = 700_000;
  const gate = await startGate({ now: () => Date.now() - behindMs });
  return {
    gate,
    catchUp: () => {
      behindMs = 0;
    },
  };
}

const TURNS = ["rejected", "expired", "granted", "still-granted", "unanswered", "revoked", "session"] as const;
type Turn = (typeof TURNS)[number];

const fileOf = (turn: string) => join("there", `${turn}.txt`);

/** The user and the gate, turn by turn. */
class Play {
  readonly #client: WritingClient;
  readonly #behind: GateBehind;
  readonly #launcher: string;
  #serve: StartedProcess | undefined;
  operator: OperatorApi;
  readonly answered: Promise<void>[] = [];
  /** Rejected at once where something isn't as expected: the client would wait for its answer. */
  readonly failed = Promise.withResolvers<never>();

  constructor(client: WritingClient, behind: GateBehind) {
    this.#client = client;
    this.#behind = behind;
    this.#launcher = launcherFile(behind.gate.home.env);
    this.operator = behind.gate.operator;
  }

  async before(turn: Turn): Promise<void> {
    if (turn === "unanswered") await this.#hang();
    if (turn === "revoked") await this.#startOther();
    const act = this.#act(turn);
    act.catch(this.failed.reject);
    this.answered.push(act);
  }

  /** The card for a file, once it waits. */
  async card(file: string): Promise<ApprovalView> {
    for (;;) {
      const cards = await this.operator.call("approvals.list", {});
      const found = cards.find((card) => JSON.stringify(card).includes(file));
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #act(turn: Turn): Promise<void> {
    if (turn === "still-granted" || turn === "unanswered" || turn === "session") return;
    const { token, user_words } = await this.card(fileOf(turn));
    switch (turn) {
      case "rejected":
        expect(user_words).toBe("go");
        await this.#answer({ token, decision: "rejected", message: "not on a Friday" });
        return;
      case "expired":
        this.#behind.catchUp();
        await this.operator.call("approvals.cleanup", {});
        return;
      case "granted":
        await this.#answer({ token, decision: "approved", scope: "permanent", reach: "folder" });
        return;
      case "revoked":
        await this.#serve?.end("SIGKILL");
        this.operator = (await startGate({ home: this.#behind.gate.home })).operator;
        expect((await this.card(fileOf(turn))).token).toBe(token);
        await this.#answer({ token, decision: "approved", scope: "session", reach: "folder" });
    }
  }

  async #answer(answer: Answer): Promise<void> {
    await this.operator.call("approvals.resolve", answer);
  }

  /** The gate answers nothing, and the hook has a second. */
  async #hang(): Promise<void> {
    await this.#startOther();
    this.#serve?.child.kill("SIGSTOP");
    this.#change(withOneSecond);
  }

  /** Without the user's grants, and as a process of its own, which answers. */
  async #startOther(): Promise<void> {
    if (this.#serve !== undefined) {
      this.#serve.child.kill("SIGCONT");
      this.#change(withItsTime);
      return;
    }
    for (const { id } of await this.operator.call("grants.list", {})) await this.operator.call("grants.revoke", { id });
    const { gate } = this.#behind;
    await gate.close();
    this.#serve = await startServe(gate.home);
    this.operator = await operatorOf(gate.home);
  }

  #change(change: (text: string) => string): void {
    if (!this.#client.hasLauncher) return;
    writeFileSync(this.#launcher, change(readFileSync(this.#launcher, "utf8")));
  }
}

/** @param behind with the gate that the client is connected to */
export async function mustHold(client: WritingClient, behind: GateBehind): Promise<void> {
  for (const folder of ["there", "elsewhere"]) mkdirSync(join(client.project, folder));
  const turns = TURNS.filter((turn) => turn !== "unanswered" || client.hasLauncher);
  const play = new Play(client, behind);
  const writing = client.write(turns.map(fileOf), async (number) => {
    const turn = turns[number];
    if (turn !== undefined) await play.before(turn);
  });
  const results = await Promise.race([writing, play.failed.promise]);
  await Promise.all(play.answered);
  const result = (turn: Turn) => results[turns.indexOf(turn)];
  const written = (file: string) => existsSync(join(client.project, file));
  expect(result("rejected")).toContain("not on a Friday");
  expect(result("expired")).toContain("nobody answered within 600 s; this is not a refusal");
  if (client.hasLauncher) expect(result("unanswered")).toMatch(/the gate does not answer|nobody answered within 1 s/);
  expect(turns.filter((turn) => written(fileOf(turn)))).toEqual(["granted", "still-granted", "revoked", "session"]);

  // Where the client never says that a session has ended, what was allowed for it is allowed when it is continued, and no more.
  const last = client.endsSessions ? fileOf("continued") : join("elsewhere", "continued.txt");
  const { pid } = await client.continued([...turns.map(fileOf), last]);
  const { token } = await play.card(last);
  if (pid === undefined) throw new Error("it was started");
  // As a terminal does at Ctrl+C.
  process.kill(-pid, "SIGINT");
  await expect.poll(() => statusOf(play.operator, token), { timeout: 10_000 }).toBe("cancelled");
  expect(written(last)).toBe(false);
}

async function statusOf(operator: OperatorApi, token: string): Promise<string | undefined> {
  const all = await operator.call("approvals.list", { include_resolved: true, limit: 100 });
  return all.find((request) => request.token === token)?.status;
}
