import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { importsBelow } from "../dev/imports.ts";

// docs/decisions/0001-one-process-decides.md
// Arrows point one way. `cli`, `renderer`, `preload` -> `ipc` <- `main`; inside main, surfaces -> `gate`, never back.

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = ["ipc", "main", "packages", "cli", "renderer", "preload", "test", "bench", "reliability"];

const FILES = [...importsBelow(FOLDERS)].map(([path, imports]) => ({
  path,
  imports: imports.map(({ target }) => target),
  loads: imports.filter(({ isType }) => !isType).map(({ target }) => target),
  loadsAtOnce: imports.filter(({ isType, isLate }) => !isType && !isLate).map(({ target }) => target),
}));
const FILE = new Map(FILES.map((file) => [file.path, file]));

/** Whatever is loaded with a file, itself included, and every import on the way. */
function loadedFrom(start: string, what: "loads" | "loadsAtOnce"): { paths: Set<string>; targets: string[] } {
  const paths = new Set([start]);
  const targets: string[] = [];
  for (const path of paths)
    for (const target of FILE.get(path)?.[what] ?? []) {
      targets.push(target);
      if (FILE.has(target)) paths.add(target);
    }
  return { paths, targets };
}

const room = (path: string) => path.split("/")[0] ?? "";
const isOwn = (target: string) => FOLDERS.includes(room(target)) && /\.(ts|tsx|js|css|html)$/.test(target);
const isBuiltIn = (target: string) => target.startsWith("node:") || builtinModules.includes(target);

/** Every import from `files` that `isForbidden`, as `file -> import`. */
function violations(inside: (path: string) => boolean, isForbidden: (target: string) => boolean): string[] {
  return FILES.filter(({ path }) => inside(path)).flatMap(({ path, imports }) =>
    imports.filter(isForbidden).map((target) => `${path} -> ${target}`),
  );
}

const startsWithAny =
  (...prefixes: string[]) =>
  (path: string) =>
    prefixes.some((prefix) => path.startsWith(prefix));

/** What decides, and what that uses: it knows nothing of what is around it. */
const core = startsWithAny(
  "main/agents/",
  "main/base/",
  "main/calls/",
  "main/decide/",
  "main/judges/reviews/",
  "main/records/",
  "main/targets/",
  "packages/shell-reading/",
);
/** What opens a socket or starts a process for those around it: none of the core uses it. */
const reaching = startsWithAny(
  "main/base/clocks/system-clock.ts",
  "main/base/files/file-lock.ts",
  "main/base/files/room-ahead.ts",
  "main/base/pipes/",
);

const CONTRACTS = [
  "ipc/contract/agent-kind.ts",
  "ipc/contract/agent-port.ts",
  "ipc/contract/activity.ts",
  "ipc/contract/answer-lengths.ts",
  "ipc/contract/alarms.ts",
  "ipc/contract/audit.ts",
  "ipc/contract/box.ts",
  "ipc/words/box-words.ts",
  "ipc/words/call-words.ts",
  "ipc/words/byte-size.ts",
  "ipc/contract/channels.ts",
  "ipc/contract/costs.ts",
  "ipc/contract/decision.ts",
  "ipc/contract/description.ts",
  "ipc/contract/flow.ts",
  "ipc/contract/gate-error.ts",
  "ipc/contract/hazards.ts",
  "ipc/words/hazard-words.ts",
  "ipc/words/work-words.ts",
  "ipc/words/hint-words.ts",
  "ipc/contract/iso-seconds.ts",
  "ipc/contract/judge-fallbacks.ts",
  "ipc/contract/judges.ts",
  "ipc/contract/kept-files.ts",
  "ipc/contract/language.ts",
  "ipc/contract/mcp.ts",
  "ipc/contract/mcp-names.ts",
  "ipc/words/mcp-words.ts",
  "ipc/contract/operator-api.ts",
  "ipc/socket/page-secret.ts",
  "ipc/contract/policy-overrides.ts",
  "ipc/contract/policy-try.ts",
  "ipc/words/price-words.ts",
  "ipc/words/result-words.ts",
  "ipc/contract/rate.ts",
  "ipc/contract/rules.ts",
  "ipc/words/return-time.ts",
  "ipc/contract/review.ts",
  "ipc/contract/safety.ts",
  "ipc/words/sending.ts",
  "ipc/contract/session-events.ts",
  "ipc/contract/settings.ts",
  "ipc/contract/surface.ts",
  "ipc/words/surface-words.ts",
  "ipc/words/user-words.ts",
  "ipc/base/visible-text.ts",
  "ipc/contract/wire.ts",
];

