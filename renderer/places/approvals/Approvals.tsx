import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Approvals() {
  const words = useWords(windowWords);
  return <h1>{words.approvals}</h1>;
}
