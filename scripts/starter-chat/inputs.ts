import { boundedText, z } from '#kit'

export const channel = () => boundedText('Channel', 'Id of the channel, such as C0001.', { min: 1, max: 50 })
export const messageText = () => boundedText('Text', 'What the message says.', { min: 1, max: 4000 })
// `meta` comes last, because a constraint after it would drop the description.
export const pageSize = () =>
  z.int().min(1).max(100).default(50).meta({ title: 'Limit', description: 'Messages per page, 1 to 100.' })
export const cursor = () =>
  z.string().optional().meta({ title: 'Cursor', description: 'The "next" of an earlier answer, to get the rest.' })
