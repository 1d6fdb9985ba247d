// The endpoint and the replay as the back office answers them, and the address of its replays.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type Replay = BackOfficeSchemas['WebhookReplay']
export type Preview = BackOfficeSchemas['ReplayPreview']
/** `/s/{shop}/deliveries/replay` replays a range, and shows the replays of the endpoint. */
export const REPLAY = 'replay'
