import { describe, expect, it } from "vitest";
import { guard } from "../../../main/decide/guard/guard.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Whether a protected file is there may be looked at, where none of the baseline patterns matches what the line says; never what is in it. */

const HOME = tempFolderForFile();

function reasonFor(command: string): string | undefined {
  const { call, executor, needs } = prepared(HOME, "Bash", { command }, { context: { cwd: `${HOME}/project` } });
  return guard(call, executor, needs, { home: HOME })?.reason;
}

describe("what is only named", () => {
  it.each([
    "test -f ~/.netrc",
    "[ -e ~/.kube/config ] && echo yes",
    "if [ -f ~/.netrc ]; then echo yes; fi",
    "ls -l ~/.docker/config.json",
    "stat keys/id_rsa",
    "df /dev/vda1",
    "ls /proc",
    "ls /boot",
    "ls /sys/class/net",
    "df /dev/sda1",
    "stat /dev/nvme0n1",
    "git log -- .ssh",
    "git log --oneline -5 -- .ssh",
  ])("isn't denied: %s", (command) => expect(reasonFor(command)).toBeUndefined());

  it.each([
    "cat ~/.netrc",
    "test -f ~/.netrc && cat ~/.netrc",
    "ls ~/.netrc | xargs cat",
    "cat $(ls ~/.netrc)",
    "find ~/.netrc -exec cat {} +",
    "sudo ls ~/.netrc",
    "xargs ls ~/.netrc",
    "cat < ~/.netrc",
    "ls ~/.netr*",
    "cp ~/.netrc x",
    "chmod 644 ~/.netrc",
    "rm ~/.netrc",
    "ls -R /sys",
    "find /boot",
    "cat /boot/grub/grub.cfg",
    "cat /sys/class/net/eth0/address",
    "ls /proc/1",
    "ls -l /proc/1/fd",
    "ls /boot | xargs cat",
    "cat $(ls /sys/power)",
    "dd if=/dev/sda1",
    "rm /boot/a",
    "git log -p -- .ssh",
    "git log -p --oneline -- .ssh",
    "git log --format= --name-only -- .ssh | xargs cat",
    "git show HEAD -- .ssh",
    "git diff -- .ssh",
  ])("is denied, as more may come of it: %s", (command) => expect(reasonFor(command)).toContain("guard: "));

  it.each([
    "ls ~/.ssh",
    "ls /etc/ssh",
    "git log -- sub/.ssh",
    "test -f ~/.SSH/id_rsa",
    "ls ~/.gnupg",
    "test -f /etc/shadow",
    "stat ~/.aws/credentials",
  ])("is denied, by the baseline patterns: %s", (command) => expect(reasonFor(command)).toContain("guard: "));
});
