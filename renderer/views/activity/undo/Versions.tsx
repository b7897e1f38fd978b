import { useMemo } from "react";
import type { UndoneFile, UndoSelection } from "../../../../ipc/contract/undo.ts";
import { ChangeBlock } from "../../../cards/ChangeBlock.tsx";
import { useQuery } from "../../../gate/use-gate.tsx";
import { Failure } from "../../../parts/Failure.tsx";
import { useWords } from "../../../words/language.ts";
import { undoWords } from "../../../words/undo.ts";
import { differenceOf } from "./difference.ts";

/** What the agent did to a file, and what became of that since. */
export function Versions({ selection, file }: { selection: UndoSelection; file: UndoneFile }) {
  const words = useWords(undoWords);
  const { project, bytes, path, state } = file;
  const { data, error } = useQuery("undo.contents", { ...selection, project, path: bytes });
  if (data === undefined) return <Failure error={error} />;
  const version = (name: "before" | "agent" | "now") => ({ kind: file[name], text: data[name] });
  return (
    <>
      {state === "changed" ? <p className="quiet">{words.agentDid}</p> : null}
      <Difference path={path} from={version("before")} to={version("agent")} />
      {state === "changed" ? (
        <>
          <p className="quiet">{words.sinceThen}</p>
          <Difference path={path} from={version("agent")} to={version("now")} />
        </>
      ) : null}
    </>
  );
}

interface Version {
  kind: UndoneFile["now"];
  text: string | null;
}

function Difference({ path, from, to }: { path: string; from: Version; to: Version }) {
  const words = useWords(undoWords);
  const change = useMemo(() => differenceOf(path, from.text, to.text), [path, from.text, to.text]);
  const isMissing = ({ kind, text }: Version) => text === null && kind !== null && kind !== "folder";
  if (isMissing(from) || isMissing(to)) return <p>{words.tooLong}</p>;
  if ([from, to].every(({ kind }) => kind === null || kind === "folder")) return <p>{words.folder}</p>;
  if ([from, to].some(({ text }) => text?.includes("\0"))) return <p>{words.noText}</p>;
  if (from.text === to.text) return <p>{words.onlyRights}</p>;
  return <ChangeBlock change={change} />;
}
