import { describe, expect, it } from "vitest";
import type { Rule } from "../../ipc/contract/rules.ts";
import type { Refusal } from "../../main/calls/approvals/session-refusals.ts";
import { decided, manifestOf, PAIRED, REVOKED, type Situation } from "../support/examinations.ts";

const bash = (command: string, more: Partial<Situation> = {}): Situation => ({
  executor: "Bash",
  args: { command },
  context: { cwd: "/srv/project" },
  ...more,
});
const PAUSED = { reason: "lunch" };
const REFUSED: Refusal = {
  id: 1,
  agent_id: PAIRED.agent_id,
  session: "",
  refuse: "target",
  executor: "fs_read",
  capability: "fs:read",
  target: "/srv/a",
  refused_at: "2026-05-04T10:00:00Z",
  expires_at: "2026-05-05T10:00:00Z",
};

/** Each rule that a call can be decided by before anybody is asked, with a call for it. */
const SITUATIONS: readonly (readonly [Rule, Situation])[] = [
  ["pairing.revoked", { agent: REVOKED }],
  ["safety.gate-replaced", { settings: { lost: () => "another gate decides here" } }],
  ["safety.paused", { settings: { pause: PAUSED } }],
  ["safety.agent-paused", { settings: { agent_pauses: { isPaused: (agentId) => agentId === PAIRED.agent_id } } }],
  ["validation.invalid-arguments", { executor: "fs_read", args: {} }],
  ["validation.unusable-path", { executor: "fs_read", args: { path: "/srv/a\0b" } }],
  ["validation.not-a-web-address", { executor: "WebFetch", args: { url: "nowhere", prompt: "x" } }],
  [
    "scope.undeclared-capability",
    { executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "mail:send" } },
  ],
  [
    "scope.outside-perimeter",
    { executor: "box", args: { path: "/srv/out" }, own: [manifestOf({ scope: { paths: ["/srv/in/**"] } })] },
  ],
  ["policy.level-denies", { executor: "fs_write", args: { path: "/srv/a" }, level: "ReadOnly" }],
  ["policy.level-asks", { executor: "fs_read", args: { path: "/srv/a" } }],
  ["policy.unclear-path-asks", { executor: "fs_read", args: { path: "relative" }, level: "Full" }],
  [
    "policy.plan-mode-asks",
    { executor: "fs_write", args: { path: "/srv/a" }, level: "Full", context: { mode: "plan" } },
  ],
  ["policy.asked-each-time", { executor: "fs_read", args: { path: "/srv/.env" }, level: "Full" }],
  ["policy.level-allows", { executor: "fs_read", args: { path: "/srv/a" }, level: "Full" }],
  ["guard.protected-path", { executor: "fs_read", args: { path: "~/.ssh/id_rsa" } }],
  ["guard.protected-path", bash("cd ~/.ssh && cat id_rsa")],
  ["guard.secrets-folder", bash("grep -r x ~")],
  ["guard.irrecoverable-command", bash("rm -rf /")],
  ["guard.irrecoverable-command", bash("kill -9 -1")],
  ["guard.irrecoverable-change", bash("echo x > /etc/fstab")],
  ["guard.gate-process", bash("pkill -f metnos-gate")],
  ["guard.gate-command", bash("metnos-gate approvals approve 0")],
  ["guard.agent-settings", bash("echo x > ~/.claude/settings.json")],
  ["guard.cloud-metadata", bash("curl http://169.254.169.254/")],
  [
    "approval.refused-for-session",
    {
      executor: "fs_read",
      args: { path: "/srv/a" },
      level: "Full",
      settings: { refusals: { find: () => REFUSED, hasStopped: () => false } },
    },
  ],
  ["judge.low-score", { executor: "fs_read", args: { path: "/srv/a" }, settings: { judge_threshold: 0.9 } }],
];

describe("the rule of a decision", () => {
  it.each(SITUATIONS)("%s", (rule, situation) => {
    const { explain, stage, outcome, trace } = decided(situation);
    expect(explain.rule).toBe(rule);
    // What comes before the dot is the stage that denied; the policy's own are where somebody is asked, or nobody has to be.
    const [area] = rule.split(".");
    expect(area).toBe(outcome === "denied" ? stage : "policy");
    if (outcome === "allowed") return;
    expect(trace.filter((step) => step.rule !== undefined).at(-1)).toMatchObject({ stage: area, rule });
  });
});
