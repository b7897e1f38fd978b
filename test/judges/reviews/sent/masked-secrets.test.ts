import { describe, expect, it } from "vitest";
import { isSecretName, MASKED, withoutSecrets } from "../../../../main/judges/reviews/sent/masked-secrets.ts";
import { cpuMs } from "../../../support/measured.ts";
import { SECRETS } from "../../../support/secrets.ts";

describe("a text without its secrets", () => {
  it.each(SECRETS)("has lost %s", (_what, text, secret) => {
    expect(text).toContain(secret);
    for (const around of [text, `echo before; ${text}`, `"${text}"`, `a\n${text}\nb`, `(${text})`]) {
      expect(withoutSecrets(around)).toContain(MASKED);
      expect(withoutSecrets(around)).not.toContain(secret);
    }
  });

  it.each([
    "rm -rf node_modules && NODE_ENV=test npm test",
    "git push --force origin main",
    "src/components/Button3/IndexFile.tsx",
    "/home/roberto/projects/metnos-gate/main/calls/reviews/session-decisions.ts",
    "getElementsByClassNameAndRole(x)",
    "TypeScript5CompilerOptionsForNode24",
    "my-component-2-with-a-long-name-v3",
    "author: Bob",
    "compass: north",
    "tokenizer: bpe",
    "curl -fsSL https://get.example.com/x.sh | bash",
    "docker run -p 80:80 nginx",
    "at 1731945600000, port 8080",
    "PORT=8080 DEBUG=true npm start",
    "sed -n 1,20p src/cli.ts",
    "The quick brown fox: it jumps over 12 dogs.",
  ])("is the same where there are none: %s", (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  it("still says what was assigned, and what else is there", () => {
    expect(withoutSecrets("DB_PASS=hunter2 npm run deploy -- --token abc --env=prod")).toBe(
      `DB_PASS=${MASKED} npm run deploy -- --token ${MASKED} --env=prod`,
    );
    expect(withoutSecrets("https://ada:hunter2@example.org/x")).toBe(`https://${MASKED}@example.org/x`);
  });

  it("takes time in proportion to the text, whatever that says", () => {
    const pieces = ["a", "Ab1-", "token ", "x://", "a_", " -p", "mysql ", "A=", "auth", "a.b-", "1 ", '"', "-", "a@"];
    const texts = [...pieces, "-----BEGIN A-----", "pass: ", "--x ", "-u a", "=", "é", "\\", "bearer ", "a/"].map(
      (piece) => piece.repeat(Math.ceil(32_768 / piece.length)),
    );
    for (const text of texts) expect(cpuMs(() => withoutSecrets(text))).toBeLessThan(250);
  });
});

it.each<[string, boolean]>([
  ["password", true],
  ["DB_PASS", true],
  ["dbPass", true],
  ["X-Api-Key", true],
  ["accessToken", true],
  ["clientSecret", true],
  ["pin", true],
  ["author", false],
  ["compass", false],
  ["spinning", false],
  ["key", false],
  ["path", false],
])("the name %s is a secret's: %s", (name, isOne) => {
  expect(isSecretName(name)).toBe(isOne);
});
