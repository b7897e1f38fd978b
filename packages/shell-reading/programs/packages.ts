import type { SimpleCommand, Word } from "../reading.ts";

/** The packages that a command fetches by their names, and the registry that it takes them from or publishes to. */

export interface NamedPackages {
  registry: string;
  /** Files of the project, or of the user, may name another one (`.npmrc`). */
  mayBeOther: boolean;
  packages: readonly { word: Word; name: string }[];
}

interface Installer {
  /** As people call it. */
  registry: string;
  /** What comes before the names. */
  words: RegExp;
  /** Options that take the next word. */
  valued?: RegExp;
  /** Only the first word is a package, the others are its program's. */
  isFirstOnly?: true;
}

const NPM = "npm";
const NPM_VALUED =
  /^(?:--registry|--tag|--prefix|-C|--cache|--workspace|-w|--filter|-F|--dir|--loglevel|--cwd|-p|--package|--call|-c)$/;
const PYPI = "PyPI";
const PIP_VALUED =
  /^(?:-r|--requirement|-c|--constraint|-e|--editable|-i|--index-url|--extra-index-url|-t|--target|--prefix|--root|-f|--find-links|--python|--platform|--python-version|--from|--with|--group|--extra|--proxy|--timeout)$/;

const INSTALLERS: readonly (readonly [names: string, ...Installer[]])[] = [
  [
    "npm pnpm",
    { registry: NPM, words: /^(?:i|in|ins|install|isntall|add)$/, valued: NPM_VALUED },
    { registry: NPM, words: /^(?:exec|x|dlx|create|init)$/, valued: NPM_VALUED, isFirstOnly: true },
  ],
  [
    "yarn bun",
    { registry: NPM, words: /^(?:add|install|i)$/, valued: NPM_VALUED },
    { registry: NPM, words: /^(?:dlx|x|create)$/, valued: NPM_VALUED, isFirstOnly: true },
  ],
  ["npx bunx", { registry: NPM, words: /^$/, valued: NPM_VALUED, isFirstOnly: true }],
  ["pip pip3", { registry: PYPI, words: /^(?:install|download)$/, valued: PIP_VALUED }],
  ["uv", { registry: PYPI, words: /^(?:add|pip install|tool install)$/, valued: PIP_VALUED }],
  ["uvx", { registry: PYPI, words: /^$/, valued: PIP_VALUED, isFirstOnly: true }],
  [
    "pipx",
    { registry: PYPI, words: /^install$/, valued: PIP_VALUED },
    { registry: PYPI, words: /^run$/, valued: PIP_VALUED, isFirstOnly: true },
  ],
  ["poetry pdm", { registry: PYPI, words: /^add$/, valued: /^(?:--source|-G|--group|--extras|-E|--python)$/ }],
  [
    "cargo",
    {
      registry: "crates.io",
      words: /^(?:add|install)$/,
      valued: /^(?:--version|--vers|--path|--git|--branch|--features|-F|--rename|-p|--package|--registry|--root)$/,
    },
  ],
  ["gem", { registry: "RubyGems", words: /^install$/, valued: /^(?:-v|--version|-s|--source|-i|--install-dir)$/ }],
  ["bundle", { registry: "RubyGems", words: /^add$/, valued: /^(?:-v|--version|--source|--group)$/ }],
  ["composer", { registry: "Packagist", words: /^require$/ }],
  ["go", { registry: "Go", words: /^(?:get|install)$/ }, { registry: "Go", words: /^run$/, isFirstOnly: true }],
  ["brew", { registry: "Homebrew", words: /^install$/ }],
  ["apt apt-get", { registry: "apt", words: /^install$/, valued: /^(?:-t|-o|-c|--target-release)$/ }],
];

const BY_NAME = new Map(INSTALLERS.flatMap(([names, ...all]) => names.split(" ").map((name) => [name, all] as const)));

/** The names of all of them. */
export const INSTALLER_NAMES: readonly string[] = [...BY_NAME.keys()];

/** None where it fetches no package by its name. */
export function packagesOf({ name, argv }: SimpleCommand): NamedPackages | null {
  // `python3 -m pip install`.
  const at = argv[1]?.text === "-m" && /^python/.test(name) ? 2 : 0;
  const called = at === 0 ? name : (argv[at]?.text ?? "");
  for (const { registry, words, valued, isFirstOnly } of BY_NAME.get(called) ?? []) {
    const operands = operandsOf(argv.slice(at + 1), valued);
    const before = [0, 1, 2].find((count) =>
      words.test(
        operands
          .slice(0, count)
          .map(({ text }) => text)
          .join(" "),
      ),
    );
    if (before === undefined) continue;
    const named = operands.slice(before, isFirstOnly ? before + 1 : undefined);
    const own = isFirstOnly ? packageOptions(argv) : [];
    const packages = (own.length > 0 ? own : named).flatMap((word) => {
      const text = packageName(word, registry);
      return text === null || (registry === "Go" && !text.includes(".")) ? [] : [{ word, name: text }];
    });
    if (packages.length > 0) return { registry, mayBeOther: registry === NPM, packages };
  }
  return null;
}

