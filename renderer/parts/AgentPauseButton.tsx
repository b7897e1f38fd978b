import { useAct } from "../gate/use-act.ts";
import { useCall } from "../gate/use-gate.tsx";
import { agentsWords } from "../words/agents.ts";
import { useWords } from "../words/language.ts";
import { Button } from "./Button.tsx";
import { Failure } from "./Failure.tsx";

interface AgentPauseButtonProps {
  name: string;
  isPaused: boolean;
  look?: "normal" | "plain";
  /** Decides whether a press counts, where it might be meant for something else. Left out: each does. */
  filter?(action: () => void): (event: { detail: number }) => void;
}

/** One press pauses this agent alone, until one press resumes it. */
export function AgentPauseButton({
  name,
  isPaused,
  look = "plain",
  filter = (action) => action,
}: AgentPauseButtonProps) {
  const words = useWords(agentsWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const act = () => void run(() => call(isPaused ? "agents.resume" : "agents.pause", { name }));
  return (
    <>
      <Button
        size="small"
        look={isPaused ? "normal" : look}
        aria-label={isPaused ? words.resumeAgent(name) : words.pauseNow(name)}
        disabled={isBusy}
        onClick={filter(act)}
      >
        {isPaused ? words.resume : words.pause}
      </Button>
      <Failure error={error} />
    </>
  );
}
