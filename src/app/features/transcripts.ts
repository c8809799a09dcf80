/** Storing conversations and reading them back: stores, panels, importing, questions about messages, tokens. */
export { OpenedFiles } from '../../capture/openedFiles.js';
export { openStore } from '../stores/openStore.js';
export { fileReportText } from '../transcripts/fileReportText.js';
export { Outline } from '../../analysis/outline.js';
export { AtomicFile, readIfThere } from '../../node/atomicFile.js';
export { PanelSession } from '../../panel/panelSession.js';
export { SearchSession } from '../../panel/search/searchSession.js';
export { MessageQuestions } from '../../query/messageQuestions.js';
export { ImportThread } from '../../reader/importThread.js';
export { ReaderThread } from '../../reader/readerThread.js';
export { wholeRecords } from '../../store/read/wholeRecords.js';
export { TranscriptStore } from '../../store/transcriptStore.js';
export { listNotes } from '../notes/noteList.js';
export { searchOf } from '../stores/searchOf.js';
export { TokenService } from '../../tokens/tokenService.js';
export { mementoQuestions } from '../panel/mementoQuestions.js';
