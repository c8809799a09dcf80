/** Pushing conversations to the archive of a team. */
export { ArchivePushing } from '../archive/archivePushing.js';
export { ArchiveThread } from '../../archive/archiveThread.js';
