/** A request of OTLP in JSON: spans of one trace, an agent with its requests to a model and its tools. */
export function spansOf(trace: number, count: number): object {
  const traceId = trace.toString(16).padStart(32, 'a');
  const idOf = (at: number) => (at + 1).toString(16).padStart(16, '0');
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const spans = Array.from({ length: count }, (_, at) => ({
    traceId,
    spanId: idOf(at),
    ...(at > 0 && { parentSpanId: idOf(0) }),
    name: at === 0 ? 'invoke_agent Cook' : at % 2 === 0 ? 'execute_tool look' : 'chat a-model',
    kind: 1,
    startTimeUnixNano: `${1_790_000_000_000 + at}000000`,
    endTimeUnixNano: `${1_790_000_000_900 + at}000000`,
    attributes: [
      text('gen_ai.operation.name', at % 2 === 0 ? 'execute_tool' : 'chat'),
      text('gen_ai.conversation.id', `conversation-${trace}`),
      text('gen_ai.request.model', 'a-model'),
      text('gen_ai.output.messages', JSON.stringify([{ role: 'assistant', parts: [said(at)] }])),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: String(1_000 + at) } },
    ],
  }));
  return {
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', 'bench')] },
        scopeSpans: [{ scope: { name: 'b' }, spans }],
      },
    ],
  };
}

const said = (at: number) => ({ type: 'text', content: `Note ${at}: the lid is closed. `.repeat(8) });
