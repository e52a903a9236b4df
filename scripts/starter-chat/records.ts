import { fail, z } from '#kit'

export const message = () =>
  z.looseObject({
    id: z.string().meta({ description: 'Id of the message.' }),
    channel: z.string().meta({ description: 'Id of the channel that it is in.' }),
    user: z.string().meta({ description: 'Id of the person or bot that wrote it.' }),
    text: z.string().meta({ description: 'What it says.' }),
    sent_at: z.string().meta({ description: 'When it was sent, in UTC.' }),
  })

export type Message = z.output<ReturnType<typeof message>>

/** Checks the provider's messages. @throws Failure `bad_reply` when they have another shape */
export const readMessages = (messages: unknown[]): Message[] => {
  const read = z.array(message()).safeParse(messages)
  if (!read.success) throw fail('bad_reply', 'The provider answered something other than messages.')
  return read.data
}
