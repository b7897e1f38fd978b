import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Grants() {
  const words = useWords(windowWords);
  return <h1>{words.grants}</h1>;
}
