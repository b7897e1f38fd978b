import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { launchAgentText } from "../../../main/core/service/launch-agent.ts";

describe("launchd's agent", () => {
  it("is this text", () => {
    expect(
      launchAgentText({
        command: ["/opt/node", "/opt/a & b/<x>.js", "serve"],
        environment: { XDG_STATE_HOME: "/a\"b'c" },
      }),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Made by metnos-gate service install; metnos-gate service remove takes it away. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>org.metnos.gate</string>
  <key>ProgramArguments</key>
  <array>
    <string>/opt/node</string>
    <string>/opt/a &amp; b/&lt;x&gt;.js</string>
    <string>serve</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>XDG_STATE_HOME</key><string>/a"b'c</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict><key>Crashed</key><true/></dict>
  <key>ProcessType</key>
  <string>Interactive</string>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`);
  });

  it.each(["/a b/%h", "/$HOME/`x`", "/]]>/--", "/ünï/日本"])("carries an odd path as it is: %j", (path) => {
    const text = launchAgentText({ command: [path], environment: {} });
    const read = spawnSync(
      "python3",
      ["-c", "import plistlib,sys,json; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))"],
      {
        input: text,
        encoding: "utf8",
      },
    );
    if (read.error !== undefined) return expect(text).toContain(`<string>${path.replaceAll(">", "&gt;")}</string>`);
    expect(JSON.parse(read.stdout)).toMatchObject({
      Label: "org.metnos.gate",
      ProgramArguments: [path],
      RunAtLoad: true,
    });
  });

  it.each(["/a\nb", "/a\u0000b", "/\u001b[31m"])("refuses a path that no property list can hold: %j", (path) => {
    expect(() => launchAgentText({ command: [path], environment: {} })).toThrow(
      /launchd can't start a program at this path/,
    );
  });
});
