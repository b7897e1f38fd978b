import { useState } from "react";
import { asGateError } from "../../../ipc/contract/gate-error.ts";
import { type Choice, choose, useChoice } from "../../calling/choices.ts";
import { play } from "../../calling/tones.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { useWords } from "../../words/language.ts";
import { settingsWords } from "../../words/settings.ts";
import { Row } from "./Row.tsx";

/** What is kept in this browser alone: how it calls its user; and its session with the gate. */
export function BrowserSettings() {
  const words = useWords(settingsWords).browser;
  return (
    <section aria-labelledby="settings-browser">
      <h2 id="settings-browser">{words.title}</h2>
      <NotifyRow />
      <ChoiceRow choice="sound" onChoose={(isOn) => isOn && play("request")}>
        {words.sound}
      </ChoiceRow>
      <SessionsRow />
    </section>
  );
}

/** The browser is asked for its permission by this press, and at no other time. */
function NotifyRow() {
  const words = useWords(settingsWords).browser;
  const [permission, setPermission] = useState(permissionNow);
  const askFirst = async (isOn: boolean) => {
    if (!isOn || permission !== "default") return;
    const given = await Notification.requestPermission();
    setPermission(given);
    if (given !== "granted") choose("notify", false);
  };
  const whyNot = permission === "denied" ? words.blocked : permission === "none" ? words.unknown : null;
  return (
    <ChoiceRow choice="notify" why_not={whyNot} onChoose={(isOn) => void askFirst(isOn)}>
      {words.notify}
    </ChoiceRow>
  );
}

function permissionNow(): NotificationPermission | "none" {
  return "Notification" in window ? Notification.permission : "none";
}

interface ChoiceRowProps {
  choice: Choice;
  why_not?: string | null;
  /** Called by the press itself, after it is kept. */
  onChoose: (isOn: boolean) => void;
  children: { label: string; note: string };
}

function ChoiceRow({ choice, why_not = null, onChoose, children: { label, note } }: ChoiceRowProps) {
  const isOn = useChoice(choice);
  const id = `setting-${choice}`;
  return (
    <Row id={id} label={label} note={note} why_not={why_not}>
      <input
        id={id}
        type="checkbox"
        checked={isOn && why_not === null}
        disabled={why_not !== null}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => {
          choose(choice, target.checked);
          onChoose(target.checked);
        }}
      />
    </Row>
  );
}

function SessionsRow() {
  const words = useWords(settingsWords).browser;
  const call = useCall();
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  // The page's own connection ends with it: that the answer doesn't come is no failure.
  const signOut = () =>
    act.run(() =>
      call("web.revoke", {}).catch((thrown: unknown) => {
        if (asGateError(thrown).code !== "not_answering") throw thrown;
      }),
    );
  return (
    <Row id="setting-sessions" label={words.sessions.label} note={words.sessions.note}>
      {isAsking ? (
        <Confirm
          keep={words.stay}
          act={words.signOutNow}
          isBusy={act.isBusy}
          onKeep={() => setAsking(false)}
          onAct={() => void signOut()}
        >
          {words.signOutMeans}
        </Confirm>
      ) : (
        <Button id="setting-sessions" aria-describedby="setting-sessions-note" onClick={() => setAsking(true)}>
          {words.signOut}
        </Button>
      )}
      <Failure error={act.error} />
    </Row>
  );
}
