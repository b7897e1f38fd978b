import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServe } from "../support/gate-process.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

/** Each kills one gate, and starts the next. */
const ROUNDS = 20;

it("what an allowed call has its session seen is there after its gate was killed as soon as the answer was received", async () => {
  const home = temporaryHome();
  const file = (round: number) => join(home.home, `notes-${round}.md`);
  const host = (round: number) => `h${round}.example.org`;
  const expected: string[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const serving = await startServe(home);
    const operator = await operatorOf(home);
    const listed = await operator.call("sessions.list", {});
    const seen = listed.flatMap((one) => [one.private?.what, one.untrusted?.what].filter((what) => what !== undefined));
    expect(seen.sort()).toEqual(expected.sort());
    if (round === ROUNDS) break;
    const agent = await pairedAgent(home, operator, `agent-${round}`, "Full");
    writeFileSync(file(round), "notes\n");
    await operator.call("grants.add", { capability: "fs:read", target: file(round) });
    await operator.call("grants.add", { capability: "network:http", target: host(round) });
    const calls = [
      { executor: "fs_read", args: { path: file(round) } },
      { executor: "http_get", args: { url: `https://${host(round)}/` } },
    ];
    // Each of them is the last one in half of the rounds, and what is killed is in the middle of nothing.
    for (const call of round % 2 === 0 ? calls : calls.reverse()) {
      const { decision } = await agent.ask(call);
      expect(decision.outcome).toBe("allowed");
    }
    serving.child.kill("SIGKILL");
    expected.push(file(round), host(round));
    await serving.end("SIGKILL");
  }
}, 400_000);
