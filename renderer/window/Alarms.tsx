import { useEffect, useState } from "react";
import type { Alarm } from "../../ipc/contract/alarms.ts";
import type { InEach } from "../../ipc/contract/language.ts";
import { ALARM_WORDS, PAST_ALARMS } from "../../ipc/words/alarm-words.ts";
import { useAct } from "../gate/use-act.ts";
import { useCall, useGateEvents, useQuery } from "../gate/use-gate.tsx";
import { Button } from "../parts/Button.tsx";
import { Failure } from "../parts/Failure.tsx";
import { RelativeTime } from "../parts/RelativeTime.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { useWords } from "../words/language.ts";

const NONE: readonly Alarm[] = [];

/** The active alarms. As last reported: a gate that ends itself can't be asked afterwards. */
function useAlarms(): readonly Alarm[] {
  const { data: status } = useQuery("status", {});
  const [reported, setReported] = useState<readonly Alarm[] | null>(null);
  useGateEvents((event) => {
    if (event.type === "alarms.changed") setReported(event.data);
  });
  const asked = status?.alarms;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer answer is what ends the older event
  useEffect(() => setReported(null), [asked]);
  return reported ?? asked ?? NONE;
}

/** Above everything, in every place: what keeps the gate from what it promises, until it is over. */
export function Alarms() {
  const words = useWords(alarmWords);
  const alarms = useAlarms();
  if (alarms.length === 0) return null;
  return (
    <section className="alarms" aria-label={words.alarms}>
      {alarms.map((alarm) => (
        <AlarmBanner key={`${alarm.code} ${alarm.subject}`} alarm={alarm} />
      ))}
    </section>
  );
}

function AlarmBanner({ alarm }: { alarm: Alarm }) {
  const words = useWords(alarmWords);
  const call = useCall();
  const act = useAct();
  const { title, meaning } = words.codes[alarm.code];
  const isPast = PAST_ALARMS.includes(alarm.code);
  const acknowledge = () => act.run(() => call("alarms.acknowledge", { code: alarm.code, subject: alarm.subject }));
  return (
    <div className={isPast ? "alarm past" : "alarm"} role="alert">
      <span className="mark" aria-hidden="true">
        !
      </span>
      <div className="said">
        <h2>{title}</h2>
        <p>{meaning}</p>
        <p className="detail">
          <VisibleText text={alarm.message} />
          {alarm.hint === "" ? null : (
            <>
              {"; "}
              <VisibleText text={alarm.hint} />
            </>
          )}
        </p>
        <Failure error={act.error} />
      </div>
      <div className="end">
        <span className="quiet">
          <RelativeTime at={alarm.since} />
        </span>
        {isPast ? (
          <Button size="small" disabled={act.isBusy} onClick={() => void acknowledge()}>
            {words.seen}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

const en = {
  alarms: "Alarms",
  seen: "I have seen it",
  codes: ALARM_WORDS.en,
};
const it: typeof en = {
  alarms: "Allarmi",
  seen: "L'ho visto",
  codes: ALARM_WORDS.it,
};
const alarmWords: InEach<typeof en> = { en, it };
