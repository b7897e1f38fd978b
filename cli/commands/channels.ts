import { Argument, type Command } from "commander";
import { CHANNELS, type ChannelName } from "../../ipc/contract/channels.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, jsonOption, tell, tellAs } from "../output.ts";

/** `channels ...`: the ways in which the running gate calls the user. */
export function channelsCommands(program: Command): void {
  const channels = program.command("channels").description("the ways in which the gate calls you");

  channels
    .command("status")
    .description("each channel, in which state it is and when it is used")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        for (const { name, state, text, route } of await api.call("channels.status", {})) {
          const what = text === state ? state : `${state}, ${text}`;
          const shown = { name, state, text, route: route.en };
          tellAs(options, shown, `${name}: ${what}`, ...(state === "off" ? [] : [`  ${route.en}`]));
        }
      }),
    );

  channels
    .command("test")
    .description("sends a message that says it is a test")
    .addArgument(new Argument("<channel>").choices(CHANNELS))
    .action((channel: ChannelName) =>
      withRunningGate(async (api) => {
        const result = await api.call("channels.test", { channel });
        tell(result, `sent with ${channel}`);
      }),
    );
}
