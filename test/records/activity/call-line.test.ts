import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { examineCall } from "../../../main/decide/pipeline.ts";
import { withoutSecrets } from "../../../main/judges/reviews/sent/masked-secrets.ts";
import { CallLines, type Keep } from "../../../main/records/activity/call-line.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// main/records/activity/call-line.ts: what is kept of a call.

const catalog = new ExecutorCatalog();

/** A project with a script, some sources and a program of its own; `home` is above it. */
function project() {
  const home = tempFolder();
  const folder = join(home, "shop");
  for (const name of [".git", "src", "scripts", "node_modules/.bin"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { "e2e:wide": "vitest run", test: "vitest" } }),
  );
  for (const name of ["src/a.ts", "src/b.ts", "scripts/lint.mjs", "node_modules/.bin/vitest"])
    writeFileSync(join(folder, name), "");
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const name of ["docker", "npx", "npm", "mytool"]) writeFileSync(join(bin, name), "");
  return { home, folder, bin };
}

function lineOf(
  seat: ReturnType<typeof project>,
  call: Partial<ProposedCall>,
  keep: Keep = "line",
  kind?: "claude-code",
) {
  const { home, folder, bin } = seat;
  const whole: ProposedCall = { intent: "", executor: "shell_exec", args: {}, context: { cwd: folder }, ...call };
  const subject = {
    agent: null,
    level: "Full" as const,
    principal: { channel: "local", sender_id: "me" },
    ...(kind === undefined ? {} : { kind }),
  };
  const settings = { home, env: {}, grants: null, pause: null, judge_threshold: 0.3, now: Date.now } as never;
  const { x } = examineCall(whole, subject, catalog, settings);
  return new CallLines({ home, keep, path: bin }).lineOf(x);
}

const command = (seat: ReturnType<typeof project>, text: string) => lineOf(seat, { args: { command: text } }).text;

describe("of a command line", () => {
  it.each([
    ["npm test", "npm test"],
    ["npm run e2e:wide", "npm run e2e:wide"],
    ["npm run nowhere-to-be-found", "npm run …"],
    ["git push --force origin main", "git push --force …"],
    ["git commit -m 'the message' src/a.ts", "git commit -m … src/a.ts"],
    ["rm -rf src", "rm -rf src"],
    ["cat src/a.ts | grep -n needle", "cat src/a.ts | grep -n …"],
    ["npm test && git push", "npm test && git push"],
    ["echo words > src/new.ts", "echo … > src/new.ts"],
    ["TOKEN=abc npm test", "… npm test"],
    ["npx vitest run src/a.ts", "npx vitest run src/a.ts"],
    ["docker run --rm --network=host -v /srv/x:/y image", "docker run --rm --network … -v …"],
    ["./scripts/lint.mjs --fix", "scripts/lint.mjs --fix"],
    ["node scripts/lint.mjs src/*.ts", "node scripts/lint.mjs src/…"],
    ["unheard-of --odd-option value", "… …"],
    ["python3 -c 'print(1)'", "python3 -c …"],
    ["git checkout main", "git checkout …"],
    ["git checkout src/a.ts", "git checkout src/a.ts"],
    ["curl -s https://example.org/x?y=z", "curl -s example.org"],
    ["cat /etc/hostname", "cat …"],
  ])("%s", (text, line) => {
    expect(command(project(), text)).toBe(line.replace("… …", "…"));
  });

  it("the hosts that it reaches are said, wherever they are", () => {
    const { text, hosts } = lineOf(project(), { args: { command: "curl -o src/x https://example.org/secret" } });
    expect([text, hosts]).toEqual(["curl -o src/x example.org", ["example.org"]]);
  });
});

describe("of a tool", () => {
  it("its name and places below the project; nothing of what it writes", () => {
    const seat = project();
    const edit = { file_path: join(seat.folder, "src/a.ts"), old_string: "old", new_string: "new" };
    expect(lineOf(seat, { executor: "Edit", args: edit }, "line", "claude-code")).toEqual({
      text: "Edit src/a.ts",
      tool: "Edit",
      project: seat.folder,
      files: ["src/a.ts"],
      hosts: [],
    });
    expect(lineOf(seat, { executor: "Read", args: { file_path: "/etc/passwd" } }, "line", "claude-code").text).toBe(
      "Read",
    );
    const fetch = { url: "https://docs.example.org/a?b=c", prompt: "what is it" };
    expect(lineOf(seat, { executor: "WebFetch", args: fetch }, "line", "claude-code")).toMatchObject({
      text: "WebFetch docs.example.org",
      hosts: ["docs.example.org"],
    });
    expect(lineOf(seat, { executor: "mcp__shop__pay", args: { amount: "12" } }).text).toMatch(/^mcp__shop__pay/);
  });

  it("outside of a repository the working directory is the project, never the home folder", () => {
    const seat = project();
    const plain = join(seat.home, "notes");
    mkdirSync(plain);
    const args = { path: "a.txt" };
    expect(lineOf(seat, { executor: "fs_read", args, context: { cwd: plain } })).toMatchObject({
      text: "fs_read a.txt",
      project: plain,
    });
    expect(lineOf(seat, { executor: "fs_read", args, context: { cwd: seat.home } })).toMatchObject({
      text: "fs_read",
      project: null,
    });
  });
});

