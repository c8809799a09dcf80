/** Comparing runs in an editor, without the thread that does. */
export { CheckThread, CompareThread } from '../sources/compareThread.js';
export { CompareSession } from '../../page/panel/compare/compareSession.js';
/** Running recorded runs again. */
export { describedTools, replayMarkdown, replayRun, replaySentence } from '../team/replayRun.js';
/** What files were, and putting them back. */
export {
  folderOfRun,
  messagesIn,
  planRestore,
  positionBehind,
  restoreInWorktree,
  restoreWords,
  textThen,
} from '../sources/restoredFiles.js';
export { runStretches } from '../../compare/steps.js';
export { Repository } from '../../provenance/git.js';
