import type { Handlers, OperatorContext } from "./handlers.ts";
import { recordAct } from "./handlers.ts";

export function settingMethods(context: OperatorContext): Handlers<"settings.list" | "settings.set"> {
  const { core, login_item } = context;
  return {
    "settings.list": () => core.settings.list(login_item),
    "settings.set": ({ key, value }) => {
      const setting = core.settings.set(key, value, login_item);
      recordAct(context, "setting", { key });
      core.publish({ type: "settings.changed", data: core.settings.list(login_item) });
      return setting;
    },
  };
}
