/** What git would find: its folders, index, settings, and what its histories hold. */

export { gitCommand, gitEffect, isGitPlanted } from "../programs/git.ts";
export { type GitFolders, gitFoldersOf } from "../programs/git-folders.ts";
export { asksHistoryOf, gitHistories, mayMeanGits, type SecretNames } from "../programs/git-history.ts";
export { GitIndex, type IndexEntry, type NotedFolder, namesOutside, readIndex } from "../programs/git-index.ts";
export { codeNamedBySettings, repositoriesBuilt } from "../programs/git-named-code.ts";
export { objectsIn } from "../programs/git-objects.ts";
export { addressParts, gitRemoteOf, hostedRepository } from "../programs/git-remotes.ts";
export { isHarmlessToSet, ownIgnoreLists, type Setting, settingsOf } from "../programs/git-repository.ts";
