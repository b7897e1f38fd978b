import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Field } from "../../parts/Field.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";
import { policyWords } from "../../words/policy.ts";
import { EXPIRIES, type Expiry, expiresAt, targetKind } from "./expiry.ts";

interface AddGrantProps {
  /** What the listing is narrowed to. */
  capability: Capability | null;
  onClose(): void;
}

/** A grant made by hand. The gate refuses what it would never store, and says why. */
export function AddGrant({ capability: given, onClose }: AddGrantProps) {
  const words = useWords(grantsWords).form;
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { data: rows } = useQuery("policy.matrix", {});
  const grantable = (rows ?? []).filter((row) => row.default_approval === "per_target");
  const [capability, setCapability] = useState<Capability>(given ?? "fs:read");
  const [target, setTarget] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("month");
  const [agent, setAgent] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const formId = useId();
  const hintId = useId();
  // After the dialog gave the focus to its safe end: there is something to write here.
  useEffect(() => field.current?.focus(), []);
  const asked = grantable.find((row) => row.capability === capability)?.capability ?? "fs:read";
  const kind = targetKind(asked);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const expires = expiresAt(expiry, Date.now());
    const params = {
      capability: asked,
      target: kind === "none" ? "*" : target.trim(),
      ...(expires === undefined ? {} : { expires_at: expires }),
      ...(agent === "" ? {} : { agent }),
    };
    if (await run(() => call("grants.add", params))) onClose();
  };
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      ends={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <button
            type="submit"
            className="button"
            form={formId}
            disabled={isBusy || (kind !== "none" && target.trim() === "")}
          >
            {words.save}
          </button>
        </>
      }
    >
      <form id={formId} className="add-grant" onSubmit={(event) => void add(event)}>
        <CapabilityField grantable={grantable.map((row) => row.capability)} chosen={asked} onChoose={setCapability} />
        <Field label={words.target}>
          {(id) => (
            <input
              ref={field}
              id={id}
              className="input mono"
              autoComplete="off"
              spellCheck={false}
              aria-describedby={hintId}
              value={kind === "none" ? "*" : target}
              disabled={kind === "none"}
              onChange={({ target: { value } }) => setTarget(value)}
            />
          )}
        </Field>
        <p className="quiet" id={hintId}>
          {words.targetHint[kind]}
        </p>
        <div className="pair">
          <AgentField chosen={agent} onChoose={setAgent} />
          <ExpiryField chosen={expiry} onChoose={setExpiry} />
        </div>
        <Failure error={error} />
      </form>
    </Dialog>
  );
}

interface ChoiceProps<Value extends string> {
  chosen: Value;
  onChoose(value: Value): void;
}

function CapabilityField({
  grantable,
  chosen,
  onChoose,
}: ChoiceProps<Capability> & { grantable: readonly Capability[] }) {
  const words = useWords(grantsWords).form;
  const { descriptions } = useWords(policyWords);
  return (
    <Field label={words.capability}>
      {(id) => (
        <select
          id={id}
          className="select"
          value={chosen}
          onChange={({ target: { value } }) => onChoose(grantable.find((name) => name === value) ?? chosen)}
        >
          {grantable.map((name) => (
            <option key={name} value={name}>
              {`${descriptions[name]} (${name})`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** One of the paired agents by its name, or an empty text for all of them. */
function AgentField({ chosen, onChoose }: ChoiceProps<string>) {
  const words = useWords(grantsWords);
  const { data: listed } = useQuery("agents.list", {});
  return (
    <Field label={words.form.agent}>
      {(id) => (
        <select id={id} className="select" value={chosen} onChange={({ target: { value } }) => onChoose(value)}>
          <option value="">{words.everyAgent}</option>
          {(listed?.agents ?? [])
            .filter(({ revoked_at }) => revoked_at === null)
            .map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </select>
      )}
    </Field>
  );
}

function ExpiryField({ chosen, onChoose }: ChoiceProps<Expiry>) {
  const words = useWords(grantsWords).form;
  return (
    <Field label={words.expires}>
      {(id) => (
        <select
          id={id}
          className="select"
          value={chosen}
          onChange={({ target: { value } }) => onChoose(EXPIRIES.find((one) => one === value) ?? "month")}
        >
          {EXPIRIES.map((one) => (
            <option key={one} value={one}>
              {words.expiries[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
