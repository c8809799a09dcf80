import { SessionSearch } from '../../search/sessionSearch.js';
import type { Searched } from '../../search/searchCalls.js';
import type { Log } from '../../core/ports/log.js';
import type { SearchedFile } from '../../search/files/fileSession.js';
import type { Host } from '../ports/host.js';

/** Storing conversations and reading them back: stores, panels, importing, questions about messages, tokens. */
export { OpenedFiles } from '../../capture/openedFiles.js';
export { forkPointOf, prepareContinued, prepareFork } from '../transcripts/forks.js';
export { openStore } from '../stores/openStore.js';
export { failureReason, waysOn } from '../transcripts/failureReason.js';
export { fileReportText } from '../transcripts/fileReportText.js';
export { Outline } from '../../query/numbers/outline.js';
export { AtomicFile, readIfThere } from '../../node/atomicFile.js';
export { PanelSession } from '../../page/panel/panelSession.js';
export { SearchSession } from '../../page/panel/search/searchSession.js';
export { MessageQuestions } from '../../query/messageQuestions.js';
export { ImportThread } from '../../search/reader/importThread.js';
export { ReaderThread } from '../../search/reader/readerThread.js';
export { restoredRecords } from '../../store/read/restoredRecords.js';
export { KeptSessions } from '../../store/notes/keptSessions.js';
export { TranscriptStore } from '../../store/transcriptStore.js';
export { listNotes } from '../notes/noteList.js';
export { TokenService } from '../../query/tokens/tokenService.js';
export { mementoQuestions } from '../panel/mementoQuestions.js';

/** What the search needs of the window. */
interface OfWindow {
  readonly workspace: Pick<Host['workspace'], 'isTrusted'>;
  readonly settings: Pick<Host['settings'], 'get'>;
  /** A folder of the application's own, for what is known of files of other tools. */
  readonly keptFiles?: string;
  /** The file of what is kept about sessions of tools. */
  readonly keptSessions?: string;
  /** The path of ripgrep, '' for none; left out, there is none. */
  readonly ripgrep?: () => string;
  /** The archive as it is asked; left out, there is none. */
  readonly archive?: () => Promise<Searched['archive']>;
  readonly log: Log;
}

/** What is searched at the moment of a question. */
interface SearchedHere {
  searched(): Promise<readonly { readonly root: string; readonly isPassing: boolean }[]>;
  searchedFiles(): Promise<readonly SearchedFile[]>;
}

/** The search over all sessions of some stores: those that the window has when a question is asked. */
export function searchOf(
  stores: SearchedHere,
  { workspace, settings, keptFiles, keptSessions, ripgrep, archive, log }: OfWindow,
): SessionSearch {
  return new SessionSearch({
    stores: async () => {
      // What a person only looks at stays as it is: a folder from elsewhere may hold a trap.
      const readOnly = !workspace.isTrusted;
      return (await stores.searched()).map(({ root, isPassing }) => ({
        root,
        readOnly: readOnly && !isPassing,
      }));
    },
    files: () => stores.searchedFiles(),
    ownPrices: () => settings.get('prices.file'),
    ...(keptFiles !== undefined && { keptFiles }),
    ...(keptSessions !== undefined && { keptSessions }),
    ...(archive && { archive }),
    ...(ripgrep && { ripgrep: ripgrep() }),
    log,
  });
}
