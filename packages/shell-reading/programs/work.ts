import type { SimpleCommand, Word } from "../reading.ts";
import { gitCommand } from "./git.ts";
import { interpreterOf, scriptWordOf } from "./interpreters.ts";
import { SHELLS } from "./shells.ts";
import { programCalled } from "./table.ts";

/** What a command does, as a kind of sentence. It only tells: nothing is cleared by it. */

type WorkId =
  | "runs-tests"
  | "builds"
  | "checks-code"
  | "formats-code"
  | "starts-project"
  | "runs-file"
  | "runs-line"
  | "runs-text"
  | "runs-module"
  | "lists-containers"
  | "looks-at-containers"
  | "builds-image"
  | "runs-container"
  | "starts-containers"
  | "stops-containers"
  | "stages"
  | "commits"
  | "pushes"
  | "fetches"
  | "pulls"
  | "clones"
  | "switches"
  | "merges"
  | "puts-aside"
  | "looks-at-remote"
  | "changes-repository"
  | "installs"
  | "installs-listed"
  | "uninstalls"
  | "fetches-and-runs"
  | "publishes"
  | "uploads"
  | "downloads"
  | "requests"
  | "sends-mail"
  | "remote-shell"
  | "program";

interface Work {
  /** `program`: nothing more than its name is known. */
  id: WorkId;
  /** A program's or module's name, a language. */
  name?: string;
  /** A file that it is about. */
  file?: string;
  /** Lines of a text that is run. */
  lines?: number;
}

interface WorkRule {
  id: WorkId;
  /** The subcommand: its first words that are no options. Left out: whatever the program is asked. */
  words?: RegExp;
  /** One of its words is like this. */
  word?: RegExp;
  /** None of its words is like this. */
  without?: RegExp;
}

const TESTS: WorkRule = { id: "runs-tests" };
const CHECKS: WorkRule = { id: "checks-code" };
const BUILDS: WorkRule = { id: "builds" };
const of = (id: WorkId, words: RegExp): WorkRule => ({ id, words });

const CONTAINERS: readonly WorkRule[] = [
  of("lists-containers", /^(?:ps|container (?:ls|list|ps))$/),
  of(
    "looks-at-containers",
    /^(?:logs|inspect|stats|images|image (?:ls|inspect|history)|version|info|top|port|diff|history|(?:volume|network) (?:ls|inspect)|compose (?:ps|logs|config|images|top))\b/,
  ),
  of("builds-image", /^(?:build|buildx build|image build|compose build)\b/),
  of("starts-containers", /^(?:start|restart|compose (?:up|start|restart))\b/),
  of("stops-containers", /^(?:stop|pause|compose (?:down|stop|pause))\b/),
  of("runs-container", /^(?:run|create|container run|compose run)\b/),
  of("publishes", /^(?:push|image push|manifest push)\b/),
  of("downloads", /^(?:pull|image pull|compose pull)\b/),
];

const INSTALLS: readonly WorkRule[] = [
  of("publishes", /^(?:publish|npm publish)\b/),
  of("uninstalls", /^(?:uninstall|remove|rm|un|r)\b/),
  of("fetches-and-runs", /^(?:exec|x|dlx|create|init) \S/),
  of("installs", /^(?:i|in|ins|install|add|isntall) \S/),
  of("installs-listed", /^(?:i|in|ins|install|ci|clean-install|install-clean|ic)?$/),
];

const GIT: Readonly<Record<string, WorkId>> = {
  add: "stages",
  mv: "stages",
  commit: "commits",
  push: "pushes",
  fetch: "fetches",
  pull: "pulls",
  clone: "clones",
  switch: "switches",
  checkout: "switches",
  branch: "switches",
  merge: "merges",
  rebase: "merges",
  "cherry-pick": "merges",
  stash: "puts-aside",
  "ls-remote": "looks-at-remote",
};

