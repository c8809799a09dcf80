/** Storing conversations and reading them back: stores, panels, importing, questions about messages, tokens. */
export { OpenedFiles } from '../../capture/openedFiles.js';
export { openStore } from '../stores/openStore.js';
export { fileReportText } from '../transcripts/fileReportText.js';
export { Outline } from '../../query/numbers/outline.js';
export { AtomicFile, readIfThere } from '../../node/atomicFile.js';
export { PanelSession } from '../../page/panel/panelSession.js';
export { SearchSession } from '../../page/panel/search/searchSession.js';
export { MessageQuestions } from '../../query/messageQuestions.js';
export { ImportThread } from '../../search/reader/importThread.js';
export { ReaderThread } from '../../search/reader/readerThread.js';
export { restoredRecords } from '../../store/read/restoredRecords.js';
export { TranscriptStore } from '../../store/transcriptStore.js';
export { listNotes } from '../notes/noteList.js';
export { searchOf } from '../stores/searchOf.js';
export { TokenService } from '../../query/tokens/tokenService.js';
export { mementoQuestions } from '../panel/mementoQuestions.js';
