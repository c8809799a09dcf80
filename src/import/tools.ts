import { agentSteps } from './general/agentSteps.js';
import { anthropicMessages } from './general/anthropicMessages.js';
import { anyMessages } from './general/anyMessages.js';
import { apiTraffic } from './general/apiTraffic.js';
import { chatMessages } from './general/chatMessages.js';
import { displayText, textChat } from './general/textChat.js';
import { functionTexts } from './general/functionTexts.js';
import { openAiResponses } from './general/openAiResponses.js';
import { pairLists } from './general/pairLists.js';
import { promptPairs } from './general/promptPairs.js';
import { rpcLog } from './general/rpcLog.js';
import { uiStream } from './general/uiStream.js';
import { braintrust } from './spans/braintrust.js';
import { datadogLlm } from './spans/datadogLlm.js';
import { langSmith } from './spans/langSmith.js';
import { langfuse } from './spans/langfuse.js';
import { otlp } from './spans/otlp.js';
import { weave } from './spans/weave.js';
import { agentLogbook } from './tools/agentLogbook/agentLogbook.js';
import { agentsSdk } from './tools/agentsSdk/agentsSdk.js';
import { aider } from './tools/aider/aider.js';
import { amp } from './tools/amp/amp.js';
import { antigravity } from './tools/antigravity/antigravity.js';
import { atif } from './tools/atif/atif.js';
import { bedrockAgent } from './tools/bedrockAgent/bedrockAgent.js';
import { bfcl } from './tools/bfcl/bfcl.js';
import { chatGpt } from './tools/chatGpt/chatGpt.js';
import { claudeCode } from './tools/claudeCode/claudeCode.js';
import { clineUi } from './tools/cline/clineUi.js';
import { codex } from './tools/codex/codex.js';
import { continueDev } from './tools/continueDev/continueDev.js';
import { copilotCli } from './tools/copilotCli/copilotCli.js';
import { crewAi } from './tools/crewAi/crewAi.js';
import { crush } from './tools/crush/crush.js';
import { cursor } from './tools/cursor/cursor.js';
import { cursorCli } from './tools/cursorCli/cursorCli.js';
import { droid } from './tools/droid/droid.js';
import { fx } from './tools/fx/fx.js';
import { gemini } from './tools/gemini/gemini.js';
import { googleAdk } from './tools/googleAdk/googleAdk.js';
import { goose } from './tools/goose/goose.js';
import { hermes } from './tools/hermes/hermes.js';
import { inspectLog } from './tools/inspect/inspectLog.js';
import { jupyterChat } from './tools/jupyterChat/jupyterChat.js';
import { kimi } from './tools/kimi/kimi.js';
import { kiro } from './tools/kiro/kiro.js';
import { lmEval } from './tools/lmEval/lmEval.js';
import { mistralVibe } from './tools/mistralVibe/mistralVibe.js';
import { moatless } from './tools/moatless/moatless.js';
import { mtBench } from './tools/mtBench/mtBench.js';
import { openCode } from './tools/openCode/openCode.js';
import { openCodeReview } from './tools/openCodeReview/openCodeReview.js';
import { openHands } from './tools/openHands/openHands.js';
import { pi } from './tools/pi/pi.js';
import { qwenCode } from './tools/qwenCode/qwenCode.js';
import { windsurf } from './tools/windsurf/windsurf.js';
import { vscodeChat } from './tools/vscodeChat/vscodeChat.js';
import { zed } from './tools/zed/zed.js';
import type { TranscriptFormat } from './building/transcriptFormat.js';
import type { Tool } from './tools/tool.js';

/** A tool, or the only format of one that has nothing else. */
type Row = Tool | TranscriptFormat;

/** Tools whose files say in a line whose they are. */
const marked: readonly Row[] = [agentLogbook, aider, crewAi];

/** Tools whose files are asked for before spans and logs. */
const agents: readonly Row[] = [
  qwenCode,
  kimi,
  droid,
  goose,
  amp,
  antigravity,
  cursorCli,
  claudeCode,
  cursor,
  codex,
  rpcLog,
  copilotCli,
  vscodeChat,
  atif,
  pi,
  agentsSdk,
  clineUi,
  gemini,
  continueDev,
  windsurf,
];

/** What tracing tools write. */
const spans: readonly TranscriptFormat[] = [otlp, langfuse, langSmith, braintrust, weave, datadogLlm];

/** The other tools. */
const others: readonly Row[] = [
  openCode,
  crush,
  kiro,
  hermes,
  openCodeReview,
  inspectLog,
  lmEval,
  zed,
  openHands,
  moatless,
  bfcl,
  mtBench,
  fx,
  jupyterChat,
  chatGpt,
  googleAdk,
  bedrockAgent,
  mistralVibe,
];

/** What no tool owns, the most specific first. */
const general: readonly TranscriptFormat[] = [
  uiStream,
  apiTraffic,
  openAiResponses,
  anthropicMessages,
  displayText,
  functionTexts,
  chatMessages,
  agentSteps,
  promptPairs,
  pairLists,
  anyMessages,
];

/** Every tool whose sessions are read: a new one is a folder in `tools` and a row above. */
export const tools: readonly Tool[] = [...marked, ...agents, ...others].map((row) =>
  'formats' in row ? row : { formats: [row] },
);

/** All formats that can be read, the most specific first: the first that recognises a file reads it. */
export const formats: readonly TranscriptFormat[] = [
  ...formatsOf(marked),
  ...tools.flatMap(({ texts = [] }) => texts),
  textChat,
  ...formatsOf(agents),
  ...tools.flatMap(({ telemetry = [] }) => telemetry),
  ...spans,
  ...formatsOf(others),
  ...general,
];

function formatsOf(rows: readonly Row[]): readonly TranscriptFormat[] {
  return rows.flatMap((row) => ('formats' in row ? row.formats : [row]));
}
