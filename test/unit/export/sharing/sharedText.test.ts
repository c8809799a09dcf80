import { describe, expect, test } from 'vitest';
import { fillExample } from '../../../../src/export/secrets/secretRow.js';
import { masked } from '../../../../src/export/sharing/finding.js';
import { sharedText, SharingGate } from '../../../../src/export/sharing/sharingGate.js';
import { sharingRules } from '../../../../src/export/sharing/sharingPolicy.js';
import { SECRET_KINDS } from '../../../support/secretKinds.js';

describe('a text that is copied by itself', () => {
  test('holds no secret of any kind that is found, as it is or in the arguments of a call', () => {
    for (const [kind, template] of Object.entries(SECRET_KINDS)) {
      const said = fillExample(template);
      const gate = new SharingGate();
      gate.look(said, 0);
      const values = gate.findings.map(({ value }) => value).filter((value) => value.length >= 10);
      for (const text of [said, `write\n${JSON.stringify({ text: said }, null, 2)}\n\nwritten`]) {
        const copied = sharedText(text);
        expect
          .soft([kind, values.filter((value) => copied.text.includes(value)).map(masked)])
          .toEqual([kind, []]);
        if (values.length > 0) expect.soft([kind, copied.redacted > 0]).toEqual([kind, true]);
      }
    }
  });

  test('is what was said where nothing is found, and counts what is left out', async () => {
    expect(sharedText('Soup, and a page of max 3 lines.')).toEqual({
      text: 'Soup, and a page of max 3 lines.',
      redacted: 0,
    });
    expect(sharedText('For MAX, and max.', await sharingRules({ names: ['Max'] }))).toEqual({
      text: 'For [REDACTED:name], and [REDACTED:name].',
      redacted: 2,
    });
    expect(
      sharedText(`my ${fillExample('ghp_{36}')}`, { rows: [], leaveIn: ['github-token'] }).redacted,
    ).toBe(0);
  });
});