const RECORDS: readonly (readonly [names: string, rules: readonly WorkRule[]])[] = [
  ["vitest jest mocha pytest py.test ava tap karma phpunit rspec ctest bats tox nox nyc c8 uvu", [TESTS]],
  ["playwright cypress", [of("runs-tests", /^(?:test|run)\b/)]],
  ["eslint tslint stylelint flake8 pylint mypy pyright shellcheck knip oxlint golangci-lint markdownlint", [CHECKS]],
  ["prettier", [{ id: "formats-code", word: /^(?:--write|-w)$/ }, CHECKS]],
  ["black isort gofmt rustfmt", [{ id: "formats-code", without: /^--(?:check|diff)$/ }, CHECKS]],
  [
    "biome ruff",
    [
      { id: "checks-code", word: /^--(?:check|diff)$/ },
      of("formats-code", /^format\b/),
      of("checks-code", /^(?:check|lint|ci)\b/),
    ],
  ],
  ["tsc", [{ id: "checks-code", word: /^--noEmit$/ }, BUILDS]],
  ["webpack rollup esbuild rolldown parcel tsup babel swc ninja meson", [BUILDS]],
  ["vite next nuxt astro", [of("builds", /^build\b/), { id: "starts-project" }]],
  ["nodemon uvicorn gunicorn flask", [{ id: "starts-project" }]],
  ["cmake", [BUILDS]],
  [
    "cargo",
    [
      of("runs-tests", /^(?:test|t|nextest)\b/),
      of("checks-code", /^(?:check|c|clippy)\b/),
      of("formats-code", /^fmt\b/),
      of("builds", /^(?:build|b|doc)\b/),
      of("starts-project", /^(?:run|r)\b/),
      of("publishes", /^publish\b/),
      of("installs", /^(?:add|install) \S/),
    ],
  ],
  [
    "go",
    [
      of("runs-tests", /^test\b/),
      of("checks-code", /^vet\b/),
      of("formats-code", /^fmt\b/),
      of("builds", /^build\b/),
      of("fetches-and-runs", /^run \S*@/),
      of("starts-project", /^run\b/),
      of("installs", /^(?:get|install) \S/),
    ],
  ],
  [
    "mvn mvnw gradle gradlew",
    [of("runs-tests", /^(?:test|verify|check)\b/), of("builds", /^(?:package|build|assemble|compile|install)\b/)],
  ],
  ["dotnet", [of("runs-tests", /^test\b/), of("builds", /^build\b/), of("starts-project", /^run\b/)]],
  ["deno", [of("runs-tests", /^test\b/), of("checks-code", /^(?:check|lint)\b/), of("formats-code", /^fmt\b/)]],
  ["docker podman nerdctl", CONTAINERS],
  [
    "docker-compose podman-compose",
    [
      of("lists-containers", /^ps\b/),
      of("looks-at-containers", /^(?:logs|config|images|top)\b/),
      of("starts-containers", /^(?:up|start|restart)\b/),
      of("stops-containers", /^(?:down|stop|pause)\b/),
    ],
  ],
  [
    "npm pnpm",
    INSTALLS.filter(({ words }) => words?.test("") !== true).concat(
      of("installs-listed", /^(?:i|in|ins|install|ci|clean-install|install-clean|ic)$/),
    ),
  ],
  ["yarn", INSTALLS],
  [
    "bun",
    [
      of("runs-tests", /^test\b/),
      of("builds", /^build\b/),
      ...INSTALLS.filter(({ words }) => words?.test("") !== true),
      of("installs-listed", /^(?:i|install)$/),
    ],
  ],
  ["npx bunx uvx", [{ id: "fetches-and-runs" }]],
  ["pipx", [of("fetches-and-runs", /^run \S/), of("installs", /^install \S/)]],
  [
    "pip pip3",
    [
      of("uninstalls", /^uninstall\b/),
      { id: "installs-listed", words: /^install\b/, word: /^(?:-r|--requirement|-e|\.|--requirement=.*|-r.+)$/ },
      of("installs", /^install\b/),
      of("downloads", /^download\b/),
    ],
  ],
  [
    "uv",
    [
      of("installs", /^(?:add|pip install|tool install) \S/),
      of("installs-listed", /^(?:sync|pip sync|pip install)\b/),
      of("publishes", /^publish\b/),
    ],
  ],
  [
    "poetry pdm hatch",
    [
      of("installs", /^add \S/),
      of("installs-listed", /^(?:install|sync)\b/),
      of("publishes", /^publish\b/),
      of("builds", /^build\b/),
    ],
  ],
  ["gem", [of("installs", /^install \S/), of("publishes", /^push\b/)]],
  ["bundle", [of("installs-listed", /^(?:install)?$/), of("installs", /^add \S/)]],
  ["composer", [of("installs", /^require \S/), of("installs-listed", /^install$/)]],
  [
    "brew apt apt-get dnf yum apk pacman snap flatpak",
    [of("installs", /^(?:install|add) \S/), of("uninstalls", /^(?:remove|purge|uninstall|del)\b/)],
  ],
  ["twine", [of("publishes", /^upload\b/)]],
  ["curl wget wget2 http https xh aria2c", [{ id: "requests" }]],
  ["ssh mosh autossh sftp telnet ftp lftp nc ncat netcat", [{ id: "remote-shell" }]],
  [
    "scp rsync",
    [of("uploads", /(?:^|\s)(?:[a-z]+:\/\/|[^\s/:]+:)\S*$/), of("downloads", /(?:^|\s)(?:[a-z]+:\/\/|[^\s/:]+:)/)],
  ],
  [
    "gh",
    [of("clones", /^repo clone\b/), of("uploads", /^gist create\b/), of("publishes", /^release (?:create|upload)\b/)],
  ],
  ["aws", [of("downloads", /^s3 (?:cp|mv|sync) s3:/), of("uploads", /^s3 (?:cp|mv|sync) \S/)]],
  ["gsutil", [of("downloads", /^(?:cp|mv|rsync) gs:/), of("uploads", /^(?:cp|mv|rsync) \S/)]],
  ["mail mailx sendmail msmtp mutt swaks", [{ id: "sends-mail" }]],
];

const BY_NAME: ReadonlyMap<string, readonly WorkRule[]> = new Map(
  RECORDS.flatMap(([names, rules]) => names.split(" ").map((name) => [name, rules] as const)),
);

