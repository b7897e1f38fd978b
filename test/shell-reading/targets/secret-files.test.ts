import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  askedEachTime,
  hasSecretName,
  isSecretInGit,
  mayBeSecret,
  withoutGitSecrets,
} from "../../../packages/shell-reading/targets/secret-files.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { decided } from "../../support/guarded-calls.ts";
import { leastWork } from "../../support/least-work.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n";
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const TOKEN = "ghs_0123456789abcdefghij";

/** With a content that is one, where the content tells. */
const SECRETS: readonly [name: string, content?: string][] = [
  ["server.key", "-----BEGIN EC PRIVATE KEY-----\n"],
  ["tls/server.pem", CERTIFICATE + KEY],
  ["config/master.key", "0123456789abcdef0123456789abcdef"],
  ["config/credentials/production.key", "0123456789abcdef0123456789abcdef"],
  ["id_rsa.bak", KEY],
  ["id_ed25519.old", KEY],
  ["deploy_rsa.key", KEY],
  ["AuthKey_1.p8", "-----BEGIN PRIVATE KEY-----\n"],
  ["login.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\n"],
  ["store.p12"],
  ["store.pfx"],
  ["upload.jks"],
  ["release.keystore"],
  [".dev.vars"],
  [".dev.vars.production"],
  [".env-prod"],
  [".env_staging"],
  [".env~"],
  ["prod.env"],
  ["production.env"],
  [".env/prod"],
  [".env/deep/values"],
  [".flaskenv"],
  [".envrc.local"],
  ["terraform.tfstate"],
  ["terraform.tfstate.backup"],
  ["terraform.tfvars"],
  ["prod.auto.tfvars"],
  ["service-account.json"],
  ["service_account_prod.json"],
  ["credentials.json"],
  ["client_secret_1.json"],
  ["secrets.yml"],
  [".htpasswd"],
  [".yarnrc.yml", `npmAuthToken: "${TOKEN}"\n`],
  [".mcp.json", `{"mcpServers":{"a":{"env":{"GITHUB_TOKEN":"${TOKEN}"}}}}`],
  [".claude.json", `{"mcpServers":{"a":{"headers":{"Authorization":"Bearer ${TOKEN}"}}}}`],
  [".cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://me:hidden1@example.com/mcp"}}}`],
  [".local/share/opencode/auth.json"],
  ["kubeconfig"],
  ["prod.kubeconfig"],
  [".vault_pass"],
  [".vault_pass.txt"],
  ["wp-config.php"],
  [".envs/.production/.django"],
  ["auth.json", '{"http-basic":{"example.com":{"username":"a","password":"hidden1"}}}'],
  [".sentryclirc", "[auth]\ntoken=0123456789abcdef\n"],
  ["sentry.properties", "auth.token=0123456789abcdef\n"],
  [".clasprc.json", '{"token":{"refresh_token":"1//0123456789"}}'],
  ["pip.conf", "[global]\nindex-url = https://me:hidden1@example.com/simple\n"],
  ["key.properties", "storePassword=hidden1\n"],
  ["nuget.config", '<add key="ClearTextPassword" value="hidden1" />'],
  [".bundle/config", '---\nBUNDLE_GEMS__EXAMPLE__COM: "me:hidden1"\n'],
  ["config/database.yml", "production:\n  password: k9ZpQ2hidden\n"],
  ["appsettings.json", '{"ConnectionStrings":{"Default":"Server=db;Password=k9ZpQ2hidden;"}}'],
  ["appsettings.Production.json", '{"Db":"Server=db;Pwd=k9ZpQ2hidden;"}'],
  ["local.settings.json", '{"Values":{"AzureWebJobsStorage":"AccountName=a;AccountKey=k9ZpQ2hidden=="}}'],
  ["gradle.properties", "nexusPassword=k9ZpQ2hidden\n"],
  ["database.yml", "production:\n  password:\n    k9ZpQ2hidden\n"],
  ["database.yml", "production:\n  password: >-\n    k9ZpQ2hidden\n"],
  ["database.yaml", "production:\n  url: postgres://app:k9ZpQ2hidden@localhost/app\n"],
  [".env copy"],
  [".env 2"],
  [".env (copy)"],
  ["credentials.json (1)"],
  ["..env.un~"],
  // As editors keep what is open, and people what they change.
  ["..env.swp"],
  ["..env.local.swo"],
  ["#.env#"],
  ["prod.env.bak"],
  ["credentials.json~"],
  [".credentials.json.swp"],
  [".mcp.json.orig", `{"mcpServers":{"a":{"env":{"GITHUB_TOKEN":"${TOKEN}"}}}}`],
  [".netrc~"],
  // With the ending behind what says that it is a copy: of a browser, a file manager, Jupyter, an editor's history, Syncthing; Emacs numbers them.
  [".history/config/database_20260109153220.yml", "production:\n  password: k9ZpQ2hidden\n"],
  ...`credentials (1).json|credentials copy.json|credentials copy 2.json|secrets 2.yml|.ipynb_checkpoints/credentials-checkpoint.json|.npmrc_20260109153220|.history/credentials_20260109153220.json
