import { endOfWord, ended } from '../messages/callEnd.js';
import { greatestOf, smallestOf } from '../../core/lists.js';
import type { CallSite } from '../../core/record.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.js';
import {
  ringsIn,
  type ConversationBuilder,
  type Draft,
  type MessageDetails,
} from '../building/conversationBuilder.js';
import { between, type Fields } from '../reading/fields.js';
import { TraceHistory, type ToolWork } from './traceHistory.js';
import { durationOf, type SpanTool, type TraceSpan } from './traceSpan.js';
import { inDepth, traceTrees, type TraceNode } from './traceTree.js';

/** How deep agents may nest; real traces stay below 10. */
const MAX_DEPTH = 50;

/** The call of an agent, while the spans below it are read. */
interface OpenCall {
  readonly place: CallSite;
  readonly history: TraceHistory;
  /** The spans of the agents that worked in it; several where one hands over to the next. */
  readonly agents: TraceSpan[];
  /** Of its own requests, and of all calls below it. */
  own: Usage;
  total: Usage;
}

/** Where a span stands: what its children inherit. */
interface Standing {
  readonly call: OpenCall;
  /** The agent that speaks, where that is not the one that the call is named after. */
  readonly agent: string | undefined;
  /** The name of the agent around, if there is one. */
  readonly around: string | undefined;
  /** The tool around, as far as no agent lies between. */
  readonly tool: { readonly name: string; readonly work: ToolWork } | undefined;
}

/** A span that was begun and whose children come next. */
interface Frame {
  readonly node: TraceNode;
  readonly outer: Standing;
  readonly inner: Standing;
  next: number;
}

/** A request that was read, whose answer may come later. */
export interface PendingRequest {
  /** The record of the request, which says nothing of its answer before that has come. */
  readonly draft: Draft;
  /** Reads its answer, once: `whole` is the span of the request with it. */
  readonly answer: (whole: TraceSpan) => void;
}

