/** Writing transcripts in other forms, and asking the messages of a window. */
export { exportRecords } from '../../search/reader/exportRecords.js';
export { messagesSoFar } from '../messagesSoFar.js';
