import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentMessages, ERROR_CODES, gateMessages } from "../../ipc/wire.ts";
import { startGate } from "../support/running-gate.ts";

const TEXT = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8");

interface Block {
  kind: "agent" | "gate" | "human";
  text: string;
}

function blocks(): Block[] {
  return [...TEXT.matchAll(/```(?:json (agent|gate)|(human))\n([\s\S]*?)\n```/g)].map((match) => ({
    kind: (match[1] ?? match[2]) as Block["kind"],
    text: match[3] ?? "",
  }));
}

/** True to the letter, but where the document has a placeholder: then the kind of value counts. */
function matches(documented: unknown, found: unknown, seen: Map<string, unknown>): boolean {
  if (typeof documented === "string" && /^<.+>$/.test(documented)) {
    seen.set(documented, found);
    if (documented === "<number>") return typeof found === "number";
    if (documented === "<object>") return typeof found === "object" && found !== null;
    if (documented === "<uuid>") return typeof found === "string" && /^[0-9a-f-]{36}$/.test(found);
    if (documented === "<date>") return typeof found === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(found);
    return typeof found === "string" && found !== "";
  }
  if (Array.isArray(documented)) {
    return (
      Array.isArray(found) &&
      documented.length === found.length &&
      documented.every((value, index) => matches(value, found[index], seen))
    );
  }
  if (typeof documented !== "object" || documented === null) return documented === found;
  if (typeof found !== "object" || found === null) return false;
  const [ours, theirs] = [Object.entries(documented), found as Record<string, unknown>];
  return ours.length === Object.keys(theirs).length && ours.every(([key, value]) => matches(value, theirs[key], seen));
}

test("every example of the document is what a running gate says", async () => {
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "my-agent", level: "Supervised" });
  const agent = await gate.connect();
  const seen = new Map<string, unknown>([["<agent token>", gate.token("my-agent")]]);
  let count = 0;
  for (const { kind, text } of blocks()) {
    if (kind === "human") {
      const [token = ""] = await gate.waiting();
      await gate.operator.call("approvals.resolve", { token, decision: "approved" });
      continue;
    }
    if (kind === "agent") {
      const { type, data } = JSON.parse(text.replace(/<[^<>"]+>/g, (name) => String(seen.get(name) ?? name)));
      agent.send(type, data);
      continue;
    }
    const documented = JSON.parse(text);
    const found = await agent.next(() => true);
    expect(matches(documented, found, seen), `documented: ${text}\nfound:      ${JSON.stringify(found)}`).toBe(true);
    count++;
  }
  expect(count).toBeGreaterThanOrEqual(12);
});

test("every message and every error code is in the document", () => {
  for (const type of [...Object.keys(agentMessages), ...Object.keys(gateMessages)]) expect(TEXT).toContain(type);
  for (const code of ERROR_CODES) expect(TEXT).toContain(`\`${code}\``);
});
