import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { startConfined } from "../../ipc/client.ts";
import { type Decision, decisionSchema } from "../../ipc/contract/decision.ts";

function decision(outcome: Decision["outcome"], program?: string): Decision {
  return decisionSchema.parse({
    decision_id: "d",
    outcome,
    stage: "policy",
    reason: "",
    explain: {},
    verdict: null,
    capabilities: [],
    ...(program === undefined ? {} : { confine: { argv: ["/bin/sh", "-c", program, "launcher", "run", "a1"] } }),
  });
}

it("a confined call runs by the gate's words: its streams, its exit code and the folder that it ended in", async () => {
  const program = 'echo "$1 $2 $(pwd)"; echo error >&2; [ -p /dev/fd/9 ] && printf "/srv/it is\n" >&9; exit 3';
  const { child, ended } = startConfined(decision("allowed", program), { cwd: "/" });
  if (child.stdout === null || child.stderr === null) throw new Error("they are pipes");
  const [out, error, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect([out, error]).toEqual(["run a1 /\n", "error\n"]);
  expect(end).toEqual({ code: 3, signal: null, cwd: "/srv/it is" });
});

it.each([
  ["nothing", ":"],
  ["no path", "echo up >&9"],
  ["more than a path can be", "printf /%05000d 1 >&9"],
])("names %s: it ended in the folder that it began in", async (_, program) => {
  const { ended } = startConfined(decision("allowed", program), { cwd: "/", stdio: ["ignore", "ignore", "ignore"] });
  expect(await ended).toMatchObject({ code: 0, cwd: "/" });
});

it("what isn't allowed as a confined call isn't run", () => {
  for (const refused of [decision("denied", ":"), decision("approval_required", ":"), decision("allowed")])
    expect(() => startConfined(refused, { cwd: "/" })).toThrow(TypeError);
});
