import { useEffect, useState } from "react";
import type { Level } from "../../../ipc/contract/decision.ts";
import type { AgentView } from "../../../ipc/contract/operator-api.ts";
import { LEVELS } from "../../gate/contract-lists.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { AgentLink } from "../../parts/AgentLink.tsx";
import { AgentPauseButton } from "../../parts/AgentPauseButton.tsx";
import { Button } from "../../parts/Button.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";

/** One paired agent. A change of level and the end of a pairing are asked about beneath it. */
export function AgentRow({ agent, isWithoutPause }: { agent: AgentView; isWithoutPause: boolean }) {
  const words = useWords(agentsWords);
  const names = useWords(namesWords);
  const language = useLanguage();
  const call = useCall();
  const { run, isBusy, error, forget } = useAct();
  // Chosen, but not the agent's yet.
  const [level, setLevel] = useState<Level | null>(null);
  const [question, setQuestion] = useState<"level" | "revoke" | null>(null);
  const { name } = agent;
  useEffect(() => {
    // It is the agent's now, whichever surface set it.
    setLevel((chosen) => (chosen === agent.level ? null : chosen));
  }, [agent.level]);
  const asks = question === "revoke" || (question === "level" && level !== null);
  const leave = () => {
    setLevel(null);
    setQuestion(null);
  };
  const act = async (what: () => Promise<unknown>) => {
    const wasDone = await run(what);
    setQuestion(null);
    if (!wasDone) setLevel(null);
  };
  return (
    <tbody className={asks ? "asks" : undefined}>
      <tr>
        <NameCell agent={agent} />
        <td>
          <LevelSelect
            agent={agent}
            level={level}
            isBusy={isBusy}
            onChoose={(chosen) => {
              forget();
              setLevel(chosen);
              setQuestion(chosen === null ? null : "level");
            }}
          />
        </td>
        <td className={agent.is_connected ? "seen now" : "seen"}>
          {agent.is_connected ? words.now : <RelativeTime at={agent.last_seen_at} />}
        </td>
        <td className="number">
          {agent.calls_today.toLocaleString(language)}
          <span className="folded-only"> {words.calls_today}</span>
        </td>
        <td className="ends">
          {isWithoutPause ? null : <AgentPauseButton name={name} isPaused={agent.paused !== null} />}
          <RevokeButton
            name={name}
            isBusy={isBusy}
            onPress={() => {
              forget();
              setLevel(null);
              setQuestion("revoke");
            }}
          />
        </td>
      </tr>
      {asks || error !== undefined ? (
        <tr>
          <td colSpan={5} className="question">
            <Failure error={error} />
            {question === "level" && level !== null ? (
              <Confirm
                key={level}
                keep={words.leave}
                act={words.change}
                isBusy={isBusy}
                onKeep={leave}
                onAct={() => void act(() => call("agents.level", { name, level }))}
              >
                <b>{words.changeTo(name, names.levels[level])}</b> {words.levels[level]} {words.changeNote}
              </Confirm>
            ) : null}
            {question === "revoke" ? (
              <Confirm
                keep={words.keep}
                act={words.revokeIt}
                isDanger
                isBusy={isBusy}
                onKeep={leave}
                onAct={() => void act(() => call("agents.revoke", { name }))}
              >
                {words.confirmRevoke(name)}
              </Confirm>
            ) : null}
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function NameCell({ agent: { name, is_connected, paused } }: { agent: AgentView }) {
  return (
    <th scope="row">
      <span className="name">
        <AgentLink name={name} />
      </span>{" "}
      {paused === null ? <Connected isConnected={is_connected} /> : <Paused until={paused.until} />}
    </th>
  );
}

function RevokeButton({ name, isBusy, onPress }: { name: string; isBusy: boolean; onPress(): void }) {
  const words = useWords(agentsWords);
  return (
    <Button size="small" look="plain" aria-label={words.revokeOf(name)} disabled={isBusy} onClick={onPress}>
      {words.revoke}
    </Button>
  );
}

interface LevelSelectProps {
  agent: AgentView;
  /** The level that was chosen here, or null for the agent's own. */
  level: Level | null;
  isBusy: boolean;
  onChoose(level: Level | null): void;
}

function LevelSelect({ agent, level, isBusy, onChoose }: LevelSelectProps) {
  const words = useWords(agentsWords);
  const names = useWords(namesWords);
  return (
    <select
      className="select"
      aria-label={words.levelOf(agent.name)}
      value={level ?? agent.level}
      disabled={isBusy}
      onChange={({ target }) => {
        const chosen = LEVELS.find((one) => one === target.value) ?? agent.level;
        onChoose(chosen === agent.level ? null : chosen);
      }}
    >
      {LEVELS.map((one) => (
        <option key={one} value={one}>
          {names.levels[one]}
        </option>
      ))}
    </select>
  );
}

/** Two bars and the word, and when it ends by itself. */
function Paused({ until }: { until: string | null }) {
  const words = useWords(agentsWords);
  return (
    <span className="connected paused">
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path d="M2 1 H4 V9 H2 Z M6 1 H8 V9 H6 Z" fill="currentColor" />
      </svg>
      <span>
        {words.paused}
        {until === null ? null : (
          <>
            , {words.ends} <RelativeTime at={until} />
          </>
        )}
      </span>
    </span>
  );
}

/** A filled dot and the word, or a ring and the word. */
function Connected({ isConnected }: { isConnected: boolean }) {
  const words = useWords(agentsWords);
  return (
    <span className={isConnected ? "connected yes" : "connected"}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="3.75" fill={isConnected ? "currentColor" : "none"} stroke="currentColor" />
      </svg>
      {isConnected ? words.connected : words.notConnected}
    </span>
  );
}
