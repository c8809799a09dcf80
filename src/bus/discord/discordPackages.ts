/** What of Discord's packages is used: a bundle of its own, which is loaded when the bus is started. */
export {
  Client,
  GatewayDispatchEvents,
  GatewayIntentBits,
  Options,
  SimpleShardingStrategy,
} from 'discord.js';
