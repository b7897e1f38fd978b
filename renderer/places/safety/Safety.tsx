import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Safety() {
  const words = useWords(windowWords);
  return <h1>{words.safety}</h1>;
}
