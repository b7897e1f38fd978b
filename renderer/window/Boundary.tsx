import { Component, type ReactNode } from "react";
import { Button } from "../parts/Button.tsx";
import { useWords } from "../words/language.ts";
import { windowWords } from "../words/window.ts";

/** Where a part of the page throws, the others continue. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Broken error={error} onAgain={() => this.setState({ error: null })} />;
  }
}

function Broken({ error, onAgain }: { error: Error; onAgain(): void }) {
  const words = useWords(windowWords);
  return (
    <div className="empty" role="alert">
      <h2>{words.broken}</h2>
      <p>{words.brokenNext}</p>
      <code>{error.message}</code>
      <div>
        <Button onClick={onAgain}>{words.again}</Button>
      </div>
    </div>
  );
}