credentials.sync-conflict-20260109-153220-ABCDEFG.json|.stversions/credentials~20260109-153220.json|credentials.json.~1~|.credentials.json.~undo-tree~|credentials.json.bak2|credentials.json.bak.1
http-client.private.env.json|rootkey.csv|me_accessKeys.csv|new_user_credentials.csv|.authinfo|.databrickscfg`
    .split(/[|\n]/)
    .map((name): [string] => [name]),
  ["credentials.yml", "api_key: k9ZpQ2hidden\n"],
  [".sbt/credentials", "realm=x\npassword=k9ZpQ2hidden\n"],
  ["credentials.tfrc.json", `{"credentials":{"app.example.org":{"token":"${TOKEN}"}}}`],
  ["token.json", '{"token":"ya29.hidden1","refresh_token":"1//0123456789"}'],
  [".vscode/sftp.json", '{"host":"example.org","password":"k9ZpQ2hidden"}'],
  ["sftp-config.json", '{"host":"example.org","password":"k9ZpQ2hidden"}'],
  [".ftpconfig", '{"host":"example.org","pass":"x","passphrase":"k9ZpQ2hidden"}'],
  [".remote-sync.json", '{"password":"k9ZpQ2hidden"}'],
  ["cypress.env.json", '{"password":"k9ZpQ2hidden"}'],
];

/** Files of the same names, or nearly, that are read every day. */
const NONE: readonly [name: string, content?: string][] = [
  ["ca.pem", CERTIFICATE],
  ["public.pem", "-----BEGIN PUBLIC KEY-----\n"],
  ["server.key", CERTIFICATE],
  ["slides.key", "PK\x03\x04rest"],
  ["empty.key", ""],
  ["id_rsa.pub", "ssh-rsa AAAA"],
  ["id_rsa.ts", "export const ID = 1;\n"],
  ["truststore.jks"],
  ["cacerts.jks"],
  ["a.env"],
  ["env.ts"],
  [".env.example"],
  [".env-example"],
  [".envrc.example"],
  [".dev.vars.example"],
  [".env/bin/activate"],
  [".env/pyvenv.cfg"],
  ["terraform.tfvars.example"],
  ["main.tf"],
  ["auth.json"],
  ["package.json"],
  ["credentials.ts"],
  [".yarnrc.yml", "nodeLinker: node-modules\nnpmAuthToken: $" + "{NPM_TOKEN}\n"],
  [".mcp.json", '{"mcpServers":{"a":{"command":"node","env":{"GITHUB_TOKEN":"$' + '{GITHUB_TOKEN}"}}}}'],
  [".cursor/mcp.json", '{"mcpServers":{"a":{"url":"https://example.com/mcp"}}}'],
  ["node_modules/x/test/key.pem", KEY],
  ["node_modules/x/credentials.json"],
  ["auth.json", '{"http-basic":{}}'],
  ["pip.conf", "[global]\ntimeout = 60\n"],
  ["nuget.config", '<add key="Password" value="%NUGET_PASSWORD%" />'],
  [".bundle/config", '---\nBUNDLE_PATH: "vendor/bundle"\nBUNDLE_BUILD__NOKOGIRI: "--use-system-libraries"\n'],
  ["database.yml", 'production:\n  password: <%= ENV["DB_PASSWORD"] %>\n'],
  ["database.yml", "test:\n  password: postgres\n  secret: 'changeme'\n"],
  ["appsettings.json", '{"ConnectionStrings":{"Default":"Server=.;Trusted_Connection=True"}}'],
  // Nothing is given, and the next line is another.
  ["database.yml", "default: &default\n  username: root\n  password:\n  socket: /tmp/mysql.sock\n"],
  ["database.yml", "test:\n  password:\n\nproduction:\n  <<: *default\n"],
  ["pip.conf", "[global]\npassword =\n[install]\n"],
  ["key.properties", "storePassword=\nkeyPassword=\n#keyAlias=\n"],
  ["gradle.properties", "signing.password=\nossrhPassword=\n"],
  ["database.yml", "test:\n  url: postgres://postgres:postgres@localhost:5432/app\n"],
  ["appsettings.json", '{"Auth":{"TokenEndpoint":"https://login.example.com/token","TokenLifetimeMinutes":600000}}'],
  ["appsettings.json", '{"SecretName":"app-database","RefreshTokenExpiration":"7.00:00:00","PasswordPolicy":"Strict"}'],
  ["appsettings.Development.json", '{"AzureAd":{"ClientSecret":"your-secret-here"}}'],
  ["gradle.properties", "org.gradle.jvmargs=-Xmx2g\n"],
  [".a.ts.swp"],
  ["notes~"],
  ["notes (1).md"],
  ["credentials copy.ts"],
  ["package_20260109153220.json"],
  ["x-checkpoint.ipynb"],
  ["tokens.json", '{"token":{"color":{"value":"#fff"}}}'],
  ["token.json", '{"kind":"identifier","text":"a"}'],
  ["credentials.yml", "users: []\n"],
  [".vscode/sftp.json", '{"host":"example.org","privateKeyPath":"~/.ssh/x"}'],
  ["cypress.env.json", '{"baseUrl":"http://localhost:3000"}'],
  ["http-client.env.json"],
  ["appsettings.json", '{"Certificate":{"PasswordFile":"/run/keys/certificate"}}'],
];

function put(folder: string, name: string, content = "x\n"): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, "latin1");
  return path;
}

describe("the list of secrets", () => {
  it.each(SECRETS)("holds %s, asked about each time and found in a search", (name: string, content?: string) => {
    const { grants, home } = freshGrants();
    const path = put(home, `p/${name}`, content);
    for (const target of [path, `${home}/**`]) grants.recordGrant({ ...ROBERTO, capability: "fs:read", target });
    const world = { home, grants, cwd: `${home}/p`, level: "Full" as const };
    expect(askedEachTime(path)).toEqual(expect.any(String));
    expect(hasSecretName(path)).toBe(true);
    expect(mayBeSecret(name.slice(name.lastIndexOf("/") + 1), dirname(path))).toBe(true);
    expect(decided(world, "Read", { file_path: path })).toMatchObject({
      outcome: "approval_required",
      scopes: ["none"],
    });
    const { needs } = decided(world, "Grep", { pattern: "x" });
    expect(needs.filter(({ ask_each_time }) => ask_each_time !== undefined).map(({ target }) => target)).toEqual([
      { kind: "path", lexical: path, real: path, is_tree: false },
    ]);
  });

  it.each(NONE)("doesn't hold %s", (name: string, content?: string) => {
    const { grants, home } = freshGrants();
    const path = put(home, `p/${name}`, content);
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/**` });
    const world = { home, grants, cwd: `${home}/p`, level: "Supervised" as const };
    expect(decided(world, "Read", { file_path: path }).outcome).toBe("allowed");
    expect(decided(world, "Grep", { pattern: "x" }).outcome).toBe("allowed");
  });
});

describe("a private key", () => {
  it("is recognised by how it begins, whatever its name is, where it is read by name", () => {
    const { grants, home } = freshGrants();
    const path = put(home, "p/deploy", KEY);
    symlinkSync("deploy", `${home}/p/notes.txt`);
    put(home, "p/notes.md", `About keys:\n${KEY}`);
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/**` });
    const world = { home, grants, cwd: `${home}/p`, level: "Supervised" as const };
    for (const filePath of [path, `${home}/p/notes.txt`])
      expect(decided(world, "Read", { file_path: filePath })).toMatchObject({
        outcome: "approval_required",
        reason: expect.stringContaining("a private key, each time"),
      });
    expect(decided(world, "Bash", { command: "cat deploy" }).outcome).toBe("approval_required");
    expect(decided(world, "Read", { file_path: `${home}/p/notes.md` }).outcome).toBe("allowed");
  });

  it("is looked for without waiting: a pipe that nobody writes to by a key's name is asked about", () => {
    const home = tempFolder();
    execFileSync("mkfifo", [`${home}/a.pem`, `${home}/b`]);
    expect(decided({ home }, "Read", { file_path: `${home}/a.pem` }).outcome).toBe("approval_required");
    expect(decided({ home }, "Read", { file_path: `${home}/b` }).outcome).toBe("allowed");
  });

  it("a certificate by a link is none", () => {
    const home = tempFolder();
    put(home, "real.txt", CERTIFICATE);
    symlinkSync("real.txt", `${home}/ca.pem`);
    chmodSync(`${home}/real.txt`, 0o444);
    expect(decided({ home }, "Read", { file_path: `${home}/ca.pem` }).outcome).toBe("allowed");
  });
});

describe("what Git holds as it is", () => {
  const git = (cwd: string, ...words: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...words], { cwd, stdio: "pipe" });

  it("is the project's own: it isn't asked about until it is changed; a `.env` is, always", () => {
    const { grants, home } = freshGrants();
    const project = join(home, "p");
    for (const name of [".npmrc", "credentials.json", "dev.tfvars", ".env"]) put(project, name);
    put(project, "test/key.pem", KEY);
    git(project, "init", "-q");
    git(project, "add", ".");
    git(project, "commit", "-qm", "x");
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${project}/**` });
    const world = { home, grants, cwd: project, level: "Supervised" as const };
    const outcomeOf = (name: string) => decided(world, "Read", { file_path: join(project, name) }).outcome;
    for (const name of [".npmrc", "credentials.json", "dev.tfvars", "test/key.pem"])
      expect([name, outcomeOf(name)]).toEqual([name, "allowed"]);
    expect(outcomeOf(".env")).toBe("approval_required");
    expect(decided(world, "Bash", { command: "grep -r x test" }).outcome).toBe("allowed");
    put(project, "credentials.json", "other");
    put(project, ".npmrc", "other");
    for (const name of ["credentials.json", ".npmrc"])
      expect([name, outcomeOf(name)]).toEqual([name, "approval_required"]);
  });

  it("is shown by git without a question, but for what is a secret wherever it is", () => {
    for (const name of [".npmrc", "credentials.json", "a.pem", "wp-config.php"])
      expect(isSecretInGit(`/p/${name}`)).toBe(false);
    for (const name of [".env", ".env.local", ".pypirc", ".bash_history"])
      expect(isSecretInGit(`/p/${name}`)).toBe(true);
  });
});

describe("git's settings", () => {
  const LINES = ["cat .git/config", "git config --local --list", "git config --get remote.origin.url", "git remote -v"];
  const worldWith = (...config: string[]) => {
    const { grants, home } = freshGrants();
    const project = join(home, "p");
    mkdirSync(project);
    execFileSync("git", ["init", "-q", project]);
    for (const setting of config) execFileSync("git", ["-C", project, "config", ...setting.split("=")]);
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${project}/**` });
    return { home, grants, cwd: project, level: "Supervised" as const };
  };

  it.each([
    "remote.origin.url=https://me:hidden@example.com/a.git",
    "remote.origin.url=https://ghp_0123456789abcdef@git.example.org/a/b.git",
  ])("with a password or token in them are asked about each time where a command prints them: %s", (setting) => {
    const world = worldWith(setting);
    for (const command of LINES) {
      const { outcome, reason, scopes } = decided(world, "Bash", { command });
      expect([command, outcome, scopes]).toEqual([command, "approval_required", ["none"]]);
      expect(reason).toContain("git's settings with a password or token in them, each time");
    }
    for (const command of ["git status --short", "git remote", "git log --oneline -3"])
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "allowed"]);
  });

  it("with an extra header are asked about", () => {
    const world = worldWith("http.https://git.example.org/.extraheader=AUTHORIZATION: basic eDpoaWRkZW4");
    for (const command of LINES)
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "approval_required"]);
  });

  it("without any are read under the project's grant", () => {
    const world = worldWith("remote.origin.url=https://example.com/a.git", "remote.x.url=ssh://git@example.com/b.git");
    for (const command of LINES)
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "allowed"]);
  });
});

describe("git's logs", () => {
  const LINES = ["cat .git/logs/HEAD", "grep -r x .git/logs", "git reflog", "git log -g -2", "cat .git/FETCH_HEAD"];
  const worldPulled = (from: string) => {
    const { grants, home } = freshGrants();
    const project = join(home, "p");
    const git = (...words: string[]) => execFileSync("git", ["-C", project, ...words]);
    mkdirSync(project);
    git("init", "-q");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x");
    const [id] = git("rev-parse", "HEAD").toString().split("\n");
    put(project, ".git/logs/HEAD", `${id} ${id} a <a@example.com> 1 +0000\tpull ${from}: Fast-forward\n`);
    put(project, ".git/FETCH_HEAD", `${id}\t\tbranch 'main' of ${from}\n`);
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${project}/**` });
    return { home, grants, cwd: project, level: "Supervised" as const };
  };

  it("with the password of what was pulled in them are asked about each time where a command prints them", () => {
    const world = worldPulled("https://me:hidden1@example.com/x");
    for (const command of LINES)
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "approval_required"]);
    for (const command of ["git status --short", "git log --oneline -3"])
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "allowed"]);
  });

  it("without any are read under the project's grant", () => {
    const world = worldPulled("https://example.com/x");
    for (const command of LINES)
      expect([command, decided(world, "Bash", { command }).outcome]).toEqual([command, "allowed"]);
  });
});

describe("a log of git's of a branch whose name isn't UTF-8", () => {
  it("may hold a password, as nothing of it is read", () => {
    const logs = join(tempFolder(), ".git/logs");
    mkdirSync(logs, { recursive: true });
    expect(askedEachTime(logs)).toBe(undefined);
    writeFileSync(Buffer.concat([Buffer.from(`${logs}/caf`), Buffer.from([0xe9])]), "pull https://me:pw@h.example/x\n");
    expect(askedEachTime(logs)).toMatch(/^a log of git's/);
  });
});

describe("git's logs of more branches than are looked through", () => {
  it("aren't asked about where that of HEAD is printed", () => {
    const { grants, home } = freshGrants();
    const project = join(home, "p");
    mkdirSync(project);
    for (const words of [
      ["init", "-q"],
      ["-c", "user.name=a", "-c", "user.email=a@e", "commit", "-qm", "x", "--allow-empty"],
    ])
      execFileSync("git", ["-C", project, ...words]);
    for (let branch = 0; branch < 4100; branch++) put(project, `.git/logs/refs/remotes/origin/b${branch}`, "x\n");
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${project}/**` });
    const world = { home, grants, cwd: project, level: "Supervised" as const };
    const outcomes = (...commands: string[]) => commands.map((command) => decided(world, "Bash", { command }).outcome);
    expect(new Set(outcomes("git reflog", "git reflog show -5", "git log -g -2 --oneline"))).toEqual(
      new Set(["allowed"]),
    );
    expect(outcomes("git reflog origin/b1", "git log -g --all -2")).toEqual(["approval_required", "approval_required"]);
  });
});

describe("a log of git's, or what it kept of remotes once", () => {
  const URL = "pull https://me:hidden1@example.com/x: Fast-forward\n";
  const QUIET = "commit: one more\n".repeat(40_000);

  it.each([
    ["logs/refs/heads/x", URL],
    ["logs/refs/remotes/o/x", QUIET + URL],
    ["logs/HEAD", QUIET + URL + QUIET],
    ["logs/HEAD", QUIET.repeat(10)],
    ["worktrees/w/logs/HEAD", URL],
    ["modules/a/b/logs/refs/heads/x", URL],
    ["worktrees/w/FETCH_HEAD", QUIET + URL],
    ["remotes/o", URL],
    ["branches/o", URL],
    ["config.bak", `url = ${URL}`],
    ["config~", `url = ${URL}`],
    ["config.lock", `url = ${URL}`],
    [".config.swp", `url = ${URL}`],
    ["modules/a/config.worktree.orig", `url = ${URL}`],
  ])("is asked about where a password is in it, by its name and with its folder: .git/%s", (name, text) => {
    const project = tempFolder();
    put(project, `.git/${name}`, text);
    expect(askedEachTime(join(project, ".git", name))).toMatch(/git's/);
    const [folder = ""] = /^(?:.*\/)?logs(?=\/)/.exec(name) ?? [];
    if (folder !== "") expect(askedEachTime(join(project, ".git", folder))).toMatch(/git's/);
  });

  it("without one isn't, and neither is what only looks like it", () => {
    const project = tempFolder();
    const names = ["logs/refs/heads/x", "logs/HEAD", "FETCH_HEAD", "remotes/o", "config.bak", "worktrees/w/logs/HEAD"];
    for (const name of names) put(project, `.git/${name}`, `${QUIET}pull https://example.com/x@1: Fast-forward\n`);
    for (const name of [...names, "logs", "worktrees/w/logs", "config.old"])
      expect([name, askedEachTime(join(project, ".git", name))]).toEqual([name, undefined]);
    put(project, "config.bak", URL);
    expect(askedEachTime(join(project, "config.bak"))).toBeUndefined();
  });

  it("of four megabytes is looked at in no time that another agent would notice", () => {
    const project = tempFolder();
    for (const part of ["://", "a://", "a://b:", "x https://h/", "://a:b:"]) {
      put(project, ".git/logs/HEAD", part.repeat((4 * 1024 * 1024) / part.length));
      const began = process.threadCpuUsage();
      expect([part, askedEachTime(join(project, ".git/logs"))]).toEqual([part, undefined]);
      expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
    }
  });
});

describe("a hostile file", () => {
  const LONG = ["token", "a-", "a.", "token-", "a://", "a://b:", "token ", "token=\n", "-----BEGIN A "];

  const BOTH = LONG.flatMap((part) => [".mcp.json", "appsettings.json"].map((name) => [part, name] as const));

  it.each(BOTH)("is looked at in no more time than any other of its size: %j again and again in %s", (part, name) => {
    const file = join(tempFolder(), name);
    const text = part.repeat((256 * 1024) / part.length);
    writeFileSync(file, text);
    const began = process.threadCpuUsage();
    expect([askedEachTime(file), withoutGitSecrets(text) === text]).toEqual([undefined, true]);
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
  });

  it.each(["token-", "_auth", "a-"])("of names is looked at once, from left to right: %j", (part) => {
    const file = join(tempFolder(), ".mcp.json");
    const text = part.repeat((256 * 1024) / part.length);
    writeFileSync(file, text);
    const once = leastWork(() => /[a-z_-]*=/y.test(text.slice(1)));
    expect(leastWork(() => askedEachTime(file))).toBeLessThan(2.5 * once);
  });

  it.each([
    [".bundle/config", "BUNDLE_", "_"],
    [".bundle/config", "", "BUNDLE_A__B"],
    [".bundle/config", "BUNDLE_A__B:", " "],
    ["nuget.config", "", 'password" '],
    ["nuget.config", 'password"', " "],
    ["pip.conf", "", "password "],
    ["pip.conf", "password=", "\n"],
    ["database.yml", "password:", " "],
    ["database.yml", "password: |", "\n "],
  ])("%s with %j and %j again and again is, too", (name, begin, part) => {
    const file = join(tempFolder(), name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, begin + part.repeat((64 * 1024) / part.length));
    const began = process.threadCpuUsage();
    expect(askedEachTime(file)).toBeUndefined();
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
  });

  it.each([
    ['"myTokenValue-2": "abcdefgh"', "settings with a token in them"],
    ["x.api_key=abcdefgh", "settings with a token in them"],
    ["2.https://a:b@c", "settings with a token in them"],
    ["token\n: $HOME_DIRECTORY", undefined],
    ["://a:b@c", undefined],
  ])("%j is recognised as ever", (text, why) => {
    const file = join(tempFolder(), ".mcp.json");
    writeFileSync(file, text);
    expect(askedEachTime(file)).toBe(why);
  });

  it("of settings loses its passwords and nothing else", () => {
    const settings = `[a]
\turl = x.https://me:hidden@h/a.git
\turl = https://h/a:b
\tmy-token = a = b\\
 c
\txextraheader = y
\tname = z
`;
    expect(withoutGitSecrets(settings)).toBe(`[a]
\turl = x.https://h/a.git
\turl = https://h/a:b
\tmy-token =
\txextraheader = y
\tname = z
`);
  });
});
