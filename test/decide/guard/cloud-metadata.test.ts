import { describe, expect, it } from "vitest";
import { LEVELS } from "../../../ipc/contract/decision.ts";
import { guard } from "../../../main/decide/guard/guard.ts";
import { decided } from "../../support/guarded-calls.ts";
import { prepared } from "../../support/proposed-calls.ts";

const WORLD = { home: "/home/ada", cwd: "/home/ada/project" };
const REASON = "guard: a cloud's metadata service hands out credentials";

const URLS = [
  "http://169.254.169.254/latest/meta-data/",
  "http://169.254.170.2/v2/credentials",
  "https://169.254.0.1:8080/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0xA9.0xFE.0xA9.0xFE/",
  "http://0251.0376.0251.0376/",
  "http://169.254.43518/",
  "http://169.254.169.254./",
  "http://user:x@169.254.169.254/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://[febf::1]/",
  "http://100.100.100.200/",
  "http://192.0.0.192/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://METADATA.google.internal./",
  "http://metadata.goog/",
  "http://metadata/computeMetadata/v1/",
  "http://instance-data/latest",
  "http://instance-data.ec2.internal/",
  "http://metadata.azure.internal/",
  "http://169.254.169.254.nip.io/",
  "http://a.169-254-169-254.sslip.io/",
];

describe("a cloud's metadata", () => {
  it.each(URLS)("is denied to every tool for the web and to every command, at every level: %s", (url) => {
    for (const level of LEVELS)
      for (const [tool, args] of [
        ["WebFetch", { url, prompt: "" }],
        ["http_get", { url }],
        ["http_post", { url, body: "" }],
        ["mcp__web__get", { address: url }],
      ] as const)
        if (level !== "ReadOnly")
          expect([tool, decided({ ...WORLD, level }, tool, args).reason]).toEqual([tool, REASON]);
        else expect([tool, decided({ ...WORLD, level }, tool, args).outcome]).toEqual([tool, "denied"]);
    for (const command of [
      `curl -s '${url}'`,
      `wget -qO- '${url}'`,
      `some-program --url='${url}'`,
      `echo ok && http GET '${url}' | jq .`,
      `python3 -c 'print(open_url("${url}"))'`,
      `http_proxy='${url}' curl https://a.example`,
    ])
      expect([command, decided(WORLD, "Bash", { command }).reason]).toEqual([command, REASON]);
  });

  it.each([
    "curl 169.254.169.254/latest",
    "curl -s 2852039166",
    "curl 0xa9fea9fe/x",
    "curl metadata/computeMetadata/v1/",
    "nc metadata 80",
    "nc 169.254.169.254 80",
    "curl -x 169.254.169.254:80 http://a.example",
    "curl --resolve a.example:80:169.254.169.254 http://a.example",
    "curl [fe80::1]/x",
    "exec 3<>/dev/tcp/169.254.169.254/80",
    "ssh me@169.254.169.254",
    "bash -c 'curl http://169.254.169.254/'",
    "H=169.254.169.254; curl http://$H/",
    "node -e 'fetch(\"http://metadata.google.internal/\")'",
  ])("is denied in any word of a command: %s", (command) => {
    expect(decided(WORLD, "Bash", { command }).reason).toBe(REASON);
  });

  it.each([
    "cat metadata",
    "cd metadata && ls",
    "grep -rn metadata src",
    "grep -rn 169.254.169.254 src",
    "rg 'http://169.254.169.254' src",
    "git commit -m 'block http://169.254.169.254'",
    "echo 'see http://169.254.169.254/'",
    "sleep 20",
    "head -n 100 metadata.json",
    "curl https://a.example/metadata/169.x",
    "curl http://169.253.169.254/",
    "curl http://10.0.0.1/ 'http://[fd00::1]/'",
    "ls v1.169.254",
  ])("is not every word: %s", (command) => {
    const { stage, reason } = decided(WORLD, "Bash", { command });
    expect([stage === "guard", reason === REASON]).toEqual([false, false]);
  });

  it.each(["169.254.169.254/latest", "metadata", "metadata.google.internal/x", "http:/169.254.169.254/", "2852039166"])(
    "is denied to a tool for the web also where no address is written: %s",
    (url) => {
      const { call, executor, needs } = prepared("/home/ada", "http_get", { url });
      expect(needs.map(({ target }) => target.kind)).toEqual(["unknown"]);
      expect(guard(call, executor, needs, { home: "/home/ada" })?.reason).toBe(REASON);
    },
  );

  it("may be written about", () => {
    const content = "http://169.254.169.254/";
    expect(decided(WORLD, "Write", { file_path: "/home/ada/project/a.md", content }).outcome).toBe("allowed");
    expect(decided(WORLD, "WebFetch", { url: "https://a.example/", prompt: content }).outcome).toBe("allowed");
  });
});
