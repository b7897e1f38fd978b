import { useEffect, useState } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { TelegramStatus } from "../../../ipc/contract/channels.ts";
import { timeLeftText } from "../../../ipc/words/time-left.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { useNow } from "../../parts/clock.ts";
import { Failure } from "../../parts/Failure.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { channelsWords } from "../../words/channels.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { Claim, SHOWN_NAME } from "./Claim.tsx";
import { QrCode } from "./QrCode.tsx";

interface Link {
  url: string;
  expires_at: string;
}

/** The user's own chat: linked by a link for one use, which whoever pressed it has to be confirmed for. */
export function Telegram() {
  const { data, error } = useQuery("telegram.status", {});
  const [link, setLink] = useState<Link | null>(null);
  const claimed = data?.claim?.id;
  const linked = data?.linked?.linked_at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is for one use, whoever it was
  useEffect(() => setLink(null), [claimed, linked]);
  if (data === undefined) return <Failure error={error} />;
  const { claim } = data;
  return (
    <div className="telegram">
      {data.linked === null ? null : <Linked linked={data.linked} />}
      {claim === null ? null : <Claim key={JSON.stringify(claim)} claim={claim} />}
      {claim === null && data.linked === null ? <Linking status={data} link={link} onLink={setLink} /> : null}
    </div>
  );
}

function Linked({ linked }: { linked: NonNullable<TelegramStatus["linked"]> }) {
  const words = useWords(channelsWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const [is_asking, setAsking] = useState(false);
  const unlink = () => run(() => call("telegram.unlink", {})).then(() => setAsking(false));
  return (
    <div className="linked">
      <p>
        {words.linked}{" "}
        <b>
          <bdi>
            <VisibleText text={shortened(linked.name, SHOWN_NAME)} />
          </bdi>
        </b>{" "}
        <span className="quiet figures">
          ({words.claim.id(String(linked.user_id))}) {words.since} <Moment at={linked.linked_at} />
        </span>
      </p>
      {is_asking ? (
        <Confirm
          keep={words.keep}
          act={words.unlink}
          isDanger
          isBusy={is_busy}
          onKeep={() => setAsking(false)}
          onAct={() => void unlink()}
        >
          {words.unlink_means}
        </Confirm>
      ) : (
        <Button size="small" onClick={() => setAsking(true)}>
          {words.unlink}
        </Button>
      )}
      <Failure error={error} />
    </div>
  );
}

interface LinkingProps {
  status: TelegramStatus;
  /** The one that was made here. */
  link: Link | null;
  onLink(link: Link): void;
}

function Linking({ status: { bot, link_expires_at }, link, onLink }: LinkingProps) {
  const words = useWords(channelsWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const now = useNow("second");
  const own = link !== null && !isAnother(link, link_expires_at) ? link : null;
  const is_own_over = own !== null && Date.parse(own.expires_at) <= now;
  const is_elsewhere = own === null && link_expires_at !== null && Date.parse(link_expires_at) > now;
  const make = () => run(async () => onLink(await call("telegram.link", {})));
  return (
    <div className="linking">
      {own === null || is_own_over ? null : <OpenLink link={own} bot={bot} now={now} />}
      {is_own_over ? <p role="status">{words.link_over}</p> : null}
      {is_elsewhere ? (
        <p>
          {words.link_elsewhere} <TimeLeft at={link_expires_at} now={now} />
        </p>
      ) : null}
      <Button size="small" disabled={is_busy} onClick={() => void make()}>
        {own !== null || is_elsewhere ? words.link_again : words.link}
      </Button>
      <Failure error={error} />
    </div>
  );
}

/** The gate has one link at a time: of the two that were said, the later one counts. */
function isAnother(link: Link, expires_at: string | null): boolean {
  return expires_at !== null && Date.parse(expires_at) - Date.parse(link.expires_at) > 1500;
}

function OpenLink({ link, bot, now }: { link: Link; bot: string | null; now: number }) {
  const words = useWords(channelsWords);
  return (
    <div className="open-link">
      <QrCode text={link.url} label={words.qr} />
      <div>
        <p>
          {bot === null ? words.open_it_unnamed : <VisibleText text={words.open_it(`@${bot.replace(/^@/, "")}`)} />}{" "}
          <TimeLeft at={link.expires_at} now={now} />
        </p>
        <CommandToCopy command={link.url} />
      </div>
    </div>
  );
}

function TimeLeft({ at, now }: { at: string; now: number }) {
  const language = useLanguage();
  return (
    <time className="quiet" dateTime={at}>
      {timeLeftText(Date.parse(at) - now, language)}
    </time>
  );
}
