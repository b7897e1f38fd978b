import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";
import { BOX, bash, MAKER, make, withoutMaker } from "./made-by.ts";

/** How long boxes are made while one of the project's commands exchanges a place of theirs. */
const TRIED_MS = 8000;

/** Runs in a box: a file with a secret, then a link at its name, then again. Each is there long enough to be looked at or mounted on. */
const EXCHANGES = `
while (!-e "stop") {
  for my $lead (@ARGV) {
    open my $file, ">", "sub/next";
    print $file "API_KEY=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\n";
    close $file;
    rename "sub/next", "sub/.env";
    select undef, undef, undef, 0.05;
    symlink $lead, "sub/next";
    rename "sub/next", "sub/.env";
    select undef, undef, undef, 0.05;
    open my $seen, ">", "exchanged";
  }
}`;

const reason = withoutBox();

describe.skipIf(reason !== undefined || withoutMaker())("a confined command that exchanges a file for a link", () => {
  it("makes nothing outside of its project while other boxes are made", { timeout: 60_000 }, async () => {
    const underTest = await boxUnderTest();
    const { project, state_dir } = underTest;
    const home = join(state_dir, "../home");
    mkdirSync(join(project, "sub"));
    writeFileSync(join(project, "exchanges.pl"), EXCHANGES);
    const before = readdirSync(home);
    const above = `${"../".repeat(30)}${home.slice(1)}`;
    const leads = [`/oldroot${home}`, above, `/proc/1/root${home}`, home].map((lead) => `'${lead}/made'`);
    const exchanging = underTest.run(`perl exchanges.pl ${leads.join(" ")}`);
    await expect.poll(() => readdirSync(project)).toContain("exchanged");
    const until = performance.now() + TRIED_MS;
    const met = { file: 0, link: 0, refused: 0 };
    while (performance.now() < until && readdirSync(home).length === before.length) {
      const looks = [0, 1, 2].map(() => underTest.run("[ -L sub/.env ] && echo link || echo file"));
      for (const { stdout } of await Promise.all(looks)) {
        if (stdout === "link\n") met.link++;
        else if (stdout === "file\n") met.file++;
        else met.refused++;
      }
    }
    writeFileSync(join(project, "stop"), "");
    expect(await exchanging).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(home)).toEqual(before);
    expect(underTest.box.status().maker).toMatch(/^metnos-make-box /);
    // It was exchanged all the while, also between the gate's look and the mount.
    for (const times of Object.values(met)) expect(times, JSON.stringify(met)).toBeGreaterThan(0);
  });
});

/** Where mounts appear in all copies of it, as on most machines: mounts something in the shown folder once the box runs. */
const MOUNTS_LATER = `
"$@" & until [ -e said/running ]; do sleep 0.02; done
mount -t tmpfs later shown/sub && echo text > shown/sub/later && ls shown/sub && : > said/mounted; wait`;

describe.skipIf(reason !== undefined || withoutMaker())("what is mounted outside once a box is made", () => {
  it("doesn't appear in it, where it could be written in a folder that can only be read", async () => {
    const folder = tempFolder();
    for (const name of ["shown/sub", "said"]) mkdirSync(join(folder, name), { recursive: true });
    const shown = ["--ro-bind", join(folder, "shown"), "/tmp/shown", "--bind", join(folder, "said"), "/tmp/said"];
    const line =
      ": > /tmp/said/running; until [ -e /tmp/said/mounted ]; do sleep 0.02; done; ls -A /tmp/shown /tmp/shown/sub";
    const outside = ["--user", "--map-root-user", "--mount", "--propagation", "shared", "/bin/bash", "-c"];
    const words = [...outside, `cd '${folder}'; ${MOUNTS_LATER}`, "bash", MAKER, ...BOX, ...shown, ...bash(line)];
    const made = await make(words, { program: "/usr/bin/unshare", env: { PATH: "/usr/bin:/bin" } });
    expect(made).toMatchObject({ code: 0, stdout: "later\n/tmp/shown:\nsub\n\n/tmp/shown/sub:\n", stderr: "" });
  });
});
