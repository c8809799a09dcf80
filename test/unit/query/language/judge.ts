import { injectedOf } from '../../../../src/core/injected.js';
import { costOf, type Cost } from '../../../../src/core/cost.js';
import { dollars } from '../../../../src/core/money.js';
import { costOfRequest } from '../../../../src/query/numbers/callCosts.js';
import { namedPaths } from '../../../../src/query/numbers/namedPaths.js';
import { argumentsOf, rawArgumentsOf } from '../../../../src/query/numbers/toolCalls.js';
import { hasFailed } from '../../../../src/query/numbers/transcriptReader.js';
import { envelopeOf, messageIn } from '../../../../src/query/numbers/transcriptItem.js';
import {
  momentOf,
  readCount,
  readDate,
  readDuration,
  readMoney,
  readNumber,
} from '../../../../src/query/language/amounts.js';
import type { Prices } from '../../../../src/core/ports/prices.js';
import { programsOf } from '../../../../src/query/language/programs.js';
import type {
  All,
  Order,
  Part,
  RowKind,
  Sequence,
  Term,
  Value,
} from '../../../../src/query/language/syntax.js';
import { textOfCall } from '../../../../src/query/restOfText.js';
import { allTextOf, contentTextOf } from '../../../../src/query/textTest.js';

import type { JudgedSession, Measures, Span, Unit } from './plainSession.js';

/** A thousandth of a dollar for each token of a model whose name has an even length; others have no price. */
/** What `approval:` may ask for, written out once more. */
const APPROVAL_WORDS = new Set('approved denied person policy remembered rule hook stopped'.split(' '));

export const PRICES: Prices = {
  version: 'judge',
  costOf: ({ model, usage }) => {
    if (usage.cost !== undefined) return { provenance: 'exact', amount: usage.cost };
    const amount = dollars((usage.inputTokens + usage.outputTokens) / 1000);
    if (model.length % 2 === 1 || amount === undefined) return { provenance: 'unknown' };
    return { provenance: usage.estimated ? 'estimated' : 'priced', amount };
  },
};

interface Clock {
  readonly now: number;
  readonly timeZone: string;
}

