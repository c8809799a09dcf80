import { expect, test } from 'vitest';
import { settingParts, type SettingId } from '../../../src/app/manifest.js';
import { settingIn } from '../../../src/app/ports/settings.js';

const setting = <K extends SettingId>(id: K, set: Readonly<Record<string, unknown>>) =>
  settingIn((key) => set[key], id);

test('a setting is what is set, and its default where that has another type', () => {
  expect(setting('limits.maxSteps', { 'limits.maxSteps': 7 })).toBe(7);
  expect(setting('limits.maxSteps', { 'limits.maxSteps': '7' })).toBe(100);
  expect(setting('limits.maxSteps', {})).toBe(100);
  expect(setting('sharing.names', { 'sharing.names': { anna: true } })).toEqual([]);
  expect(setting('sharing.values', { 'sharing.values': null })).toEqual({});
  expect(setting('sharing.values', { 'sharing.values': ['a'] })).toEqual({});
});

test('a setting that stands in another is what that says, else what is set under its former id, else its default', () => {
  const former = { 'limits.maxCalls': 9, 'telegram.apiRoot': 'https://one.test' };
  expect(setting('limits.maxCalls', former)).toBe(9);
  expect(setting('telegram.apiRoot', former)).toBe('https://one.test');
  const now = { 'limits.more': { maxCalls: 5 }, 'chats.servers': { discordGateway: 'wss://two.test' } };
  expect(setting('limits.maxCalls', { ...former, ...now })).toBe(5);
  expect(setting('telegram.apiRoot', { ...former, ...now })).toBe('https://one.test');
  expect(setting('discord.gateway', { ...former, ...now })).toBe('wss://two.test');
  expect(setting('limits.maxFanOut', now)).toBe(16);
});

test.each([{ maxCalls: '5' }, { maxCalls: null }, { maxcalls: 5 }, [5], null, 5])(
  'what is set in another and does not fit counts for nothing: %j',
  (more) => {
    expect(setting('limits.maxCalls', { 'limits.more': more, 'limits.maxCalls': 9 })).toBe(9);
  },
);

test('a setting that stands in another is called there as before, or as its platform', () => {
  const names = Object.values(settingParts).map((part) => part?.join(' '));
  expect(new Set(names).size).toBe(names.length);
});