/** `npx -p typescript tsc`, `uvx --from black black`: what is fetched is what the option says. */
function packageOptions(argv: readonly Word[]): Word[] {
  return argv.filter((_, at) => /^(?:-p|--package|--from)$/.test(argv[at - 1]?.text ?? ""));
}

function operandsOf(args: readonly Word[], valued: RegExp | undefined): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (word.text.startsWith("-")) {
      if (valued?.test(word.text)) at++;
    } else found.push(word);
  }
  return found;
}

/** Without its version; null of a folder, a file, an address, and where it isn't known. */
function packageName({ text, is_resolved, glob }: Word, registry: string): string | null {
  if (!is_resolved || glob === true || /^[./~]|:|\.(?:tgz|whl|zip|tar\.gz|deb)$/.test(text)) return null;
  const bare =
    registry === PYPI
      ? text.replace(/\s*(?:[<>=!~;@[].*)$/s, "")
      : text.replace(/(?!^)@[^/]*$/, "").replace(registry === "apt" ? /[=/].*$/ : /(?!)/, "");
  return /^@?[\w.-]+(?:\/[\w./-]+)?$/.test(bare) ? bare : null;
}

/** Where a package is published to, as its own words say; null where they don't. */
const PUBLISHES: Readonly<Record<string, { words: RegExp; host: string }>> = {
  npm: { words: /^(?:publish|unpublish)$/, host: "registry.npmjs.org" },
  pnpm: { words: /^publish$/, host: "registry.npmjs.org" },
  yarn: { words: /^(?:publish|npm)$/, host: "registry.npmjs.org" },
  bun: { words: /^publish$/, host: "registry.npmjs.org" },
  cargo: { words: /^publish$/, host: "crates.io" },
  twine: { words: /^upload$/, host: "upload.pypi.org" },
  poetry: { words: /^publish$/, host: "upload.pypi.org" },
  uv: { words: /^publish$/, host: "upload.pypi.org" },
  hatch: { words: /^publish$/, host: "upload.pypi.org" },
  gem: { words: /^push$/, host: "rubygems.org" },
};

/** Options that name another registry. */
const REGISTRY =
  /^(?:--registry|--repository-url|--publish-url|--host|--index-url|-i|--repository|-r|--index)(?:=(.*))?$/s;

/**
 * The address of the registry that a command publishes to. `isUsual`: its words name none, so that it is the usual one unless files of the
 * project say otherwise; `url` is null where a name stands for it.
 */
export function registryOf({ name, argv }: SimpleCommand): { url: string | null; isUsual: boolean } | null {
  const known = Object.hasOwn(PUBLISHES, name) ? PUBLISHES[name] : undefined;
  const args = argv.slice(1);
  const first = args.find(({ text }) => !text.startsWith("-"));
  if (known === undefined || first === undefined || !known.words.test(first.text)) return null;
  const at = args.findIndex(({ text }) => REGISTRY.test(text));
  if (at === -1) return { url: `https://${known.host}`, isUsual: true };
  const value = REGISTRY.exec(args[at]?.text ?? "")?.[1] ?? args[at + 1]?.text ?? "";
  return { url: URL.canParse(value) ? value : null, isUsual: false };
}

/** The host of an image that is pushed or pulled: `registry.example.org/team/app:1`; the usual one where its name says none. */
export function imageMoved({ name, argv }: SimpleCommand): string | null {
  if (!CONTAINER_TOOLS.has(name)) return null;
  const operands = argv.slice(1).filter(({ text }) => !text.startsWith("-"));
  const at = operands.findIndex(({ text }) => text === "push" || text === "pull");
  const image = at === 0 || at === 1 ? operands.at(-1)?.text : undefined;
  if (image === undefined || image === operands[at]?.text) return null;
  const [host = "", ...path] = image.split("/");
  return path.length > 0 && /[.:]|^localhost$/.test(host) ? image : `docker.io/${image}`;
}

const CONTAINER_TOOLS: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl"]);

/** The hosts of addresses that mail goes to: `a@example.org`. */
export function mailedTo({ name, argv }: SimpleCommand): string[] {
  if (!MAILERS.has(name)) return [];
  return argv.slice(1).flatMap(({ text }) => (/^[^@\s-][^@\s]*@[\w.-]+$/.test(text) ? [text] : []));
}

const MAILERS: ReadonlySet<string> = new Set(["mail", "mailx", "sendmail", "msmtp", "mutt", "swaks"]);
