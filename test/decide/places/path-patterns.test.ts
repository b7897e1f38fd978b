import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORBIDDEN_PATH_PATTERNS, forbiddenPath } from "../../../main/decide/places/patterns.ts";

// docs/decisions/requirements-vaglio.md, "Baseline patterns"
// The eleven patterns, each with what it must fire on and what only resembles it.
const CASES: { pattern: string; fires: string[]; passes: string[] }[] = [
  {
    pattern: "(^|/)\\.ssh(/|$)",
    fires: ["/home/r/.ssh/id_rsa", ".ssh", ".ssh/config", "/home/r/.ssh", "backup/.ssh/known_hosts", "/x/.ssh\n"],
    passes: ["/home/r/.sshd/x", "/home/r/my.ssh/x", "/home/r/ssh/x", ".ssh2", "/x/.ssh_old", "x.ssh"],
  },
  {
    pattern: "^/etc/(passwd|shadow|sudoers)",
    fires: ["/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/sudoers.d/x", "/etc/passwd-", "/etc/shadow\n"],
    passes: ["/etc/hosts", "/etc/group", "/srv/etc/passwd", "etc/passwd", "/etcpasswd", " /etc/passwd", "/etc/pass"],
  },
  {
    pattern: "^/etc/ssh(/|$)",
    fires: ["/etc/ssh", "/etc/ssh/", "/etc/ssh/sshd_config", "/etc/ssh\n"],
    passes: ["/etc/sshd", "/etc/ssh_config", "/srv/etc/ssh/x", "/etc/ss"],
  },
  {
    pattern: "^/root(/|$)",
    fires: ["/root", "/root/", "/root/.bashrc", "/root\n"],
    passes: ["/rootfs/x", "/home/root", "/srv/root/x", "root/x", "/roo"],
  },
  {
    pattern: "^/boot(/|$)",
    fires: ["/boot", "/boot/", "/boot/grub/grub.cfg"],
    passes: ["/bootstrap", "/srv/boot/x", "boot/x", "/boo"],
  },
  {
    pattern: "^/sys(/|$)",
    fires: ["/sys", "/sys/", "/sys/kernel/debug"],
    passes: ["/system/x", "/srv/sys/x", "/sysroot", "sys/x"],
  },
  {
    pattern: "^/proc(/[0-9]|$)",
    fires: ["/proc", "/proc/1", "/proc/1/environ", "/proc/42/mem", "/proc\n"],
    passes: ["/proc/cpuinfo", "/proc/self/status", "/proc/", "/processes/1", "/srv/proc/1"],
  },
  {
    pattern: "^/dev/(sd|nvme|mmcblk|loop)",
    fires: ["/dev/sda", "/dev/sdb1", "/dev/nvme0n1", "/dev/mmcblk0p1", "/dev/loop0"],
    passes: ["/dev/null", "/dev/urandom", "/dev/tty", "/dev/shm/x", "/srv/dev/sda", "dev/sda"],
  },
  {
    pattern: "\\.aws/credentials",
    fires: ["/home/r/.aws/credentials", ".aws/credentials", "/x/.aws/credentials.bak", "see my.aws/credentials"],
    passes: ["/home/r/.aws/config", "/home/r/aws/credentials", "/home/r/.aws-credentials", ".aws/credential"],
  },
  {
    pattern: "\\.config/[^/]+/credentials\\.env",
    fires: [
      "/home/r/.config/metnos/credentials.env",
      ".config/x/credentials.env",
      "/home/r/.config/a b/credentials.env.bak",
    ],
    passes: [
      "/home/r/.config/credentials.env",
      "/home/r/.config/a/b/credentials.env",
      "/home/r/.config/a/credentials.toml",
      ".config//credentials.env",
      "/home/r/config/a/credentials.env",
    ],
  },
  {
    pattern: "\\.gnupg(/|$)",
    fires: ["/home/r/.gnupg", "/home/r/.gnupg/secring.gpg", "x.gnupg/y", ".gnupg\n"],
    passes: ["/home/r/.gnupg2", "/home/r/gnupg/x", "/home/r/.gnupg-old/x"],
  },
];

describe("the baseline patterns for paths", () => {
  it("is the required eleven patterns, in their order", () => {
    expect(FORBIDDEN_PATH_PATTERNS.map((pattern) => pattern.source.replaceAll("\\/", "/"))).toEqual(
      CASES.map(({ pattern }) => pattern),
    );
    expect(FORBIDDEN_PATH_PATTERNS.every((pattern) => pattern.flags === "")).toBe(true);
  });

  it.each(CASES)("$pattern fires on its examples and on no near miss", ({ pattern, fires, passes }) => {
    for (const text of fires) expect([text, forbiddenPath(text)]).toEqual([text, pattern]);
    for (const text of passes) expect([text, forbiddenPath(text)]).toEqual([text, undefined]);
  });

  it("agrees with the patterns one by one on random paths", () => {
    const token = fc.constantFrom(
      "/",
      "/",
      ".ssh",
      "etc",
      "passwd",
      "shadow",
      "ssh",
      "root",
      "boot",
      "sys",
      "proc",
      "1",
      "dev",
      "sda",
      "loop",
      ".aws",
      "credentials",
      ".config",
      "credentials.env",
      ".gnupg",
      "x",
      ".",
      " ",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join("");
        const line = text.endsWith("\n") ? text.slice(0, -1) : text;
        const first = FORBIDDEN_PATH_PATTERNS.find((pattern) => pattern.test(line));
        expect([text, forbiddenPath(text)]).toEqual([text, first?.source.replaceAll("\\/", "/")]);
      }),
      { numRuns: 5000 },
    );
  });

  it("stays fast on a megabyte of almost a match", () => {
    for (const piece of [".config/", ".config/x", "/.ss", "/etc/passw", ".gnupg_", ".aws/credential"]) {
      const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
      const start = performance.now();
      expect(forbiddenPath(text)).toBeUndefined();
      expect([piece, performance.now() - start < 500]).toEqual([piece, true]);
    }
  });
});
