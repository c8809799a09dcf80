import { agentLogbook } from './tools/agentLogbook/agentLogbook.js';
import { agentsSdk } from './tools/agentsSdk/agentsSdk.js';
import { agentSteps } from './general/agentSteps.js';
import { aider } from './tools/aider/aider.js';
import { amp } from './tools/amp/amp.js';
import { antigravity } from './tools/antigravity/antigravity.js';
import { anthropicMessages } from './general/anthropicMessages.js';
import { anyMessages } from './general/anyMessages.js';
import { apiTraffic } from './general/apiTraffic.js';
import { atif } from './tools/atif/atif.js';
import { bedrockAgent } from './tools/bedrockAgent/bedrockAgent.js';
import { bfcl } from './tools/bfcl/bfcl.js';
import { braintrust } from './spans/braintrust.js';
import { chatGpt } from './tools/chatGpt/chatGpt.js';
import { chatMessages } from './general/chatMessages.js';
import { chatReplay } from './tools/vscodeChat/chatReplay.js';
import { claudeCode } from './tools/claudeCode/claudeSessions.js';
import { claudeConsole } from './tools/claudeCode/claudeConsole.js';
import { claudeHooks } from './tools/claudeCode/claudeHooks.js';
import { clineUi } from './tools/cline/clineUi.js';
import { codex } from './tools/codex/codexSessions.js';
import { codexEvents } from './tools/codex/codexEvents.js';
import { continueDev } from './tools/continueDev/continueDev.js';
import { copilotEvents } from './tools/copilotCli/copilotEvents.js';
import { copilotTimeline } from './tools/copilotCli/copilotTimeline.js';
import { crewAi } from './tools/crewAi/crewAi.js';
import { cursor } from './tools/cursor/cursorTranscripts.js';
import { cursorChat } from './tools/cursor/cursorChat.js';
import { cursorCli } from './tools/cursor/cursorCli.js';
import { datadogLlm } from './spans/datadogLlm.js';
import { displayText } from './general/displayText.js';
import { functionTexts } from './general/functionTexts.js';
import { fx } from './tools/fx/fx.js';
import { geminiAnswer } from './tools/gemini/geminiAnswer.js';
import { droid } from './tools/droid/droid.js';
import { geminiCli } from './tools/gemini/geminiCli.js';
import { claudeTelemetry } from './tools/claudeCode/claudeTelemetry.js';
import { codexTelemetry } from './tools/codex/codexTelemetry.js';
import { geminiStream } from './tools/gemini/geminiStream.js';
import { geminiTelemetry } from './tools/gemini/geminiTelemetry.js';
import { googleAdk } from './tools/googleAdk/googleAdk.js';
import { goose } from './tools/goose/goose.js';
import { inspectLog } from './tools/inspect/inspectLog.js';
import { jupyterChat } from './tools/jupyterChat/jupyterChat.js';
import { kimi } from './tools/kimi/kimi.js';
import { langfuse } from './spans/langfuse.js';
import { langSmith } from './spans/langSmith.js';
import { lmEval } from './tools/lmEval/lmEval.js';
import { moatless } from './tools/moatless/moatless.js';
import { mtBench } from './tools/mtBench/mtBench.js';
import { openAiResponses } from './general/openAiResponses.js';
import { openCode } from './tools/openCode/openCodeSessions.js';
import { openCodeReview } from './tools/openCodeReview/openCodeReview.js';
import { openHands } from './tools/openHands/openHands.js';
import { otlp } from './spans/otlp.js';
import { pairLists } from './general/pairLists.js';
import { pi } from './tools/pi/pi.js';
import { promptPairs } from './general/promptPairs.js';
import { qwenCode } from './tools/qwenCode/qwenCode.js';
import { rpcLog } from './general/rpcLog.js';
import { textChat } from './general/textChat.js';
import { uiStream } from './general/uiStream.js';
import { vscodeChat } from './tools/vscodeChat/vscodeSessions.js';
import { weave } from './spans/weave.js';
import { zedText } from './tools/zed/zedText.js';
import type { TranscriptFormat } from './building/transcriptFormat.js';

/** All formats that can be read, the most specific first: the first that recognises a file reads it. */
export const formats: readonly TranscriptFormat[] = [
  agentLogbook,
  aider,
  crewAi,
  claudeConsole,
  textChat,
  qwenCode,
  kimi,
  droid,
  goose,
  amp,
  antigravity,
  cursorCli,
  claudeCode,
  claudeHooks,
  cursor,
  cursorChat,
  codex,
  codexEvents,
  rpcLog,
  copilotEvents,
  copilotTimeline,
  chatReplay,
  vscodeChat,
  atif,
  pi,
  agentsSdk,
  clineUi,
  geminiCli,
  geminiAnswer,
  geminiStream,
  continueDev,
  geminiTelemetry,
  claudeTelemetry,
  codexTelemetry,
  otlp,
  langfuse,
  langSmith,
  braintrust,
  weave,
  datadogLlm,
  openCode,
  openCodeReview,
  inspectLog,
  lmEval,
  zedText,
  openHands,
  moatless,
  bfcl,
  mtBench,
  fx,
  jupyterChat,
  chatGpt,
  googleAdk,
  bedrockAgent,
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
