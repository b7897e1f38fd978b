import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Activity() {
  const words = useWords(windowWords);
  return <h1>{words.activity}</h1>;
}
