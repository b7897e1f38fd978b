import { isObject, type Json } from "../../../../ipc/base/json-object.ts";
import { mayMean } from "../../../../main/hooks/rule-pattern.ts";
import { USUAL_SHELL } from "../../usual-shell.ts";

/** OpenCode's own permission rules. They see a rewritten call's wrapper instead of its command line: what one may be about isn't rewritten. */

/** Where a word of a line may lead out of the project, which OpenCode asks about by itself. */
const WAY_OUT = /~|\.\.|\$\{?(?:HOME|OLDPWD|TMPDIR)\b|(?<![\w.)}\]-])\/(?!dev\/null\b)[^\s'";|&<>()]*/g;

/** @param config OpenCode's settings that are in force @param directory where OpenCode runs. In doubt true */
export function mayHaveRuleAbout(config: Json | undefined, line: string, directory: string): boolean {
  if (config === undefined || hasOtherShell(config)) return true;
  const { permission, agent, mode, tools } = config;
  const agents = [agent, mode].flatMap((all) => (isObject(all) ? Object.values(all).filter(isObject) : []));
  // An older way to say that a tool may not be used.
  if ([tools, ...agents.map((one) => one.tools)].some((given) => isObject(given) && given.bash === false)) return true;
  const all = [permission, ...agents.map((one) => one.permission)];
  if (
    all.some((rules) =>
      rulesOf(rules, "bash").some(([pattern, action]) => action !== "allow" && mayMean(pattern, line)),
    )
  )
    return true;
  const asksOutside = !rulesOf(permission, "external_directory").some(
    ([pattern, action]) => pattern === "*" && action === "allow",
  );
  return asksOutside && leadsOut(line, directory);
}

/** True where settings, which may be a project's, name a program for command lines that may do anything with them. */
export function hasOtherShell({ shell }: Json): boolean {
  return shell !== undefined && !USUAL_SHELL.test(String(shell));
}

/** Patterns and what is done with what they match. */
function rulesOf(rules: unknown, permission: string): [string, unknown][] {
  if (typeof rules === "string") return [["*", rules]];
  if (!isObject(rules)) return [];
  return Object.entries(rules).flatMap(([name, value]): [string, unknown][] => {
    if (name !== permission && !name.includes("*")) return [];
    if (isObject(value)) return Object.entries(value);
    return [["*", value]];
  });
}

function leadsOut(line: string, directory: string): boolean {
  return [...line.matchAll(WAY_OUT)].some(([way]) => way !== directory && !way.startsWith(`${directory}/`));
}