/** Writes traces into a conversation: agents as calls, requests with their messages, tools with their results. */
export class TraceReader {
  readonly #builder: ConversationBuilder;
  /** Entry calls share their history: what an earlier trace of the conversation told is not told again. */
  readonly #entryHistory: TraceHistory;
  #traces = 0;
  /** Where requests stand that are read one by one. */
  #asking: Standing | undefined;

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
    this.#entryHistory = new TraceHistory(builder);
  }

  /** Reads the spans of one trace; `agent` is who works in it where no span says so. */
  read(spans: readonly TraceSpan[], agent = this.#builder.entry.agent): void {
    const roots = traceTrees(spans);
    const named = spans.filter(({ id }) => id !== '');
    this.#builder.rings += ringsIn(new Map(named.map(({ id, parent }) => [id, parent])));
    let run: Standing | undefined;
    for (const root of roots) {
      // A further agent that nobody started begins a run of its own.
      const isNext = root.span.kind === 'agent' && run?.around !== undefined;
      if (!run || isNext) run = this.#begin(root.span, agent);
      const agents = run.call.agents.length;
      const last = this.#walk(root, run);
      if (run.call.agents.length > agents) this.#end(root.span, run.call);
      run = { ...run, around: run.around ?? last };
    }
  }

  /**
   * Reads a request that stands in no tree, after those that were read so before it; what it was answered may come later.
   * Where it `isFurther`, its input is what it sends behind all that the request before it sent.
   */
  ask(span: TraceSpan, isFurther: boolean): PendingRequest {
    const { agent } = this.#builder.entry;
    const standing = (this.#asking ??= this.#begin(span, agent));
    const draft = this.#addAsked(span, standing, isFurther);
    return {
      draft,
      answer: (whole) => {
        Object.assign(draft, { body: requestBody(whole), time: whole.end ?? whole.start });
        this.#addAnswered(whole, standing);
      },
    };
  }

  /** Adds those messages of a whole conversation that no trace told. */
  complete(messages: readonly Fields[], details: MessageDetails = {}): void {
    this.#entryHistory.addHistory(messages, this.#builder.entry, details);
  }

  /** Ends an entry call with the tree that it was read from. */
  #end(root: TraceSpan, call: OpenCall): void {
    const { agents } = call;
    const begins = agents.flatMap((span) => span.start ?? []);
    const ends = agents.flatMap((span) => span.end ?? []);
    const start = root.start ?? smallestOf(begins, Infinity);
    const end = root.end ?? greatestOf(ends, -Infinity);
    if (!Number.isFinite(start) || !Number.isFinite(end)) return;
    const error = root.error ?? agents.at(-1)?.error;
    this.#callEnd(call, { start, end, error, ...(root.kind === 'agent' && { source: root.source }) });
  }

  #begin(root: TraceSpan, agent: string): Standing {
    const name = root.kind === 'agent' ? (root.agent ?? root.name) : agent;
    const { entry } = this.#builder;
    const callSite = this.#traces++ === 0 ? entry : this.#builder.run(name);
    const call = { place: callSite, history: this.#entryHistory, agents: [], own: NO_USAGE, total: NO_USAGE };
    return { call, agent: undefined, around: undefined, tool: undefined };
  }

  /** Reads a tree; gives the name of the agent at its root, if there is one. */
  #walk(root: TraceNode, standing: Standing): string | undefined {
    const first = this.#enter(root, standing);
    const stack: Frame[] = [first];
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const child = frame.node.children[frame.next++];
      if (child) stack.push(this.#enter(child, frame.inner));
      else {
        stack.pop();
        this.#leave(frame);
      }
    }
    return root.span.kind === 'agent' ? first.inner.around : undefined;
  }

  #enter(node: TraceNode, outer: Standing): Frame {
    const { span } = node;
    let inner = outer;
    if (span.kind === 'agent') inner = this.#enterAgent(span, outer);
    else if (span.kind === 'tool') inner = this.#enterTool(span, outer);
    else if (span.kind === 'request' && !node.hasRequests) this.#addRequest(node, outer);
    else this.#enterOther(node, outer);
    return { node, outer, inner, next: 0 };
  }

  #leave({ node, outer, inner }: Frame): void {
    const { span } = node;
    const isRequest = span.kind === 'request' && !node.hasRequests;
    // What a wrapper was answered is what its last request was, unless that went on somewhere else.
    if (!isRequest && span.output.length > 0) {
      const { place: callSite, history } = inner.call;
      const agent = this.#speaker(span, inner);
      history.addHistory(span.output, callSite, { time: span.end, model: span.model, agent });
    }
    if (span.kind === 'agent') this.#leaveAgent(node, outer, inner);
    if (span.kind === 'tool' && inner.tool && inner.tool !== outer.tool)
      this.#leaveTool(span, inner.tool.work, outer);
  }

  #enterAgent(span: TraceSpan, outer: Standing): Standing {
    const name = span.agent ?? span.name;
    const { call, around, tool } = outer;
    const isAgain = around === name && !tool;
    const isBelow = around !== undefined && !isAgain && call.place.depth < MAX_DEPTH;
    let inner: Standing = { ...outer, around: name, agent: name === call.place.agent ? undefined : name };
    if (isBelow) {
      const about = { toolCallId: tool?.work.id, time: span.start, task: taskOf(span) };
      const callSite = this.#builder.dispatch(call.place, name, about);
      const history = new TraceHistory(this.#builder);
      const child = { place: callSite, history, agents: [], own: NO_USAGE, total: NO_USAGE };
      inner = { call: child, agent: undefined, around: name, tool: undefined };
    }
    inner.call.history.addHistory(span.input, inner.call.place, { time: span.start });
    return inner;
  }

  #leaveAgent({ span, parent }: TraceNode, outer: Standing, inner: Standing): void {
    const { call } = inner;
    const isChild = call !== outer.call;
    if (isChild) {
      outer.call.total = addUsage(outer.call.total, call.total);
      if (durationOf(span) !== undefined) {
        this.#callEnd(call, span);
        return;
      }
    } else if (outer.around === undefined) {
      call.agents.push(span);
      // The span of the root is told by the end of the run.
      if (!parent && durationOf(span) !== undefined) return;
    }
    this.#builder.keep(call.place, span.name, span.source, span.start);
  }

  #callEnd(call: OpenCall, about: Pick<TraceSpan, 'start' | 'end' | 'error'> & { source?: Fields }): void {
    const { error, source } = about;
    const body = {
      type: 'callEnd',
      ...(error ? { outcome: 'failed', reason: error.message } : { outcome: 'done' }),
      durationMs: durationOf(about) ?? 0,
      ownUsage: call.own,
      totalUsage: call.total,
      ...(source && { source }),
    };
    this.#builder.add(call.place, body, about.end);
  }

  #enterTool(span: TraceSpan, outer: Standing): Standing {
    const { call } = outer;
    const tool: SpanTool = span.tool ?? { name: span.name };
    // Two instrumentations of one tool lie in each other.
    if (outer.tool?.name === tool.name && (tool.id === undefined || tool.id === outer.tool.work.id)) {
      this.#builder.keep(call.place, span.name, span.source, span.start);
      return outer;
    }
    const details = { time: span.start, agent: this.#speaker(span, outer) };
    const work = call.history.addCall(tool, span.id === '' ? span.name : span.id, call.place, details);
    if (tool.decision)
      this.#builder.decide(call.place, { toolCallId: work.id, ...tool.decision }, span.start);
    return { ...outer, tool: { name: tool.name, work } };
  }

  #leaveTool(span: TraceSpan, work: ToolWork, outer: Standing): void {
    const isOver = span.end !== undefined || span.error !== undefined || span.tool?.output !== undefined;
    if (!isOver) {
      this.#builder.keep(outer.call.place, span.name, span.source, span.start);
      return;
    }
    const output = span.tool?.output ?? span.error?.message;
    work.finish(output, outer.call.place, {
      time: span.end ?? span.start,
      toolName: span.tool?.name ?? span.name,
      ...ended(span.error ? 'failed' : undefined, endOfWord(span.error?.code)),
      durationMs: between(span.start, span.end),
      agent: this.#speaker(span, outer),
      source: span.source,
    });
  }

  #addRequest({ span, children }: TraceNode, standing: Standing): void {
    // Where tools run within the span of a request, it was answered when the first of them began.
    const tool = children.find(({ span: { kind } }) => kind === 'tool' || kind === 'agent');
    const request = { ...span, end: tool?.span.start ?? span.end };
    this.#addAsked(request, standing, false);
    this.#addAnswered(request, standing);
  }

  /** Adds what a request sends, and the record of it. */
  #addAsked(span: TraceSpan, standing: Standing, isFurther: boolean): Draft {
    const { place: callSite, history } = standing.call;
    const agent = this.#speaker(span, standing);
    const asked = { time: span.start, agent: agent ?? standing.agent, after: span.after, isFurther };
    history.addHistory(span.input, callSite, asked);
    const speaker = agent === undefined ? callSite : { ...callSite, agent };
    return this.#builder.add(speaker, requestBody(span), span.end ?? span.start);
  }

  /** Adds what a request was answered. */
  #addAnswered(span: TraceSpan, standing: Standing): void {
    const { call } = standing;
    const time = span.end ?? span.start;
    const partial = span.isCut === true ? 'error' : undefined;
    const details: MessageDetails = {
      time,
      model: span.model,
      agent: this.#speaker(span, standing),
      partial,
    };
    call.history.addAnswer(span.output, call.place, details);
    if (span.names) call.history.name(span.names);
    if (!span.usage) return;
    call.own = addUsage(call.own, span.usage);
    call.total = addUsage(call.total, span.usage);
  }

  #enterOther(node: TraceNode, standing: Standing): void {
    const { span } = node;
    const { place: callSite, history } = standing.call;
    this.#builder.keep(callSite, span.name, span.source, span.start);
    if (span.decision) this.#builder.decide(callSite, span.decision, span.start);
    if (!isWrapped(node))
      history.addHistory(span.input, callSite, { time: span.start, agent: this.#speaker(span, standing) });
  }

  #speaker(span: TraceSpan, { call, agent }: Standing): string | undefined {
    const name = span.kind === 'agent' ? agent : (span.agent ?? agent);
    return name === call.place.agent ? undefined : name;
  }
}

/** Whether the requests below a span tell what it was asked. */
function isWrapped({ hasRequests, children }: TraceNode): boolean {
  return (
    hasRequests && [...inDepth(children)].some(({ span }) => span.kind === 'request' && span.input.length > 0)
  );
}

function requestBody(span: TraceSpan): Record<string, unknown> & { type: string } {
  const { model, endpoint, usage, firstTokenMs, finishReason, error, source } = span;
  return {
    type: 'request',
    model: model ?? '',
    endpoint: endpoint ?? '',
    attempt: 1,
    durationMs: durationOf(span) ?? 0,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage && { usage }),
    ...(error && { error }),
    source,
  };
}

/** What an agent was asked, where its span says so. */
function taskOf({ input }: TraceSpan): string | undefined {
  const asked = input.findLast(({ role }) => role === 'user')?.content;
  return typeof asked === 'string' ? asked : undefined;
}