it("whole lines are kept where that is wanted", () => {
  const seat = project();
  expect(lineOf(seat, { args: { command: "git commit -m 'why'" } }, "whole").text).toBe("git commit -m 'why'");
  expect(lineOf(seat, { executor: "fs_read", args: { path: "src/a.ts" } }, "whole").text).toBe(
    'fs_read {"path":"src/a.ts"}',
  );
});

/** In no dictionary, and without the form of a secret: nothing but the rules above keeps it away. */
const MARK = "quuxmarker";

describe("a value is in no line", () => {
  const LINES = [
    `mytool ${MARK}`,
    `mytool --token ${MARK}`,
    `mytool --token=${MARK}`,
    `mytool -p${MARK}`,
    `mytool -p ${MARK}`,
    `mytool --${MARK}`,
    `mytool run ${MARK}`,
    `${MARK} run`,
    `./${MARK}`,
    `npm run ${MARK}`,
    `npm config set x ${MARK}`,
    `npx ${MARK}`,
    `git commit -m ${MARK}`,
    `git ${MARK}`,
    `git push https://${MARK}@example.org/x.git`,
    `git push https://user:${MARK}@example.org/x.git ${MARK}`,
    `git checkout ${MARK}`,
    `git -c user.name=${MARK} log`,
    `git log --grep=${MARK} --author ${MARK}`,
    `curl -H 'X: ${MARK}' -d ${MARK} -u a:${MARK} https://example.org/${MARK}?q=${MARK}#${MARK}`,
    `X=${MARK} Y=${MARK} npm test`,
    `export X=${MARK}; npm test`,
    `echo ${MARK}`,
    `echo ${MARK} | base64`,
    `printf '%s' ${MARK} > src/a.ts`,
    `grep -rn ${MARK} src`,
    `grep -e ${MARK} src/a.ts`,
    `sed -i s/x/${MARK}/ src/a.ts`,
    `awk '/${MARK}/' src/a.ts`,
    `find . -name ${MARK}`,
    `cat <<EOF > src/a.ts\n${MARK}\nEOF`,
    `python3 - <<'PY'\nprint("${MARK}")\nPY`,
    `node -e 'console.log("${MARK}")'`,
    `bash -c 'mytool ${MARK}'`,
    `sudo -u ${MARK} mytool`,
    `ssh host ${MARK}`,
    `mysql -p${MARK} -u root`,
    `docker run -e KEY=${MARK} --name ${MARK} image`,
    `psql postgres://u:${MARK}@db.example.org/x`,
    `$(echo ${MARK}) run`,
    `eval ${MARK}`,
    `alias x=${MARK}`,
    `mytool \${X:-${MARK}}`,
    `mytool "${MARK} and more"`,
    `for x in ${MARK}; do mytool $x; done`,
    `if mytool ${MARK}; then mytool; fi`,
    `# ${MARK}\nnpm test`,
    `unclosed "${MARK}`,
  ];
  it.each(LINES)("%s", (text) => {
    const { text: line, files, hosts, project: folder } = lineOf(project(), { args: { command: text } });
    expect(JSON.stringify([withoutSecrets(line), files, hosts, folder])).not.toContain(MARK);
  });

  it("of every tool that is known: in no argument that isn't a place", () => {
    const seat = project();
    const names = catalog.names("any");
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const { manifest } = catalog.find(name, "any");
      const places = manifest.needs.flatMap(({ target }) =>
        target.from === "path" ? [target.arg] : target.from === "glob" ? [target.arg, target.path_arg] : [],
      );
      const properties = Object.keys((manifest.args_schema as { properties?: object }).properties ?? {});
      const args = Object.fromEntries(
        [...properties, "unheard", "command", "cmd"].map((key) => [key, places.includes(key) ? "src/a.ts" : MARK]),
      );
      const line = lineOf(seat, { executor: name, args, intent: MARK });
      expect([name, JSON.stringify(line)]).toEqual([name, expect.not.stringContaining(MARK)]);
    }
  });
});
