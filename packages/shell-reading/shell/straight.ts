import type { CommandNode, PipelineNode, Statement } from "unbash";

/** True if these commands run one after the other, whatever happens: what they print can then be put together. */
export function isStraight(statements: readonly Statement[]): boolean {
  return statements.every(({ command, background }) => {
    if (background) return false;
    if (command.type === "AndOr")
      return command.operators.every((operator) => operator === "&&") && command.commands.every(isStraightPipeline);
    return isStraightPipeline(command);
  });
}

function isStraightPipeline(node: PipelineNode): boolean {
  return node.type === "Pipeline" ? node.commands.every(isStraightNode) : isStraightNode(node);
}

/** True if what one command prints is known to be printed, and in order. */
export function isStraightNode(node: CommandNode): boolean {
  switch (node.type) {
    case "Command":
    case "Function":
      return true;
    case "Redirected":
      return isStraightNode(node.command);
    case "Subshell":
    case "BraceGroup":
    case "For":
      return isStraight(node.body.commands);
    default:
      return false;
  }
}
