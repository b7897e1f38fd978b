import "../../../cards/cards.css";
import "./undo.css";
import { useEffect, useId, useState } from "react";
import type { UndoChoice, UndoneFile, UndoResult, UndoSelection } from "../../../../ipc/contract/undo.ts";
import {
  comesBack,
  countsText,
  filesAmong,
  isForChoice,
  UNDO_WORDS,
  whyText,
  workOf,
} from "../../../../ipc/words/undo-words.ts";
import { useAct } from "../../../gate/use-act.ts";
import { useCall, useQuery } from "../../../gate/use-gate.tsx";
import { Button } from "../../../parts/Button.tsx";
import { Failure } from "../../../parts/Failure.tsx";
import { Segments } from "../../../parts/Segments.tsx";
import { VisibleText } from "../../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../../words/language.ts";
import { undoWords } from "../../../words/undo.ts";
import { Versions } from "./Versions.tsx";

type Choice = UndoChoice["choice"];
type Chosen = Readonly<Record<string, Choice>>;

const keyOf = ({ project, bytes }: UndoneFile): string => JSON.stringify([project, bytes]);

/** What would become of each file, were this taken back; and that it is. */
export function TakeBack({ selection, onDone }: { selection: UndoSelection; onDone(results: UndoResult[]): void }) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const call = useCall();
  const { data, error, refresh } = useQuery("undo.files", selection);
  // What an earlier look found may have changed.
  useEffect(refresh, [refresh]);
  const { run, isBusy, error: failure } = useAct();
  const [chosen, setChosen] = useState<Chosen>({});
  if (data === undefined) return <Failure error={error} />;
  const { calls, files } = data;
  const shown = { ...selection, calls };
  if (files.length === 0) return <p className="quiet">{words.nothingChanged}</p>;
  const toDecide = files.filter(isForChoice);
  const choices = toDecide.flatMap((file): UndoChoice[] => {
    const choice = chosen[keyOf(file)];
    return choice === undefined ? [] : [{ project: file.project, path: file.bytes, choice, state: file.state }];
  });
  const isChosen = (file: UndoneFile) => (chosen[keyOf(file)] ?? "now") !== "now";
  const coming = files.filter((file) => comesBack(file) || (isForChoice(file) && isChosen(file)));
  const take = async () => {
    const wasDone = await run(async () => onDone(await call("undo.take_back", { ...shown, choices })));
    if (wasDone) setChosen({});
    refresh();
  };
  return (
    <div className="take-back">
      <p>{countsText(files, language)}</p>
      <Files files={filesAmong(files).filter((file) => !isForChoice(file))} selection={shown} />
      {toDecide.length === 0 ? null : (
        <>
          <h4>{words.toDecide(toDecide.length)}</h4>
          <p className="quiet">{words.toDecideWhy}</p>
          {toDecide.length > 2 ? (
            <div className="for-all">
              <span className="quiet">{words.forAll}</span>
              <Choices
                legend={words.forAll}
                files={toDecide}
                chosen={choiceOfAll(toDecide, chosen)}
                onChoose={(choice) => setChosen(Object.fromEntries(toDecide.map((file) => [keyOf(file), choice])))}
              />
            </div>
          ) : null}
          <Files
            files={toDecide}
            selection={shown}
            chosen={chosen}
            onChoose={(file, choice) => setChosen({ ...chosen, [keyOf(file)]: choice })}
          />
        </>
      )}
      <Failure error={failure} />
      {coming.length > 0 ? (
        <div>
          <Button disabled={isBusy} onClick={() => void take()}>
            {words.takeBack(UNDO_WORDS[language].files(filesAmong(coming).length))}
          </Button>
        </div>
      ) : null}
      {files.every(({ state }) => state === "done") ? <p className="quiet">{words.allDone}</p> : null}
    </div>
  );
}

function choiceOfAll(files: readonly UndoneFile[], chosen: Chosen): Choice | null {
  const [first, ...others] = new Set(files.map((file) => chosen[keyOf(file)]));
  return others.length === 0 ? (first ?? null) : null;
}

/** Nothing is chosen at first. */
function Choices(props: {
  legend: string;
  files: readonly UndoneFile[];
  chosen: Choice | null;
  onChoose(choice: Choice): void;
}) {
  const { choices } = useWords(undoWords);
  // What is as the agent left it has two versions only.
  const hasThree = props.files.some(({ state }) => state === "changed");
  const items = (hasThree ? (["before", "agent", "now"] as const) : (["before", "now"] as const)).map((value) => ({
    value,
    label: choices[value],
  }));
  return <Segments legend={props.legend} items={items} chosen={props.chosen} onChoose={props.onChoose} />;
}

interface FilesProps {
  files: readonly UndoneFile[];
  selection: UndoSelection;
  chosen?: Chosen;
  onChoose?: (file: UndoneFile, choice: Choice) => void;
}

/** Of many files so many are there at once. */
const FIRST_SHOWN = 50;

function Files({ files, selection, chosen = {}, onChoose }: FilesProps) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const [isWhole, setWhole] = useState(false);
  const more = isWhole ? 0 : Math.max(0, files.length - FIRST_SHOWN);
  const hasProjects = new Set(files.map(({ project }) => project)).size > 1;
  return (
    <>
      <ul className="undo-files">
        {files.slice(0, files.length - more).map((file) => (
          <File key={keyOf(file)} file={file} selection={selection} hasProject={hasProjects}>
            {onChoose === undefined ? null : (
              <Choices
                legend={words.choiceOf(file.path)}
                files={[file]}
                chosen={chosen[keyOf(file)] ?? null}
                onChoose={(choice) => onChoose(file, choice)}
              />
            )}
          </File>
        ))}
      </ul>
      {more === 0 ? null : (
        <div>
          <Button size="small" look="plain" onClick={() => setWhole(true)}>
            {words.more(more.toLocaleString(language))}
          </Button>
        </div>
      )}
    </>
  );
}

interface FileProps {
  file: UndoneFile;
  selection: UndoSelection;
  hasProject: boolean;
  children: React.ReactNode;
}

/** A press shows what was done to it. */
function File({ file, selection, hasProject, children }: FileProps) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const id = useId();
  const [isOpened, setOpened] = useState(false);
  const why = whyText(file, language);
  const { project, path, state, before, agent } = file;
  const name = hasProject ? `${project}/${path}` : path;
  return (
    <li>
      <div className="undo-file">
        <button
          type="button"
          aria-expanded={isOpened}
          aria-controls={isOpened ? id : undefined}
          onClick={() => setOpened(!isOpened)}
        >
          <span className="mono">
            <VisibleText text={(before ?? agent) === "folder" ? `${name}/` : name} />
          </span>
          <span className="work">{UNDO_WORDS[language].work[workOf(file)](1)}</span>
          {state === "done" ? <span className="quiet">{words.done}</span> : null}
          {why === null ? null : <span className="quiet">{why}</span>}
        </button>
        {children}
      </div>
      {isOpened ? (
        <div id={id} className="versions">
          <Versions selection={selection} file={file} />
        </div>
      ) : null}
    </li>
  );
}
