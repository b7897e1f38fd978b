import { describe, expect, it } from "vitest";
import { publish, read } from "../../../main/surfaces/ntfy/ntfy-api.ts";
import { type NtfyFault, NtfyServer } from "../../support/ntfy-server.ts";

// main/surfaces/ntfy/ntfy-api.ts against a real server that goes wrong.

const MESSAGE = { topic: "t", title: "a asks", message: "m", priority: 3 as const };
const never = () => new AbortController().signal;

describe("what goes wrong with an ntfy server becomes words of the gate's own", () => {
  it.each<[NtfyFault, string]>([
    [{ status: 401 }, "token-refused"],
    [{ status: 403 }, "token-refused"],
    [{ status: 404 }, "refused"],
    [{ status: 500 }, "unreachable"],
    ["drop", "unreachable"],
    ["garbage", "malformed"],
    ["endless-line", "malformed"],
    [{ status: 307, headers: { location: "/elsewhere" } }, "redirects"],
  ])("as it is published: %j", async (fault, problem) => {
    const server = await NtfyServer.start();
    server.fail(/./, fault);
    const failed = publish({ url: server.url, token: () => "tk_SECRET" }, MESSAGE, never());
    await expect(failed).rejects.toMatchObject({ name: "NtfyError", problem });
    const error: unknown = await failed.catch((reason: unknown) => reason);
    expect(`${String(error)}${error instanceof Error ? String(error.stack) : ""}`).not.toMatch(
      /tk_SECRET|SERVER-TEXT|127\.0\.0\.1:/,
    );
    expect(server.requests).toHaveLength(1);
  });

  it("429: it waits as long as the server wants, five minutes at most", async () => {
    const server = await NtfyServer.start();
    const target = { url: server.url, token: () => undefined };
    for (const [seconds, ms] of [
      ["7", 7000],
      ["86400", 300_000],
      ["soon", undefined],
    ] as const) {
      server.fail(/./, { status: 429, headers: { "retry-after": seconds } });
      await expect(publish(target, MESSAGE, never())).rejects.toMatchObject({ retry_after_ms: ms });
    }
  });

  it("a line without an end is read no further; what is no message is counted", async () => {
    const server = await NtfyServer.start();
    const seen = { ignored: 0, received: 0 };
    const reading = {
      topic: "t",
      since: "0",
      opened: () => undefined,
      ignored: () => void seen.ignored++,
      received: () => void seen.received++,
    };
    const target = { url: server.url, token: () => undefined };
    server.fail(/./, "endless-line", "garbage");
    await expect(read(target, reading, never())).rejects.toMatchObject({ problem: "malformed" });
    await read(target, reading, never());
    expect(seen).toEqual({ ignored: 3, received: 0 });
  });
});
