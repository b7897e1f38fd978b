import { useState } from "react";
import type { ChannelStatus } from "../../../ipc/contract/channels.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { channelsWords } from "../../words/channels.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { BotSetUp } from "./SetUp.tsx";
import { Telegram } from "./Telegram.tsx";

/** The ways in which the user is called: the state of each, when it is used, and a test of it. */
export function Channels() {
  const words = useWords(channelsWords);
  const { data, error } = useQuery("channels.status", {});
  return (
    <section className="channels" aria-labelledby="settings-channels">
      <h2 id="settings-channels">{words.title}</h2>
      <p className="quiet">{words.intro}</p>
      <Failure error={data === undefined ? error : undefined} />
      {data?.length === 0 ? <p className="quiet">{words.none}</p> : null}
      {(data ?? []).map((channel) => (
        <Channel key={channel.name} channel={channel} />
      ))}
    </section>
  );
}

/** Whether the gate's own sentence says more than the rest of the row: why it fails, or why this desktop has none. */
function isTold(name: ChannelStatus["name"], state: ChannelStatus["state"]): boolean {
  return state === "failing" || (state === "off" && name === "desktop");
}

function Channel({ channel: { name, state, text, route } }: { channel: ChannelStatus }) {
  const words = useWords(channelsWords);
  const language = useLanguage();
  return (
    <div className="setting channel" data-channel={name}>
      <div>
        <h3>{words.names[name]}</h3>
        <p className="decided">
          <StateMark state={state} />
          {words.states[state]}
        </p>
        {text === "" || !isTold(name, state) ? null : (
          <p className={state === "failing" ? "why-not" : "quiet"}>
            <VisibleText text={text} />
          </p>
        )}
        {state === "off" ? <p className="quiet">{words.toUse[name]}</p> : null}
        {state === "off" ? null : <p className="quiet">{route[language]}</p>}
      </div>
      {state === "on" || state === "failing" ? <Test name={name} /> : null}
      {name === "telegram" && state !== "off" ? <Telegram /> : null}
      {name === "telegram" ? <BotSetUp /> : null}
    </div>
  );
}

/** A filled dot: on. A half one: not linked yet. A triangle: failing. A dash: off. */
function StateMark({ state }: { state: ChannelStatus["state"] }) {
  if (state === "on") return <OutcomeShape outcome="allowed" />;
  if (state === "waiting") return <OutcomeShape outcome="approval_required" />;
  if (state === "off") return <NeitherShape />;
  return (
    <svg className="shape denied" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d="M6 1 L11.5 11 H0.5 Z" fill="currentColor" />
    </svg>
  );
}

function Test({ name }: { name: ChannelStatus["name"] }) {
  const words = useWords(channelsWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const [isSent, setSent] = useState(false);
  const test = async () => {
    setSent(false);
    setSent(await run(() => call("channels.test", { channel: name })));
  };
  return (
    <div className="control">
      <Button size="small" disabled={isBusy} aria-label={words.testOf(words.names[name])} onClick={() => void test()}>
        {words.test}
      </Button>
      <span className="quiet" role="status">
        {isSent ? words.sent : null}
      </span>
      <Failure error={error} />
    </div>
  );
}
