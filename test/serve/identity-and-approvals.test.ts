import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Operator } from "../../main/surfaces/operator/operator.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const write = (path: string, content = "hello") => ({ executor: "Write", args: { file_path: path, content } });
const WRITE = write("/tmp/notes/a.txt");

describe("an approval is bound to the exact call", () => {
  it("another argument asks again, and so does the same call another time", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const first = await agent.ask(WRITE);
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "approved" });
    expect((await first.final()).outcome).toBe("allowed");
    const tokens = new Set([tokenOf(first.decision)]);
    for (const call of [
      write("/tmp/notes/a.txt", "other"),
      write("/tmp/notes/b.txt"),
      { ...WRITE, executor: "Edit", args: { ...WRITE.args, old_string: "", new_string: "" } },
      WRITE,
    ]) {
      const { decision } = await agent.ask(call);
      expect(decision.outcome).toBe("approval_required");
      tokens.add(tokenOf(decision));
    }
    expect(tokens.size).toBe(5);
  });

  it("identical calls that wait share one card, in whatever order their arguments come, and all get the answer", async () => {
    const gate = await startGate();
    const agents = [await gate.agent(), await gate.agent()];
    const asked = await Promise.all([
      agents[0]?.ask(WRITE),
      agents[1]?.ask({ executor: "Write", args: { content: "hello", file_path: "/tmp/notes/a.txt" } }),
      agents[1]?.ask(WRITE),
    ]);
    const token = asked[0] && tokenOf(asked[0].decision);
    expect(asked.map((one) => one && tokenOf(one.decision))).toEqual([token, token, token]);
    expect(await gate.waiting()).toEqual([token]);
    await gate.operator.call("approvals.resolve", { token: token ?? "", decision: "approved" });
    for (const one of asked) expect(await one?.final()).toMatchObject({ outcome: "allowed", status: "approved" });
  });

  it("calls of another agent, or from another folder, have a separate card", async () => {
    const gate = await startGate();
    const [one, other] = [await gate.agent("one"), await gate.agent("other")];
    const decisions = [
      await one.ask(WRITE),
      await other.ask(WRITE),
      await one.ask({ ...WRITE, context: { cwd: "/tmp" } }),
    ];
    expect(new Set(decisions.map(({ decision }) => tokenOf(decision))).size).toBe(3);
  });

  it("a link that leads elsewhere by the time of the answer is denied", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { home } = gate.home;
    for (const name of ["before", "after"]) mkdirSync(join(home, name));
    symlinkSync(join(home, "before"), join(home, "link"));
    const { decision, final } = await agent.ask(write(join(home, "link/a.txt")));
    rmSync(join(home, "link"));
    symlinkSync(join(home, "after"), join(home, "link"));
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    expect(await final()).toMatchObject({
      outcome: "denied",
      status: "approved",
      reason: expect.stringContaining("led elsewhere"),
    });
  });

  it("a call that joins after its link was moved has a separate card, while it waits and after an answer", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Supervised", { session: "s" });
    const { home } = gate.home;
    const lead = (name: string) => {
      rmSync(join(home, "link"), { force: true });
      symlinkSync(join(home, name), join(home, "link"));
    };
    for (const name of ["before", "after"]) mkdirSync(join(home, name));
    lead("before");
    const call = write(join(home, "link/a.txt"));
    const first = await agent.ask(call);
    lead("after");
    const second = await agent.ask(call);
    expect(tokenOf(second.decision)).not.toBe(tokenOf(first.decision));
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "approved" });
    expect((await first.final()).outcome).toBe("denied");
    expect(await gate.waiting()).toEqual([tokenOf(second.decision)]);
    // The operator answers while the agent is disconnected, the link is moved, the agent reconnects.
    lead("before");
    const third = await agent.ask(call);
    await gate.close();
    const meanwhile = await startGate({ home: gate.home });
    await meanwhile.operator.call("approvals.resolve", { token: tokenOf(third.decision), decision: "approved" });
    lead("after");
    const again = await (await meanwhile.agent("tester", "Supervised", { session: "s" })).ask(call);
    expect(again.decision.outcome).toBe("approval_required");
  });

  it("what is remembered is where the path led when it was asked: a link that was moved meanwhile adds nothing", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { home } = gate.home;
    for (const name of ["before", "after"]) mkdirSync(join(home, name));
    symlinkSync(join(home, "before"), join(home, "link"));
    const call = write(join(home, "link/a.txt"));
    const { decision, final } = await agent.ask(call);
    rmSync(join(home, "link"));
    symlinkSync(join(home, "after"), join(home, "link"));
    const token = tokenOf(decision);
    const remember = (target?: string) =>
      gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "permanent", target });
    await expect(remember(join(home, "link/**"))).rejects.toMatchObject({ code: "target_moved" });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    expect(await gate.waiting()).toEqual([token]);
    await remember();
    expect(await final()).toMatchObject({ outcome: "denied", reason: expect.stringContaining("led elsewhere") });
    expect(await gate.operator.call("grants.list", {})).toMatchObject([{ target: join(home, "before/a.txt") }]);
    expect((await agent.ask(call)).decision.outcome).toBe("approval_required");
  });

  it("a folder that becomes a link to one above it while its card waits is not granted", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { home } = gate.home;
    const project = join(home, "work/project");
    for (const folder of [project, join(home, "Documents")]) mkdirSync(folder, { recursive: true });
    const { decision } = await agent.ask(write(join(project, "out/a.txt")));
    symlinkSync(home, join(project, "out"));
    const token = tokenOf(decision);
    const targets = [join(project, "out/**"), join(project, "out/*"), `${project}/out/a.txt`];
    for (const scope of ["session", "permanent"] as const) {
      for (const answer of [{}, { reach: "tree" as const }, ...targets.map((target) => ({ target }))])
        await expect(
          gate.operator.call("approvals.resolve", { token, decision: "approved", scope, ...answer }),
          JSON.stringify(answer),
        ).rejects.toMatchObject({ code: "target_moved" });
    }
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    expect((await agent.ask(write(join(project, "out/Documents/cv.txt")))).decision.outcome).toBe("approval_required");
    // Above what has moved, all leads where it did.
    const wide = { token, decision: "approved", scope: "permanent", target: `${project}/**` } as const;
    expect((await gate.operator.call("approvals.resolve", wide)).status).toBe("approved");
    expect((await agent.ask(write(join(project, "out/Documents/cv.txt")))).decision.outcome).toBe("approval_required");
  });

  it("a command line is read anew where its working directory leads elsewhere by the time of the answer", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { home, paths } = gate.home;
    for (const folder of [join(home, "project/sub"), join(paths.state_dir, "sub")])
      mkdirSync(folder, { recursive: true });
    const link = join(home, "project/link");
    symlinkSync(join(home, "project/sub"), link);
    const call = {
      executor: "Bash",
      args: { command: "echo $(true); cat grants.db" },
      context: { cwd: `${link}/..` },
    };
    const { decision, final } = await agent.ask(call);
    rmSync(link);
    symlinkSync(join(paths.state_dir, "sub"), link);
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    expect(await final()).toMatchObject({ outcome: "denied", stage: "guard" });
  });

  it("a call in plan mode shares no card with the same call in another mode: a grant answers the other alone", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const inMode = (mode?: string) => ({ ...WRITE, context: { cwd: "/tmp", ...(mode === undefined ? {} : { mode }) } });
    const planned = await agent.ask(inMode("plan"));
    const other = await agent.ask(inMode());
    expect(tokenOf(planned.decision)).not.toBe(tokenOf(other.decision));
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/**" });
    expect((await other.final()).outcome).toBe("allowed");
    expect(await gate.waiting()).toEqual([tokenOf(planned.decision)]);
  });

  it("a link that leads into what the guard protects by the time of the answer is denied by the guard", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { home } = gate.home;
    for (const name of ["docs", ".ssh"]) mkdirSync(join(home, name));
    symlinkSync(join(home, "docs"), join(home, "link"));
    const { decision, final } = await agent.ask(write(join(home, "link/id_rsa.txt")));
    rmSync(join(home, "link"));
    symlinkSync(join(home, ".ssh"), join(home, "link"));
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    expect(await final()).toMatchObject({ outcome: "denied", stage: "guard" });
  });
});

describe("an answer", () => {
  it("counts once, however many surfaces give one at the same time", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const surfaces = await Promise.all(Array.from({ length: 12 }, () => gate.operatorClient()));
    const { decision, final } = await agent.ask(WRITE);
    const token = tokenOf(decision);
    const results = await Promise.allSettled(
      surfaces.map((surface, number) =>
        number % 3 === 0
          ? surface.call("approvals.resolve", { token, decision: "rejected" })
          : surface.call("approvals.resolve", { token, decision: "approved", scope: "permanent" }),
      ),
    );
    const won = results.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "already_resolved" });
    const status = won[0]?.value.status;
    expect((await final()).status).toBe(status);
    expect(await gate.operator.call("grants.list", {})).toHaveLength(status === "approved" ? 1 : 0);
  });

  it("may be said as a card's button says it", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    const button = decision.pending?.card.buttons[0]?.data ?? "";
    expect(await gate.operator.call("approvals.callback", { data: button })).toMatchObject({
      ok: true,
      decision: "approved",
    });
    expect((await final()).outcome).toBe("allowed");
    expect(await gate.operator.call("approvals.callback", { data: button })).toMatchObject({
      ok: false,
      reason: "approval_failed",
    });
  });

  it("by a principal that the agent didn't ask for is refused, and the request keeps waiting", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const token = tokenOf((await agent.ask(WRITE)).decision);
    const stranger = new Operator(gate.gate.core, { principal: { channel: "telegram", sender_id: "12345" } });
    await expect(stranger.call("approvals.resolve", { token, decision: "approved" })).rejects.toMatchObject({
      code: "not_authorised",
    });
    expect(await gate.request(token)).toMatchObject({ status: "pending", decision_at: null });
  });

  it("that can't be stored is refused with a reason, and the request keeps waiting", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const token = tokenOf((await agent.ask(WRITE)).decision);
    for (const [answer, code] of [
      [{ scope: "permanent", target: "/**" }, "invalid_target"],
      [{ scope: "permanent", target: "relative/*" }, "invalid_target"],
      [{ scope: "permanent", expires_at: "2020-01-01T00:00:00Z" }, "invalid_expiry"],
      [{ target: "/tmp/notes/*" }, "scope_missing"],
      [{ scope: "forever" }, "invalid_params"],
    ] as const) {
      const refused = gate.operator.call("approvals.resolve", { token, decision: "approved", ...(answer as object) });
      await expect(refused).rejects.toMatchObject({ code });
    }
    await expect(
      gate.operator.call("approvals.resolve", { token: "0123456789abcdef", decision: "approved" }),
    ).rejects.toMatchObject({ code: "unknown_token" });
    expect(await gate.waiting()).toEqual([token]);
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
  });

  it("to what is asked about every time counts once only", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { decision, final } = await agent.ask({ executor: "Bash", args: { command: "make test" } });
    const token = tokenOf(decision);
    for (const scope of ["session", "permanent"] as const) {
      const refused = gate.operator.call("approvals.resolve", { token, decision: "approved", scope });
      await expect(refused).rejects.toMatchObject({ code: "only_once" });
    }
    await expect(
      gate.operator.call("grants.add", { capability: "code:exec", target: "make test" }),
    ).rejects.toMatchObject({ code: "never_granted" });
    expect((await gate.request(token)).choices).toEqual([{ scope: "none", reach: null, grants: [] }]);
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect((await final()).outcome).toBe("allowed");
    expect((await agent.ask({ executor: "Bash", args: { command: "make test" } })).decision.outcome).toBe(
      "approval_required",
    );
  });
});

describe("an answer that is remembered", () => {
  it("for a folder allows the next call there, resolves waiting requests there, and nothing else", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const [first, covered, elsewhere, below] = [
      await agent.ask(WRITE),
      await agent.ask(write("/tmp/notes/b.txt")),
      await agent.ask(write("/tmp/other/c.txt")),
      await agent.ask(write("/tmp/notes/sub/d.txt")),
    ];
    const answer = {
      token: tokenOf(first.decision),
      decision: "approved",
      scope: "permanent",
      target: "/tmp/notes/*",
    } as const;
    await gate.operator.call("approvals.resolve", answer);
    expect(await first.final()).toMatchObject({ outcome: "allowed", reason: expect.stringContaining("permanently") });
    expect(await covered.final()).toMatchObject({
      outcome: "allowed",
      status: "approved",
      reason: "covered by a grant",
    });
    expect((await gate.waiting()).sort()).toEqual([tokenOf(elsewhere.decision), tokenOf(below.decision)].sort());
    expect((await agent.ask(write("/tmp/notes/new.txt"))).decision).toMatchObject({
      outcome: "allowed",
      stage: "policy",
    });
    expect((await agent.ask({ executor: "Read", args: { file_path: "/tmp/notes/new.txt" } })).decision.outcome).toBe(
      "approval_required",
    );
  });

  it("is the asking agent's own, not another one's", async () => {
    const gate = await startGate();
    const [one, other] = [await gate.agent("one"), await gate.agent("other")];
    const { decision } = await one.ask(WRITE);
    await gate.operator.call("approvals.resolve", {
      token: tokenOf(decision),
      decision: "approved",
      scope: "permanent",
    });
    expect((await one.ask(WRITE)).decision.outcome).toBe("allowed");
    expect((await other.ask(WRITE)).decision.outcome).toBe("approval_required");
  });

  it("for a session holds in that session", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Supervised", { session: "s1" });
    const { decision } = await agent.ask(WRITE);
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved", scope: "session" });
    expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
    expect((await (await gate.agent("tester", "Supervised", { session: "s2" })).ask(WRITE)).decision.outcome).toBe(
      "approval_required",
    );
  });

  it("on a folder covers a file in it, not one below, not one beside it, not a link out of it", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const folder = join(gate.home.home, "Documents/invoices-2026");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(gate.home.home, "secrets"), "");
    symlinkSync(join(gate.home.home, "secrets"), join(folder, "link.pdf"));
    await gate.operator.call("grants.add", { capability: "fs:write", target: "~/Documents/invoices-2026/*" });
    for (const [name, outcome] of [
      ["04-Acme.pdf", "allowed"],
      ["sub/x.pdf", "approval_required"],
      ["../../secrets", "approval_required"],
      ["link.pdf", "approval_required"],
    ] as const) {
      expect((await agent.ask(write(`${folder}/${name}`))).decision.outcome, name).toBe(outcome);
    }
  });

  it("resolves waiting requests also when the operator gives the grant unasked, and once revoked covers nothing", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const asked = await agent.ask(WRITE);
    const { id } = await gate.operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/**" });
    expect(await asked.final()).toMatchObject({ outcome: "allowed", reason: "covered by a grant" });
    await gate.operator.call("grants.revoke", { id });
    expect((await agent.ask(WRITE)).decision.outcome).toBe("approval_required");
  });
});

describe("a card that isn't answered in time", () => {
  const TTL = "[approvals]\nttl_seconds = 10\n";

  function clock() {
    let ms = Date.parse("2026-03-01T12:00:00Z");
    return {
      now: () => ms,
      advance: (seconds: number) => {
        ms += seconds * 1000;
      },
    };
  }

  it("is expired, not refused: the agent is informed that nobody answered, and nothing is remembered", async () => {
    const { now, advance } = clock();
    const gate = await startGate({ config: TTL, now });
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    expect(decision.pending?.expires_at).toBe("2026-03-01T12:00:10Z");
    advance(10);
    expect(await gate.operator.call("approvals.cleanup", {})).toEqual({ expired: 0 });
    advance(1);
    expect(await gate.operator.call("approvals.cleanup", {})).toEqual({ expired: 1 });
    expect(await final()).toMatchObject({
      outcome: "denied",
      status: "expired",
      reason: expect.stringContaining("nobody answered"),
    });
    expect(await gate.request(tokenOf(decision))).toMatchObject({ status: "expired", decision_by_sender: null });
    expect((await agent.ask(WRITE)).decision.outcome).toBe("approval_required");
  });

  it("is expired also when the answer is too late: the operator is informed, and the agent too", async () => {
    const { now, advance } = clock();
    const gate = await startGate({ config: TTL, now });
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    advance(11);
    const late = gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    await expect(late).rejects.toMatchObject({ code: "expired" });
    expect(await final()).toMatchObject({ outcome: "denied", status: "expired" });
    expect(await gate.request(tokenOf(decision))).toMatchObject({ status: "expired", args: null });
  });

  it("is not revived by a grant that would cover it, and doesn't block that grant", async () => {
    const { now, advance } = clock();
    const gate = await startGate({ config: TTL, now });
    const agent = await gate.agent();
    const { final } = await agent.ask(WRITE);
    advance(11);
    expect(await gate.operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/*" })).toMatchObject({
      target: "/tmp/notes/*",
    });
    expect(await final()).toMatchObject({ outcome: "denied", status: "expired" });
    expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
  });

  it("is not shared with the next identical call", async () => {
    const { now, advance } = clock();
    const gate = await startGate({ config: TTL, now });
    const agent = await gate.agent();
    const old = tokenOf((await agent.ask(WRITE)).decision);
    advance(11);
    expect(tokenOf((await agent.ask(WRITE)).decision)).not.toBe(old);
  });

  it("is expired by the next start when its time ran out while no gate ran", async () => {
    const { now, advance } = clock();
    const home = temporaryHome(TTL);
    const gate = await startGate({ home, now });
    const token = tokenOf((await (await gate.agent()).ask(WRITE)).decision);
    await gate.close();
    advance(11);
    const restarted = await startGate({ home, now });
    expect(await restarted.request(token)).toMatchObject({ status: "expired" });
    expect(await restarted.waiting()).toEqual([]);
  });
});
