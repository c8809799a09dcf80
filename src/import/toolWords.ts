/**
 * The number of the readers. One more where they make other records of the same file: what was imported before is then read
 * anew when it comes up again, and says by which number it was read where its file is gone.
 */
export const READER = 4;

/** Whose logs the formats are, where one is listed: by the name of the format, see `TranscriptFormat`. */
const TOOLS: ReadonlyMap<string, string> = new Map([
  ['agent-logbook', 'Agent Logbook'],
  ['agent-steps', 'Steps of an agent'],
  ['aider', 'Aider'],
  ['openai-agents', 'OpenAI Agents SDK'],
  ['amazon-q', 'Amazon Q'],
  ['amp', 'Amp'],
  ['anthropic-messages', 'Anthropic API'],
  ['antigravity', 'Antigravity'],
  ['any-messages', 'Messages of another tool'],
  ['api-traffic', 'Recorded model calls'],
  ['atif', 'Harbor'],
  ['bedrock-agent', 'Amazon Bedrock Agents'],
  ['bfcl', 'BFCL'],
  ['braintrust', 'Braintrust'],
  ['chat-messages', 'Chat completions'],
  ['chatgpt', 'ChatGPT'],
  ['chatreplay', 'Copilot Chat'],
  ['claude-code', 'Claude Code'],
  ['claude-console', 'Claude Code'],
  ['claude-code-telemetry', 'Claude Code'],
  ['claude-hooks', 'Claude Code'],
  ['cline-ui', 'Cline, Roo Code'],
  ['codex', 'Codex'],
  ['codex-events', 'Codex'],
  ['codex-telemetry', 'Codex'],
  ['continue', 'Continue'],
  ['copilot-events', 'Copilot CLI'],
  ['copilot-store', 'Copilot'],
  ['copilot-timeline', 'Copilot CLI'],
  ['crewai', 'CrewAI'],
  ['crush', 'Crush'],
  ['cursor', 'Cursor'],
  ['cursor-chat', 'Cursor'],
  ['cursor-cli', 'Cursor'],
  ['datadog-llm', 'Datadog'],
  ['display-text', 'tau-bench'],
  ['droid', 'Factory Droid'],
  ['function-texts', 'Data set'],
  ['fx', 'fx'],
  ['gemini-answer', 'Gemini CLI'],
  ['gemini-cli', 'Gemini CLI'],
  ['gemini-interactions', 'Gemini API'],
  ['gemini-stream', 'Gemini CLI'],
  ['gemini-telemetry', 'Gemini CLI'],
  ['google-adk', 'Google ADK'],
  ['goose', 'Goose'],
  ['hermes', 'Hermes'],
  ['icodemate', 'ICodeMate'],
  ['inspect', 'Inspect'],
  ['jupyter-chat', 'Jupyter AI'],
  ['kilo', 'Kilo Code'],
  ['kimi', 'Kimi'],
  ['kiro', 'Kiro'],
  ['kiro-log', 'Kiro'],
  ['langsmith', 'LangSmith'],
  ['langfuse', 'Langfuse'],
  ['lm-eval', 'lm-evaluation-harness'],
  ['mimo', 'MiMo Code'],
  ['moatless', 'Moatless Tools'],
  ['mt-bench', 'MT-bench'],
  ['openai-responses', 'OpenAI Responses'],
  ['opencode', 'OpenCode'],
  ['open-code-review', 'Open Code Review'],
  ['openhands', 'OpenHands'],
  ['otlp', 'OpenTelemetry'],
  ['pair-lists', 'Chats as lists'],
  ['pi', 'Pi'],
  ['prompt-pairs', 'Questions and answers'],
  ['qwen-code', 'Qwen Code'],
  ['rpc-log', 'ACP or MCP'],
  ['text-chat', 'Markdown'],
  ['ui-stream', 'Stream to a page'],
  ['vscode-chat', 'VS Code Chat'],
  ['weave', 'W&B Weave'],
  ['windsurf', 'Windsurf'],
  ['zcode', 'ZCode'],
  ['zed', 'Zed'],
  ['zed-text', 'Zed'],
]);

/** What a file is called that no format recognised. */
const UNKNOWN = 'unknown';

/** What a person calls the tool of a format, of an archive of several all of them; a name that is none of a format stays. */
export function toolWords(format: string): string {
  const words = format
    .split(', ')
    .map((each) => TOOLS.get(each) ?? (each === UNKNOWN ? 'Unknown tool' : each));
  return [...new Set(words)].join(', ');
}

/** The names of the formats that have words. */
export const namedFormats: readonly string[] = [...TOOLS.keys()];