/** The indexes of the rows of a session that match a question, by looking at everything again and again. */
export function judge(session: JudgedSession, query: Sequence, rows: RowKind, clock: Clock): number[] {
  const { records, toolCalls, agentCalls, runs, whole, info } = session;
  const units = [...records, ...toolCalls];

  const isKind = (unit: Unit, kind: RowKind | 'any') =>
    kind === 'any' ||
    (kind === 'toolCalls'
      ? unit.kind === 'toolCall'
      : unit.kind === 'record' && (kind === 'records' || unit.isMessage));

  /** What was found out of a sequence and a unit among all of the session, so that a test ends. */
  const known = new Map<Sequence, Map<string, Map<Unit, boolean>>>();

  function sequenceHolds(
    sequence: Sequence,
    unit: Unit,
    kind: RowKind | 'any',
    among: readonly Unit[],
  ): boolean {
    const find = () =>
      sequence.kind === 'all'
        ? sequence.of.every((part) => partHolds(part, unit, kind, among))
        : orderHolds(sequence, unit, kind, among);
    if (among !== units) return find();
    const ofSequence = known.get(sequence) ?? new Map<string, Map<Unit, boolean>>();
    const ofKind = ofSequence.get(kind) ?? new Map<Unit, boolean>();
    known.set(sequence, ofSequence.set(kind, ofKind));
    const value = ofKind.get(unit) ?? find();
    ofKind.set(unit, value);
    return value;
  }

  function orderHolds(
    { order, left, right, same, within }: Order,
    unit: Unit,
    kind: RowKind | 'any',
    among: readonly Unit[],
  ): boolean {
    const leftKind = kind === 'any' ? sideKind(left, 'records') : kind;
    const rightKind = sideKind(right, kind === 'messages' ? 'messages' : 'records');
    if (!isKind(unit, leftKind) || !sequenceHolds(left, unit, leftKind, units)) return false;
    const counted = kind !== 'any' ? kind : leftKind === 'toolCalls' ? 'toolCalls' : 'messages';
    return among.some((other) => {
      if (!isKind(other, rightKind) || !sequenceHolds(right, other, rightKind, units)) return false;
      const [first, second] = order === 'after' ? [other, unit] : [unit, other];
      if (!(first.end < second.begin)) return false;
      if (!same.every((each) => shared(unit, each).some((value) => shared(other, each).includes(value))))
        return false;
      if (!within) return true;
      if (within.unit === 'rows')
        return (
          units.filter((each) => isKind(each, counted) && first.end < each.begin && each.begin < second.begin)
            .length <= within.most
        );
      if (first.endedAt === undefined || second.beganAt === undefined) return false;
      const gap = second.beganAt - first.endedAt;
      return gap >= 0 && gap <= within.most;
    });
  }

  function shared(unit: Unit, by: string): readonly unknown[] {
    if (by === 'agent') return unit.facts.place.agent === undefined ? [] : [unit.facts.place.agent];
    if (by === 'call') return [unit.agentCall];
    if (by === 'run') return [unit.run];
    return by === 'tool' ? unit.tools : inputsOf(unit).flatMap(namedPaths);
  }

  function partHolds(part: Part, unit: Unit, kind: RowKind | 'any', among: readonly Unit[]): boolean {
    switch (part.kind) {
      case 'not':
        return !partHolds(part.of, unit, kind, among);
      case 'group':
        return part.of.some((each) => sequenceHolds(each, unit, kind, among));
      case 'inside': {
        if (part.where === 'with') {
          const holds = (each: Unit) =>
            part.of.some((sequence) => sequenceHolds(sequence, each, 'any', units));
          return holds(unit) || (unit.kind === 'record' && unit.calls.some(holds));
        }
        const matches = (call: string) =>
          part.of.some((sequence) => spanHolds(sequence, agentCalls.get(call)!));
        if (part.where === 'in') return matches(unit.agentCall);
        let above = agentCalls.get(unit.agentCall)?.parent;
        while (above !== undefined && !matches(above)) above = agentCalls.get(above)?.parent;
        return above !== undefined;
      }
      case 'term': {
        const measured =
          unit.kind === 'record'
            ? measuresOf(unit)
            : {
                tokens: undefined,
                cost: undefined,
                totalCost: undefined,
                durationMs: unit.durationMs,
                beganAt: unit.beganAt,
              };
        return part.values.some((value) => valueHolds(part, value, unit, measured));
      }
    }
  }

  function spanHolds(sequence: Sequence, span: Span): boolean {
    const holds = (each: Sequence) => span.units.some((unit) => sequenceHolds(each, unit, 'any', span.units));
    if (sequence.kind === 'order') return holds(sequence);
    const witness: Part[] = [];
    for (const part of sequence.of) {
      const inner = part.kind === 'not' ? part.of : part;
      let value: boolean | undefined;
      if (inner.kind === 'group') value = inner.of.some((each) => spanHolds(each, span));
      else if (inner.kind === 'inside' && inner.where === 'with')
        value = span.units.some((unit) => inner.of.some((each) => sequenceHolds(each, unit, 'any', units)));
      else if (
        inner.kind === 'term' &&
        ownFields.has(`${inner.field}${inner.field === 'is' ? `:${onlyLive(inner)}` : ''}`)
      )
        value = inner.values.some((each) => valueHolds(inner, each, undefined, span));
      else witness.push(part);
      if (value !== undefined && value === (part.kind === 'not')) return false;
    }
    if (witness.length === 0) return true;
    const all = (parts: readonly Part[]): All => ({ kind: 'all', of: parts, range: { start: 0, end: 0 } });
    if (witness.some(({ kind }) => kind !== 'not')) {
      // Of a tool call of which something is denied, the messages that make and answer it are no witnesses.
      const isDenied = witness.some(({ kind }) => kind === 'not');
      const plain = all(witness.map((part) => (part.kind === 'not' ? part.of : part)));
      const isOfCall =
        isDenied &&
        plain.of.every(({ kind }) => kind === 'term') &&
        sideKind(plain, 'records') === 'toolCalls' &&
        sideKind(all(witness.filter(({ kind }) => kind !== 'not')), 'records') === 'toolCalls';
      return isOfCall
        ? span.units.some(
            (unit) => isKind(unit, 'toolCalls') && sequenceHolds(all(witness), unit, 'toolCalls', span.units),
          )
        : holds(all(witness));
    }
    return witness.every((part) => part.kind === 'not' && !holds(all([part.of])));
  }

  function valueHolds(term: Term, value: Value, unit: Unit | undefined, measured: Measures): boolean {
    const { field } = term;
    const { tokens, durationMs, cost, totalCost, beganAt } = measured;
    switch (field) {
      case 'tokens':
        return tokens !== undefined && amount(value, readCount, tokens.input + tokens.output);
      case 'tokens.in':
        return tokens !== undefined && amount(value, readCount, tokens.input);
      case 'tokens.out':
        return tokens !== undefined && amount(value, readCount, tokens.output);
      case 'cost':
        return cost !== undefined && money(value, cost);
      case 'cost.total':
        return totalCost !== undefined && money(value, totalCost);
      case 'duration':
        return durationMs !== undefined && amount(value, readDuration, durationMs);
      case 'began.since':
        return beganAt !== undefined && beganAt >= momentOf(readDate(textOf(value))!, clock);
      case 'began.before':
        return beganAt !== undefined && beganAt < momentOf(readDate(textOf(value))!, clock);
      case 'title':
        return textHolds(value, info.title, false);
      case 'session':
        return name(value, info.session);
      case 'source':
        return name(value, info.source);
      case 'project':
        return name(value, info.project);
      default:
    }
    if (field === 'is' && textOf(value) === 'live') return info.live === true;
    if (!unit) return false;
    const { facts } = unit;
    const record = unit.kind === 'record';
    switch (field) {
      case 'text':
      case 'word':
        return textHolds(value, allText(unit), field === 'word');
      case 'content':
      case 'content.word': {
        const content = record ? contentTextOf(unit.item) : undefined;
        return content !== undefined && textHolds(value, content, field === 'content.word');
      }
      case 'agent':
        return name(value, facts.place.agent);
      case 'tool':
        return unit.tools.some((tool) => name(value, tool));
      case 'role':
        return record && name(value, facts.role ?? undefined);
      case 'model':
        return name(value, facts.model === '' ? undefined : facts.model);
      case 'run':
        return name(value, unit.runId);
      case 'call':
        return name(value, facts.place.call);
      case 'depth':
        return facts.place.depth !== undefined && amount(value, readCount, facts.place.depth);
      case 'context': {
        const isOne = record && (unit.request ?? unit).facts.usage?.requests === undefined;
        return isOne && measured.tokens !== undefined && amount(value, readCount, measured.tokens.input);
      }
      case 'since':
      case 'before': {
        const moment = momentOf(readDate(textOf(value))!, clock);
        return (
          unit.beganAt !== undefined && (field === 'since' ? unit.beganAt >= moment : unit.beganAt < moment)
        );
      }
      case 'approval':
        return [unit, ...unit.calls].some((each) => decisionsOf(each).includes(textOf(value)));
      case 'file':
        return inputsOf(unit)
          .flatMap(namedPaths)
          .some((path) => glob(value, path));
      case 'command':
        return inputsOf(unit).some((input) => [...programsOf(input)].some((each) => program(value, each)));
      case 'args':
        return inputsOf(unit).some((input) => argumentHolds(value, input, term.path));
      case 'note':
        return notesOn(unit).some((text) => textHolds(value, text, false));
      case 'is':
      case 'has':
        return flag(`${field} ${textOf(value)}`, unit);
      default:
        throw new Error(`The judge does not know ${field}.`);
    }
  }

  function notesOn(unit: Unit): string[] {
    const isOn = (each: Unit, position: number, call: number | undefined) =>
      each.begin === position &&
      (each.kind === 'record' ? call === undefined : each.isAsked === true && each.order === call);
    const about = unit.kind === 'record' ? [unit, ...unit.calls] : [unit];
    return (info.notes ?? [])
      .filter(({ position, call }) => about.some((each) => isOn(each, position, call)))
      .map(({ text }) => text);
  }

  function decisionsOf(unit: Unit): string[] {
    const own = (each: Unit) => {
      const record = envelopeOf(each.item) ?? {};
      if (record.type !== 'approval') return [];
      const by = { user: 'person', cancel: 'stopped' }[String(record.decidedBy)] ?? String(record.decidedBy);
      return [String(record.decision), by].filter((value) => APPROVAL_WORDS.has(value));
    };
    if (unit.kind === 'record') return own(unit);
    const { made, change } = unit.reading;
    const state = (unit.isAsked ? made[unit.order ?? 0]?.state : change?.after) ?? 'done';
    return [state === 'timedOut' ? 'timeout' : state, ...decidedOf(unit, own)];
  }

  function decidedOf(unit: Unit, own: (each: Unit) => string[]): string[] {
    return records
      .filter((record) => record.reading.concerns !== undefined && record.calls.includes(unit))
      .flatMap(own);
  }

  function flag(which: string, unit: Unit): boolean {
    const { facts } = unit;
    const message = (messageIn(unit.item) ?? {}) as {
      content?: unknown;
      reasoning_content?: unknown;
      reasoning_details?: unknown;
    };
    const record = unit.kind === 'record';
    switch (which) {
      case 'is error': {
        if (record) return facts.isFailure;
        const made = unit.isAsked ? unit.reading.made[unit.order ?? 0] : undefined;
        return made ? hasFailed(made) : facts.isFailure;
      }
      case 'is failed':
      case 'is denied':
      case 'is cancelled':
      case 'is timeout':
      case 'is open':
        return [unit, ...unit.calls].some((each) => decisionsOf(each).includes(which.slice(3)));
      case 'is message':
        return unit.isMessage;
      case 'is partial':
        return record && typeof envelopeOf(unit.item)?.partial === 'string';
      case 'is compaction':
        return record && unit.reading.isCompaction;
      case 'is injected':
        return record && unit.isMessage && injectedOf(unit.item).length > 0;
      case 'is subagent':
        return (facts.place.depth ?? 0) > 0;
      case 'has image':
        return (
          record &&
          unit.isMessage &&
          JSON.stringify(message.content ?? '').includes('"image_url"') &&
          Array.isArray(message.content)
        );
      case 'has reasoning':
        return (
          record &&
          unit.isMessage &&
          ((typeof message.reasoning_content === 'string' && message.reasoning_content !== '') ||
            (Array.isArray(message.reasoning_details) && message.reasoning_details.length > 0))
        );
      case 'has calls':
        return record && unit.reading.made.length > 0;
      case 'has note':
        return notesOn(unit).length > 0;
      case 'has result':
        return record ? facts.role === 'tool' : unit.result !== undefined;
      default:
        throw new Error(`The judge does not know ${which}.`);
    }
  }

  const spans = rows === 'agentCalls' ? [...agentCalls.values()] : rows === 'runs' ? runs : [whole];
  if (rows === 'agentCalls' || rows === 'runs' || rows === 'sessions')
    return spans.flatMap((span, at) => (spanHolds(query, span) ? [at] : []));
  const list = rows === 'toolCalls' ? toolCalls : records;
  return list.flatMap((unit, at) =>
    isKind(unit, rows) && sequenceHolds(query, unit, rows, units) ? [at] : [],
  );
}