/** The names of all programs whose work is known. */
export const WORK_NAMES: readonly string[] = [...BY_NAME.keys()];

const LANGUAGES: Readonly<Record<string, string>> = {
  python: "Python",
  javascript: "JavaScript",
  perl: "Perl",
  ruby: "Ruby",
  php: "PHP",
  lua: "Lua",
  applescript: "AppleScript",
  awk: "awk",
};

/** Longer names say nothing. */
const MAX_NAME = 80;

/** What a command does; null of one that only looks, prints or is the shell's own, and of one whose record says it otherwise. */
export function workOf({ name, argv, stdin, code, redirects }: SimpleCommand): Work | null {
  const args = argv.slice(1);
  if (name === "git") return gitWork(args);
  const found = byRules(name, args);
  if (found !== null) return found;
  if (name === "gh") return ofGitHub(args);
  const script = scriptWordOf(name, argv);
  if (script?.is_resolved === true && script.text !== "")
    return { id: "runs-file", file: script.text.slice(-MAX_NAME) };
  const interpreter = interpreterOf(name);
  const language = interpreter === undefined ? undefined : LANGUAGES[interpreter.language];
  if (language !== undefined && programCalled(name)?.text_only === undefined) {
    const module = moduleOf(args);
    if (module !== null)
      return byRules(module.name, module.args) ?? { id: "runs-module", name: module.name.slice(0, MAX_NAME) };
    const text = code?.text ?? stdin?.text ?? null;
    if (text === null)
      return args.length === 0 && stdin === null ? { id: "program", name } : { id: "runs-text", name: language };
    const lines = text.trim().split("\n").length;
    return lines === 1
      ? { id: "runs-line", name: language, ...fileRead(text) }
      : { id: "runs-text", name: language, lines };
  }
  if (SHELLS.has(name) || name === "") return null;
  if (programCalled(name) !== undefined || redirects.length > argv.length) return null;
  return { id: "program", name: name.slice(0, MAX_NAME) };
}

/** `gh pr create`: what it does is in its first words. */
function ofGitHub(args: readonly Word[]): Work {
  const words = args.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  return { id: "program", name: ["gh", ...words.slice(0, 2)].join(" ").slice(0, MAX_NAME) };
}

function gitWork(args: readonly Word[]): Work | null {
  const { name } = gitCommand(args);
  const id = Object.hasOwn(GIT, name) ? GIT[name] : undefined;
  if (id !== undefined) return { id };
  return LOOKS.test(name) ? null : { id: "changes-repository", name: name.slice(0, MAX_NAME) };
}

const LOOKS =
  /^(?:|status|log|diff|show|blame|grep|rev-parse|rev-list|describe|ls-files|ls-tree|cat-file|shortlog|reflog|config|remote|for-each-ref|merge-base|name-rev|show-ref|--version|help|version)$/;

function byRules(name: string, args: readonly Word[]): Work | null {
  const rules = BY_NAME.get(name);
  if (rules === undefined) return null;
  const texts = args.map(({ text }) => text);
  const words = texts.filter((text) => !text.startsWith("-")).join(" ");
  const rule = rules.find(
    (one) =>
      (one.words === undefined || one.words.test(words)) &&
      (one.word === undefined || texts.some((text) => one.word?.test(text))) &&
      !texts.some((text) => one.without?.test(text)),
  );
  return rule === undefined ? null : { id: rule.id };
}

/** `python3 -m pytest -q`, `node --test`. */
function moduleOf(args: readonly Word[]): { name: string; args: readonly Word[] } | null {
  if (args.some(({ text }) => text === "--test")) return { name: "vitest", args };
  const at = args.findIndex(({ text }) => text === "-m");
  const word = at === -1 ? undefined : args[at + 1];
  if (word === undefined || !args.slice(0, at).every(({ text }) => text.startsWith("-"))) return null;
  const name = word.text === "unittest" ? "pytest" : word.text;
  return { name, args: args.slice(at + 2) };
}

/** Calls that take something apart and print it, and nothing else. */
const HARMLESS =
  /\b(?:json|load|loads|print|sys|argv|stdin|read|len|sorted|keys|values|import|console|log|JSON|parse|str|int)\b/g;
/** Those that read a file, or bring in what does. */
const READS =
  /\b(?:open|readFileSync)\(\s*(["'])([\w./-]+)\1\s*(?:,\s*(["'])(?:r|utf-?8)\3\s*)?\)|\brequire\(\s*(["'])(?:(?:node:)?fs|([\w./-]+\.json))\4\s*\)/g;

/** The one file that a short text reads, where every name in it is known to do no more than that. */
function fileRead(text: string): { file?: string } {
  const files = [...text.matchAll(READS)].flatMap((match) => match[2] ?? match[5] ?? []);
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) return {};
  const rest = text
    .replace(READS, "")
    .replace(/(["'])[^"'\\]*\1/g, "")
    .replace(HARMLESS, "");
  return /[A-Za-z_$`\\]/.test(rest) ? {} : { file };
}
