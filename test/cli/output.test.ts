import { expect, it, vi } from "vitest";
import { EXIT, reportFailure, tellAs } from "../../cli/output.ts";
import { type ErrorCode, GateError } from "../../ipc/contract/gate-error.ts";

function exitCodeOf(error: unknown): number {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    return reportFailure(error);
  } finally {
    written.mockRestore();
  }
}

it.each([
  ["unknown_token", EXIT.refused],
  ["never_granted", EXIT.refused],
  ["not_authorised", EXIT.refused],
  ["trail_unwritable", EXIT.refused],
  ["already_running", EXIT.failed],
  ["invalid_config", EXIT.failed],
  ["database_missing", EXIT.failed],
  ["not_running", EXIT.not_running],
  ["connection_lost", EXIT.not_running],
  ["usage", EXIT.usage],
  ["invalid_params", EXIT.usage],
] satisfies [ErrorCode, number][])(
  "%s ends a command with its exit code: a refusal differs from a failure",
  (code, exitCode) => {
    expect(exitCodeOf(new GateError(code, "why"))).toBe(exitCode);
  },
);

it("an error that is none of the gate's own is a failure", () => {
  expect(exitCodeOf(new Error("why"))).toBe(EXIT.failed);
  expect(exitCodeOf("thrown text")).toBe(EXIT.failed);
});

it("a line about something stays one, whatever its name holds", () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  tellAs({}, {}, "set aside:", "  /srv/x\nno command is confined\x1b[2K is now /srv/y");
  const texts = written.mock.calls.map(([text]) => text);
  vi.restoreAllMocks();
  expect(texts).toEqual(["set aside:\n", "  /srv/x\\nno command is confined\\u{1b}[2K is now /srv/y\n"]);
});