const ownFields = new Set([
  'tokens',
  'tokens.in',
  'tokens.out',
  'cost',
  'cost.total',
  'duration',
  'began.since',
  'began.before',
  'title',
  'session',
  'source',
  'project',
  'is:live',
]);
const onlyLive = ({ values }: Term) => (values.every((value) => textOf(value) === 'live') ? 'live' : '');

function sideKind(side: All, otherwise: 'messages' | 'records'): 'messages' | 'records' | 'toolCalls' {
  const terms = (part: Part): Term[] => {
    if (part.kind === 'term') return [part];
    return part.kind === 'group'
      ? part.of.flatMap((each) => (each.kind === 'all' ? each : each.left).of.flatMap(terms))
      : [];
  };
  const all = side.of.flatMap(terms);
  const onlyMessages =
    /^(?:role|content|content\.word|tokens|tokens\.in|tokens\.out|context|cost|cost\.total)$|^(?:is:(?:message|partial|compaction)|has:(?:image|reasoning|calls))+$/;
  const written = ({ field, values }: Term) =>
    field === 'is' || field === 'has' ? values.map((value) => `${field}:${textOf(value)}`).join('') : field;
  const isOfCalls = all.some(({ field }) => ['tool', 'file', 'command', 'args', 'approval'].includes(field));
  return isOfCalls && !all.some((term) => onlyMessages.test(written(term))) ? 'toolCalls' : otherwise;
}

