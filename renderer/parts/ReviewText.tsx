import type { Language } from "../../ipc/contract/language.ts";
import type { Review } from "../../ipc/contract/review.ts";
import { reviewText } from "../../ipc/words/judge-words.ts";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import { VisibleText } from "./VisibleText.tsx";

/** What one judge found: its sentence, or its name alone where that was said elsewhere; then its figures, quietly. */
export function ReviewText({ review, isSaid = false }: { review: Review; isSaid?: boolean }) {
  const language = useLanguage();
  const figures = figuresOf(review, language);
  return (
    <>
      <VisibleText text={isSaid ? review.name : reviewText(review, language)} />
      {figures.length === 0 ? null : <span className="quiet figures"> ({figures.join(", ")})</span>}
    </>
  );
}

/** A judge that didn't answer has none, but for how long it took. */
function figuresOf({ outcome, score, confidence, ms }: Review, language: Language): string[] {
  const words = cardWords[language];
  if (outcome === "not_run" || outcome === "overridden") return [];
  const hasScore = score !== null && outcome !== "fallback";
  return [
    ...(hasScore ? [words.scored(score.toFixed(2))] : []),
    ...(confidence === null ? [] : [words.confident(confidence.toFixed(2))]),
    `${ms.toLocaleString(language)} ms`,
  ];
}
