import type { ChatPlatform, ChatConnectors } from '../../../app/chat/chatConnectors.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { chosen } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { choose, heading, type Choice } from '../ui/pickers.js';

/** The commands about chat platforms. */
export function chatCommands(connectors: ChatConnectors) {
  return {
    ...connectors.commands(),

    /** One list for all platforms: what is on can be stopped, what is off started; tokens are asked for when they are needed. */
    async connectChat() {
      const ways = (await connectors.platforms()).flatMap(waysOf);
      const options = {
        title: words`Connect Chat Platform`,
        placeHolder: words`Agents answer there while it is on`,
      };
      const way = chosen(await choose(ways, options));
      if ('run' in way) await way.run();
    },
  };
}

type Way = Choice & { readonly run: () => Promise<void> };

function waysOf({ name, isOn, hasToken, start, stop, setToken }: ChatPlatform) {
  const ways: readonly Way[] = [
    isOn
      ? { label: iconText(t`Stop ${name}`, 'debug-stop'), run: stop }
      : {
          label: iconText(t`Start ${name}`, 'broadcast'),
          description: iconText(hasToken ? '' : t`asks for a token`),
          run: start,
        },
    ...(hasToken ? [{ label: iconText(t`Change Token of ${name}…`, 'key'), run: setToken }] : []),
  ];
  return [heading(iconText(name)), ...ways];
}