function measuresOf({ facts, reading, beganAt, request }: Unit): Measures {
  const isTold = facts.usage !== undefined || facts.type === 'request';
  const known = isTold ? costOfRequest(facts, reading.call, PRICES) : undefined;
  const cost = known && costOf(known);
  const measures = {
    tokens: facts.tokens,
    cost,
    totalCost: cost,
    beganAt,
    durationMs: reading.result
      ? reading.result.tookMs
      : facts.role === undefined
        ? facts.durationMs
        : undefined,
  };
  // A message that tells neither tokens nor cost has those of the request that it answers.
  if (!request || facts.tokens || facts.usage) return measures;
  const { tokens, totalCost: spent } = measuresOf(request);
  return { ...measures, tokens, cost: spent, totalCost: spent };
}

/** Everything that may have been spent: with unknown parts, any amount from the known one on. */
function money(value: Value, { exact, priced, estimated, unknown }: Cost): boolean {
  const least = exact.amount + priced.amount + estimated.amount;
  if (exact.requests + priced.requests + estimated.requests === 0) return false;
  return [least, ...(unknown > 0 ? [least * 1.5 + 1, Number.MAX_VALUE] : [])].every((spent) =>
    amount(value, readMoney, spent),
  );
}

const inputsOf = (unit: Unit): unknown[] =>
  unit.calls.filter(({ isAsked }) => isAsked).map(({ input }) => input);

