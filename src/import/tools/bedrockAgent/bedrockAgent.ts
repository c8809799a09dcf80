import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { anyUsage, looseTime } from '../../messages/looseWords.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/** The kinds of traces that Bedrock's agents give. */
const TRACES = [
  'orchestrationTrace',
  'preProcessingTrace',
  'postProcessingTrace',
  'failureTrace',
  'guardrailTrace',
  'routingClassifierTrace',
  'customOrchestrationTrace',
] as const;

/** Traces of agents of Amazon Bedrock (`InvokeAgent` with `enableTrace`): an event a line, or a list of them. */
export const bedrockAgent: TranscriptFormat = {
  name: 'bedrock-agent',
  of: 'Amazon Bedrock Agents',
  files: 'traces of `InvokeAgent`',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: (head) => {
    const events = eventsIn(head);
    return events.length > 0 && most(events, isTraceEvent) && events.some((each) => orchestrationOf(each));
  },
  readLines(lines, sink) {
    const sessions = new Map<string, Session>();
    let last: Session | undefined;
    for (const value of sink.each(lines)) {
      for (const event of eventsIn([value])) {
        const about = fields(event);
        const id = text(about.sessionId) ?? text(fields(about.trace).sessionId);
        last = (id === undefined ? last : sessions.get(id)) ?? new Session(sink, id);
        if (id !== undefined) sessions.set(id, last);
        last.add(event);
      }
    }
  },
};

function eventsIn(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : [value],
  );
}

/** The object that says which trace it is: the event, what it wraps, or what that wraps. */
function traceIn(event: unknown): Fields | undefined {
  const { trace } = fields(event);
  const candidates = [fields(event), fields(trace), fields(fields(trace).trace)];
  return candidates.find((each) => TRACES.some((key) => isObject(each[key])));
}

function isTraceEvent(event: unknown): boolean {
  return traceIn(event) !== undefined || isObject(fields(event).chunk);
}

function orchestrationOf(event: unknown): Fields | undefined {
  const { orchestrationTrace } = traceIn(event) ?? {};
  return isObject(orchestrationTrace) ? orchestrationTrace : undefined;
}

class Session {
  readonly #builder: ConversationBuilder;
  #calls = 0;
  #waiting: string | undefined;
  /** Why the agent does what it does next. */
  #rationale = '';
  #isAsked = false;
  #model: string | undefined;

  constructor(sink: ImportSink, id: string | undefined) {
    this.#builder = sink.conversation(id, 'agent');
  }

  add(event: unknown): void {
    const trace = orchestrationOf(event);
    const time = looseTime(fields(event)) ?? looseTime(fields(fields(event).trace));
    const before = this.#builder.length;
    if (trace) this.#addTrace(trace, time);
    const beside = this.#builder.since(before);
    const kind = Object.keys(trace ?? traceIn(event) ?? fields(event))[0] ?? 'unknown';
    this.#builder.keepRest(this.#builder.entry, kind, event, { time, beside });
  }

  #addTrace(trace: Fields, time: number | undefined): void {
    const { modelInvocationInput, modelInvocationOutput, rationale, invocationInput, observation } = trace;
    if (isObject(modelInvocationInput)) this.#addPrompt(modelInvocationInput, time);
    const usage = anyUsage(fields(fields(modelInvocationOutput).metadata).usage);
    if (usage) this.#builder.request(this.#builder.entry, usage, this.#model, time);
    this.#rationale = text(fields(rationale).text) ?? this.#rationale;
    if (isObject(invocationInput)) this.#addCall(invocationInput, time);
    if (isObject(observation)) this.#addObservation(observation, time);
  }

  /** What a person asked is only told by the first request to the model. */
  #addPrompt(input: Fields, time: number | undefined): void {
    this.#model = text(input.foundationModel) ?? this.#model;
    if (this.#isAsked) return;
    const asked = objects(fields(parsed(input.text)).messages).findLast(({ role }) => role === 'user');
    if (!asked) return;
    this.#isAsked = true;
    this.#builder.message(this.#builder.entry, { role: 'user', content: wordsOf(asked.content) }, { time });
  }

  #addCall(input: Fields, time: number | undefined): void {
    const { name, args } = callOf(input);
    const id = (this.#waiting = `call ${++this.#calls}`);
    const calls = [toolCall(id, name, args)];
    const reasoning = this.#rationale;
    this.#rationale = '';
    const message = chatMessage('assistant', null, { reasoning, calls });
    this.#builder.message(this.#builder.entry, message, { time });
  }

  #addObservation(observation: Fields, time: number | undefined): void {
    const { finalResponse, repromptResponse } = observation;
    const { entry } = this.#builder;
    const said = text(fields(finalResponse).text);
    if (said !== undefined) {
      const message = chatMessage('assistant', said, { reasoning: this.#rationale });
      this.#rationale = '';
      this.#builder.message(entry, message, { time });
      return;
    }
    const isError = isObject(repromptResponse);
    const output = Object.entries(observation).find(([key]) => /Output$|^repromptResponse$/.test(key))?.[1];
    if (!isObject(output)) return;
    const words = text(output.text) ?? text(fields(output.output).text) ?? asText(output);
    const id = this.#waiting ?? '';
    this.#waiting = undefined;
    this.#builder.message(entry, toolMessage(id, words), { time, isError: isError || undefined });
  }
}

/** What a prompt says: its parts, which Bedrock also writes as `[{text=…, type=text}]`. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return /^\[\{text=([^]*), type=text\}\]$/.exec(content)?.[1] ?? content;
  const words = objects(content).flatMap((part) => text(part.text) ?? []);
  return words.length > 0 ? words.join('\n') : asText(content);
}

/** The tool that an invocation names, with its parameters by their names. */
function callOf(input: Fields): { readonly name: string; readonly args: unknown } {
  const { actionGroupInvocationInput, knowledgeBaseLookupInput, agentCollaboratorInvocationInput } = input;
  if (isObject(actionGroupInvocationInput)) {
    const { actionGroupName, apiPath, parameters, requestBody } = actionGroupInvocationInput;
    const name = text(actionGroupInvocationInput.function) ?? text(apiPath) ?? asText(actionGroupName);
    const named = list(parameters).map((each) => [asText(fields(each).name), fields(each).value] as const);
    return {
      name,
      args: { ...Object.fromEntries(named), ...(requestBody !== undefined && { requestBody }) },
    };
  }
  if (isObject(knowledgeBaseLookupInput)) return { name: 'knowledge base', args: knowledgeBaseLookupInput };
  const collaborator = fields(agentCollaboratorInvocationInput);
  const name = text(collaborator.agentCollaboratorName);
  if (name !== undefined) return { name, args: { text: fields(collaborator.input).text ?? '' } };
  return { name: text(input.invocationType) ?? 'invocation', args: input };
}
