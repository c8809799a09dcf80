/**
 * What the reader's thread loads late: the first rows of a panel wait for everything that is loaded with the thread.
 * Each function loads its part with the first call.
 */

export const loadExports = () => import('./exportsOnThread.js');
export const loadCosts = () => import('./conversationCost.js');
export const loadPriceTable = () => import('../../query/pricing/loadPrices.js');
export const loadMarkedPrices = () => import('../markedPrices.js');
export const loadCatalogRow = () => import('../../store/catalog/readRow.js');
export const loadCatalogRows = () => import('../../store/catalog/readRows.js');
export const loadPatterns = () => import('../../node/patterns/guardedPatterns.js');
