import { expect } from 'vitest';
import { PlayedSearch, type PlayedSearchOptions } from './playedSearch.js';
import { browserTest } from './panelTest.js';
import { SEARCHED, searchOver } from './searchedStories.js';

/** A `test` whose tests are given `search`, which opens the page of the search over some conversations in a browser. */
export const searchTest = browserTest
  .extend('searched', { scope: 'file' }, async ({}, { onCleanup }) => {
    const searched = await searchOver(SEARCHED);
    onCleanup(() => searched.end());
    return searched;
  })
  .extend('search', ({ browser, searched }, { onCleanup }) => {
    const opened: PlayedSearch[] = [];
    onCleanup(async () => {
      for (const search of opened) await search.close();
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
      expect(opened.flatMap(({ strangers }) => strangers)).toEqual([]);
    });
    return async (options: Partial<PlayedSearchOptions> = {}) => {
      const conversations = searched.conversations.length;
      const search = await PlayedSearch.open(browser, { engine: searched.engine, conversations, ...options });
      opened.push(search);
      return search;
    };
  });
