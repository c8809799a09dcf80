/** Comparing runs in an editor, without the thread that does. */
export { CheckThread, CompareThread } from '../sources/compareThread.js';
export { CompareSession } from '../../page/panel/compare/compareSession.js';
/** Running recorded runs again. */
export { describedTools, replayRun } from '../team/replayRun.js';
export { replayedTranscript, replayMarkdown, replaySentence } from '../team/replayDeparture.js';
export { PassingStore } from '../../capture/passingStore.js';
export { openStore } from '../stores/openStore.js';
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
