import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Settings() {
  const words = useWords(windowWords);
  return <h1>{words.settings}</h1>;
}
