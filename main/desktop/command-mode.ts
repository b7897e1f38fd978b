/** `metnos-gate` through the app's own binary: where the user has no Node, and for everything but the hook. */

const FLAG = "--cli";

/**
 * The arguments after `--cli [--]`, or undefined if the app is to be the desktop app.
 * Packaged, the flag counts only as the first argument: later it may be an argument's value.
 * @param isDefaultApp Electron itself was started, with the app's folder among its arguments (not packaged)
 */
export function commandArguments(argv: readonly string[], isDefaultApp: boolean): string[] | undefined {
  const own = argv.slice(1);
  const at = isDefaultApp ? own.indexOf(FLAG) : own.findIndex((argument) => !LAUNCHER_SWITCHES.has(argument));
  if (own[at] !== FLAG) return undefined;
  // `--` keeps Chromium from parsing the command's switches.
  return own.slice(own[at + 1] === "--" ? at + 2 : at + 1);
}

/** Switches for Chromium that the launcher puts in front. */
const LAUNCHER_SWITCHES = new Set(["--ozone-platform=headless"]);

/** Runs the built command. Returns its exit code. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  if (argv[0] === "hook" && argv.length > 1 && !argv.includes("--help")) {
    const hook = (await import(new URL("../hook/hook.cjs", import.meta.url).href)) as {
      runHook(argv: readonly string[]): Promise<void>;
    };
    await hook.runHook(argv.slice(1));
    return 0;
  }
  const cli = (await import(new URL("../cli/metnos-gate.js", import.meta.url).href)) as {
    main(argv: readonly string[]): Promise<number>;
  };
  return await cli.main(argv);
}