describe("the architecture", () => {
  it("is read whole: the test sees the files, and their imports", () => {
    expect(FILES.length).toBeGreaterThan(50);
    const guard = FILE.get("main/decide/guard/guard.ts");
    expect(guard?.imports).toContain("main/decide/places/patterns.ts");
    expect(guard?.imports).toContain("ipc/contract/wire.ts");
    expect(
      FILES.flatMap(({ imports }) => imports).filter(
        (target) => isOwn(target) && /\.tsx?$/.test(target) && !existsSync(join(ROOT, target)),
      ),
    ).toEqual([]);
  });

  it("what decides imports nothing from main outside itself, no electron, no socket, no surface", () => {
    const sockets = [
      "node:net",
      "net",
      "node:http",
      "http",
      "node:https",
      "https",
      "node:tls",
      "tls",
      "node:dgram",
      "dgram",
      "node:http2",
      "node:child_process",
      "child_process",
      "node-ipc",
      "electron",
      "ink",
      "react",
      "commander",
    ];
    const isForbidden = (target: string) =>
      (target.startsWith("main/") && (!core(target) || reaching(target))) || sockets.includes(target);
    expect(violations((path) => core(path) && !reaching(path), isForbidden)).toEqual([]);
    expect(violations(core, isForbidden)).not.toEqual([]);
  });

  it("of ipc, what decides uses the contracts, never a socket's server or client", () => {
    const contracts = [
      ...CONTRACTS,
      "ipc/base/paths.ts",
      "ipc/base/regular-file.ts",
      "ipc/base/own-command.ts",
      "ipc/base/shell-quoted.ts",
      "ipc/base/gate-session.ts",
      "ipc/base/debug-log.ts",
    ];
    expect(
      violations(
        (path) => core(path) && !reaching(path),
        (target) => target.startsWith("ipc/") && !contracts.includes(target),
      ),
    ).toEqual([]);
  });

  it("the contracts import no socket either", () => {
    expect(
      violations(
        (path) => CONTRACTS.includes(path),
        (target) => isBuiltIn(target) || target === "node-ipc",
      ),
    ).toEqual([]);
  });

  it("only ipc imports node-ipc", () => {
    expect(
      violations(
        (path) => !path.startsWith("ipc/"),
        (target) => target === "node-ipc",
      ),
    ).toEqual([]);
    expect(violations(startsWithAny("ipc/"), (target) => target === "node-ipc")).not.toEqual([]);
  });

  it("main/surfaces/web knows the operator's contract, and nothing else of the gate", () => {
    const allowed = startsWithAny(
      "main/surfaces/web/",
      "ipc/contract/gate-error.ts",
      "ipc/contract/operator-api.ts",
      "ipc/base/debug-log.ts",
      "ipc/contract/language.ts",
      "ipc/socket/operator-dispatch.ts",
      "ipc/base/own-command.ts",
      "ipc/socket/page-close.ts",
      "ipc/socket/page-secret.ts",
      "ipc/socket/page-frames.ts",
      "ipc/socket/frames.ts",
      "ipc/base/node-http.ts",
      // How each part keeps a file, and what time it is: nothing of what the gate decides.
      "ipc/base/regular-file.ts",
      "main/base/files/durable-file.ts",
      "main/base/clocks/clock.ts",
      "main/base/errors.ts",
    );
    const outside = (target: string) => isOwn(target) && !allowed(target);
    expect(violations(startsWithAny("main/surfaces/web/"), outside)).toEqual([]);
    expect(violations(startsWithAny("main/surfaces/web/"), startsWithAny("ipc/contract/operator-api.ts"))).not.toEqual(
      [],
    );
  });

  it("only main/desktop and the preload know Electron; everything else runs without it", () => {
    const isShell = startsWithAny("main/desktop/", "preload/");
    const loading = FILES.filter(({ path }) => !isShell(path) && !path.startsWith("test/")).filter(({ loads }) =>
      loads.includes("electron"),
    );
    expect(loading.map(({ path }) => path)).toEqual([]);
    expect(
      violations((path) => !isShell(path), startsWithAny("main/desktop/")).filter(
        (found) => !found.startsWith("test/"),
      ),
    ).toEqual([]);
    expect(FILES.filter(({ path, loads }) => isShell(path) && loads.includes("electron")).length).toBeGreaterThan(5);
  });

  it("renderer and preload know only ipc", () => {
    const outside = (target: string) => isOwn(target) && !["ipc", "renderer", "preload"].includes(room(target));
    expect(violations(startsWithAny("renderer/", "preload/"), outside)).toEqual([]);
    expect(violations(startsWithAny("renderer/"), startsWithAny("preload/"))).toEqual([]);
  });

  it("the page loads no schemas: their library compiles code, which its policy refuses", () => {
    const loaded = FILES.filter(({ path }) => path.startsWith("renderer/")).flatMap(({ loads }) => loads);
    expect([...new Set(loaded.filter((target) => target.startsWith("ipc/")))].sort()).toEqual([
      "ipc/base/visible-text.ts",
      "ipc/contract/answer-lengths.ts",
      "ipc/contract/gate-error.ts",
      "ipc/contract/language.ts",
      "ipc/contract/mcp-names.ts",
      "ipc/socket/page-close.ts",
      "ipc/socket/page-frames.ts",
      "ipc/socket/page-secret.ts",
      "ipc/words/alarm-words.ts",
      "ipc/words/box-words.ts",
      "ipc/words/bursts.ts",
      "ipc/words/byte-size.ts",
      "ipc/words/call-words.ts",
      "ipc/words/capability-words.ts",
      "ipc/words/card-facts.ts",
      "ipc/words/choices.ts",
      "ipc/words/hazard-words.ts",
      "ipc/words/judge-words.ts",
      "ipc/words/looking.ts",
      "ipc/words/mcp-words.ts",
      "ipc/words/notice-text.ts",
      "ipc/words/pairing-words.ts",
      "ipc/words/plain-lines.ts",
      "ipc/words/press-delay.ts",
      "ipc/words/price-words.ts",
      "ipc/words/result-words.ts",
      "ipc/words/rule-words.ts",
      "ipc/words/safety-words.ts",
      "ipc/words/sending.ts",
      "ipc/words/shown-call.ts",
      "ipc/words/surface-words.ts",
      "ipc/words/time-left.ts",
      "ipc/words/undo-words.ts",
      "ipc/words/waiting.ts",
    ]);
    expect(loaded.filter((target) => isBuiltIn(target) || target === "zod")).toEqual([]);
  });

  it("nothing but tests and benchmarks imports a test", () => {
    expect(violations((path) => !/^(test|bench)\//.test(path), startsWithAny("test/"))).toEqual([]);
  });

  it("the guard's patterns import nothing, so that the hook can use them while no gate runs", () => {
    expect(FILE.get("main/decide/places/patterns.ts")?.imports).toEqual([]);
  });

  it("the hook loads no native module, and nothing that isn't Node's or bundled with it", () => {
    const { paths, targets } = loadedFrom("cli/hook/hook.ts", "loads");
    expect(paths.has("main/decide/guard/guard.ts")).toBe(true);
    const packages = new Set(targets.filter((target) => !FILE.has(target) && !isBuiltIn(target)));
    // Plain JavaScript without dependencies: it is bundled.
    expect([...packages].sort()).toEqual(["picomatch", "smol-toml", "unbash", "zod"]);
  });

  it("the hook's way to a running gate loads neither the guard nor any package", () => {
    const { targets } = loadedFrom("cli/hook/hook.ts", "loadsAtOnce");
    expect(targets).toContain("main/hooks/exchange.ts");
    const allowed = startsWithAny("main/hooks/", "main/base/errors.ts");
    const others = targets.filter((target) => !isBuiltIn(target));
    expect(
      others.filter((target) => !isOwn(target) || (/^(?:main|packages)\//.test(target) && !allowed(target))),
    ).toEqual([]);
  });

  it("what runs a command outside the box loads no package, no database and no configuration", () => {
    const { paths, targets } = loadedFrom("cli/outside.ts", "loadsAtOnce");
    expect(targets.filter((target) => !isOwn(target) && !isBuiltIn(target))).toEqual([]);
    const ofReading = ["doors", "programs"].map((folder) => `packages/shell-reading/${folder}/gate-command.ts`);
    expect([...paths].filter((path) => /^(?:main|packages)\//.test(path))).toEqual(ofReading);
    expect([...paths].filter((path) => /paths|operator|client/.test(path))).toEqual([]);
  });

  it("a gate is started without the other commands", () => {
    const { paths } = loadedFrom("cli/serve.ts", "loadsAtOnce");
    expect([...paths].filter((path) => path.startsWith("cli/commands/"))).toEqual(["cli/commands/serve.ts"]);
  });

  it("a gate that has nobody to ask loads nothing that asks: its models, judge agents and what they are asked with", () => {
    const { paths } = loadedFrom("main/serve.ts", "loadsAtOnce");
    expect(paths.has("main/judges/judges.ts")).toBe(true);
    const asking = /^main\/judges\/(?:models\/|agents\/|configured-judges|reviews\/(?:model-judge|sent|validators)\/)/;
    expect([...paths].filter((path) => asking.test(path))).toEqual([]);
    expect(FILES.filter(({ path }) => asking.test(path)).length).toBeGreaterThan(10);
  });

  it("Node's HTTP is loaded by itself: an import of it loads a whole client for the web", () => {
    const product = FILES.filter(({ path }) => startsWithAny("ipc", "main", "packages", "cli")(path));
    expect(product.filter(({ loads }) => loads.includes("node:http")).map(({ path }) => path)).toEqual([]);
  });

  it("the shell's evaluation knows the programs; of the shell, programs know words and paths only", () => {
    const known = [
      "packages/shell-reading/paths.ts",
      "packages/shell-reading/reading.ts",
      "packages/shell-reading/word.ts",
    ];
    expect(
      violations(
        startsWithAny("packages/shell-reading/programs/"),
        (target) => target.startsWith("packages/shell-reading/shell/") && !known.includes(target),
      ),
    ).toEqual([]);
    expect(violations((path) => known.includes(path), startsWithAny("packages/shell-reading/programs/"))).toEqual([]);
    expect(
      violations(startsWithAny("packages/shell-reading/shell/"), startsWithAny("packages/shell-reading/programs/")),
    ).not.toEqual([]);
  });

  it("no file or folder is named utils, helpers, common or manager", () => {
    expect(
      FILES.map(({ path }) => path).filter((path) => /(^|\/)(utils?|helpers?|common|managers?)(\/|\.)/.test(path)),
    ).toEqual([]);
  });
});
