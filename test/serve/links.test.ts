import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

describe("a call through a link", () => {
  it.each([
    ["Write", { file_path: "profile.sh", content: "x" }],
    ["Edit", { file_path: "profile.sh", old_string: "a", new_string: "b" }],
    ["Bash", { command: "echo x | tee -a profile.sh" }],
  ])(
    "%s through a link: all that is shown, offered and remembered names the place where it leads",
    async (executor, args) => {
      const gate = await startGate();
      const agent = await gate.agent();
      const { home } = gate.home;
      const [cwd, place] = [join(home, "proj"), join(home, "notes.txt")];
      mkdirSync(cwd);
      symlinkSync("../notes.txt", join(cwd, "profile.sh"));
      const call = { executor, args, context: { cwd } };
      const { decision, final } = await agent.ask(call);
      const asked = await gate.request(tokenOf(decision));
      expect(asked.capabilities).toEqual([{ capability: "fs:write", target: place }]);
      expect(asked.links).toEqual(["~/proj/profile.sh leads to ~/notes.txt"]);
      expect(asked.card.lines).toEqual([expect.any(String), asked.target_summary, ...asked.links, expect.any(String)]);
      expect(asked.capability_class).toBe("fs_write:~/*");
      const offered = asked.choices.flatMap(({ grants }) => grants.map(({ target }) => target));
      expect([...new Set(offered)]).toEqual([place, `${home}/*`, `${home}/**`]);
      await gate.operator.call("approvals.resolve", { token: asked.token, decision: "approved", scope: "permanent" });
      expect((await final()).outcome).toBe("allowed");
      expect(await gate.operator.call("grants.list", {})).toMatchObject([{ target: place }]);
      expect((await agent.ask(call)).decision.outcome).toBe("allowed");
      rmSync(join(cwd, "profile.sh"));
      symlinkSync("../other.txt", join(cwd, "profile.sh"));
      expect((await agent.ask(call)).decision.outcome).toBe("approval_required");
    },
  );

  it.each([
    ["Write", { file_path: "profile.sh", content: "x" }],
    ["Edit", { file_path: "profile.sh", old_string: "a", new_string: "b" }],
    ["Bash", { command: "echo x | tee -a profile.sh" }],
  ])(
    "%s to a harmless name that leads to a shell's start-up file says so, and offers no grant on that name",
    async (executor, args) => {
      const gate = await startGate();
      const agent = await gate.agent();
      const { home } = gate.home;
      mkdirSync(join(home, "proj"));
      symlinkSync("../.zshrc", join(home, "proj/profile.sh"));
      const { decision } = await agent.ask({ executor, args, context: { cwd: join(home, "proj") } });
      const asked = await gate.request(tokenOf(decision));
      expect(asked.capabilities).toContainEqual({ capability: "fs:write", target: join(home, ".zshrc") });
      expect(asked.card.lines).toContain("~/proj/profile.sh leads to ~/.zshrc");
      expect(JSON.stringify(asked.choices)).not.toContain("proj");
    },
  );

  it.each([
    ["claude-code", "Read", { file_path: "link/../x" }],
    ["claude-code", "Write", { file_path: "link/../x", content: "a" }],
    ["gemini", "read_file", { file_path: "./link/../x" }],
    ["opencode", "read", { filePath: "link/../x" }],
    ["codex", "apply_patch", { patch: "*** Begin Patch\n*** Add File: link/../x\n+a\n*** End Patch" }],
    ["codex", "Bash", { command: "apply_patch '*** Begin Patch\n*** Add File: link/../x\n+a\n*** End Patch'" }],
  ])(
    "%s's %s that goes up behind a link never gets by its text what nobody allowed, nor a key",
    async (name, executor, args) => {
      const gate = await startGate();
      const agent = await gate.agent(name);
      const { home } = gate.home;
      const cwd = join(home, "proj");
      mkdirSync(join(cwd, "sub/deep"), { recursive: true });
      symlinkSync("sub/deep", join(cwd, "link"));
      for (const capability of ["fs:read", "fs:write"] as const)
        await gate.operator.call("grants.add", { capability, target: `${cwd}/**` });
      const outcomes: string[] = [];
      for (const to of ["../notes.txt", "../.ssh/id_rsa"]) {
        rmSync(join(cwd, "x"), { force: true });
        symlinkSync(to, join(cwd, "x"));
        outcomes.push((await agent.ask({ executor, args, context: { cwd } })).decision.outcome);
      }
      expect(outcomes).toEqual(["approval_required", "denied"]);
    },
  );
});
