import { knownAmount } from '../../src/core/cost.js';
import { inLanguage, t } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import type { ColouredDispatches as Dispatches } from '../../src/page/protocol/analysis.js';
import { plainText } from '../content/plainText.js';
import { el, fill, svg } from '../dom.js';
import { formatCount } from '../format.js';
import type { PageActions } from '../rows/pageActions.js';
import { DataTable } from './dataTable.js';
import { agentName, costCell, jump } from './statisticsTables.js';
import { COST, USED } from './wordsOfNumbers.js';

/** Sizes in pixels. */
const [WIDTH, HEIGHT, GAP, ROW] = [140, 30, 190, 46];
/** Room for the words of an arrow that leads back. */
const BACK = 180;
/** More agents are told in the table alone: nobody could follow the arrows. */
const MAX_DRAWN = 30;

/** An agent, where it stands in the picture. */
interface Place {
  readonly agent: string;
  readonly hue: number;
  readonly x: number;
  readonly y: number;
}

/** Who called whom, as a picture whose agents lead to what they said, and as a table. */
export class CallGraph {
  readonly element: HTMLElement;
  readonly #picture = el('div', { class: 'call-graph' });
  readonly #table: DataTable<Dispatches>;
  readonly #actions: PageActions;
  #drawn = '';

  constructor(actions: PageActions) {
    this.#actions = actions;
    this.#table = dispatchTable((position) => actions.showInContext(position));
    this.element = el(
      'section',
      { class: 'panel' },
      el('h2', {}, t`Who called whom`),
      this.#picture,
      el('details', {}, el('summary', {}, t`As a table`), this.#table.element),
    );
  }

  update(dispatches: readonly Dispatches[]): void {
    this.element.hidden = dispatches.length === 0;
    const said = JSON.stringify(dispatches);
    if (said === this.#drawn) return;
    this.#drawn = said;
    this.#table.update(dispatches);
    const places = placesOf(dispatches);
    if (places.size > MAX_DRAWN)
      this.#picture.replaceChildren(el('p', { class: 'faint' }, t`${places.size} agents; see the table.`));
    else this.#draw([...places.values()], dispatches, places);
  }

  #draw(all: readonly Place[], dispatches: readonly Dispatches[], places: ReadonlyMap<string, Place>): void {
    const width =
      greatestOf(
        all.map(({ x }) => x),
        0,
      ) +
      WIDTH +
      BACK;
    const height =
      greatestOf(
        all.map(({ y }) => y),
        0,
      ) +
      HEIGHT +
      24;
    const drawn = svg(
      'svg',
      { width, height, role: 'img', 'aria-label': t`Who called whom; the table below says the same` },
      dispatches.flatMap((each) => {
        const [from, to] = [places.get(each.from), places.get(each.to)];
        return from && to ? arrow(each, from, to) : [];
      }),
    );
    fill(
      this.#picture,
      drawn,
      all.map((place) => this.#node(place)),
    );
  }

  /** A button that shows what the agent said. */
  #node({ agent, hue, x, y }: Place): HTMLElement {
    const node = el(
      'button',
      {
        class: `graph-agent hue-${hue}`,
        title: t`Show what ${agent} said`,
        attributes: { type: 'button' },
        on: {
          click: () => {
            this.#actions.choose('agent', [agent]);
            this.#actions.showTab('messages');
          },
        },
      },
      plainText(agent),
    );
    node.style.left = `${x}px`;
    node.style.top = `${y}px`;
    return node;
  }
}

/** Where each agent stands: a column further to the right than whoever called it first. */
export function placesOf(dispatches: readonly Dispatches[]): Map<string, Place> {
  const columns = new Map<string, number>();
  const hues = new Map<string, number>();
  for (const { from, to, fromHue, toHue } of dispatches) {
    if (!columns.has(from)) columns.set(from, 0);
    if (!columns.has(to)) columns.set(to, (columns.get(from) ?? 0) + 1);
    hues.set(from, fromHue).set(to, toHue);
  }
  const taken: number[] = [];
  const places = [...columns].map(([agent, column]): [string, Place] => {
    const row = taken[column] ?? 0;
    taken[column] = row + 1;
    const place = { agent, hue: hues.get(agent) ?? 0, x: column * (WIDTH + GAP), y: row * ROW };
    return [agent, place];
  });
  return new Map(places);
}

/** An arrow from one agent to another, or to itself, with how often, what it used and what failed. */
function arrow(each: Dispatches, from: Place, to: Place): SVGElement[] {
  const isForward = to.x > from.x;
  const [startX, startY] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [endX, endY] = isForward ? [to.x - 6, to.y + HEIGHT / 2] : [to.x + WIDTH + 6, to.y + HEIGHT / 2 + 8];
  // What leads on turns at once, so that the words lie on a line of their own.
  const path = isForward
    ? `M${startX} ${startY} C${startX + 40} ${startY} ${startX} ${endY} ${startX + 40} ${endY} L${endX} ${endY}`
    : `M${startX} ${startY} C${startX + 46} ${startY} ${endX + 46} ${endY} ${endX} ${endY}`;
  const tip = isForward ? -6 : 6;
  const used = each.tokens && each.tokens.input + each.tokens.output;
  const words = [
    `${formatCount(each.count)} ×`,
    ...(used === undefined ? [] : [shortNumber(used)]),
    ...(each.failures === 0 ? [] : [t`${formatCount(each.failures)} failed`]),
  ].join(' · ');
  return [
    svg('path', { class: `graph-arrow hue-${each.fromHue}`, d: path }),
    svg('path', {
      class: `graph-tip hue-${each.fromHue}`,
      d: `M${endX - tip} ${endY} l${tip} -4 l0 8 z`,
    }),
    svg(
      'text',
      {
        class: each.failures > 0 ? 'graph-words bad' : 'graph-words',
        x: isForward ? endX - 10 : endX + 44,
        y: isForward ? endY - 5 : endY - 1,
        'text-anchor': isForward ? 'end' : 'start',
      },
      words,
    ),
  ];
}

function dispatchTable(onOpen: (position: number) => void): DataTable<Dispatches> {
  const used = ({ tokens }: Dispatches) => tokens && tokens.input + tokens.output;
  return new DataTable<Dispatches>({
    caption: t`Who called whom`,
    keyOf: ({ from, to }) => JSON.stringify([from, to]),
    columns: [
      {
        label: t`Agent`,
        cell: ({ from, fromHue }) => agentName({ agent: from, hue: fromHue }),
        sort: ({ from }) => from,
      },
      {
        label: t`Called`,
        cell: ({ to, toHue }) => agentName({ agent: to, hue: toHue }),
        sort: ({ to }) => to,
      },
      {
        label: t`How often`,
        isNumber: true,
        cell: ({ count }) => formatCount(count),
        sort: ({ count }) => count,
      },
      {
        label: t`Failed`,
        isNumber: true,
        cell: ({ failures }) => el('span', { class: failures > 0 ? 'bad' : 'faint' }, formatCount(failures)),
        sort: ({ failures }) => failures,
      },
      {
        label: inLanguage(USED.label),
        title: inLanguage(USED.title),
        isNumber: true,
        cell: (each) => {
          const tokens = used(each);
          return tokens === undefined ? '–' : formatCount(tokens);
        },
        sort: used,
      },
      {
        label: inLanguage(COST.label),
        title: inLanguage(COST.title),
        isNumber: true,
        cell: ({ cost }) => costCell(cost),
        sort: ({ cost }) => knownAmount(cost),
      },
      {
        label: t`First`,
        cell: ({ first }) => jump(first, t`go there`, onOpen),
        sort: ({ first }) => first,
      },
    ],
  });
}
