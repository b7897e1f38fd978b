/** What lies at paths: looked at within the limits of one decision, links followed as the system does. */

export { hasOwnTimes, onceAFolderChanges, statOf } from "../files/own-times.ts";
export { BUILD_FOLDERS } from "../targets/build-folders.ts";
export { beginningOf } from "../targets/file-beginning.ts";
export {
  certainPath,
  expandHome,
  foldedPath,
  hasTooManyNames,
  isAtOrBelow,
  kindOf,
  linksOnWay,
  realForm,
  realPath,
  resolvePath,
} from "../targets/path.ts";
export { isTakenByGit, projectRoot } from "../targets/project.ts";
export {
  askedAsRepository,
  askedEachTime,
  beginsAsKey,
  hasSecretName,
  holdsSecret,
  holdsUrlSecret,
  isProjectsInGit,
  isSecretInGit,
  isTellingLog,
  logsIn,
  mayBeSecret,
  withoutGitSecrets,
} from "../targets/secret-files.ts";
export {
  decidingCall,
  following,
  isFollowingOver,
  onceADecision,
  SKIPPED_FOLDERS,
  scanTree,
  type TreeEntry,
  withScanLimit,
} from "../targets/tree-scan.ts";
export { hostOfUrl } from "../targets/url.ts";
