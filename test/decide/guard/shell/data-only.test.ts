// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { describe, expect, it } from "vitest";
import { guard } from "../../../../main/decide/guard/guard.ts";
import { prepared } from "../../../support/proposed-calls.ts";

/** When the baseline patterns match words that are only data, and when they don't: when in doubt they do. */

const HOME = "/home/ada";
const HARM = "rm -rf / ";

function denied(command: string): boolean {
  const { call, executor, needs } = prepared(HOME, "Bash", { command }, { context: { cwd: "/srv/project" } });
  return guard(call, executor, needs, { home: HOME }) !== null;
}

const RULES: Readonly<Record<string, { denied: readonly string[]; passes: readonly string[] }>> = {
  "words that are only printed or searched for are data": {
    denied: [HARM, `sh -c '${HARM}'`],
    passes: [`echo '${HARM}'`, `grep '${HARM}' a.txt`, `git commit -m '${HARM}'`, `echo a # ${HARM}`, "mkfs --help"],
  },
  "a word of data names no path, whatever its line needs": {
    denied: ["cat /etc/shadow", "grep x /etc/shadow"],
    passes: ["grep -n home/.ssh/config docs.md", "grep -n /etc/shadow docs.md", "git log --grep /root/x"],
  },
  "of a line that wasn't read to its end nothing is blanked out": {
    denied: [`echo '${HARM}'; if`, `# ${HARM}\nif`, `echo '${HARM}' | (`, `grep '${HARM}' a.txt; for`],
    passes: [`echo '${HARM}'; if true; then ls; fi`],
  },
  "what is written into a file may be run by the rest of the line": {
    denied: [`echo '${HARM}' > x; make`, `echo '${HARM}' >> x; sh x`, `echo '${HARM}' | tee x; make`],
    passes: [`echo '${HARM}' > x`, `echo '${HARM}' > /dev/null; make`, `echo '${HARM}'; make`],
  },
  "what is captured may be run": {
    denied: [`node $(echo '${HARM}')`, `x=$(echo '${HARM}'); node $x`],
    passes: [`echo $(echo '${HARM}')`],
  },
  "what another program hands on may be run elsewhere": {
    denied: [
      `ssh host echo '${HARM}'`,
      `xargs echo '${HARM}'`,
      `env echo '${HARM}'`,
      `watch echo '${HARM}'`,
      `bash -c "echo '${HARM}'"`,
      `eval echo "'${HARM}'"`,
      `parallel echo ::: '${HARM}'`,
    ],
    passes: [`timeout 5 echo '${HARM}'`, `sudo echo '${HARM}'`],
  },
  "where a name may mean something else nothing is blanked out": {
    denied: [
      `f() { :; }; echo '${HARM}'`,
      `alias a=b; echo '${HARM}'`,
      `unalias a; echo '${HARM}'`,
      `enable echo; echo '${HARM}'`,
      `hash -p /x echo; echo '${HARM}'`,
      `PATH=/x; echo '${HARM}'`,
      `export LD_PRELOAD=x; echo '${HARM}'`,
      `./echo '${HARM}'`,
    ],
    passes: [`X=/x; echo '${HARM}'`, `export X=x; echo '${HARM}'`, `/bin/echo '${HARM}'`],
  },
  "a program that only says what it does must be asked for nothing else": {
    denied: ["mkfs --help x", "mkfs.ext4 --version /dev/sda", "dd of=/dev/sda --help"],
    passes: ["mkfs --help", "mkfs.ext4 --version", "dd --help"],
  },
};

describe.each(Object.entries(RULES))("%s", (_rule, commands) => {
  it.each(commands.denied.map((command) => [command]))("denied: %j", (command) => {
    expect(denied(command)).toBe(true);
  });

  it.each(commands.passes.map((command) => [command]))("passes: %j", (command) => {
    expect(denied(command)).toBe(false);
  });
});
