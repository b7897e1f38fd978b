export interface ViewProps {
  /** What follows the view's name in the address: `#/approvals/<rest>`. */
  rest: string;
}
