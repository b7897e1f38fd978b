import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { remove } from "../../support/removed-folders.ts";
import { startGate } from "../../support/running-gate.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";

/**
 * What an agent once got unasked, each driven as its agent would, with a box and without one: reading what isn't the
 * project's, code outside of a box, a write where it runs later. What is allowed is run, and looked at.
 */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: ways that were once open: ${reason}`);

const SECRET = "s3cr3t-of-the-user";

interface Way {
  name: string;
  /** The user's, in the project; `$X` is a program that says that it ran. */
  make?: string;
  /** A confined command of the agent's, before. */
  plants?: string;
  lines: readonly string[];
  /** Each of the lines has to be asked about, or denied, with a box too. */
  isAsked?: true;
  /** As the client's shell has it; `$PROJECT` is known in it. */
  path?: string;
  /** What the user does afterwards. */
  user?: string;
}

const planted = (name: string, plants: string, lines: readonly string[], more: Partial<Way> = {}): Way => ({
  name,
  plants,
  lines,
  ...more,
});

const BARE = (at: string, store: string) =>
  `mkdir -p ${at} ${store}/info; echo 'ref: refs/heads/main' > ${at}/HEAD; echo ../${store.split("/").at(-1)} > ${at}/commondir; cp -r .git/objects .git/refs ${store}/; printf '[core]\\n\\trepositoryformatversion = 0\\n[diff "x"]\\n\\ttextconv = $X #\\n' > ${store}/config; echo '* diff=x' > ${store}/info/attributes`;

const WAYS: readonly Way[] = [
  {
    name: "names that a program reads as a list of files",
    make: 'mkdir @d; echo x > @d/o; echo "$HOME/.metnos/operator.token $OUT/secret" > d; cp d o; echo "$OUT/secret" > @d/@list',
    lines: [
      "find @d -type f -exec strings {} +",
      "find @d -type f -print0 | xargs -0 strings",
      "find @d -type f -exec strings {} ';'",
      "strings @d",
      "strings @d/o",
    ],
  },
  {
    name: "a repository by commondir",
    make: BARE("evil", "store"),
    lines: [
      "git -C evil log -p",
      "git -C evil show",
      "git -C evil diff HEAD~1 HEAD",
      "cd evil && git blame HEAD -- a.txt",
    ],
  },
  {
    name: "a setting set to the value -l",
    lines: [
      "git config set --local core.hookspath -l",
      "git config --local core.hookspath -l",
      "git config set --local core.fsmonitor --get",
    ],
    user: "git config core.hookspath && echo SET; git config core.fsmonitor && echo SET",
  },
  planted(
    "an empty .git in a folder",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
    "d=gi; mkdir -p sub/.${d}t",
    ["cd sub && git commit -m x --allow-empty", "cd sub && git status"],
    {
      make: "printf '#!/bin/sh\\n./check.sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; printf '#!/bin/sh\\ntrue\\n' > check.sh; chmod +x check.sh",
    },
  ),
  planted("a repository in a folder that builds fill", BARE("node_modules/p", "node_modules/q"), [
    "git -C node_modules/p log -p",
    "cd node_modules/p && git log -p",
  ]),
  ...["node_modules/.bin", ".venv/bin", ".tox/py/bin", "vendor/bin", "bin"].map((folder) =>
    planted(
      `a program in ${folder}`,
      `mkdir -p ${folder}; for p in cat head git; do printf '#!/bin/sh\\n$X\\n' > ${folder}/$p; chmod +x ${folder}/$p; done`,
      ["cat a.txt | head -n 1", "git status --short"],
      { make: `mkdir -p ${folder}`, path: `$PROJECT/${folder}` },
    ),
  ),
  {
    name: "the files of credentials in a repository's settings",
    make: 'git config remote.origin.url https://me:$SECRET@example.com/x; git config http.https://example.com/.extraheader "AUTHORIZATION: basic $SECRET"',
    lines: [
      "cat .git/config",
      "git config --local --list",
      "git remote -v",
      "git config --get remote.origin.url",
      "sh -c 'cat .git/config'",
    ],
  },
  {
    name: "secrets by names that lists missed",
    make: "for f in server.pem config.p12 .dev.vars prod.env .flaskenv .envrc.local terraform.tfstate service-account.json credentials.json .htpasswd kubeconfig .vault_pass wp-config.php id_rsa.bak .pypirc .npmrc .git-credentials .netrc; do printf -- '-----BEGIN PRIVATE KEY-----\\ntoken = %s\\n' $SECRET > $f; done",
    lines: [
      "cat server.pem",
      "cat .dev.vars prod.env",
      "cat credentials.json",
      "cat id_rsa.bak .pypirc",
      "cat $(ls -A)",
      "grep -rn token .",
      "sh -c 'cat .* *'",
      "cat .npmrc",
      "rg -uuu token",
    ],
  },
  {
    name: "a whole tree deleted as if it were written",
    make: "mkdir -p sub/in; for i in 1 2 3; do echo $i > sub/in/$i; done; echo KEY > sub/.env.production",
    lines: ["rm -rf sub"],
    isAsked: true,
  },
  {
    name: "what a script is when it runs, not when it was read",
    make: "echo echo ok > x.sh",
    lines: ["bash < x.sh", "cat x.sh | bash"],
  },
  planted(
    "places that run without a build",
    "for f in mise.toml .tool-versions .pre-commit-config.yaml lefthook-local.yml .devcontainer.json .nvim.lua .dir-locals.el x.code-workspace bunfig.toml .pnp.cjs .pnpmfile.mjs .aider.conf.yml crush.json .opencode.json .iex.exs .ocamlinit .ghci; do echo $X > $f; done; mkdir -p .githooks .direnv .helix .roo .kilocode .github/hooks .hg; for d in .githooks .direnv .helix .roo .kilocode .github/hooks; do echo $X > $d/x; done; echo $X > .hg/hgrc",
    ["git status --short"],
    {
      user: "for f in mise.toml .tool-versions .pre-commit-config.yaml lefthook-local.yml .devcontainer.json .nvim.lua .dir-locals.el x.code-workspace bunfig.toml .pnpmfile.mjs .aider.conf.yml crush.json .opencode.json .iex.exs .ocamlinit .ghci .githooks/x .direnv/x .helix/x .roo/x .kilocode/x .github/hooks/x .hg/hgrc; do [ ! -e $f ] || $X $f; done",
    },
  ),
  planted(
    "code that the repository's own settings name",
    "for f in tools/fsm.sh .githooks/pre-commit tools/clean.sh tools/conv.sh; do mkdir -p $(dirname $f); printf '#!/bin/sh\\n$X\\n' > $f; chmod +x $f; done; cp -r tools t2; mv t2/* tools/",
    ["true"],
    {
      make: "mkdir -p tools .githooks; for f in tools/fsm.sh .githooks/pre-commit tools/clean.sh tools/conv.sh; do printf '#!/bin/sh\\ncat\\n' > $f; chmod +x $f; done; git config core.hooksPath .githooks; git config core.fsmonitor tools/fsm.sh; git config filter.x.clean tools/clean.sh; git config diff.x.textconv tools/conv.sh; echo '*.txt filter=x diff=x' > .gitattributes",
      user: "git status; git diff; echo y >> a.txt; git commit -qam x",
    },
  ),
  planted("set-user-ID files", "cp /bin/true t; chmod u+s t; chmod g+s t; install -m 4755 /bin/true i", ["true"], {
    user: "find . -perm /6000 | grep -q . && $X",
  }),
  {
    name: "output beside the project that vanishes",
    lines: [
      "sh -c 'echo x > ../beside.txt && echo WRITTEN'",
      "sh -c 'mkdir ../b && echo WRITTEN'",
      "sh -c 'echo x > ~/report.txt && echo WRITTEN'",
    ],
  },
  { name: "a worktree beside the project", lines: ["git worktree add ../wt2"], isAsked: true },
];

const EXPECTED_SUPERVISED = [
  "sed 's/old/new/' a.txt",
  "sed 's/foo/bar/g' a.txt",
  "sed -n '/error/p' a.txt",
  "sed 's/user/root/' a.txt",
  "sed 's/draw/boot/' a.txt",
  "cat a.txt | sed 's/old/new/'",
];

async function world(withBox: boolean) {
  const gate = await startGate({ config: `[box]\nenabled = ${withBox}\n` });
  await gate.gate.core.box.ready;
  const { home } = gate.home;
  const [out, project] = [join(home, "out"), join(home, "site")];
  const names = { HOME: home, OUT: out, X: join(out, "theirs"), PROJECT: project, SECRET };
  const sh = (script: string, cwd = project) =>
    execFileSync("/bin/bash", ["-c", script], { cwd, env: { PATH: process.env.PATH, ...names }, encoding: "utf8" });
  sh(
    `mkdir -p out template; echo ${SECRET} > out/secret; printf '#!/bin/sh\\necho ran >> ${out}/pwned\\ncat\\n' > out/theirs; chmod +x out/theirs
    git config --global user.name A; git config --global user.email a@example.com
    cd template; git init -q -b main .; echo needle > a.txt; git add .; git commit -qm one; echo b >> a.txt; git commit -qam two`,
    home,
  );
  for (const capability of ["fs:read", "fs:write"] as const)
    await gate.operator.call("grants.add", { capability, target: `${project}/**` });
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  const ask = async (command: string, path?: string): Promise<Decision> => {
    const shellPath = path === undefined ? {} : { path: `${path}:/usr/bin:/bin` };
    const context = { cwd: project, ...shellPath };
    const { decision } = await agent.ask({ executor: "shell_exec", args: { command }, context });
    if (decision.pending !== undefined)
      await gate.operator.call("approvals.resolve", { token: decision.pending.token, decision: "rejected" });
    return decision;
  };
  const named = (text: string) =>
    text.replaceAll(/\$(HOME|OUT|X|PROJECT)\b/g, (_, name: keyof typeof names) => names[name]);
  const fresh = (make = "") => {
    remove(project);
    sh(`cp -r template site; cd site; ${make}`, home);
  };
  return { gate, home, out, project, sh, ask, named, fresh };
}

type World = Awaited<ReturnType<typeof world>>;

/** As its client runs it; what no box holds, where only the project and the payload's folder can be written. */
async function ran({ confine }: Decision, line: string, { project, out, home }: World, path = ""): Promise<string> {
  const env = { PATH: `${path}${path === "" ? "" : ":"}/usr/bin:/bin`, HOME: home };
  const binds = [project, out].flatMap((folder) => ["--bind", folder, folder]);
  const words = [
    "/usr/bin/bwrap",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--unshare-net",
    ...binds,
    "--",
    "/bin/bash",
    "-c",
    line,
  ];
  const text = confine === undefined ? words.map(shellQuoted).join(" ") : confinedCommand(confine.argv);
  const { stdout, stderr } = await shellRuns(text, project, { env });
  return stdout + stderr;
}

