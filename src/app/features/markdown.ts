/** Markdown as plain words. */
export { plainWords } from '../../query/plainWords.js';
