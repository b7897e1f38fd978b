import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openInBrowser, redirectPage, whyNoBrowser } from "../../cli/browser.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { LAUNCHER, runGate } from "../support/gate-process.ts";
import { readToken } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { Pty } from "../support/watched.ts";

const LINK = "http://127.0.0.1:4321/?token=0123456789abcdef";

describe("opening the page", () => {
  test("only where somebody looks, on a display, and not where CI runs", () => {
    const shown = (env: Record<string, string>, platform: NodeJS.Platform = "linux", isTerminal = true) =>
      whyNoBrowser(env, platform, isTerminal) === undefined;
    expect(shown({ DISPLAY: ":0" })).toBe(true);
    expect(shown({ WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
    expect(shown({ SSH_CONNECTION: "1 2 3 4" })).toBe(false);
    expect(shown({})).toBe(false);
    expect(shown({ DISPLAY: ":0", CI: "true" })).toBe(false);
    expect(shown({ DISPLAY: ":0" }, "linux", false)).toBe(false);
    expect(shown({}, "darwin")).toBe(true);
    expect(shown({ SSH_TTY: "/dev/ttys1" }, "darwin")).toBe(false);
    expect(shown({}, "win32")).toBe(false);
  });

  test("the opener is given a file of the user's own that leads to the link, and the link is in no process list", async () => {
    const [bin, folder] = [tempFolder(), join(tempFolder(), "run")];
    const opener = join(bin, "xdg-open");
    writeFileSync(
      opener,
      `#!/bin/sh\nstat -c %a "$1" "$(dirname "$1")" > ${bin}/modes\ncat "$1" > ${bin}/content\necho "$*" > ${bin}/args\n`,
    );
    chmodSync(opener, 0o755);
    const env = { HOME: folder, PATH: `${bin}:/usr/bin:/bin` };
    expect(await openInBrowser(LINK, folder, { env, platform: "linux" })).toBe(true);
    expect(readFileSync(join(bin, "modes"), "utf8")).toBe("600\n700\n");
    expect(readFileSync(join(bin, "content"), "utf8")).toBe(redirectPage(LINK));
    const args = readFileSync(join(bin, "args"), "utf8").trim();
    expect(args).not.toContain("token");
    expect(args.endsWith("/open.html")).toBe(true);
  });

  test("where the opener fails or is missing nothing stays behind, and it says so", async () => {
    const [bin, folder] = [tempFolder(), tempFolder()];
    const opener = join(bin, "xdg-open");
    writeFileSync(opener, `#!/bin/sh\necho "$1" > ${bin}/args\nexit 3\n`);
    chmodSync(opener, 0o755);
    const env = { HOME: folder, PATH: `${bin}:/usr/bin:/bin` };
    expect(await openInBrowser(LINK, folder, { env, platform: "linux" })).toBe(false);
    expect(existsSync(readFileSync(join(bin, "args"), "utf8").trim())).toBe(false);
    expect(await openInBrowser(LINK, folder, { env: { ...env, PATH: tempFolder() }, platform: "linux" })).toBe(false);
  });

  test("the file replaces itself, and a link can't end its script", () => {
    const page = redirectPage("http://127.0.0.1:1/?token=</script><b>");
    expect(page).toContain('location.replace("http://127.0.0.1:1/?token=');
    expect(page.match(/<\/script>/g)).toHaveLength(1);
  });
});

test("on a terminal a gate says who asks what, and how it ended, in lines for a person", async () => {
  const home = temporaryHome();
  const pty = new Pty([LAUNCHER, "serve", "--web", "--no-notifications"], home.env, 110, 30);
  await pty.shows("the audit trail is");
  const { lines } = await runGate(home, ["agents", "pair", "tester", "--level", "Supervised"]);
  const agent = await AgentConnection.open(home.paths.agent_socket);
  await agent.hello("tester", { token: readToken(String(lines[0]?.token_file)) });
  const asked = await agent.ask({ executor: "Bash", args: { command: "git push --force origin main" } });
  expect(await pty.finds(/^\d\d:\d\d {2}tester asks: .*$/m)).toMatch(
    /^\d\d:\d\d {2}tester asks: run git push --force .*can't be undone {3}\(page, or watch\)$/,
  );
  await runGate(home, ["approvals", "reject", tokenOf(asked.decision)]);
  await pty.finds(/^\d\d:\d\d {2}denied: run .* of tester$/m);
  const denied = await agent.ask({ executor: "Bash", args: { command: "rm -rf /" } });
  expect(denied.decision.outcome).toBe("denied");
  await pty.finds(/^\d\d:\d\d {2}tester: denied Bash .*guard: irrecoverable command/m);
  expect(pty.screen).not.toContain("approval_required");
  await agent.close();
});