describe.skipIf(reason !== undefined).each([true, false])("a way that was once open, with a box: %s", (withBox) => {
  it("lets nothing through", async () => {
    const place = await world(withBox);
    const found: string[] = [];
    const counts = { allowed: 0, asked: 0, planted: 0 };
    for (const { name, make, plants, lines, isAsked, path, user } of WAYS) {
      place.fresh(make);
      if (plants !== undefined) writeFileSync(join(place.project, "mk.sh"), place.named(plants));
      // Without a box it is asked about; what it would leave may have come with a clone.
      if (plants !== undefined && !withBox) place.sh("bash mk.sh");
      const shellPath = path === undefined ? undefined : place.named(path);
      const all = [...(plants === undefined ? [] : ["bash mk.sh"]), ...lines];
      for (const [index, line] of all.entries()) {
        const command = place.named(line);
        const decision = await place.ask(command, shellPath);
        const where = `${name}: ${line} (${decision.confined?.kind ?? "as it is"})`;
        if (decision.outcome !== "allowed") {
          counts.asked++;
          continue;
        }
        counts.allowed++;
        if (plants !== undefined && index === 0) counts.planted++;
        else if (isAsked) found.push(`${where}: isn't asked about`);
        const said = await ran(decision, command, place, shellPath);
        for (let left = 100; left > 0 && place.gate.gate.core.box.status().running > 0; left--)
          await new Promise((resolve) => setTimeout(resolve, 20));
        if (said.includes(SECRET)) found.push(`${where}: shows a secret`);
        if (said.includes("WRITTEN")) found.push(`${where}: seems done`);
        if (existsSync(join(place.out, "pwned"))) found.push(`${where}: runs code outside`);
        rmSync(join(place.out, "pwned"), { force: true });
      }
      if (user === undefined || (plants !== undefined && !withBox)) continue;
      const seen = place.sh(`${user}; true`);
      if (seen.includes("SET")) found.push(`${name}: a setting was set`);
      if (existsSync(join(place.out, "pwned")))
        found.push(`${name}: the user ran ${readFileSync(join(place.out, "pwned"), "utf8")}`);
      rmSync(join(place.out, "pwned"), { force: true });
    }
    expect(found).toEqual([]);
    expect(counts.allowed).toBeGreaterThan(withBox ? 20 : 2);
    if (withBox) expect(counts.planted).toBeGreaterThan(8);
    place.fresh();
    for (const line of EXPECTED_SUPERVISED) expect([line, (await place.ask(line)).outcome]).toEqual([line, "allowed"]);
  }, 120_000);
});
