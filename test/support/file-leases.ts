import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Takes write leases on files and again where one was broken: whoever opens one waits for it, up to the kernel's 45 seconds. */
const HOLDER = `
import fcntl, os, signal, sys, time
F_SETLEASE = 1024
signal.signal(signal.SIGIO, signal.SIG_IGN)
files = [os.open(path, os.O_RDONLY) for path in sys.argv[2:]]
def take():
    for file in files:
        try: fcntl.fcntl(file, F_SETLEASE, fcntl.F_WRLCK)
        except OSError: pass
for file in files: fcntl.fcntl(file, F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    take()
    time.sleep(0.001)
`;

/** Another process that holds files (its user's own) for some seconds, or until the test has ended. Resolves once it does. */
export async function holdLeases(files: readonly string[], seconds: number): Promise<void> {
  const holder = spawn("python3", ["-c", HOLDER, String(seconds), ...files], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    holder.kill("SIGKILL");
  });
  let said = "";
  holder.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  for await (const line of createInterface({ input: holder.stdout })) if (line === "held") return;
  throw new Error(`no lease was taken: ${said}`);
}
