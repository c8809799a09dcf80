/** Loads what reads files of every format, which a store has no need of. */
export const loadFileSessions = () => import('./fileSessions.js');

/** Loads what asks the conversations of a store, which a list has no need of. */
export const loadStoreQuestions = () => import('../../search/sessions/openStoreSource.js');

/** Loads what runs recorded runs again. */
export const loadReplay = () => import('../team/replayRun.js');
