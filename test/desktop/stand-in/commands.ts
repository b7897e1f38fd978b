/** The driver's commands over Node's own channel: a function's text to run with `electron` and one argument. */

interface Command {
  id: number;
  source: string;
  arg: unknown;
}

export function followCommands(electron: object): void {
  if (process.send === undefined) return;
  process.on("message", async ({ id, source, arg }: Command) => {
    try {
      // The text comes from the test that started this process.
      const run = new Function(`return (${source});`)() as (electron: object, arg: unknown) => unknown;
      process.send?.({ id, result: await run(electron, arg) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.message : "not an error" });
    }
  });
  // The channel must not keep this process alive.
  process.channel?.unref();
}
