import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { SettingsSource } from "../../../main/hooks/claude-code/effective-settings.ts";
import { foreignHooks } from "./dangers.ts";
import { isOurs } from "./entries.ts";

/** The hooks before tools that aren't the gate's, and the plugins that may have some: each can change a call after it was approved. */
export function otherHooks(all: readonly SettingsSource[], launcher: string): string[] {
  const managed = all.filter(({ kind }) => kind === "managed");
  const sources = managed.some(({ settings }) => settings?.allowManagedHooksOnly === true) ? managed : all;
  const found = sources.flatMap(({ kind, file, settings = {} }) =>
    foreignHooks(settings, launcher)
      // What an earlier version wrote for the user is reported as that.
      .filter((hook) => kind !== "user" || !isOurs({ command: hook }))
      .map((hook) => `${hook} (${file})`),
  );
  const plugins = sources.flatMap(({ settings = {} }) => pluginsOf(settings));
  return [...found, ...plugins.map((plugin) => `those of the plugin ${plugin}`)];
}

function pluginsOf({ enabledPlugins }: Json): string[] {
  if (!isObject(enabledPlugins)) return [];
  return Object.entries(enabledPlugins).flatMap(([name, isEnabled]) => (isEnabled === true ? [name] : []));
}
