/** Reading the files of other tools, on a thread of its own. */
export { ImportThread } from '../../reader/importThread.js';
