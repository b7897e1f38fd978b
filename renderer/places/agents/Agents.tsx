import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Agents() {
  const words = useWords(windowWords);
  return <h1>{words.agents}</h1>;
}
