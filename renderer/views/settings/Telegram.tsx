import { useEffect, useId, useRef, useState } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { TelegramClaim, TelegramStatus } from "../../../ipc/contract/channels.ts";
import { timeLeftText } from "../../../ipc/words/time-left.ts";
import { usePressFilter } from "../../cards/use-press-filter.ts";
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
  const { run, isBusy, error } = useAct();
  const [isAsking, setAsking] = useState(false);
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
      {isAsking ? (
        <Confirm
          keep={words.keep}
          act={words.unlink}
          isDanger
          isBusy={isBusy}
          onKeep={() => setAsking(false)}
          onAct={() => void unlink()}
        >
          {words.unlinkMeans}
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
  const { run, isBusy, error } = useAct();
  const now = useNow("second");
  const own = link !== null && !isAnother(link, link_expires_at) ? link : null;
  const isOwnOver = own !== null && Date.parse(own.expires_at) <= now;
  const isElsewhere = own === null && link_expires_at !== null && Date.parse(link_expires_at) > now;
  const make = () => run(async () => onLink(await call("telegram.link", {})));
  return (
    <div className="linking">
      {own === null || isOwnOver ? null : <OpenLink link={own} bot={bot} now={now} />}
      {isOwnOver ? <p role="status">{words.linkOver}</p> : null}
      {isElsewhere ? (
        <p>
          {words.linkElsewhere} <TimeLeft at={link_expires_at} now={now} />
        </p>
      ) : null}
      <Button size="small" disabled={isBusy} onClick={() => void make()}>
        {own !== null || isElsewhere ? words.linkAgain : words.link}
      </Button>
      <Failure error={error} />
    </div>
  );
}

/** The gate has one link at a time: of the two that were said, the later one counts. */
function isAnother(link: Link, expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) - Date.parse(link.expires_at) > 1500;
}

function OpenLink({ link, bot, now }: { link: Link; bot: string | null; now: number }) {
  const words = useWords(channelsWords);
  return (
    <div className="open-link">
      <QrCode text={link.url} label={words.qr} />
      <div>
        <p>
          {bot === null ? words.openItUnnamed : <VisibleText text={words.openIt(`@${bot.replace(/^@/, "")}`)} />}{" "}
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

/** Modules of white around it, which readers need. */
const BORDER = 3;

interface Drawn {
  size: number;
  path: string;
}

/** A text as a QR code, drawn here: nothing is asked for elsewhere. Nothing until what draws it was loaded. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  useEffect(() => {
    let isWanted = true;
    void import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { ecc: "M", border: BORDER });
      if (isWanted) setDrawn({ size, path: pathOf(data) });
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (drawn === null) return <div className="qr" />;
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`}>
      <path d={drawn.path} />
    </svg>
  );
}

/** A rectangle for each run of dark modules in a row. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) =>
      [
        ...row
          .map((isDark) => (isDark ? "1" : "0"))
          .join("")
          .matchAll(/1+/g),
      ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join("");
}

/** Names are the other side's own: longer ones are shortened in the middle. */
const SHOWN_NAME = 64;

/**
 * Who pressed the link, and whether that is the user. Like a card: the safe answer has the focus, and no press counts too soon. Give it
 * a key of all that it shows: a press is meant for one claim and its name.
 */
function Claim({ claim }: { claim: TelegramClaim }) {
  const words = useWords(channelsWords).claim;
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const guarded = usePressFilter(card, claim.id);
  const { id, user_id, name, username } = claim;
  useEffect(() => {
    const focused = document.activeElement;
    if (focused !== null && focused !== document.body) return;
    card.current?.querySelector<HTMLElement>("[data-deny]")?.focus({ preventScroll: true });
  }, []);
  const act = (method: "telegram.confirm" | "telegram.reject") => {
    if (isBusy) return; // a button that is disabled loses the focus
    void run(() => call(method, { id }));
  };
  return (
    <article ref={card} className="claim" aria-labelledby={titleId} {...guarded.presses}>
      <p>
        <b>
          <bdi>
            <VisibleText text={shortened(name, SHOWN_NAME)} />
          </bdi>
        </b>{" "}
        <span className="figures">
          (
          {username === null ? (
            words.noUsername
          ) : (
            <bdi>
              <VisibleText text={shortened(`@${username}`, SHOWN_NAME)} />
            </bdi>
          )}
          , {words.id(String(user_id))})
        </span>{" "}
        {claim.is_renamed ? words.renamed : words.pressed}
      </p>
      <h4 id={titleId}>{words.title}</h4>
      <p className="quiet">{claim.is_renamed ? words.untilThen : words.namesAre}</p>
      <div className="row" data-answers="">
        <Button data-deny="" onClick={guarded.answers(() => act("telegram.reject"))}>
          {words.notMe}
        </Button>
        <Button onClick={guarded.answers(() => act("telegram.confirm"))}>{words.confirm}</Button>
      </div>
      <p className="quiet hint" role="status">
        {guarded.wasTooSoon ? words.tooSoon : null}
      </p>
      <Failure error={error} />
    </article>
  );
}
