/** What was found in the folders that may be written; absolute, real paths of what is there now. */
export interface FoundPlaces {
  /** Files and folders that stay as they are: their content is run later. */
  readonly run_later: readonly string[];
  /** Files that often hold secrets. */
  readonly secrets: readonly string[];
}