const textOf = (value: Value): string => (value.kind === 'text' ? value.text : '');

function allText(unit: Unit): string {
  if (unit.kind === 'record') return allTextOf(unit.item);
  return textOfCall(
    unit.tool ?? '',
    unit.input,
    unit.result === undefined ? undefined : messageIn(unit.result),
  );
}

const pattern = (value: Extract<Value, { kind: 'pattern' }>) => new RegExp(value.source, `${value.flags}u`);

function textHolds(value: Value, text: string, wholeWord: boolean): boolean {
  if (value.kind === 'pattern') return pattern(value).test(text);
  if (value.kind !== 'text') return false;
  // An é is one character or two, and either is found by the other.
  const composed = text.normalize('NFC');
  const isOther = value.text.normalize('NFD') !== value.text.normalize('NFC');
  if (isOther && composed !== text && textHolds(value, composed, wholeWord)) return true;
  const wanted = value.text.normalize('NFC');
  const [needle, searched] = value.exact ? [wanted, text] : [wanted.toLowerCase(), text.toLowerCase()];
  if (!wholeWord) return searched.includes(needle);
  for (let at = 0; at + needle.length <= searched.length; at++) {
    const [before, after] = [searched.slice(0, at), searched.slice(at + needle.length)];
    if (searched.startsWith(needle, at) && !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after))
      return true;
  }
  return false;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function name(value: Value, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (value.kind === 'pattern') return pattern(value).test(text);
  if (value.kind !== 'text') return false;
  if (value.exact) return text === value.text;
  return new RegExp(`^${value.text.toLowerCase().split('*').map(escaped).join('.*')}$`, 's').test(
    text.toLowerCase(),
  );
}

function program(value: Value, text: string): boolean {
  const wanted = textOf(value);
  const last = wanted.slice(wanted.lastIndexOf('/') + 1);
  if (value.kind === 'text' && value.exact) return text === last;
  return new RegExp(`^${last.split('*').map(escaped).join('.*')}$`, 's').test(text);
}

function glob(value: Value, path: string): boolean {
  if (value.kind !== 'text') return false;
  if (value.exact) return value.text === path;
  const source = value.text
    .split('/')
    .map((each) =>
      each === '**' ? '\0' : escaped(each).replaceAll('\\*', '[^/]*').replaceAll('\\?', '[^/]'),
    )
    .join('/')
    .replace(/\0\//g, '(?:[^/]*/)*')
    .replace(/\/\0$/, '(?:/[^/]*)*')
    .replace(/^\0$/, '.*');
  const start = value.text.startsWith('/') ? '^' : '^(?:.*/)?';
  return new RegExp(`${start}${source}$`, 's').test(path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''));
}

function amount(value: Value, read: (text: string) => number | undefined, number: number): boolean {
  if (value.kind === 'range') return number >= read(value.from)! && number <= read(value.to)!;
  if (value.kind !== 'compare') return false;
  const bound = read(value.text)!;
  return {
    '=': number === bound,
    '>': number > bound,
    '>=': number >= bound,
    '<': number < bound,
    '<=': number <= bound,
  }[value.operator];
}

function argumentHolds(value: Value, input: unknown, path: readonly string[]): boolean {
  const values = path.length === 0 ? [rawArgumentsOf(input)] : at(argumentsOf(input), path);
  return values.some((text) => {
    // Of the numbers with which texts are compared none has so many digits that a number could not hold it.
    if (value.kind === 'compare' || value.kind === 'range')
      return (
        /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) && amount(value, readNumber, Number(text))
      );
    return value.kind === 'text' && value.exact ? text === value.text : textHolds(value, text, false);
  });
}

/** The plain values at a path, lists taken apart. */
function at(value: unknown, path: readonly string[]): string[] {
  const [key, ...rest] = path;
  if (Array.isArray(value) && !(key !== undefined && /^\d+$/.test(key)))
    return value.flatMap((each) => at(each, path));
  if (key === undefined)
    return typeof value === 'object' || value === undefined ? [] : [`${value as string | number | boolean}`];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
  return at((value as Record<string, unknown>)[key], rest);
}
