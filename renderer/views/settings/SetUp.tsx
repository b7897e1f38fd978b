import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import type { OperatorResult } from "../../../ipc/contract/operator-api.ts";
import type { JudgeSetUp } from "../../../ipc/contract/settings.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Field } from "../../parts/Field.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { setUpWords } from "../../words/set-up.ts";

/** A bot's token for Telegram: given once, and never shown again. Nothing where gate.toml names one. */
export function BotSetUp() {
  const words = useWords(setUpWords);
  const call = useCall();
  const { data } = useQuery("set_up.get", {});
  const [token, setToken] = useState("");
  if (data === undefined || data.telegram.fixed_by !== null) return null;
  const { is_set_up } = data.telegram;
  const send = async (wanted: string | null) => {
    await call("telegram.set_up", { token: wanted });
    setToken("");
  };
  return (
    <SetUpForm
      isSetUp={is_set_up}
      canSave={token.trim() !== ""}
      onSave={() => send(token.trim())}
      onTakeAway={() => send(null)}
    >
      <Secret label={is_set_up ? words.bot.another : words.bot.token} value={token} onChange={setToken} />
      <p className="quiet">{words.bot.note}</p>
    </SetUpForm>
  );
}

/** Ollama's own address. */
const NEW: JudgeSetUp = { dialect: "openai", base_url: "http://127.0.0.1:11434/v1", model: "qwen3:8b", online: false };

/** A model as judge. Nothing where gate.toml or the environment names the judge. */
export function JudgeSetUpForm() {
  const words = useWords(setUpWords).judge;
  const call = useCall();
  const { data } = useQuery("set_up.get", {});
  const chosen = data?.judge.chosen ?? null;
  const [judge, setJudge] = useState(NEW);
  const [key, setKey] = useState("");
  // What another surface set up counts here, too.
  const stored = JSON.stringify(chosen);
  useEffect(() => setJudge((JSON.parse(stored) as JudgeSetUp | null) ?? NEW), [stored]);
  if (data === undefined || data.judge.fixed_by !== null) return null;
  const { is_set_up, has_key } = data.judge;
  const send = async (wanted: JudgeSetUp | null) => {
    await call("judge.set_up", { judge: wanted, ...(key.trim() === "" ? {} : { key: key.trim() }) });
    setKey("");
  };
  const text = (name: "base_url" | "model") => (id: string) => (
    <input
      id={id}
      className="input mono"
      value={judge[name]}
      spellCheck={false}
      onChange={({ target }) => setJudge({ ...judge, [name]: target.value })}
    />
  );
  return (
    <>
      <h3>{words.title}</h3>
      <p className="quiet">{words.note}</p>
      <SetUpForm
        isSetUp={is_set_up}
        canSave={judge.model !== "" && judge.base_url !== ""}
        onSave={() => send(judge)}
        onTakeAway={() => send(null)}
      >
        <Field label={words.dialect}>
          {(id) => (
            <select
              id={id}
              className="select"
              value={judge.dialect}
              onChange={({ target }) =>
                setJudge({ ...judge, dialect: target.value === "anthropic" ? "anthropic" : "openai" })
              }
            >
              <option value="openai">{words.dialects.openai}</option>
              <option value="anthropic">{words.dialects.anthropic}</option>
            </select>
          )}
        </Field>
        <Field label={words.address}>{text("base_url")}</Field>
        <Field label={words.model}>{text("model")}</Field>
        <Secret label={words.key} value={key} onChange={setKey} />
        {has_key ? <p className="quiet">{words.keyKept}</p> : null}
        <label>
          <input
            type="checkbox"
            checked={judge.online}
            onChange={({ target }) => setJudge({ ...judge, online: target.checked })}
          />{" "}
          {words.online}
        </label>
      </SetUpForm>
      {is_set_up ? <JudgeTest /> : null}
    </>
  );
}

function JudgeTest() {
  const words = useWords(setUpWords).judge;
  const language = useLanguage();
  const call = useCall();
  const { data: status } = useQuery("status", {});
  const { run, isBusy, error } = useAct();
  const [result, setResult] = useState<OperatorResult<"judge.test"> | null>(null);
  const test = () => {
    setResult(null);
    return run(async () => setResult(await call("judge.test", {})));
  };
  const figure = (value: number | null) => (value ?? 0).toLocaleString(language);
  return (
    <div className="set-up">
      <div className="buttons">
        <Button size="small" disabled={isBusy} onClick={() => void test()}>
          {words.test}
        </Button>
        <p role="status" className={result?.ok === false ? "why-not" : "quiet"}>
          {result === null ? null : (
            <VisibleText text={result.ok ? words.answers(figure(result.ms), figure(result.score)) : result.sentence} />
          )}
        </p>
      </div>
      <Failure error={error} />
      <p className="quiet">{words.hooks}</p>
      {status === undefined ? null : <CommandToCopy command={`${status.command} connect`} />}
    </div>
  );
}

function Secret({ label, value, onChange }: { label: string; value: string; onChange(text: string): void }) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          className="input mono"
          type="password"
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

interface SetUpFormProps {
  isSetUp: boolean;
  canSave: boolean;
  onSave(): Promise<void>;
  onTakeAway(): Promise<void>;
  children: ReactNode;
}

function SetUpForm({ isSetUp, canSave, onSave, onTakeAway, children }: SetUpFormProps) {
  const words = useWords(setUpWords);
  const { run, isBusy, error } = useAct();
  const [isSaved, setSaved] = useState(false);
  const act = async (wanted: () => Promise<void>) => {
    setSaved(false);
    setSaved(await run(wanted));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSave && !isBusy) void act(onSave);
  };
  return (
    <form className="set-up" onSubmit={submit} autoComplete="off">
      {children}
      <div className="buttons">
        <Button
          size="small"
          disabled={!canSave || isBusy}
          aria-description={canSave ? undefined : words.missing}
          onClick={() => void act(onSave)}
        >
          {words.save}
        </Button>
        {isSetUp ? (
          <Button size="small" disabled={isBusy} onClick={() => void act(onTakeAway)}>
            {words.takeAway}
          </Button>
        ) : null}
        <span className="quiet" role="status">
          {isSaved ? words.saved : null}
        </span>
      </div>
      <Failure error={error} />
    </form>
  );
}
