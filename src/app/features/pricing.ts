/** What models cost. */
export { loadPrices } from '../../pricing/loadPrices.js';
