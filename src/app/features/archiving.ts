/** The archive of a team: pushing conversations to it, asking, listing and reading it. */
export { searchedArchive } from '../archive/archiveLogin.js';
export { ArchivePushing } from '../archive/archivePushing.js';
export { openArchived } from '../archive/openArchived.js';
export { ArchiveThreads } from '../../archive/archiveThreads.js';
