import { absolutePath } from "../paths.ts";
import type { Word } from "../reading.ts";
import { kindOf } from "../targets/path.ts";
import { argumentsOf } from "./arguments.ts";
import { processToolCalled } from "./disks-and-processes.ts";
import { gitCommand } from "./git.ts";
import {
  type Called,
  type FoundHazard,
  type HazardRecord,
  type HazardRule,
  optionGiven,
  optionMeant,
} from "./hazard.ts";
import type { Program } from "./program.ts";
import { programCalled } from "./table.ts";
import { filesSentByCurl } from "./web.ts";

/** One record per program, or per family of programs with the same words: what of it is worth a warning. */

/** With one of these `git checkout` is for files. */
const FILES_CHECKED_OUT = "-- -p --patch --ours --theirs --pathspec-from-file";

const GIT: readonly HazardRule[] = [
  {
    id: "rewrites-remote-history",
    words: [/^push$/],
    options: "--force -f --force-with-lease --mirror --delete -d --prune",
    unless: "-n",
  },
  { id: "rewrites-remote-history", words: [/^push$/], word: /^[+:]./, unless: "-n" },
  { id: "discards-changes", words: [/^reset$/], options: "--hard --merge" },
  { id: "discards-changes", words: [/^clean$/], options: "-f --force", unless: "-n" },
  { id: "discards-changes", words: [/^clean$/], word: /^clean\.requireforce(?:=|$)/i, unless: "-n" },
  { id: "discards-changes", words: [/^checkout$/], options: "-f --force" },
  { id: "discards-changes", words: [/^checkout$/], options: FILES_CHECKED_OUT },
  { id: "discards-changes", words: [/^checkout$/], word: /^(?:--$|\.|:)|[*?[]/ },
  { id: "discards-changes", words: [/^checkout$/], finds: filesCheckedOut },
  { id: "discards-changes", words: [/^switch$/], options: "-f --force --discard-changes" },
  { id: "discards-changes", words: [/^restore$/], unless: "--staged -S" },
  { id: "discards-changes", words: [/^restore$/], options: "--worktree -W" },
  { id: "discards-changes", words: [/^stash$/, /^(?:drop|clear)$/] },
  { id: "discards-changes", words: [/^branch$/], options: "-D" },
  { id: "discards-changes", words: [/^branch$/], finds: branchesForcedOff },
  { id: "discards-changes", words: [/^worktree$/, /^remove$/], options: "--force -f" },
  { id: "discards-changes", words: [/^reflog$/, /^(?:expire|delete|drop)$/] },
  { id: "discards-changes", words: [/^update-ref$/], options: "-d --stdin" },
  { id: "discards-changes", words: [/^rm$/], options: "-f --force", unless: "--cached -n" },
  { id: "discards-changes", words: [/^read-tree$/], options: "--reset" },
  { id: "discards-changes", words: [/^checkout-index$/], options: "-f --force" },
  { id: "hides-changes", words: [/^update-index$/], options: "--assume-unchanged --skip-worktree" },
  { id: "discards-changes", words: [/^prune$/], unless: "-n" },
  { id: "discards-changes", words: [/^gc$/], options: "--prune" },
  { id: "discards-changes", words: [/^(?:filter-branch|filter-repo)$/] },
];

/** Not the address of an index. */
function packagesByAddress({ argv }: Called): FoundHazard[] {
  const isIndex = (at: number) =>
    /^(?:-i|-f|--(?:extra-)?index-url|--find-links|--proxy)$/.test(argv[at - 1]?.text ?? "");
  const marks = argv.filter(({ text }, at) => PACKAGE_URL.test(text) && !isIndex(at)).slice(0, 1);
  return marks.length === 0 ? [] : [{ id: "unpinned-package", marks }];
}

/** `git branch -d --force old`: as `-D`. */
function branchesForcedOff({ argv }: Called): FoundHazard[] {
  const deletes = optionMeant("-d --delete", argv);
  return deletes === undefined || optionMeant("-f --force", argv) === undefined
    ? []
    : [{ id: "discards-changes", marks: [deletes] }];
}

/**
 * `git checkout main file`: the words behind the first are files, unless a branch is made of it. The first is one, too, where it is
 * there: git takes no name of a branch that is also one of a file.
 */
function filesCheckedOut({ argv, cwd }: Called): FoundHazard[] {
  const at = argv.findIndex(({ text }) => text === "checkout");
  const args = argv.slice(at + 1);
  if (optionGiven("-b -B -t --track --orphan", args) !== undefined) return [];
  const [first, ...others] = args.filter(({ text }) => !text.startsWith("-"));
  const { folder } = gitCommand(argv.slice(1));
  const base = folder === "here" ? cwd : absolutePath(folder.text, cwd);
  const path = first === undefined ? null : absolutePath(first.text, base);
  const isSaid = optionMeant(FILES_CHECKED_OUT, args) !== undefined;
  const isFile = !isSaid && path !== null && kindOf(path) !== "nothing";
  const files = first !== undefined && isFile ? [first, ...others] : others;
  return files.length === 0 ? [] : [{ id: "discards-changes", marks: files }];
}

const PUBLISH = (words: readonly RegExp[], options?: string): HazardRule => ({
  id: "publishes",
  words,
  ...(options === undefined ? {} : { options }),
});
const DOWNLOADS = (words: readonly RegExp[]): HazardRule => ({ id: "unpinned-package", words });
const CLOUD = (...words: readonly RegExp[]): HazardRule => ({ id: "deletes-cloud-resources", words });
const DATABASE = (...words: readonly RegExp[]): HazardRule => ({ id: "deletes-database", words });

/** What a package manager takes for a source that isn't its registry. */
const PACKAGE_URL = /^(?:git\+|https?:|git:|ssh:)|\s@\s*https?:/;

const SQL: HazardRule = {
  id: "deletes-database",
  text: /\b(?:drop\s+(?:table|database|schema|view|index|keyspace|user|role|owned)\b|truncate\s+\w|delete\s+from\s+(?![^;]*\bwhere\b)\S)/i,
};

const CONTAINERS: readonly HazardRule[] = [
  PUBLISH([/^push$/]),
  PUBLISH([/^(?:image|manifest)$/, /^push$/]),
  PUBLISH([/^(?:build|buildx)$/], "--push"),
  {
    id: "leaves-container",
    words: [/^(?:run|create|exec)$/],
    options: "--privileged --pid=host --network=host --net=host",
  },
  { id: "leaves-container", words: [/^(?:run|create)$/], finds: mountsOfTheMachine },
  { id: "deletes-container-data", words: [/^(?:system|volume|image|container|builder|network)$/, /^prune$/] },
  { id: "deletes-container-data", words: [/^volume$/, /^(?:rm|remove)$/] },
  { id: "deletes-container-data", words: [/^compose$/, /^down$/], options: "-v --volumes" },
  { id: "deletes-container-data", words: [/^rm$/], options: "-v --volumes" },
];

const SERVICE_WORD = /^(?:stop|restart|disable|mask|kill|unload|bootout|remove|poweroff|reboot|halt)$/;

const HAZARD_RECORDS: readonly HazardRecord[] = [
  { names: ["git"], rules: GIT },
  {
    names: ["sudo"],
    rules: [{ id: "as-root", unless: "-l -v -k -K -V -u --user" }],
  },
  { names: ["doas", "su", "pkexec", "run0"], rules: [{ id: "as-root" }] },

  // Registries.
  {
    names: ["npm"],
    rules: [PUBLISH([/^publish$/]), PUBLISH([/^unpublish$/]), DOWNLOADS([/^(?:init|create)$/, /./])],
  },
  { names: ["pnpm"], rules: [PUBLISH([/^publish$/]), DOWNLOADS([/^(?:dlx|create)$/])] },
  {
    names: ["yarn"],
    rules: [PUBLISH([/^publish$/]), PUBLISH([/^npm$/, /^publish$/]), DOWNLOADS([/^(?:dlx|create)$/])],
  },
  { names: ["bun"], rules: [PUBLISH([/^publish$/]), DOWNLOADS([/^(?:x|create)$/])] },
  { names: ["cargo", "poetry", "uv", "hatch", "flit", "pdm", "dart", "flutter"], rules: [PUBLISH([/^publish$/])] },
  { names: ["twine"], rules: [PUBLISH([/^upload$/])] },
  { names: ["gem", "helm"], rules: [PUBLISH([/^push$/]), CLOUD(/^(?:uninstall|delete)$/)] },
  { names: ["dotnet"], rules: [PUBLISH([/^nuget$/, /^push$/])] },
  { names: ["vsce", "ovsx", "lerna", "changeset"], rules: [PUBLISH([/^publish$/])] },
  { names: ["mvn", "mvnw"], rules: [PUBLISH([/^(?:deploy|release:perform)$/])] },
  { names: ["gradle", "gradlew"], rules: [PUBLISH([/^(?::?[\w:-]*publish\w*)$/])] },
  {
    names: ["gh"],
    rules: [
      PUBLISH([/^release$/, /^(?:create|upload)$/]),
      CLOUD(/^(?:repo|release|secret|variable|codespace)$/, /^delete$/),
      {
        id: "sends-file",
        words: [/^gist$/, /^create$/],
        finds: ({ argv }) => [{ id: "sends-file", marks: argv.slice(0, 3), host: "gist.github.com" }],
      },
    ],
  },
  { names: ["glab"], rules: [PUBLISH([/^release$/, /^(?:create|upload)$/]), CLOUD(/^repo$/, /^delete$/)] },
  { names: ["goreleaser", "semantic-release"], rules: [{ id: "publishes" }] },
  { names: ["uvx"], rules: [{ id: "unpinned-package" }] },
  { names: ["pipx"], rules: [DOWNLOADS([/^run$/])] },
  {
    names: ["pip", "pip3"],
    rules: [{ id: "unpinned-package", words: [/^install$/], finds: packagesByAddress }],
  },
  { names: ["go"], rules: [{ id: "unpinned-package", words: [/^run$/], word: /@/ }] },
  { names: ["deno"], rules: [{ id: "runs-downloaded-script", words: [/^run$/], word: /^(?:https?|npm|jsr):/ }] },

  // What is in a cloud or a cluster.
  { names: ["terraform", "tofu", "terragrunt"], rules: [CLOUD(/^destroy$/), CLOUD(/^state$/, /^rm$/), applied()] },
  { names: ["pulumi"], rules: [CLOUD(/^(?:destroy|down)$/), CLOUD(/^stack$/, /^rm$/)] },
  { names: ["cdk", "cdktf", "serverless", "sls", "eksctl"], rules: [CLOUD(/^(?:destroy|remove|delete)$/)] },
  {
    names: ["kubectl", "oc", "k3s"],
    rules: [CLOUD(/^(?:delete|drain)$/), CLOUD(/^kubectl$/, /^delete$/), CLOUD(/^replace$/)].map((rule, at) =>
      at === 2 ? { ...rule, options: "--force" } : rule,
    ),
  },
  {
    names: ["aws"],
    rules: [
      CLOUD(/^[a-z0-9-]+$/, /^(?:delete|terminate|deregister|purge|remove|destroy|revoke|release)-/),
      { id: "deletes-cloud-resources", words: [/^s3$/, /^(?:rb|rm)$/], options: "--recursive --force" },
      { id: "deletes-cloud-resources", words: [/^s3$/, /^sync$/], options: "--delete" },
      { id: "sends-file", words: [/^s3$/, /^(?:cp|mv|sync)$/], finds: sentToStore },
    ],
  },
  {
    names: "gcloud az doctl flyctl fly linode-cli hcloud vercel netlify railway scw ibmcloud".split(" "),
    rules: [{ id: "deletes-cloud-resources", finds: deletingWord }],
  },
  { names: ["heroku"], rules: [CLOUD(/^(?:apps:destroy|apps:delete|destroy|pg:reset|addons:destroy)$/)] },
  { names: ["firebase"], rules: [CLOUD(/^(?:firestore:delete|projects:delete|functions:delete|hosting:disable)$/)] },
  { names: ["wrangler"], rules: [CLOUD(/^delete$/), CLOUD(/./, /^delete$/)] },
  {
    names: ["gsutil"],
    rules: [CLOUD(/^(?:rb|rm)$/), { id: "sends-file", words: [/^(?:cp|mv|rsync)$/], finds: sentToStore }],
  },
  {
    names: ["rclone"],
    rules: [
      CLOUD(/^(?:purge|delete)$/),
      { id: "sends-file", words: [/^(?:copy|sync|move|copyto)$/], finds: sentToHost },
    ],
  },

  // Databases.
  { names: ["dropdb", "dropuser"], rules: [{ id: "deletes-database" }] },
  {
    names: "psql mysql mariadb sqlite3 duckdb clickhouse-client cockroach sqlcmd bq cqlsh snowsql".split(" "),
    rules: [SQL],
  },
  { names: ["mysqladmin"], rules: [DATABASE(/^drop$/)] },
  {
    names: ["mongosh", "mongo"],
    rules: [
      {
        id: "deletes-database",
        text: /\bdropDatabase\s*\(|\.drop\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)/,
      },
    ],
  },
  { names: ["redis-cli", "valkey-cli"], rules: [{ id: "deletes-database", word: /^flush(?:all|db)$/i }] },
  { names: ["rails", "rake"], rules: [DATABASE(/^db:(?:drop|reset|purge|truncate_all|migrate:reset)/)] },
  {
    names: ["prisma"],
    rules: [DATABASE(/^migrate$/, /^reset$/), { ...DATABASE(/^db$/, /^push$/), options: "--force-reset" }],
  },
  { names: ["artisan"], rules: [DATABASE(/^(?:migrate:(?:fresh|reset)|db:wipe)$/)] },
  { names: ["supabase"], rules: [DATABASE(/^db$/, /^reset$/)] },

  // Files that go elsewhere.
  { names: ["curl"], rules: [{ id: "sends-file", finds: sentByCurl }] },
  {
    names: ["wget"],
    rules: [{ id: "sends-file", finds: ({ argv }) => sentByOption(argv, /^--(?:post|body)-file(?:=|$)/) }],
  },
  { names: ["scp", "rsync"], rules: [{ id: "sends-file", finds: sentToHost }] },
  {
    names: ["nc", "ncat", "netcat"],
    rules: [{ id: "sends-file", unless: "-l --listen -z", finds: sentThroughSocket }],
  },
  { names: ["mail", "mailx", "sendmail", "msmtp", "mutt", "swaks"], rules: [{ id: "sends-mail" }] },

  // The machine.
  { names: ["docker", "podman", "nerdctl"], rules: CONTAINERS },
  {
    names: ["docker-compose", "podman-compose"],
    rules: [{ id: "deletes-container-data", words: [/^down$/], options: "-v --volumes" }],
  },
  {
    names: ["dd"],
    rules: [{ id: "overwrites-disk", word: /^of=\/dev\/(?!null$|stdout$|stderr$|tty$|fd\/)/ }],
  },
  { names: ["chmod", "chown", "chgrp", "setfacl"], rules: [{ id: "changes-rights", options: "-R --recursive" }] },
  { names: ["kill", "pkill", "killall", "killall5", "skill"], rules: [{ id: "stops-processes", finds: signalled }] },
  { names: ["systemctl", "launchctl"], rules: [{ id: "stops-services", words: [SERVICE_WORD] }] },
  { names: ["service", "rc-service"], rules: [{ id: "stops-services", words: [/./, SERVICE_WORD] }] },
  { names: ["crontab"], rules: [{ id: "changes-what-runs-later", unless: "-l" }] },
  { names: ["at", "batch"], rules: [{ id: "changes-what-runs-later", unless: "-l -c" }] },
  { names: ["shutdown", "reboot", "poweroff", "halt"], rules: [{ id: "stops-services" }] },
];

const BY_NAME: ReadonlyMap<string, readonly HazardRule[]> = new Map(
  HAZARD_RECORDS.flatMap(({ names, rules }) => names.map((name) => [name, rules] as const)),
);

/** The names of all programs with such rules. */
export const HAZARD_NAMES: readonly string[] = [...BY_NAME.keys()];

/** What may be dangerous about a program; nothing for one without rules. */
export function hazardRulesOf(name: string): readonly HazardRule[] {
  return BY_NAME.get(name) ?? [];
}

/** `terraform apply -auto-approve`: nobody is asked what it deletes. */
function applied(): HazardRule {
  return {
    id: "deletes-cloud-resources",
    words: [/^apply$/],
    options: "-auto-approve --auto-approve -destroy --destroy",
  };
}

/** `-v /:/host`, `--mount source=/`, the socket of the daemon: whoever is in the container owns the machine. */
function mountsOfTheMachine({ argv }: Called): FoundHazard[] {
  const word = argv.find(({ text }) =>
    /(?:^|=|^-v)(?:\/|\/etc|\/root|\/home|\/var\/run|\/run|\/var\/run\/docker\.sock|\/run\/docker\.sock)\/?(?::|,|$)/.test(
      text.replace(/^--mount=/, "").replace(/^(?:[^,]*,)*(?=(?:source|src)=)/, ""),
    ),
  );
  return word === undefined ? [] : [{ id: "leaves-container", marks: [word] }];
}

/** `gcloud compute instances delete x`: the word is behind any number of groups. */
function deletingWord({ argv }: Called): FoundHazard[] {
  const args = argv.slice(1, 8);
  const at = args.findIndex(({ text }) => /^(?:delete|destroy|purge|remove|rm)$/.test(text));
  return at === -1 ? [] : [{ id: "deletes-cloud-resources", marks: argv.slice(0, at + 2) }];
}

function signalled({ argv }: Called): FoundHazard[] {
  const tool = processToolCalled(argv[0]?.text.replace(/^.*\//, "") ?? "");
  const harmless = tool?.signalsNotWith;
  const args = argv.slice(1);
  if (args.length === 0 || args.some(({ text }) => harmless?.test(text))) return [];
  return [{ id: "stops-processes", marks: argv }];
}

function sentByCurl({ argv }: Called): FoundHazard[] {
  const { files, hosts } = filesSentByCurl(argv.slice(1));
  const host = hostIn(hosts[0]?.text ?? "");
  return files.slice(0, 1).map(({ word, path }): FoundHazard => {
    return { id: "sends-file", marks: [word], ...(path === null ? {} : { path }), ...(host === null ? {} : { host }) };
  });
}

function sentByOption(argv: readonly Word[], option: RegExp): FoundHazard[] {
  const at = argv.findIndex(({ text }) => option.test(text));
  const word = argv[at];
  if (word === undefined) return [];
  const path = word.text.includes("=") ? word.text.slice(word.text.indexOf("=") + 1) : argv[at + 1]?.text;
  const host = argv.slice(1).map(({ text }) => (/^[a-z]+:\/\//.test(text) ? hostIn(text) : null));
  const first = host.find((one) => one !== null);
  return [
    {
      id: "sends-file",
      marks: [word],
      ...(path === undefined ? {} : { path }),
      ...(first == null ? {} : { host: first }),
    },
  ];
}

const PLACES: Program = { names: ["scp"], operands: ["copies"] };

/** `scp a host:`, `rsync -a dir user@host:dir`: the last word is on another machine. */
function sentToHost({ argv }: Called): FoundHazard[] {
  const program = programCalled(argv[0]?.text.replace(/^.*\//, "") ?? "") ?? PLACES;
  const { operands } = argumentsOf(program, argv.slice(1));
  const target = operands.at(-1);
  const remote = /^(?:(?:rsync|scp|ssh):\/\/)?(?:[^@/:]*@)?([\w.-]+):/.exec(target?.text ?? "");
  const source = operands.at(-2);
  if (target === undefined || remote?.[1] === undefined || source === undefined) return [];
  if (/^(?:[^@/:]*@)?[\w.-]+:/.test(source.text)) return [];
  return [{ id: "sends-file", marks: [target], path: source.text, host: remote[1] }];
}

/** `aws s3 cp a s3://bucket`. */
function sentToStore({ argv }: Called): FoundHazard[] {
  const at = argv.findIndex(({ text }) => /^(?:s3|gs):\/\//.test(text));
  const target = argv[at];
  const source = argv[at - 1];
  if (target === undefined || source === undefined || /^-/.test(source.text) || at < 3) return [];
  const host = /^(?:s3|gs):\/\/[^/]*/.exec(target.text)?.[0] ?? "";
  return [{ id: "sends-file", marks: [target], path: source.text, host }];
}

/** `nc host 80 < file`, `cat file | nc host 80`. */
function sentThroughSocket({ argv, stdin }: Called): FoundHazard[] {
  const host = argv.slice(1).find(({ text }) => /^[\w.-]*[A-Za-z.][\w.-]*$/.test(text) && !text.startsWith("-"));
  if (stdin === null || host === undefined) return [];
  return [{ id: "sends-file", marks: [host], host: host.text }];
}

/** Null where programs differ about which host it is: what is named must be the one that it goes to. */
export function hostIn(url: string): string | null {
  const [, authority = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/]*)/i.exec(url) ?? [];
  return /^(?:[\w.~:%-]*@)?([\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d*)?$/.exec(authority.replace(/[?#].*$/s, ""))?.[1] ?? null;
}

/** Programs that start the program that they are given, by the words before it; unlike wrappers they find it in their own places. */
const LAUNCHERS: Readonly<Record<string, readonly RegExp[]>> = {
  npx: [],
  bunx: [],
  npm: [/^(?:exec|x)$/],
  pnpm: [/^(?:exec|dlx)$/],
  yarn: [/^(?:exec|dlx|run)$/],
  bundle: [/^exec$/],
  poetry: [/^run$/],
  pipenv: [/^run$/],
  uv: [/^run$/],
  uvx: [],
  pipx: [/^run$/],
  dotenv: [],
  php: [],
};

/** The names of all of them. */
export const LAUNCHER_NAMES: readonly string[] = Object.keys(LAUNCHERS);

/** The command that a launcher starts, or null. */
export function launchedBy(name: string, argv: readonly Word[]): readonly Word[] | null {
  const words = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (words === undefined) return null;
  let at = 1;
  for (const word of words) {
    while (/^-/.test(argv[at]?.text ?? "")) at++;
    if (!word.test(argv[at++]?.text ?? "")) return null;
  }
  while (/^-/.test(argv[at]?.text ?? "")) at += /^(?:-p|--package|--from|--with)$/.test(argv[at]?.text ?? "") ? 2 : 1;
  return at < argv.length ? argv.slice(at) : null;
}

/** Launchers that fetch the package where the project doesn't have it. */
const FETCHING_LAUNCHERS: ReadonlySet<string> = new Set(["npx", "bunx", "npm"]);

/** The package that is fetched, unless the project holds a program of its name; null where nothing may be fetched. */
export function packageFetchedBy(
  name: string,
  argv: readonly Word[],
): { word: Word; name: string; isNamed: boolean } | null {
  if (!FETCHING_LAUNCHERS.has(name) || optionGiven("--no-install --no", argv.slice(1)) !== undefined) return null;
  const word = launchedBy(name, argv)?.[0];
  if (word === undefined || !/^(?:@?[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=*-]+)?$/.test(word.text)) return null;
  const at = word.text.lastIndexOf("@");
  const packageName = at > 0 ? word.text.slice(0, at) : word.text;
  return { word, name: packageName.slice(packageName.lastIndexOf("/") + 1), isNamed: at > 0 };
}

/** Programs that fetch what they print or write. */
const FETCHERS: ReadonlySet<string> = new Set(["curl", "wget", "wget2", "http", "https", "xh", "aria2c"]);

/** Programs whose output hides what it was made of, with the options that make them turn it back. */
const DECODERS: Readonly<Record<string, RegExp>> = {
  base64: /^(?:-d|-D|--decode|-di|-id)$/,
  base32: /^(?:-d|--decode)$/,
  xxd: /^-\w*r/,
  openssl: /^-d$/,
  uudecode: /./,
  gunzip: /./,
  gzip: /^-\w*d/,
  zcat: /./,
  rev: /./,
};

/** The names of all of these. */
export const SOURCE_NAMES: readonly string[] = [...FETCHERS, ...Object.keys(DECODERS)];

/** Where a shell's or interpreter's text would come from: the internet, or data that hides it; null for any other program. */
export function sourceOf(name: string, args: readonly Word[]): "fetched" | "hidden" | null {
  if (FETCHERS.has(name)) return "fetched";
  const option = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (option === undefined) return null;
  return option.test("any") || args.some(({ text }) => option.test(text)) ? "hidden" : null;
}

/** Options of every fetcher whose value is a file's name. */
const OUTPUT = /^(?:-[fsSLkgiv]*o|--output(?:-document|-file|-dir)?)$/;

/** The host that a fetching program is given, as it is written; null where that may be more than one. */
export function fetchedHost(args: readonly Word[]): string | null {
  const given = args.filter((_, at) => !OUTPUT.test(args[at - 1]?.text ?? ""));
  const urls = given.filter(({ text }) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text));
  const bare = given.filter(({ text }) => /^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(text));
  const [first, ...more] = new Set([...urls, ...bare].map(({ text }) => hostIn(text)));
  return first === undefined || more.length > 0 ? null : first;
}

/** Programs that read and run a text of the shell they are in. */
const EVALUATORS: ReadonlySet<string> = new Set(["eval", "source", "."]);

/** True if the program runs text as part of the shell that it is in. */
export function evaluatesText(name: string): boolean {
  return EVALUATORS.has(name);
}

/** Wrappers whose command runs on another machine: the files that it names are there. */
const REMOTE_LABELS: ReadonlySet<string> = new Set(["ssh", "mosh"]);

/** True if what a label runs is on another machine. */
export function runsElsewhere(label: string): boolean {
  return REMOTE_LABELS.has(label);
}

/** Wrappers that give another user's rights, by their labels. */
const ROOT_LABELS: ReadonlySet<string> = new Set([
  "sudo",
  "doas",
  "su -c",
  "pkexec",
  "runuser",
  "runuser -c",
  "run0",
  "su-exec",
  "gosu",
]);

/** The wrapper's name, where the label means that its command has another user's rights. */
export function rootBy(label: string): string | null {
  return ROOT_LABELS.has(label) ? label.replace(/ .*$/, "") : null;
}
