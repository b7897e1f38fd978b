import { useWords } from "../../words/language.ts";
import { windowWords } from "../../words/window.ts";

export default function Policy() {
  const words = useWords(windowWords);
  return <h1>{words.policy}</h1>;
}
