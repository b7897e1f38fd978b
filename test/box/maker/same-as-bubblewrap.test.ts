import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Declaration } from "../../../main/decide/confinement/declaration.ts";
import { BOX_USERS, HAS_BUBBLEWRAP, testBox } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { BUBBLEWRAP, withoutMaker } from "./made-by.ts";

/**
 * All that a command can see of how its box was made. Left out: what the kernel counts, what the box's first process waits with, what
 * bubblewrap mounts on files of /proc, which is read-only as a whole, what other users may do with folders in memory: there are none, and
 * whether a device's rights can be changed.
 */
const LOOK = String.raw`
while read -r _ _ _ root point options rest; do
  case $point in /proc/*) continue ;; esac
  rest=${"$"}{rest#*- }; echo "$root $point $options ${"$"}{rest%% *}"
done </proc/self/mountinfo | sort
grep -E '^(Umask|NSpid|Uid|Gid|Groups|Sig|Shd|Cap|NoNewPrivs|Seccomp)' /proc/self/status /proc/1/status | grep -v -e Shd -e SigQ -e '/1/.*SigBlk'
while read -r inner _ count; do echo "$inner $count"; done < <(cat /proc/self/uid_map /proc/self/gid_map)
cat /proc/sys/user/max_user_namespaces /proc/net/dev /proc/self/loginuid /proc/self/oom_score_adj
ls /proc/self/fd
tr '\0' '\n' </proc/self/environ | sort
ls -l --time-style=+ /dev | grep -v -e '^total' -e tty
find / -xdev \( -path /proc -prune -o -printf '%p %M %u %g %l\n' \) | sort
pwd -P; hostname; id; umask
unshare -U true; mount -t tmpfs x /tmp; kill -9 1; echo $?; (echo x >/proc/1/oom_score_adj); echo x >/dev/full
exec 3<>/dev/tcp/127.0.0.1/9 || echo no network
exit 7`;

const KINDS: Record<string, (project: string) => Partial<Declaration>> = {
  "a project": () => ({}),
  "what only looks": (project) => ({ kind: "looking", programs: ["true"], reads: [project] }),
  "what a line names": (project) => ({
    kind: "needs",
    programs: ["git"],
    reads: [join(project, "src")],
    writes: [join(project, "out")],
  }),
};

describe.skipIf(withoutMaker() || !HAS_BUBBLEWRAP).each(BOX_USERS)("a box of $name", (user) => {
  it.each(Object.entries(KINDS))("for %s is as bubblewrap makes it", async (_, kind) => {
    const folder = tempFolder();
    const project = join(folder, "project");
    for (const path of ["src", "out", ".git/hooks"]) mkdirSync(join(project, path), { recursive: true });
    writeFileSync(join(project, ".env"), "API_KEY=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
    writeFileSync(join(project, ".git/config"), "[core]\n");
    writeFileSync(join(project, "socket"), "");
    const found = {
      run_later: [join(project, ".git/hooks")],
      secrets: [join(project, ".env")],
      pipes: [join(project, "socket")],
    };
    const box = testBox({ user, folder, declaration: { project, ...kind(project) }, found });
    expect(box.maker).toMatch(/metnos-make-box$/);
    const [own, other] = [await box.run(LOOK), await box.run(LOOK, BUBBLEWRAP)];
    expect(own.code).toBe(7);
    const named = (text: string) =>
      text
        .replaceAll(/\/bwrap|\/metnos-make-box/g, "")
        .replaceAll(/^(\S+ d...)\S{6} |^(\S+ \/dev\/\S+) r[ow],/gm, "$1$2 ");
    expect(named(own.stdout)).toBe(named(other.stdout));
    expect(named(own.stderr)).toBe(named(other.stderr));
    expect(own.stdout).toContain("no network");
    expect(own.stdout.split("\n").length).toBeGreaterThan(60);
  });
});
