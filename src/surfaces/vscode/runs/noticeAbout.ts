import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { hideToasts } from '../ui/notices.js';

/**
 * What was pressed in a notice about a conversation. The notice goes out of sight, into VS Code's list of notices, when a
 * panel of the conversation comes to the front, which tells the same.
 */
export async function noticeAbout(
  conversation: string,
  inView: PanelsInView,
  notice: Promise<string | undefined>,
): Promise<string | undefined> {
  let hidden = Promise.resolve();
  const following = inView.onDidChange((changed) => {
    if (changed !== conversation || !inView.isVisible(conversation)) return;
    following.dispose();
    hidden = hideToasts();
  });
  try {
    const pressed = await notice;
    await hidden;
    return pressed;
  } finally {
    following.dispose();
  }
}
