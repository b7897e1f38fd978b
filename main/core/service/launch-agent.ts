import { GateError } from "../../../ipc/contract/gate-error.ts";
import { SERVICE_MARK, type ServiceParts } from "./service-parts.ts";

/** The gate as an agent of launchd, on macOS. */

export const LAUNCH_LABEL = "org.metnos.gate";

/**
 * The text of the property list. launchd starts the gate again only after a crash: it can't tell the other ends apart, and would
 * start a gate that refuses to start for ever.
 * @throws GateError `not_available` for a path with a control character, which no property list can hold
 */
export function launchAgentText({ command, environment }: ServiceParts): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${SERVICE_MARK} -->`,
    '<plist version="1.0">',
    "<dict>",
    key("Label", `<string>${LAUNCH_LABEL}</string>`),
    key("ProgramArguments", "<array>", ...command.map((word) => `  ${string(word)}`), "</array>"),
    key(
      "EnvironmentVariables",
      "<dict>",
      ...Object.entries(environment).map(([name, value]) => `  <key>${escaped(name)}</key>${string(value)}`),
      "</dict>",
    ),
    key("RunAtLoad", "<true/>"),
    key("KeepAlive", "<dict><key>Crashed</key><true/></dict>"),
    key("ProcessType", "<string>Interactive</string>"),
    // 0077
    key("Umask", "<integer>63</integer>"),
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function key(name: string, ...value: string[]): string {
  return [`  <key>${name}</key>`, ...value.map((line) => `  ${line}`)].join("\n");
}

function string(text: string): string {
  return `<string>${escaped(text)}</string>`;
}

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
  if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(text)) {
    throw new GateError(
      "not_available",
      `launchd can't start a program at this path: ${JSON.stringify(text)}`,
      "install it at another path",
    );
  }
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
