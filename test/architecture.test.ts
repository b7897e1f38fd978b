import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

// docs/decisions/0001-one-process-decides.md
// Arrows point one way. `cli`, `renderer`, `preload` -> `ipc` <- `main`; inside main, surfaces -> `gate`, never back.

const ROOT = resolve(import.meta.dirname, "..");
const ROOMS = ["ipc", "main", "cli", "renderer", "preload", "test", "bench", "reliability"].filter((room) =>
  existsSync(join(ROOT, room)),
);

interface SourceFile {
  path: string;
  text: string;
  /** Paths below the root for our own files, else the package's or module's name. */
  imports: string[];
  /** Those that are still there once the types are stripped. */
  loads: string[];
}

const FILES: SourceFile[] = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
)
  .filter((path) => /\.(ts|tsx|mts|cts)$/.test(path) && !path.includes("node_modules"))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return {
      path,
      text,
      imports: importsOf(path, text),
      loads: importsOf(path, text.replace(/^\s*(?:import|export) type\b[^;]*;/gm, "")),
    };
  });

/** import and export ... from, import(...), require(...), new URL(..., import.meta.url), declare module. */
function importsOf(path: string, text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b(?:[^"';]*?\bfrom)?\s*["']([^"']+)["']/gm),
    ...text.matchAll(/\b(?:import|require|createRequire\([^)]*\))\(\s*["'`]([^"'`]+)["'`]/g),
    ...text.matchAll(/\bnew URL\(\s*["']([^"']+)["']\s*,\s*import\.meta\.url/g),
  ].map((match) => match[1] ?? "");
  return specifiers.map((specifier) =>
    specifier.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(path), specifier)) : specifier,
  );
}

const room = (path: string) => path.split("/")[0] ?? "";
const isOwn = (target: string) => ROOMS.includes(room(target)) && /\.(ts|tsx|js|css|html)$/.test(target);
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
  "main/shell-reading/",
);
/** What opens a socket or starts a process for those around it: none of the core uses it. */
const reaching = startsWithAny(
  "main/base/clocks/system-clock.ts",
  "main/base/files/file-lock.ts",
  "main/base/files/room-ahead.ts",
  "main/base/pipes/",
);

const CONTRACTS = [
  "ipc/contract/agent-port.ts",
  "ipc/contract/activity.ts",
  "ipc/contract/activity-filter.ts",
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
  "ipc/contract/gate-error.ts",
  "ipc/contract/hazards.ts",
  "ipc/words/hazard-words.ts",
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
  "ipc/words/price-words.ts",
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

/** Files that import each other, directly or through others: the strongly connected components of more than one file (Tarjan). */
function circlesOf(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map(({ path, imports }) => [path, imports]));
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const number = numbers.size;
    numbers.set(path, number);
    lowest.set(path, number);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      if (!numbers.has(target)) lowest.set(path, Math.min(lowest.get(path) ?? number, visit(target)));
      else if (open.includes(target))
        lowest.set(path, Math.min(lowest.get(path) ?? number, numbers.get(target) ?? number));
    }
    if (lowest.get(path) === number) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(path) ?? number;
  };
  for (const { path } of files) if (!numbers.has(path)) visit(path);
  return circles;
}

describe("the architecture", () => {
  it("is read whole: the test sees the files, and their imports", () => {
    expect(FILES.length).toBeGreaterThan(50);
    const guard = FILES.find(({ path }) => path === "main/decide/guard/guard.ts");
    expect(guard?.imports).toContain("main/decide/guard/path-patterns.ts");
    expect(guard?.imports).toContain("ipc/contract/wire.ts");
    expect(
      FILES.flatMap(({ imports }) => imports).filter(
        (target) => isOwn(target) && /\.tsx?$/.test(target) && !existsSync(join(ROOT, target)),
      ),
    ).toEqual([]);
  });

  it("ipc imports nothing from main, cli, renderer or preload", () => {
    expect(
      violations(startsWithAny("ipc/"), startsWithAny("main/", "cli/", "renderer/", "preload/", "test/", "bench/")),
    ).toEqual([]);
  });

  it("main imports nothing from cli, renderer or preload", () => {
    expect(
      violations(startsWithAny("main/"), startsWithAny("cli/", "renderer/", "preload/", "test/", "bench/")),
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
    const is_shell = startsWithAny("main/desktop/", "preload/");
    const loading = FILES.filter(({ path }) => !is_shell(path) && !path.startsWith("test/")).filter(({ loads }) =>
      loads.includes("electron"),
    );
    expect(loading.map(({ path }) => path)).toEqual([]);
    expect(
      violations((path) => !is_shell(path), startsWithAny("main/desktop/")).filter(
        (found) => !found.startsWith("test/"),
      ),
    ).toEqual([]);
    expect(FILES.filter(({ path, loads }) => is_shell(path) && loads.includes("electron")).length).toBeGreaterThan(5);
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
      "ipc/contract/activity-filter.ts",
      "ipc/contract/answer-lengths.ts",
      "ipc/contract/gate-error.ts",
      "ipc/contract/language.ts",
      "ipc/contract/mcp-names.ts",
      "ipc/socket/page-close.ts",
      "ipc/socket/page-frames.ts",
      "ipc/socket/page-secret.ts",
      "ipc/words/alarm-words.ts",
      "ipc/words/box-words.ts",
      "ipc/words/byte-size.ts",
      "ipc/words/call-words.ts",
      "ipc/words/capability-words.ts",
      "ipc/words/choices.ts",
      "ipc/words/hazard-words.ts",
      "ipc/words/judge-words.ts",
      "ipc/words/looking.ts",
      "ipc/words/mcp-words.ts",
      "ipc/words/notice-text.ts",
      "ipc/words/pairing-words.ts",
      "ipc/words/press-delay.ts",
      "ipc/words/price-words.ts",
      "ipc/words/rule-words.ts",
      "ipc/words/safety-words.ts",
      "ipc/words/sending.ts",
      "ipc/words/shown-call.ts",
      "ipc/words/surface-words.ts",
      "ipc/words/time-left.ts",
      "ipc/words/user-words.ts",
      "ipc/words/waiting.ts",
    ]);
    expect(loaded.filter((target) => isBuiltIn(target) || target === "zod")).toEqual([]);
  });

  it("nothing but tests and benchmarks imports a test", () => {
    expect(violations((path) => !/^(test|bench)\//.test(path), startsWithAny("test/"))).toEqual([]);
  });

  it("the guard's patterns import nothing, so that the hook can use them while no gate runs", () => {
    for (const path of [
      "main/decide/guard/path-patterns.ts",
      "main/decide/guard/shell-patterns.ts",
      "main/decide/guard/strings.ts",
    ]) {
      expect([path, FILES.find((file) => file.path === path)?.imports]).toEqual([path, []]);
    }
  });

  it("the hook loads no native module, and nothing that isn't Node's or bundled with it", () => {
    const seen = new Set<string>();
    const outside: string[] = [];
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const target of FILES.find((file) => file.path === path)?.loads ?? []) {
        if (isOwn(target)) visit(target);
        // Plain JavaScript without dependencies: it is bundled. The built hook is copied, not loaded.
        else if (!isBuiltIn(target) && !["unbash", "zod", "picomatch", "smol-toml", "dist/hook"].includes(target))
          outside.push(`${path} -> ${target}`);
      }
    };
    visit("cli/hook/hook.ts");
    expect(seen.has("main/decide/guard/guard.ts")).toBe(true);
    expect(outside).toEqual([]);
  });

  it("the hook's way to a running gate loads neither the guard nor any package", () => {
    const seen = new Set<string>();
    const loaded: string[] = [];
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = FILES.find((file) => file.path === path)?.text ?? "";
      const at_once = text.replace(/^\s*(?:import|export) type\b[^;]*;/gm, "").replace(/\bimport\([^)]*\)/g, "");
      for (const target of importsOf(path, at_once)) {
        if (!isBuiltIn(target)) loaded.push(target);
        if (isOwn(target)) visit(target);
      }
    };
    visit("cli/hook/hook.ts");
    expect(loaded).toContain("main/hooks/exchange.ts");
    const allowed = startsWithAny("main/hooks/", "main/base/errors.ts");
    expect(loaded.filter((target) => !isOwn(target) || (target.startsWith("main/") && !allowed(target)))).toEqual([]);
  });

  it("what runs a command outside the box loads no package, no database and no configuration", () => {
    const seen = new Set<string>();
    const loaded: string[] = [];
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = FILES.find((file) => file.path === path)?.text ?? "";
      const at_once = text.replace(/^\s*(?:import|export) type\b[^;]*;/gm, "").replace(/\bimport\([^)]*\)/g, "");
      for (const target of importsOf(path, at_once)) {
        if (isOwn(target)) visit(target);
        else if (!isBuiltIn(target)) loaded.push(target);
      }
    };
    visit("cli/outside.ts");
    expect(loaded).toEqual([]);
    expect([...seen].filter((path) => path.startsWith("main/"))).toEqual([
      "main/shell-reading/programs/gate-command.ts",
    ]);
    expect([...seen].filter((path) => /paths|operator|client/.test(path))).toEqual([]);
  });

  it("a gate that has nobody to ask loads nothing that asks: its models, judge agents and what they are asked with", () => {
    const seen = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = FILES.find((file) => file.path === path)?.text ?? "";
      const at_once = text.replace(/^\s*(?:import|export) type\b[^;]*;/gm, "").replace(/\bimport\([^)]*\)/g, "");
      for (const target of importsOf(path, at_once)) if (isOwn(target)) visit(target);
    };
    visit("main/serve.ts");
    expect(seen.has("main/judges/judges.ts")).toBe(true);
    const asking = /^main\/judges\/(?:models\/|agents\/|configured-judges|reviews\/(?:model-judge|sent|validators)\/)/;
    expect([...seen].filter((path) => asking.test(path))).toEqual([]);
    expect(FILES.filter(({ path }) => asking.test(path)).length).toBeGreaterThan(10);
  });

  it("Node's HTTP is loaded by itself: an import of it loads a whole client for the web", () => {
    const product = FILES.filter(({ path }) => startsWithAny("ipc", "main", "cli")(path));
    expect(product.filter(({ loads }) => loads.includes("node:http")).map(({ path }) => path)).toEqual([]);
  });

  it("no more than two files of main import each other in a circle, types included", () => {
    const circles = circlesOf(FILES.filter(({ path }) => path.startsWith("main/")));
    expect(circles.filter((files) => files.length > 2)).toEqual([]);
  });

  it("the shell's evaluation knows the programs; of the shell, programs know words and paths only", () => {
    const known = [
      "main/shell-reading/shell/paths.ts",
      "main/shell-reading/shell/reading.ts",
      "main/shell-reading/shell/word.ts",
    ];
    expect(
      violations(
        startsWithAny("main/shell-reading/programs/"),
        (target) => target.startsWith("main/shell-reading/shell/") && !known.includes(target),
      ),
    ).toEqual([]);
    expect(violations((path) => known.includes(path), startsWithAny("main/shell-reading/programs/"))).toEqual([]);
    expect(
      violations(startsWithAny("main/shell-reading/shell/"), startsWithAny("main/shell-reading/programs/")),
    ).not.toEqual([]);
  });

  it("no file or folder is named utils, helpers, common or manager", () => {
    expect(
      FILES.map(({ path }) => path).filter((path) => /(^|\/)(utils?|helpers?|common|managers?)(\/|\.)/.test(path)),
    ).toEqual([]);
  });
});
