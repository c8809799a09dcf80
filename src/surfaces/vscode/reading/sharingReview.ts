import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import { contextWords, SharingReview, timesWords, valueWords } from '../../../app/sharing/reviewWords.js';
import { iconText, words, type PlainText } from '../../../app/text/plainText.js';
import { Cancelled } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { preview } from '../../../core/text.js';
import type { Finding } from '../../../export/sharing/finding.js';
import type { Decision } from '../../../export/sharing/sharingPolicy.js';
import { changeSetting, setting } from '../settings.js';
import { features } from '../../../app/features/features.js';
import { choose, heading, type Choice, type Heading } from '../ui/pickers.js';

/** What is shared, for the person who looks it over. */
export interface SharedThing {
  readonly title: string;
  /** Where its values can be looked at; absent where nobody can be led there. */
  readonly conversation?: string | undefined;
  /** Of several that leave together: the first in which a value stands. */
  readonly standsIn?: (finding: Finding) => SharedThing | undefined;
}

/** How much of a session's title is shown before a value that stands in it, in code points. */
const MAX_TITLE = 32;

type Row = (Choice & { readonly run?: Finding | 'share' }) | Heading;

/**
 * Lets the person look over what was found, value by value. Throws `Cancelled` where they leave: then nothing is shared.
 * What they settle for good goes into their settings at once.
 */
export async function reviewSharing(
  findings: readonly Finding[],
  thing: SharedThing,
): Promise<SharingReview['decisions']> {
  const review = new SharingReview(findings);
  for (;;) {
    const chosen = await choose<Row>(rowsOf(review, thing), {
      title: words`Review before sharing: ${thing.title}`,
      placeHolder: words`Enter shares it, Escape shares nothing; choose a value to decide about it`,
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    const run = chosen && 'run' in chosen ? chosen.run : undefined;
    if (run === undefined) throw new Cancelled();
    if (run === 'share') return review.decisions;
    await decide(review, run, thing);
  }
}

function rowsOf(review: SharingReview, thing: SharedThing): readonly Row[] {
  const rows: Row[] = [
    {
      label: iconText(t`Share`, 'export'),
      description: iconText(review.outcome),
      alwaysShow: true,
      run: 'share',
    },
  ];
  let above = '';
  for (const finding of review.findings) {
    const about = finding.isDecided ? t`${finding.name}, as your settings say` : finding.name;
    if (about !== above) rows.push(heading(iconText(about)));
    above = about;
    rows.push(rowOf(review, finding, thing));
  }
  return rows;
}

function rowOf(review: SharingReview, finding: Finding, { standsIn }: SharedThing): Row {
  const isIn = review.decisionOn(finding) === 'leaveIn';
  const state = isIn ? t`stays` : t`left out`;
  const within = standsIn?.(finding);
  const place = within ? `${preview(within.title, MAX_TITLE)} · ` : '';
  return {
    label: iconText(valueWords(finding), isIn ? 'eye' : 'eye-closed'),
    description: iconText(`${state} · ${timesWords(finding.count)}`),
    detail: iconText(`${place}${contextWords(finding)}`),
    run: finding,
  };
}

type Step = Choice & { readonly run: () => Promise<void> | void };

async function decide(review: SharingReview, finding: Finding, thing: SharedThing): Promise<void> {
  const { kind } = finding;
  const { conversation = thing.standsIn?.(finding)?.conversation } = thing;
  const once = (decision: Decision) => () => review.decide(finding, decision);
  const everyOnce = (decision: Decision) => () => review.decideKind(kind, decision);
  const value = (decision: Decision) => async () => {
    await rememberValue(finding.value, decision);
    review.decide(finding, decision);
  };
  const ofKind = (decision: Decision) => async () => {
    await rememberKind(kind, decision);
    review.decideKind(kind, decision);
  };
  const steps: readonly (Step | Heading)[] = [
    {
      label: iconText(t`Leave Out`, 'eye-closed'),
      description: iconText(finding.placeholder),
      run: once('leaveOut'),
    },
    { label: iconText(t`Leave In`, 'eye'), description: iconText(t`this time`), run: once('leaveIn') },
    ...(review.isAlone(finding)
      ? []
      : [
          { label: iconText(t`Leave Out Every ${kind}`), run: everyOnce('leaveOut') },
          {
            label: iconText(t`Leave In Every ${kind}`),
            description: iconText(t`this time`),
            run: everyOnce('leaveIn'),
          },
        ]),
    heading(iconText(t`from now on`)),
    { label: iconText(t`Always Leave In This Value`), run: value('leaveIn') },
    { label: iconText(t`Always Leave Out This Value`), run: value('leaveOut') },
    { label: iconText(t`Always Leave In Every ${kind}`), run: ofKind('leaveIn') },
    { label: iconText(t`Always Leave Out Every ${kind}`), run: ofKind('leaveOut') },
    ...(conversation === undefined
      ? []
      : [
          heading(iconText('')),
          {
            label: iconText(t`Show in the Transcript`, 'go-to-file'),
            run: () => show(finding, conversation),
          },
        ]),
  ];
  const chosen = await choose(steps, {
    title: titleOf(finding),
    placeHolder: words`${contextWords(finding)}`,
    ignoreFocusOut: true,
  });
  if (chosen && 'run' in chosen) await chosen.run();
}

function titleOf(finding: Finding): PlainText {
  return words`${finding.name}: ${valueWords(finding)}`;
}

async function show({ places: [location] }: Finding, conversation: string): Promise<void> {
  await vscode.commands.executeCommand(commandName('openTranscript'), {
    conversation,
    position: location?.position,
    preserveFocus: true,
  });
}

async function rememberValue(value: string, decision: Decision): Promise<void> {
  const { valueHash } = await features.redaction();
  await changeSetting('sharing.values', { ...setting('sharing.values'), [valueHash(value)]: decision });
}

async function rememberKind(kind: string, decision: Decision): Promise<void> {
  const other = decision === 'leaveIn' ? 'leaveOut' : 'leaveIn';
  const without = setting(`sharing.${other}`).filter((one) => one !== kind);
  if (without.length < setting(`sharing.${other}`).length) await changeSetting(`sharing.${other}`, without);
  const now = setting(`sharing.${decision}`);
  if (!now.includes(kind)) await changeSetting(`sharing.${decision}`, [...now, kind]);
}
