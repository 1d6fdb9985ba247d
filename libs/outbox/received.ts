// What a receiver of messages got: one message, or several in one call. docs/spec/outboxes.md#relay
import type { z } from 'zod'
import { openParams } from '#schema/open'

/** The messages of a call whose params are `oneOrSeveralMessages(message)`. Refuses invalid_request where there is none. */
export function receivedMessages<Message extends z.ZodType>(
  message: Message,
  params: { messages?: z.output<Message>[] | undefined },
): z.output<Message>[] {
  return params.messages ?? [openParams(message, params)]
}
