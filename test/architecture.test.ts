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

const CONTRACTS = [
  "ipc/agent-port.ts",
  "ipc/activity.ts",
  "ipc/activity-filter.ts",
  "ipc/answer-lengths.ts",
  "ipc/alarms.ts",
  "ipc/audit.ts",
  "ipc/box.ts",
  "ipc/box-words.ts",
  "ipc/call-words.ts",
  "ipc/byte-size.ts",
  "ipc/channels.ts",
  "ipc/costs.ts",
  "ipc/decision.ts",
  "ipc/description.ts",
  "ipc/gate-error.ts",
  "ipc/hazards.ts",
  "ipc/hazard-words.ts",
  "ipc/hint-words.ts",
  "ipc/iso-seconds.ts",
  "ipc/judge-fallbacks.ts",
  "ipc/judges.ts",
  "ipc/kept-files.ts",
  "ipc/language.ts",
  "ipc/mcp.ts",
  "ipc/mcp-names.ts",
  "ipc/mcp-words.ts",
  "ipc/operator-api.ts",
  "ipc/page-secret.ts",
  "ipc/policy-overrides.ts",
  "ipc/price-words.ts",
  "ipc/rate.ts",
  "ipc/rules.ts",
  "ipc/return-time.ts",
  "ipc/review.ts",
  "ipc/safety.ts",
  "ipc/sending.ts",
  "ipc/session-events.ts",
  "ipc/settings.ts",
  "ipc/surface.ts",
  "ipc/surface-words.ts",
  "ipc/user-words.ts",
  "ipc/visible-text.ts",
  "ipc/wire.ts",
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
    const guard = FILES.find(({ path }) => path === "main/gate/guard/guard.ts");
    expect(guard?.imports).toContain("main/gate/guard/path-patterns.ts");
    expect(guard?.imports).toContain("ipc/wire.ts");
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

  it("main/gate imports nothing from main outside itself, no electron, no socket, no surface", () => {
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
      (target.startsWith("main/") && !target.startsWith("main/gate/")) || sockets.includes(target);
    expect(violations(startsWithAny("main/gate/"), isForbidden)).toEqual([]);
  });

  it("of ipc, main/gate uses the contracts, never a socket's server or client", () => {
    const contracts = [
      ...CONTRACTS,
      "ipc/paths.ts",
      "ipc/regular-file.ts",
      "ipc/own-command.ts",
      "ipc/shell-quoted.ts",
      "ipc/gate-session.ts",
      "ipc/debug-log.ts",
    ];
    expect(
      violations(startsWithAny("main/gate/"), (target) => target.startsWith("ipc/") && !contracts.includes(target)),
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

  it("main/web knows the operator's contract, and nothing else of the gate", () => {
    const allowed = startsWithAny(
      "main/web/",
      "ipc/gate-error.ts",
      "ipc/operator-api.ts",
      "ipc/debug-log.ts",
      "ipc/language.ts",
      "ipc/operator-dispatch.ts",
      "ipc/own-command.ts",
      "ipc/page-close.ts",
      "ipc/page-secret.ts",
      "ipc/page-frames.ts",
      "ipc/frames.ts",
      "ipc/node-http.ts",
      // How each part keeps a file, and what time it is: nothing of what the gate decides.
      "ipc/regular-file.ts",
      "main/gate/durable-file.ts",
      "main/gate/clock.ts",
      "main/gate/errors.ts",
    );
    const outside = (target: string) => isOwn(target) && !allowed(target);
    expect(violations(startsWithAny("main/web/"), outside)).toEqual([]);
    expect(violations(startsWithAny("main/web/"), startsWithAny("ipc/operator-api.ts"))).not.toEqual([]);
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
      "ipc/activity-filter.ts",
      "ipc/alarm-words.ts",
      "ipc/answer-lengths.ts",
      "ipc/box-words.ts",
      "ipc/byte-size.ts",
      "ipc/call-words.ts",
      "ipc/capability-words.ts",
      "ipc/choices.ts",
      "ipc/gate-error.ts",
      "ipc/hazard-words.ts",
      "ipc/judge-words.ts",
      "ipc/language.ts",
      "ipc/looking.ts",
      "ipc/mcp-names.ts",
      "ipc/mcp-words.ts",
      "ipc/notice-text.ts",
      "ipc/page-close.ts",
      "ipc/page-frames.ts",
      "ipc/page-secret.ts",
      "ipc/pairing-words.ts",
      "ipc/press-delay.ts",
      "ipc/price-words.ts",
      "ipc/rule-words.ts",
      "ipc/safety-words.ts",
      "ipc/sending.ts",
      "ipc/shown-call.ts",
      "ipc/surface-words.ts",
      "ipc/time-left.ts",
      "ipc/user-words.ts",
      "ipc/visible-text.ts",
      "ipc/waiting.ts",
    ]);
    expect(loaded.filter((target) => isBuiltIn(target) || target === "zod")).toEqual([]);
  });

  it("nothing but tests and benchmarks imports a test", () => {
    expect(violations((path) => !/^(test|bench)\//.test(path), startsWithAny("test/"))).toEqual([]);
  });

  it("the guard's patterns import nothing, so that the hook can use them while no gate runs", () => {
    for (const path of [
      "main/gate/guard/path-patterns.ts",
      "main/gate/guard/shell-patterns.ts",
      "main/gate/guard/strings.ts",
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
    expect(seen.has("main/gate/guard/guard.ts")).toBe(true);
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
    const allowed = startsWithAny("main/hooks/", "main/gate/errors.ts");
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
    expect([...seen].filter((path) => path.startsWith("main/"))).toEqual(["main/gate/programs/gate-command.ts"]);
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
    const asking =
      /^main\/(?:models|judge-agents|judges\/configured-judges|gate\/reviews\/(?:model-judge|sent|validators)\/)/;
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
    const known = ["main/gate/shell/paths.ts", "main/gate/shell/reading.ts", "main/gate/shell/word.ts"];
    expect(
      violations(
        startsWithAny("main/gate/programs/"),
        (target) => target.startsWith("main/gate/shell/") && !known.includes(target),
      ),
    ).toEqual([]);
    expect(violations((path) => known.includes(path), startsWithAny("main/gate/programs/"))).toEqual([]);
    expect(violations(startsWithAny("main/gate/shell/"), startsWithAny("main/gate/programs/"))).not.toEqual([]);
  });

  it("no file or folder is named utils, helpers, common or manager", () => {
    expect(
      FILES.map(({ path }) => path).filter((path) => /(^|\/)(utils?|helpers?|common|managers?)(\/|\.)/.test(path)),
    ).toEqual([]);
  });
});
