import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readKey } from "../../../main/judges/models/provider-model.ts";
import { ModelError } from "../../../main/judges/reviews/judge-ports.ts";
import { modelServer } from "../../support/model-server.ts";
import { failureOf, openedModel, QUESTION } from "../../support/opened-models.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const never = new AbortController().signal;
const KEY = "sk-test-0123456789abcdef";

function keyFile(text = `${KEY}\n`, mode = 0o600): string {
  const file = join(tempFolder(), "key");
  writeFileSync(file, text, { mode });
  chmodSync(file, mode);
  return file;
}

function problemOf(keyFile: string): string {
  try {
    readKey({ key_file: keyFile }, {});
  } catch (error) {
    if (error instanceof ModelError && error.problem === "key-missing") return error.message;
    throw error;
  }
  throw new Error("it was read");
}

it("a key is the text of its file, without the line's end", () => {
  expect(readKey({ key_file: keyFile() }, {})).toBe(KEY);
  expect(readKey({ key_file: keyFile(KEY, 0o400) }, {})).toBe(KEY);
  expect(readKey({ key_env: "A" }, { A: KEY })).toBe(KEY);
  expect(readKey({}, {})).toBeUndefined();
});

it.each([0o640, 0o604, 0o660, 0o666, 0o610, 0o601])("a key file with mode %o is refused", (mode) => {
  expect(problemOf(keyFile(KEY, mode))).toBe("others can read the key file: it has to be 0600");
});

it("a link, a pipe, a folder and a missing file are no key files, and none of them blocks the gate", () => {
  const folder = tempFolder();
  const at = (name: string) => join(folder, name);
  symlinkSync(keyFile(), at("link"));
  execFileSync("mkfifo", ["-m", "600", at("pipe")]);
  mkdirSync(at("folder"), { mode: 0o700 });
  expect(problemOf(at("link"))).toBe("the key file is a link");
  expect(problemOf(at("pipe"))).toBe("the key file is no file");
  expect(problemOf(at("folder"))).toBe("the key file is no file");
  expect(problemOf(at("missing"))).toBe("the key file can't be read (ENOENT)");
});

it.skipIf(process.getuid?.() !== 0)("a file of another user is no key file (only root can make one to test it)", () => {
  const file = keyFile();
  chownSync(file, 65_534, 65_534);
  expect(problemOf(file)).toBe("the key file belongs to another user");
});

it.each(["", "\n", "two words", "a\nX-Injected: yes", "k\u0000y", "schlüssel"])("%j is no key", (text) => {
  expect(problemOf(keyFile(text))).toMatch(/^the key file (holds no key|doesn't hold just a key)$/);
});

it("a key is read anew for each question, and nothing is sent without one", async () => {
  const server = await modelServer();
  const file = keyFile();
  const { model, alarms, models } = openedModel(server, { config: { key_file: file } });
  await model.ask(QUESTION, never);
  writeFileSync(file, "sk-renewed");
  await model.ask(QUESTION, never);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, "Bearer sk-renewed"]);
  chmodSync(file, 0o644);
  const error = await failureOf(model.ask(QUESTION, never));
  expect(error).toMatchObject({ problem: "key-missing", message: "others can read the key file: it has to be 0600" });
  expect(server.requests).toHaveLength(2);
  expect(model.problem).toBe("key-missing");
  expect(alarms.list()).toMatchObject([{ code: "judge_unavailable", subject: "judge" }]);
  expect(model.spentToday.calls).toBe(2);
  models.close();
});

it("at the start a missing key is known without asking anybody", async () => {
  const server = await modelServer();
  const config = { key_env: "NO_SUCH_KEY", base_url: server.onlineUrl };
  const { models, model, alarms } = openedModel(server, { config });
  models.begin();
  expect(model.problem).toBe("key-missing");
  expect(alarms.list()).toMatchObject([
    {
      code: "judge_unavailable",
      message: expect.stringContaining("the environment variable NO_SUCH_KEY holds no key"),
    },
  ]);
  expect(server.connectionsEver).toBe(0);
});
