/** What of Discord's packages is used: a bundle of its own, which is loaded when the connector is started. */
export { REST } from '@discordjs/rest';
export { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
export { GatewayCloseCodes, GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
