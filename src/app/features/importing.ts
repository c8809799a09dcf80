/** Reading the files of other tools. */
export { importFile } from '../../import/importFile.js';
