// The endpoint as the back office answers it, and the address of its replays.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
/** `/s/{shop}/deliveries/replay` replays a range, and shows the replays of the endpoint. */
export const REPLAY = 'replay'
