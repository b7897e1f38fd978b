import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

export function receiptMethods(context: OperatorContext): Handlers<"receipts.rotate_key"> {
  return {
    "receipts.rotate_key": ({ is_lost }) => {
      const { keyid, since, previous, is_proven } = context.core.receipts.rotateKey({ without_previous: is_lost });
      recordAct(context, "receipts.key", { keyid, previous, is_proven });
      return { keyid, since, previous, is_proven };
    },
  };
}
